package kit

import (
	"cmp"
	"slices"
	"strings"
)

// Extraction are statements that become a function of their own.
type Extraction struct {
	Syntax
	Job  *Job
	File *File
	Name string // of the new function

	Func        *Node   // the innermost function around the statements
	Stmts       []*Node // of one block
	From, To    int     // their whole lines, without the last line break
	First, Last int     // the lines as the request says them

	Returns bool // they return from the function
	Tail    bool // they are the last ones of its body
	Async   bool // they wait: so does the call
	Self    string
	Params  []*Variable
	Results []*Variable
	Locals  []*Variable // set by the statements, declared elsewhere, and no parameters
	Patches []Patch
	// Swallows reports whether a statement that is no try may end an error of its block; nil: none does.
	Swallows func(*Node) bool
}

// Patch replaces bytes of the extracted lines.
type Patch struct {
	From, To int
	With     string
}

// Variable is a variable of the functions around some statements.
type Variable struct {
	Name  string
	Type  string   // as a signature writes it, "" where it writes none
	Uses  []Access // in the order of the source
	Loose bool     // it belongs to its whole function, wherever it is first assigned
	Read  bool     // the end of the function reads it
	Ref   bool     // its address is handed over, so that it stays the same variable
	Const bool     // its declaration forbids assignments
	Fixed string   // why it cannot cross the border of a function, "" if it can
	Raw   any
}

// Access is one identifier that means a variable.
type Access struct {
	At, To                int
	Read, Write, Declares bool
	Maybe                 bool // it is written within an expression
	Inner                 bool // it is in a function inside the variable's own
}

// Function is a new function around its body.
type Function struct {
	At     int    // before the line that begins here
	Above  bool   // what follows is what calls it
	Indent string // of its first line
	Tab    string // one level of indentation
	Head   []string
	Give   string // its last statement, "" for none
	Foot   string // what closes it, "" for nothing
	Gap    int    // blank lines between functions
}

func (x *Extraction) holds(at int) bool {
	return x.Stmts[0].From <= at && at < x.Stmts[len(x.Stmts)-1].To
}

// Inside reports whether the use is one of the statements'.
func (x *Extraction) Inside(u Access) bool { return x.holds(u.At) }

// Outer reports whether the variable can have a value before the statements.
func (x *Extraction) Outer(v *Variable) bool {
	return slices.ContainsFunc(v.Uses, func(u Access) bool {
		if x.Inside(u) || !u.Declares && !(v.Loose && u.Write) {
			return false
		}
		return !v.Loose || u.At < x.Stmts[0].From || x.looped(u.At)
	})
}

// loops are the loops of the function around the statements.
func (x *Extraction) loops() (out []*Node) {
	for n := x.Stmts[0].Parent; n != nil && n != x.Func; n = n.Parent {
		if n.Kind == Loop {
			out = append(out, n)
		}
	}
	return out
}

func (x *Extraction) looped(at int) bool {
	return slices.ContainsFunc(x.loops(), func(l *Node) bool { return l.From <= at && at < l.To })
}

// Share decides which variables are handed over and back, and declines where that would not be
// the same.
func (x *Extraction) Share(vars []*Variable) error {
	for _, v := range vars {
		if err := x.share(v); err != nil {
			return err
		}
	}
	seen := map[string]*Variable{}
	for _, v := range slices.Concat(x.Params, x.Results, x.Locals) {
		if o := seen[v.Name]; o != nil && o != v {
			return x.Job.Declined("the lines use two variables with the name %s", v.Name)
		}
		seen[v.Name] = v
	}
	return nil
}

func (x *Extraction) share(v *Variable) error {
	sets, outer := x.sets(v), x.Outer(v)
	if v.Ref && outer {
		x.Params = append(x.Params, v)
		return nil
	}
	set := x.firstSet(v)
	early := outer && slices.ContainsFunc(v.Uses, func(u Access) bool {
		return x.Inside(u) && u.Read && (set == nil || u.At < set.To)
	})
	result := sets && !x.Returns && x.needed(v, early, outer)
	param := outer && (early || result && set == nil)
	local := outer && sets && !param
	if local && !result { // nobody reads it: as a parameter it may stay unread
		param, local = true, false
	}
	if param || result {
		if err := x.crosses(v, param, result); err != nil {
			return err
		}
	}
	if param {
		x.Params = append(x.Params, v)
	}
	if result {
		x.Results = append(x.Results, v)
	}
	if local {
		x.Locals = append(x.Locals, v)
	}
	return nil
}

func (x *Extraction) sets(v *Variable) bool {
	return slices.ContainsFunc(v.Uses, func(u Access) bool { return x.Inside(u) && (u.Write || u.Declares) })
}

// firstSet is the first of the statements that certainly gives the variable a value.
func (x *Extraction) firstSet(v *Variable) *Node {
	for _, s := range x.Stmts {
		if v.setBy(s) {
			return s
		}
	}
	return nil
}

