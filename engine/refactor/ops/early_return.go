package ops

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
)

// earlyReturn turns nested conditions of a function into guard clauses. What runs, and in which
// order, stays the same:
//
//	if a { long }                      if !a { return }; long         at the end of the function
//	if a { long } else { return x }    if !a { return x }; long
//	if a { return x } else { long }    if a { return x }; long
//	if a { long }; return x            if !a { return x }; long; return x
//
// A loop's body ends with continue where a function's ends with return.
func earlyReturn(j *kit.Job) error {
	ds, err := j.Subject("func")
	if err != nil {
		return err
	}
	for _, d := range ds {
		if err := flattenFunc(j, d); err != nil {
			return err
		}
	}
	j.Say("Turned the nested conditions of %s into early returns.", ds[0].Title)
	return nil
}

func flattenFunc(j *kit.Job, d *kit.Decl) error {
	fn := funcOf(d)
	if fn == nil {
		return j.Declined("%s is no function", d.Title)
	}
	body := fn.Get("body")
	if !body.Is(kit.Block) {
		return j.Declined("%s has no body with statements", d.Title)
	}
	g := &flattening{Job: j, f: d.File, fn: fn, colons: map[int]bool{}}
	b, ok := g.block(body)
	if !ok {
		return j.Already("%s has no nested condition on lines of its own", d.Title)
	}
	was := string(d.File.Src[b.from:b.to])
	b.top = true
	is := g.region(b, b.indent, true, g.exit())
	if g.done == 0 || is == was {
		return j.Already("%s has no nested condition that could return early", d.Title)
	}
	from, to, now := differing(b.from, b.to, was, is)
	j.Edits.Replace(d.File, from, to, now)
	return nil
}

// funcOf is the function that a declaration names: the node itself, or the value of a variable.
func funcOf(d *kit.Decl) *kit.Node {
	at := cmp.Or(d.Impl, d.At)
	name := d.File.Around(at, at+len(d.Name))
	if name.Parent.Is(kit.Func) {
		return name.Parent
	}
	if name.Parent != nil {
		for _, k := range name.Parent.Kids {
			if k.Is(kit.Func) {
				return k
			}
		}
	}
	return nil
}

