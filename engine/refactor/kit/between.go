package kit

import (
	"slices"
	"strings"
)

// Between lists what is evaluated after a statement and before a node in a later statement of the
// same block: whole statements, then parts of the one that holds the node, each as large as can be.
// Behind are the parts of that one that come after the node; what holds the node is in neither.
// ok is false when the node may be evaluated never, more than once, later, or where errors
// are caught.
func (f *File) Between(stmt, n *Node) (before, behind []*Node, ok bool) {
	at := n
	for ; at.Parent != stmt.Parent; at = at.Parent {
		p := at.Parent
		if p == nil || p.Is(Root) || !f.once(p, at) {
			return nil, nil, false
		}
		first, then := f.around(p, at)
		before, behind = append(first, before...), append(behind, then...)
	}
	code := stmt.Parent.Code()
	i, k := slices.Index(code, stmt), slices.Index(code, at)
	if i < 0 || k <= i {
		return nil, nil, false
	}
	return append(slices.Clone(code[i+1:k]), before...), behind, true
}

// around are the kids of p that are evaluated before the kid, and behind it.
func (f *File) around(p, kid *Node) (before, behind []*Node) {
	code := p.Code()
	i := slices.Index(code, kid)
	for k, o := range code {
		switch {
		case k == i || o.Field == "type":
		case k > i && (o.Is(Block, Case) || o.Field == "alternative"): // runs when the rest is known
		case k > i && !f.assigns(p, o):
			behind = append(behind, o)
		case k > i || !f.named(p, o, kid):
			before = append(before, o)
		}
	}
	return before, behind
}

// assigns reports whether o is a value that an assignment to another kid of p takes: Python
// evaluates it first.
func (f *File) assigns(p, o *Node) bool { return p.Is(Assign) && o.Field == "right" }

// named reports whether o is nothing but the name that the value gets.
func (f *File) named(p, o, value *Node) bool {
	if p.Is(Binary) || !o.Is(Name) || o.Field != "left" && o.Field != "name" || value.Field == "left" ||
		value.Field == "name" {
		return false
	}
	sign := string(f.Src[o.To:value.From])
	if i := strings.IndexByte(sign, '='); i >= 0 {
		sign = strings.TrimSpace(sign[:i])
		return sign == "" || strings.HasPrefix(sign, ":") || strings.HasPrefix(sign, ",") || o.Field == "name"
	}
	return false
}

// once reports whether p evaluates the kid each time that it is evaluated itself, and once.
func (f *File) once(p, kid *Node) bool {
	code := p.Code()
	i := slices.Index(code, kid)
	switch {
	case kid.Is(Block, Case, Try, Switch, Params), p.Is(Func, Class, Members, Case, Try, Block, Remark):
		return false
	case p.Is(Loop):
		return (kid.Field == "right" || kid.Field == "value") && !f.has(p, kid, ";")
	case p.Is(If):
		return kid.Field == "condition" || kid.Field == "initializer"
	case kid.Field == "consequence" || kid.Field == "alternative":
		return false
	case p.Is(Binary) && i > 0:
		return i == 1 && !f.has(code[0], kid, "&&", "||", "??", " and ", " or ", "\nand ", "\nor ", ")and", ")or")
	case p.Is(Assign) && i > 0 && f.has(code[0], kid, "??=", "||=", "&&="):
		return false
	case i > 0 && f.has(code[0], kid, "?.") || kid.Is(Args) && f.has(p, kid, "?."):
		return false
	case strings.HasPrefix(f.Text(p), "assert"):
		return p.Is(Call) || i == 0
	case p.Is(Binary, Call, Args, Member, Assign, Declare, Expr, Return, Leave, List, Unary, String, Switch):
		return true
	}
	return !f.conditional(code, i)
}

// has reports whether the code from a's beginning, or its end if it is before the kid, up to the
// kid has one of the signs outside what is nested deeper.
func (f *File) has(a, kid *Node, signs ...string) bool {
	from := a.To
	if a.Covers(kid.From, kid.To) {
		from = a.From
	}
	if from > kid.From {
		return false
	}
	text := string(f.Src[from:kid.From]) + " "
	return slices.ContainsFunc(signs, func(s string) bool { return strings.Contains(text, s) })
}

// conditional reports a part of "a if c else b", or of a comprehension.
func (f *File) conditional(code []*Node, i int) bool {
	if len(code) == 3 && strings.Trim(string(f.Src[code[0].To:code[1].From]), " \t\r\n)(") == "if" {
		return i != 1
	}
	return slices.ContainsFunc(code, func(k *Node) bool {
		text := f.Text(k)
		return strings.HasPrefix(text, "for ") || strings.HasPrefix(text, "async for ") || strings.HasPrefix(text, "for(")
	})
}