// setBy reports whether the variable certainly has a new value behind the statement.
func (v *Variable) setBy(n *Node) bool {
	switch n.Kind {
	case If:
		all, total := n.branches()
		return total && !slices.ContainsFunc(all, func(k *Node) bool { return !v.setBy(k) && !k.Leaves() })
	case Block:
		return slices.ContainsFunc(n.Code(), v.setBy)
	case Try:
		return v.setByTry(n)
	case Func, Class:
		return v.writtenIn(n)
	case Loop, Switch, Case:
		return false
	default:
		return !n.holdsBlock() && v.writtenIn(n)
	}
}

// setByTry: its body gives the value, and so does whatever goes on after an error in it.
func (v *Variable) setByTry(n *Node) bool {
	body := false
	for _, k := range n.Code() {
		block := k
		if !k.Is(Block) && len(k.Code()) > 0 {
			block = k.last()
		}
		set := block.Is(Block) && v.setBy(block)
		switch {
		case k.Field == "body":
			body = set
		case k.Field == "finalizer":
			return set || body
		case !set && !block.Leaves():
			return false
		}
	}
	return body
}

// branches are the blocks of which an if statement takes one; total is false when it may take
// none.
func (n *Node) branches() (all []*Node, total bool) {
	for _, k := range n.Code() {
		switch {
		case k.Field == "consequence":
			all = append(all, k)
		case k.Field == "alternative" && k.Kind == Other: // an else or elif clause
			if c := k.Get("consequence"); c != nil {
				all = append(all, c)
			} else if len(k.Code()) > 0 {
				all, total = append(all, k.last()), true
			}
		case k.Field == "alternative":
			all, total = append(all, k), true
		}
	}
	return all, total
}

// Leaves reports whether nothing behind the statement runs after it.
func (n *Node) Leaves() bool {
	switch {
	case n.Is(Return, Leave):
		return true
	case n.Is(If):
		all, total := n.branches()
		return total && !slices.ContainsFunc(all, func(k *Node) bool { return !k.Leaves() })
	case n.Is(Block):
		return len(n.Code()) > 0 && n.last().Leaves()
	}
	return false
}

func (n *Node) last() *Node { return n.Code()[len(n.Code())-1] }

// holdsBlock reports whether the statement decides about others.
func (n *Node) holdsBlock() bool {
	found := false
	n.Walk(func(k *Node) bool {
		found = found || k.Is(Block)
		return !found && !k.Is(Func)
	})
	return found
}

func (v *Variable) writtenIn(n *Node) bool {
	return slices.ContainsFunc(v.Uses, func(u Access) bool {
		return n.From <= u.At && u.At < n.To && (u.Write || u.Declares) && !u.Inner && !u.Maybe
	})
}

// needed reports whether code behind the statements needs what they set the variable to.
func (x *Extraction) needed(v *Variable, early, outer bool) bool {
	if v.Read {
		return true
	}
	end := x.Stmts[len(x.Stmts)-1].To
	for _, u := range v.Uses {
		if u.At >= end && (u.Read || !outer && !v.Loose) {
			return true
		}
		if u.At < x.Stmts[0].From && u.Read && x.again(v, u) {
			return true
		}
	}
	return early && x.again(v, Access{At: x.Stmts[0].From})
}

// again reports whether the use may run after the statements, in the next round of a loop
// around both that the variable outlives.
func (x *Extraction) again(v *Variable, u Access) bool {
	return slices.ContainsFunc(x.loops(), func(l *Node) bool {
		within := func(at int) bool { return l.From <= at && at < l.To }
		outlives := v.Loose || slices.ContainsFunc(v.Uses, func(d Access) bool { return d.Declares && !within(d.At) })
		return within(u.At) && outlives
	})
}

// crosses declines a variable that is not the same as its copy.
func (x *Extraction) crosses(v *Variable, param, result bool) error {
	switch {
	case v.Fixed != "":
		return x.Job.Declined("%s", v.Fixed)
	case x.kept(v):
		return x.Job.Declined("a function inside keeps %s, which changes", v.Name)
	case result && x.outlasts(v):
		return x.Job.Declined("%s is read where the lines may have been given up half-way", v.Name)
	case result && !param && v.Loose && x.firstSet(v) == nil:
		return x.Job.Declined("%s may have no value behind the lines", v.Name)
	case param && !x.surely(v):
		return x.Job.Declined("%s may have no value before the lines", v.Name)
	}
	return nil
}

// kept: a closure has the variable itself, and its value changes.
func (x *Extraction) kept(v *Variable) bool {
	inner, writes := false, 0
	for _, u := range v.Uses {
		inner = inner || u.Inner
		if u.Write || u.Declares {
			writes++
			if v.Loose && x.inLoop(u.At) {
				writes++
			}
		}
	}
	return inner && writes > 1
}