// differing is the smallest run of lines in which two texts differ.
func differing(from, to int, was, is string) (int, int, string) {
	a, b := strings.SplitAfter(was, "\n"), strings.SplitAfter(is, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		from += len(a[0])
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		to -= len(a[len(a)-1])
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return from, to, strings.Join(b, "")
}

// flattening is one function that is written anew.
type flattening struct {
	*kit.Job
	f      *kit.File
	fn     *kit.Node
	done   int
	ended  bool         // nothing behind what was written last runs after it
	colons map[int]bool // of a := b that become a = b
}

// lines are the whole lines inside a block.
type lines struct {
	from, to int
	indent   string
	stmts    []*kit.Node
	host     []*kit.Node // the statements of the block in which they end up, besides their own
	top      bool        // that block is the function's
	followed bool        // there is code behind them in that block
}

// block finds the lines inside a block; ok is false where it shares them with something else.
func (g *flattening) block(n *kit.Node) (lines, bool) {
	code := n.Code()
	if !n.Is(kit.Block) || len(code) == 0 {
		return lines{}, false
	}
	f, last := g.f, code[len(code)-1]
	b := lines{stmts: code, indent: f.Indent(code[0].From), from: f.LineStart(code[0].From), to: f.NextLine(last.To)}
	if g.Dialect().Open == "" { // comments at its ends are no part of the node
		for b.from > 0 && g.remarked(b.from-1, b.indent) {
			b.from = f.LineStart(b.from - 1)
		}
		for b.to < len(f.Src) && g.remarked(b.to, b.indent) {
			b.to = f.NextLine(b.to)
		}
	} else {
		b.from, b.to = f.NextLine(n.From), f.LineStart(n.To-1)
		if b.from > b.to || strings.TrimSpace(string(f.Src[n.From+1:b.from])) != "" ||
			strings.TrimSpace(string(f.Src[b.to:n.To-1])) != "" {
			return lines{}, false
		}
	}
	for _, s := range code {
		if !f.BeginsLine(s.From) || f.Indent(s.From) != b.indent || f.LineStart(s.From) < b.from {
			return lines{}, false
		}
	}
	return b, last.To <= b.to
}

// remarked reports whether a line is a comment with that indentation.
func (g *flattening) remarked(at int, indent string) bool {
	return g.f.Indent(at) == indent && strings.HasPrefix(string(g.f.Src[g.f.LineStart(at)+len(indent):]), g.Dialect().Line)
}

// region writes the lines of a block with another indentation. tail says that behind them the
// function, or the loop, ends, which exit would do.
func (g *flattening) region(b lines, indent string, tail bool, exit string) string {
	var out strings.Builder
	at, ended := b.from, false
	for i, s := range b.stmts {
		var text string
		g.ended = false
		switch {
		case s.Is(kit.If):
			last, leave := tail && i == len(b.stmts)-1, exit
			if gives := g.given(b, i); gives != "" {
				last, leave = true, gives
			}
			if text = g.condition(s, b, i, indent, last, leave); g.ended && leave != exit {
				out.WriteString(g.moved(at, g.f.LineStart(s.From), b.indent, indent))
				out.WriteString(text)
				return out.String() + g.moved(g.f.NextLine(b.stmts[i+1].To), b.to, b.indent, indent)
			}
		case s.Is(kit.Loop):
			text = g.loop(s, b.indent, indent)
		default:
			ended = g.ends(s)
			continue
		}
		ended = g.ended
		out.WriteString(g.moved(at, g.f.LineStart(s.From), b.indent, indent))
		out.WriteString(text)
		at = max(at, g.f.NextLine(s.To))
	}
	out.WriteString(g.moved(at, b.to, b.indent, indent))
	g.ended = ended
	return out.String()
}

// given is what the last statement of a block returns, or raises, where the i-th comes right
// before it: "" if it is not the same, and as short, in an early return.
func (g *flattening) given(b lines, i int) string {
	if i != len(b.stmts)-2 {
		return ""
	}
	s, n := b.stmts[i+1], b.stmts[i]
	text := g.f.Text(s)
	fits := s.Is(kit.Return) && len(s.Code()) > 0 || s.Is(kit.Leave) && (strings.HasPrefix(text, "throw ") ||
		strings.HasPrefix(text, "raise "))
	const most = 60
	if !fits || len(text) > most || strings.Contains(text, "\n") || n.Get("alternative") != nil ||
		strings.TrimSpace(string(g.f.Src[g.f.LineEnd(n.To):g.f.LineStart(s.From)])) != "" ||
		strings.TrimRight(string(g.f.Src[n.To:g.f.LineEnd(n.To)]), " \t") != "" ||
		strings.TrimRight(string(g.f.Src[s.To:g.f.LineEnd(s.To)]), " \t") != "" {
		return ""
	}
	s.Walk(func(k *kit.Node) bool {
		// A function is not worth writing twice; what a condition proves of a member is not known here.
		if k.Is(kit.Func) || g.Dialect().Parens && k.Is(kit.Member) {
			fits = false
		}
		return fits
	})
	if !fits {
		return ""
	}
	return text
}

// gives reports whether an early exit hands something over: it is no plain return or continue.
func (g *flattening) gives(exit string) bool {
	exit = strings.TrimSuffix(exit, ";")
	return exit != "return" && exit != "continue" && exit != "return "+g.Dialect().Nothing
}

// nests reports whether a block has conditions of its own, or is long.
func (g *flattening) nests(b lines) bool {
	return g.count(b) > 4 || slices.ContainsFunc(b.stmts, func(s *kit.Node) bool { return s.Is(kit.If) })
}

// loop writes a loop, whose block is written anew.
func (g *flattening) loop(s *kit.Node, was, indent string) string {
	start, end := g.f.LineStart(s.From), g.f.NextLine(s.To)
	b, ok := g.block(s.Get("body"))
	if !ok {
		return g.moved(start, end, was, indent)
	}
	return g.moved(start, b.from, was, indent) +
		g.region(b, indent+strings.TrimPrefix(b.indent, was), true, "continue"+g.end()) + g.moved(b.to, end, was, indent)
}

// moved is the source of some lines with another indentation; what is inside a string stays.
func (g *flattening) moved(from, to int, was, indent string) string {
	var out strings.Builder
	for at := from; at < to; {
		next := min(g.f.NextLine(at), to)
		line := string(g.f.Src[at:next])
		for i := next - 1; i >= at; i-- {
			if g.colons[i] {
				line = line[:i-at] + line[i-at+1:]
			}
		}
		if rest, ok := strings.CutPrefix(line, was); ok && was != indent && !g.f.Blank(at) && !g.inString(at) {
			line = indent + rest
		}
		out.WriteString(line)
		at = next
	}
	return out.String()
}

func (g *flattening) inString(at int) bool {
	for n := g.f.Around(at, at); n != nil; n = n.Parent {
		if n.Is(kit.String) && n.From < at {
			return true
		}
	}
	return false
}

// branch is an if with what belongs to it.
type branch struct {
	cond       *kit.Node
	body, rest lines
	other      *kit.Node // what follows else: an if, or the block of rest
	init       bool
}

// branchOf reads an if that is written one part a line, without comments behind its parts.
func (g *flattening) branchOf(n *kit.Node) (br branch, ok bool) {
	br = branch{cond: n.Get("condition"), init: n.Get("initializer") != nil}
	if br.body, ok = g.block(n.Get("consequence")); !ok || br.cond == nil || br.cond.To > br.body.from ||
		strings.Trim(string(g.f.Src[br.cond.To:br.body.from]), " )\t\r\n:{") != "" {
		return br, false
	}
	braces := g.Dialect().Open != ""
	end := br.body.to
	var others []*kit.Node
	for _, k := range n.Kids {
		if k.Is(kit.Remark) && k.To > br.body.to {
			return br, false
		}
		if k.Field == "alternative" {
			others = append(others, k)
		}
	}
	switch {
	case len(others) == 0:
	case others[0].Is(kit.Block, kit.If):
		br.other = others[0]
	case others[0].Get("condition") != nil: // elif: an if with what follows it
		br.other = &kit.Node{Kind: kit.If, From: others[0].From, To: n.To, Parent: n.Parent, Raw: others[0].Raw,
			Kids: slices.Concat(others[0].Kids, others[1:])}
	case len(others[0].Kids) != 1:
		return br, false
	default: // an else clause around it
		br.other = others[0].Kids[0]
	}
	if br.other.Is(kit.If) {
		between := strings.Join(strings.Fields(string(g.f.Src[end:max(end, br.other.From)])), "")
		return br, slices.Contains([]string{"", "else", "}else"}, between)
	}
	if br.other != nil {
		if br.rest, ok = g.block(br.other); !ok ||
			strings.Trim(strings.Join(strings.Fields(string(g.f.Src[end:br.rest.from])), ""), "}{:") != "else" {
			return br, false
		}
		end = br.rest.to
	}
	if last := strings.TrimSpace(string(g.f.Src[end:max(end, g.f.LineEnd(n.To))])); !braces {
		return br, last == "" // comments can stand behind a blank line
	} else {
		return br, last == "}"
	}
}

// condition writes an if, the i-th statement of its block; tail says that the function or loop
// ends behind it.
func (g *flattening) condition(n *kit.Node, outer lines, i int, indent string, tail bool, exit string) string {
	br, ok := g.branchOf(n)
	if !ok {
		g.ended = g.ends(n)
		return g.headed(n, g.f.NextLine(n.To), outer.indent, indent)
	}
	deeper := indent + strings.TrimPrefix(br.body.indent, outer.indent)
	follows := outer.followed || i < len(outer.stmts)-1
	br.body.host = slices.Concat(outer.host, outer.stmts)
	br.rest.host, br.body.top, br.rest.top = br.body.host, outer.top, outer.top
	br.body.followed, br.rest.followed = follows, follows
	switch whole := br.other.Is(kit.Block); {
	case br.init || !g.local(br.cond, n.To):
	case br.other.Is(kit.If) && g.leaves(br.body):
		g.done++
		outer.stmts = slices.Replace(slices.Clone(outer.stmts), i, i+1, br.other)
		return g.guard(indent, g.f.Text(br.cond), g.region(br.body, deeper, false, "")) +
			g.condition(br.other, outer, i, indent, tail, exit)
	case whole && g.leaves(br.rest) && (!g.leaves(br.body) || g.count(br.rest) < g.count(br.body)) &&
		g.shorter(br.rest, br.body) && g.fits(br.body, follows):
		g.done++
		return g.guard(indent, g.turned(br.cond), g.region(br.rest, deeper, false, "")) +
			g.region(br.body, indent, tail, exit)
	case whole && g.leaves(br.body) && g.fits(br.rest, follows):
		g.done++
		return g.guard(indent, g.f.Text(br.cond), g.region(br.body, deeper, false, "")) +
			g.region(br.rest, indent, tail, exit)
	case tail && exit != "" && (!g.leaves(br.body) || g.gives(exit) && br.other == nil && g.nests(br.body)) &&
		(br.other == nil && g.count(br.body) > 1 ||
			whole && g.shorter(br.rest, br.body)) && g.fits(br.body, g.gives(exit)):
		g.done++
		ends := deeper + exit + g.f.EOL()
		if whole {
			ends = g.moved(br.rest.from, br.rest.to, br.rest.indent, deeper) + ends
		}
		return g.guard(indent, g.turned(br.cond), ends) + g.region(br.body, indent, true, exit)
	}
	br.body.host, br.rest.host, br.body.top, br.rest.top = nil, nil, false, false
	br.body.followed, br.rest.followed = false, false
	text := g.headed(n, br.body.from, outer.indent, indent) + g.region(br.body, deeper, tail, exit)
	at := br.body.to
	if br.other.Is(kit.Block) {
		text += g.moved(at, br.rest.from, outer.indent, indent) + g.region(br.rest, deeper, tail, exit)
		at = br.rest.to
	}
	g.ended = g.ends(n)
	return text + g.moved(at, g.f.NextLine(n.To), outer.indent, indent)
}

// headed is moved from a statement on, which may stand behind else.
func (g *flattening) headed(n *kit.Node, to int, was, indent string) string {
	if rest, ok := strings.CutPrefix(string(g.f.Src[n.From:to]), "elif"); ok {
		next := g.f.NextLine(n.From)
		return indent + "if" + rest[:next-n.From-len("elif")] + g.moved(next, to, was, indent)
	}
	if g.f.BeginsLine(n.From) {
		return g.moved(g.f.LineStart(n.From), to, was, indent)
	}
	next := g.f.NextLine(n.From)
	return indent + string(g.f.Src[n.From:next]) + g.moved(next, to, was, indent)
}

func (g *flattening) guard(indent, cond, body string) string {
	if d := g.Dialect(); d.Open != "" {
		return indent + "if " + cond + d.Open + g.f.EOL() + body + indent + "}" + g.f.EOL()
	}
	return indent + "if " + cond + ":" + g.f.EOL() + body
}

func (g *flattening) count(b lines) int {
	return g.f.LineOf(max(b.from, b.to-1)) - g.f.LineOf(b.from) + 1
}

func (g *flattening) shorter(a, b lines) bool { return g.count(a) <= min(g.count(b), 6) }

// exit leaves the function at its end: "" where it returns something.
func (g *flattening) exit() string {
	valued := false
	g.fn.Get("body").Walk(func(n *kit.Node) bool {
		valued = valued || n.Is(kit.Return) && len(n.Code()) > 0
		return !n.Is(kit.Func)
	})
	switch nothing := g.Dialect().Nothing; {
	case !valued:
		return "return" + g.end()
	case nothing != "":
		return "return " + nothing + g.end()
	}
	return ""
}

// end is what statements end with in this file.
func (g *flattening) end() string {
	if e := g.Dialect().End; e != "" && (strings.Contains(string(g.f.Src), e+"\n") ||
		strings.Contains(string(g.f.Src), e+"\r\n")) {
		return e
	}
	return ""
}

// leaves reports whether nothing behind the block runs after it.
func (g *flattening) leaves(b lines) bool { return g.ends(b.stmts[len(b.stmts)-1]) }

func (g *flattening) ends(s *kit.Node) bool {
	switch {
	case s.Is(kit.Expr): // Go's panic ends a block, too
		return g.Dialect().Redeclares && strings.HasPrefix(g.f.Text(s), "panic(")
	case s.Is(kit.Block):
		code := s.Code()
		return len(code) > 0 && g.ends(code[len(code)-1])
	case s.Is(kit.If):
		whole := false
		for _, k := range s.Kids {
			if k.Field != "consequence" && k.Field != "alternative" {
				continue
			}
			if whole = k.Field == "alternative" && k.Get("condition") == nil || k.Is(kit.If); !k.Is(kit.Block, kit.If) &&
				len(k.Kids) > 0 {
				k = k.Kids[len(k.Kids)-1] // a clause around the block
			}
			if !g.ends(k) {
				return false
			}
		}
		return whole
	}
	return s.Is(kit.Return, kit.Leave)
}

// fits reports whether what a block declares can be declared in the block around it, where
// names of the same spelling keep their meaning. follows says that there is code behind it.
func (g *flattening) fits(b lines, follows bool) bool {
	if g.Dialect().Open == "" { // a block is no scope
		return true
	}
	taken, ok := g.declared(b.host), true
	for name := range g.declared(b.stmts) {
		g.fn.Walk(func(n *kit.Node) bool {
			if !n.Is(kit.Name) || n.Field == "property" || n.From >= b.from && n.To <= b.to || g.f.Text(n) != name {
				return ok
			}
			list := n.Up(kit.Params)
			if b.top && list != nil && list.Up(kit.Func) == g.fn {
				taken[name] = true
				ok = ok && list.Field != "return_type" // its value would be what is returned
			}
			if !g.Dialect().Redeclares || follows && n.From >= b.to ||
				taken[name] && (n.Up(kit.Func) != g.fn || g.addressed(n)) {
				ok = false
			}
			return ok
		})
	}
	for _, s := range b.stmts {
		ok = ok && g.retyped(s, taken)
	}
	if ok {
		for _, s := range b.stmts {
			g.assign(s, taken)
		}
	}
	return ok
}

// addressed reports whether the address of a variable is taken, so that it is seen elsewhere.
func (g *flattening) addressed(n *kit.Node) bool {
	for n.Parent.Is(kit.Member) {
		n = n.Parent
	}
	return n.Parent.Is(kit.Unary) && strings.HasPrefix(g.f.Text(n.Parent), "&")
}

// sameTyper knows whether what a := declares has the type of the variable that it hides.
type sameTyper interface {
	SameType(f *kit.File, name *kit.Node) bool
}

// retyped reports whether a statement can stand in a block that declares the names in taken.
func (g *flattening) retyped(s *kit.Node, taken map[string]bool) bool {
	if !s.Is(kit.Assign) {
		for name := range g.declared([]*kit.Node{s}) {
			if taken[name] {
				return false
			}
		}
		return true
	}
	if g.defines(s) == 0 {
		return true
	}
	types, ok := g.Syntax.(sameTyper)
	for _, k := range s.Kids {
		if k.Field == "left" && taken[g.f.Text(k)] && (!ok || !types.SameType(g.f, k)) {
			return false
		}
	}
	return true
}

// pattern is a Java pattern: group 1 is the name that it declares, and ( begins one of a record.
var pattern = regexp.MustCompile(`\binstanceof\s+(?:final\s+)?[\w.]+(?:<[^()&|]*>)?(?:\s*\[\s*\])*(?:\s+(\w+)|\s*(\())`)

// local reports whether the names that patterns of a condition declare occur nowhere but between
// it and to: behind an early return, all code sees them.
func (g *flattening) local(cond *kit.Node, to int) bool {
	ok := true
	for _, m := range pattern.FindAllStringSubmatch(g.f.Text(cond), -1) {
		if ok = ok && m[2] == "" && g.Dialect().Parens; m[1] == "" {
			continue
		}
		g.fn.Walk(func(n *kit.Node) bool {
			ok = ok && (n.From >= cond.From && n.To <= to || !n.Is(kit.Name) || g.f.Text(n) != m[1])
			return ok
		})
	}
	return ok
}

// declared are the names that statements declare in their own block.
func (g *flattening) declared(stmts []*kit.Node) map[string]bool {
	out := map[string]bool{}
	for _, s := range stmts {
		for code := s.Code(); s.Is(kit.Other) && len(code) == 1; code = s.Code() { // Go's statement around var
			s = code[0]
		}
		switch {
		case s.Is(kit.Assign) && g.defines(s) > 0:
			for _, k := range s.Kids {
				if k.Field == "left" {
					out[g.f.Text(k)] = true
				}
			}
		case s.Is(kit.Func, kit.Class):
			out[g.f.Text(s.Get("name"))] = true
		case s.Is(kit.Declare, kit.Group):
			s.Walk(func(n *kit.Node) bool {
				if n.Field == "name" { // or a pattern of several
					for _, word := range strings.FieldsFunc(g.f.Text(n), func(r rune) bool {
						return strings.ContainsRune("{}[](),:=. \t\r\n", r)
					}) {
						out[word] = true
					}
				}
				return !n.Is(kit.Func)
			})
		}
	}
	delete(out, "_")
	return out
}

// defines is the offset of the colon of a := b, or 0.
func (g *flattening) defines(s *kit.Node) int {
	left, right := s.Get("left"), s.Get("right")
	if left == nil || right == nil {
		return 0
	}
	for _, k := range s.Kids {
		if k.Field == "left" {
			left = k
		}
	}
	if i := strings.Index(string(g.f.Src[left.To:right.From]), ":="); i >= 0 {
		return left.To + i
	}
	return 0
}

// assign turns a := b into a = b where everything on its left is declared already.
func (g *flattening) assign(s *kit.Node, taken map[string]bool) {
	at := 0
	if s.Is(kit.Assign) {
		at = g.defines(s)
	}
	for _, k := range s.Kids {
		if name := g.f.Text(k); k.Field == "left" && !taken[name] && name != "_" {
			at = 0
		}
	}
	if at > 0 {
		g.colons[at] = true
	}
}
