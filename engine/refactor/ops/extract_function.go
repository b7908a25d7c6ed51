package ops

import (
	"fmt"
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// extractor is what a language knows of the functions that lines are taken from.
type extractor interface {
	// Vars are the variables of the functions around the lines that are used in them or declared
	// by them, with all their uses, in the order of the source.
	Vars(x *kit.Extraction) ([]*kit.Variable, error)
	// Extractable declines what would mean something else in another function, and says what
	// the new one has to be: a method, asynchronous.
	Extractable(x *kit.Extraction) error
	// Calling are the lines that stand for those that are taken away, without indentation.
	Calling(x *kit.Extraction) ([]string, error)
	// Called is the new function around its body.
	Called(x *kit.Extraction) (kit.Function, error)
}

// extractFunction moves the selected statements into a new function and calls it. What they
// read from around them becomes parameters, what they set and the code behind them reads
// becomes results.
func extractFunction(j *kit.Job) error {
	x := &kit.Extraction{Job: j, Name: j.Arg("name"), Syntax: j.Syntax}
	if err := findLines(x); err != nil {
		return err
	}
	if err := inNamed(x); err != nil {
		return err
	}
	if err := leaves(x); err != nil {
		return err
	}
	lang := j.Syntax.(extractor)
	if err := lang.Extractable(x); err != nil {
		return err
	}
	vars, err := lang.Vars(x)
	if err != nil {
		return err
	}
	if err := x.Share(vars); err != nil {
		return err
	}
	calls, err := lang.Calling(x)
	if err != nil {
		return err
	}
	fn, err := lang.Called(x)
	if err != nil {
		return err
	}
	f := x.File
	indent := f.Indent(x.Stmts[0].From)
	for i, l := range calls {
		calls[i] = indent + l
	}
	j.Edits.Replace(f, x.From, x.To, strings.Join(calls, f.EOL()))
	j.Edits.InsertLines(f, fn.At, x.Written(fn)...)
	j.Promise.Names = []string{x.Name}
	j.Say("Extracted %s from %s:%d-%d.", x.Name, f.Path, x.First, x.Last)
	return nil
}

// inNamed declines lines that are not in the function that the request names.
func inNamed(x *kit.Extraction) error {
	if x.Job.Arg("func") == "" {
		return nil
	}
	ds, err := x.Job.Subject("func")
	if err != nil {
		return err
	}
	for _, d := range ds {
		if fn := d.Func(); d.File.Path == x.File.Path && fn != nil && fn.Covers(x.Stmts[0].From, x.Stmts[0].To) {
			return nil
		}
	}
	return x.Job.Declined("lines %d-%d of %s are not in %s", x.First, x.Last, x.File.Path, ds[0].Title)
}

// findLines finds the whole statements that the selected lines hold, and nothing else.
func findLines(x *kit.Extraction) error {
	f, first, last, err := x.Job.Selection()
	if err != nil {
		return err
	}
	x.File = f
	from, to := f.Line(first), f.LineEnd(f.Line(last))
	x.Stmts = statementsIn(f.Root(), from, to)
	if len(x.Stmts) == 0 {
		return x.Job.Declined("lines %d-%d of %s hold no statement of a function", first, last, f.Path)
	}
	start, end := x.Stmts[0], x.Stmts[len(x.Stmts)-1]
	x.First, x.Last = first, last
	if x.Func = start.Up(kit.Func, kit.Class); !x.Func.Is(kit.Func) {
		return x.Job.Declined("lines %d-%d of %s are not in a function", first, last, f.Path)
	}
	if start.From < from || end.To > to || f.Code(from, start.From) || f.Code(end.To, to) {
		if start.From >= from && end.To <= to { // the braces around them
			start, end = statementAround(start), statementAround(start)
		}
		cut := start
		if i := slices.IndexFunc(x.Stmts, func(n *kit.Node) bool { return n.From < from || n.To > to }); i >= 0 {
			cut = x.Stmts[i]
		}
		return near(x, start, end, x.Job.Declined("lines %d-%d of %s cut through the code at line %d", first, last, f.Path,
			f.LineOf(cut.From)))
	}
	if !f.BeginsLine(start.From) || f.Code(end.To, f.LineEnd(end.To)) {
		return x.Job.Declined("line %d of %s holds other code, too", f.LineOf(end.To), f.Path)
	}
	x.From = from
	for f.Blank(x.From) {
		x.From = f.NextLine(x.From)
	}
	x.To = x.From + len(strings.TrimRight(string(f.Src[x.From:to]), " \t\r\n"))
	return nil
}

// statementAround is the statement whose block holds n.
func statementAround(n *kit.Node) *kit.Node {
	for at := n.Parent; at.Parent != nil; at = at.Parent {
		if at.Parent.Is(kit.Block, kit.Case) {
			return at
		}
	}
	return n
}

// statementsIn are the statements of one block that the bytes [from, to) touch.
func statementsIn(n *kit.Node, from, to int) []*kit.Node {
	var touched []*kit.Node
	for _, k := range n.Code() {
		if k.From < to && k.To > from {
			touched = append(touched, k)
		}
	}
	inside := len(touched) > 0
	for _, k := range touched {
		inside = inside && k.From >= from && k.To <= to
	}
	if len(touched) == 1 && (!inside || !n.Is(kit.Block, kit.Case)) {
		if below := statementsIn(touched[0], from, to); below != nil {
			return below
		}
	}
	if !n.Is(kit.Block, kit.Case) || n.Is(kit.Case) && !bodyOf(n, touched) || n.Parent.Is(kit.Class) {
		return nil
	}
	return touched
}

// bodyOf reports whether the nodes are statements of a case, and not what it compares with.
func bodyOf(c *kit.Node, nodes []*kit.Node) bool {
	return !slices.ContainsFunc(nodes, func(n *kit.Node) bool {
		return n.Field == "value" || n.Field == "pattern" || n.Field == "condition" ||
			n.Is(kit.Name, kit.Member, kit.Binary, kit.Unary, kit.String, kit.Number, kit.Call, kit.List)
	})
}

// near adds the lines of whole statements to a refusal.
func near(x *kit.Extraction, first, last *kit.Node, err error) error {
	f := x.File
	return withNearest(err, fmt.Sprintf("on lines %d-%d of %s, extract function %s", f.LineOf(first.From),
		f.LineOf(last.To), f.Path, x.Name))
}

func withNearest(err error, nearest string) error {
	if d, ok := err.(*refactor.Declined); ok {
		d.Nearest = append(d.Nearest, nearest)
	}
	return err
}

// leaves finds out how the lines end: behind them, or by returning from the function. Whatever
// else leaves them declines.
func leaves(x *kit.Extraction) error {
	for i, s := range x.Stmts {
		if bad := jumpOut(x.File, s, x.Stmts); bad != nil {
			word, _, _ := strings.Cut(strings.TrimRight(x.File.Text(bad), ";"), " ")
			return before(x, i, x.Job.Declined("the %s at line %d leaves the lines", word, x.File.LineOf(bad.From)))
		}
	}
	last := x.Stmts[len(x.Stmts)-1]
	tail := last.Parent == x.Func.Get("body") && lastCode(last.Parent) == last
	for i, s := range x.Stmts {
		r := returnIn(s)
		if r == nil {
			continue
		}
		x.Returns = true
		if !tail && !(last.Leaves() && returns(last)) {
			return before(x, i, x.Job.Declined("line %d returns from the function, and the lines may also end behind line %d",
				x.File.LineOf(r.From), x.File.LineOf(last.To)))
		}
	}
	if last.Leaves() && !x.Returns {
		return x.Job.Declined("the lines always end with line %d, which a call of a function would not say",
			x.File.LineOf(last.From))
	}
	x.Tail = tail
	return nil
}

// before proposes the lines before statement i.
func before(x *kit.Extraction, i int, err error) error {
	if i == 0 {
		return err
	}
	return near(x, x.Stmts[0], x.Stmts[i-1], err)
}

func lastCode(block *kit.Node) *kit.Node {
	code := block.Code()
	return code[len(code)-1]
}

// returnIn is a statement below n that returns from the function around n, or nil.
func returnIn(n *kit.Node) *kit.Node {
	var found *kit.Node
	n.Walk(func(k *kit.Node) bool {
		if k.Is(kit.Return) {
			found = k
		}
		return found == nil && !k.Is(kit.Func, kit.Class)
	})
	return found
}

// returns reports whether each way to leave the statement is a return.
func returns(n *kit.Node) bool {
	all := true
	n.Walk(func(k *kit.Node) bool {
		all = all && !k.Is(kit.Leave)
		return all && !k.Is(kit.Func, kit.Loop)
	})
	return all
}

// jumpOut is a break, a continue or a jump in s whose target is not among the statements, or
// that names one.
func jumpOut(f *kit.File, s *kit.Node, stmts []*kit.Node) *kit.Node {
	var found *kit.Node
	s.Walk(func(k *kit.Node) bool {
		if k.Is(kit.Leave) && found == nil && !staysIn(f, k, stmts) {
			found = k
		}
		return found == nil && !k.Is(kit.Func, kit.Class)
	})
	return found
}

func staysIn(f *kit.File, leave *kit.Node, stmts []*kit.Node) bool {
	words := strings.Fields(strings.TrimRight(f.Text(leave), "; \t"))
	switch words[0] {
	case "break", "continue":
		if len(words) > 1 {
			return false
		}
	case "goto":
		return false
	case "fallthrough":
		return !slices.Contains(stmts, leave)
	default:
		return true // it raises
	}
	for at := leave; !slices.Contains(stmts, at); at = at.Parent {
		p := at.Parent
		// A case of Python's match is no loop's end.
		catches := p.Is(kit.Loop) || words[0] == "break" && p.Is(kit.Switch) && !strings.HasPrefix(f.Text(p), "match")
		if catches && at.Field != "alternative" {
			return true
		}
	}
	return false
}