func (x *Extraction) inLoop(at int) bool {
	found := false
	x.Func.Walk(func(n *Node) bool {
		found = found || n.Kind == Loop && n.From <= at && at < n.To
		return !found
	})
	return found
}

// outlasts: a handler of errors, or code behind it, reads what the statements set.
func (x *Extraction) outlasts(v *Variable) bool {
	for n := x.Stmts[0].Parent; n != nil && n != x.Func; n = n.Parent {
		if (n.Parent.Is(Try) || x.swallows(n.Parent)) && slices.ContainsFunc(v.Uses, func(u Access) bool {
			return u.Read &&
				u.At >= n.To
		}) {
			return true
		}
	}
	return false
}

func (x *Extraction) swallows(n *Node) bool { return x.Swallows != nil && x.Swallows(n) }

// surely: the variable has a value whenever the statements run.
func (x *Extraction) surely(v *Variable) bool {
	if !v.Loose {
		return !slices.ContainsFunc(v.Uses, func(u Access) bool { return u.Declares && u.At >= x.To })
	}
	if slices.ContainsFunc(v.Uses, func(u Access) bool { return u.Declares && !u.Write }) {
		return true // a parameter
	}
	for at := x.Stmts[0]; at.Parent != nil && at != x.Func; at = at.Parent {
		for _, k := range at.Parent.Code() {
			if k.From >= at.From {
				break
			}
			if at.Parent.Is(Block) && (v.setBy(k) || !x.swallows(k) && v.setWith(k)) ||
				!at.Parent.Is(Block, Func, Root) && !k.Is(Block) &&
					heads(at.Parent, at) &&
					v.writtenIn(k) {
				return true
			}
		}
	}
	return false
}

// setWith is setBy for a statement that manages a block: "with open(name) as f: ...".
func (v *Variable) setWith(n *Node) bool {
	body := n.Get("body")
	return n.Is(Other) && body.Is(Block) && (v.setBy(body) ||
		slices.ContainsFunc(n.Code(), func(k *Node) bool { return k != body && v.writtenIn(k) }))
}

// heads reports whether what stands before the block in n always comes before it.
func heads(n, block *Node) bool {
	return block.Is(Block) && block.Field != "alternative" && (!n.Is(Try) || block.Field == "body") && n.Kind != Case ||
		n.Is(Case)
}

// Written are the lines of the new function, with the blank lines that part it from others.
func (x *Extraction) Written(fn Function) []string {
	lines := slices.Clone(fn.Head)
	for i := range lines {
		lines[i] = fn.Indent + lines[i]
	}
	inside := fn.Indent + fn.Tab
	lines = append(lines, x.body(inside)...)
	if fn.Give != "" {
		lines = append(lines, inside+fn.Give)
	}
	if fn.Foot != "" {
		lines = append(lines, fn.Indent+fn.Foot)
	}
	gap := make([]string, fn.Gap)
	if fn.Above {
		return append(lines, gap...)
	}
	return append(gap, lines...)
}

// body are the extracted lines behind another indentation. Lines that begin inside a string
// stay as they are.
func (x *Extraction) body(indent string) []string {
	f := x.File
	slices.SortFunc(x.Patches, func(a, b Patch) int { return cmp.Compare(a.From, b.From) })
	lead := f.Indent(x.Stmts[0].From)
	var out []string
	for at := x.From; at < x.To; at = f.NextLine(at) {
		end := min(f.LineEnd(at), x.To)
		line := x.patched(at, end)
		switch {
		case f.inString(at):
		case strings.TrimSpace(line) == "":
			line = ""
		default:
			line = indent + strings.TrimPrefix(line, lead)
		}
		out = append(out, line)
	}
	return out
}

func (x *Extraction) patched(from, to int) string {
	var b strings.Builder
	for _, p := range x.Patches {
		if p.From >= from && p.To <= to {
			b.Write(x.File.Src[from:p.From])
			b.WriteString(p.With)
			from = p.To
		}
	}
	b.Write(x.File.Src[from:to])
	return b.String()
}

// Code reports whether there is more than comments, white space and semicolons in [from, to).
func (f *File) Code(from, to int) bool {
	b := slices.Clone(f.Src[from:to])
	f.Root().Walk(func(n *Node) bool {
		if n.Kind == Remark {
			for at := max(from, n.From); at < min(to, n.To); at++ {
				b[at-from] = ' '
			}
		}
		return n.Parent == nil || n.From < to && n.To > from
	})
	return strings.Trim(string(b), "; \t\r\n") != ""
}

// inString reports whether the byte is in a string that began before it.
func (f *File) inString(at int) bool {
	found := false
	f.Root().Walk(func(n *Node) bool {
		if n.From >= at || n.To <= at && n.Parent != nil {
			return false
		}
		found = found || n.Kind == String
		return !found
	})
	return found
}
