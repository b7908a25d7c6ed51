package ops

import (
	"strings"

	"waferpair/engine/refactor/kit"
)

// orderer knows types whose values are all comparable: of these not a < b is a >= b, which is
// not so of floating-point numbers.
type orderer interface {
	Ordered(f *kit.File, comparison *kit.Node) bool
}

// turned is the opposite of a condition, as people write it.
func (g *flattening) turned(cond *kit.Node) string {
	inner := unwrapped(g.f, cond)
	text, _ := g.opposite(inner)
	if d := g.Dialect(); d.Parens || inner != cond && d.Open == "" && strings.Contains(text, "\n") { // if (a)
		return "(" + text + ")"
	}
	return text
}

// unwrapped is what stands in parentheses.
func unwrapped(f *kit.File, n *kit.Node) *kit.Node {
	for n.Kind == kit.Other && len(n.Kids) == 1 && f.Src[n.From] == '(' && f.Src[n.To-1] == ')' &&
		n.Kids[0].From > n.From {
		n = n.Kids[0]
	}
	return n
}

var opposites = map[string]string{"==": "!=", "!=": "==", "===": "!==", "!==": "===", "is": "is not", "is not": "is",
	"in": "not in", "not in": "in"}

var turnedOrder = map[string]string{"<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// loose is said of a text that needs parentheses beside and or or.
const loose = "?"

// opposite gives the text, and the operator that holds it together, if that is and or or, or loose.
func (g *flattening) opposite(n *kit.Node) (text, joins string) {
	d := g.Dialect()
	n = unwrapped(g.f, n)
	whole := g.f.Text(n)
	if n.Is(kit.Unary) && strings.HasPrefix(whole, strings.TrimSpace(d.Not)) && len(n.Kids) == 1 {
		inner := unwrapped(g.f, n.Kids[0])
		if inner == n.Kids[0] {
			return g.f.Text(inner), ""
		}
		return g.f.Text(inner), g.joins(inner)
	}
	switch whole {
	case "true", "false", "True", "False":
		return map[string]string{"true": "false", "false": "true", "True": "False", "False": "True"}[whole], ""
	}
	if code := n.Code(); n.Is(kit.Binary) && len(code) == 2 {
		left, right := code[0], code[1]
		a, b := g.f.Text(left), g.f.Text(right)
		op := strings.Join(strings.Fields(string(g.f.Src[left.To:right.From])), " ")
		switch {
		case op == d.And:
			return g.operand(left, d.Or) + " " + d.Or + " " + g.operand(right, d.Or), d.Or
		case op == d.Or:
			return g.operand(left, d.And) + " " + d.And + " " + g.operand(right, d.And), d.And
		case opposites[op] != "" && (op != "in" || d.And == "and"): // JavaScript's in has none
			return a + " " + opposites[op] + " " + b, ""
		case turnedOrder[op] != "" && g.ordered(n, left, right):
			return a + " " + turnedOrder[op] + " " + b, ""
		}
	}
	if n.Is(kit.Name, kit.Call, kit.Member, kit.String, kit.Number) {
		return d.Not + whole, ""
	}
	return d.Not + "(" + whole + ")", ""
}

// operand is the opposite of a part of a condition, in parentheses where it needs them.
func (g *flattening) operand(n *kit.Node, op string) string {
	text, joins := g.opposite(n)
	if joins != "" && joins != op {
		return "(" + text + ")"
	}
	return text
}

// joins is the operator of a condition, if that is and or or; loose where it is, or may be, one
// that holds its sides together less than those.
func (g *flattening) joins(n *kit.Node) string {
	if code := n.Code(); n.Is(kit.Binary) && len(code) == 2 {
		op := strings.TrimSpace(string(g.f.Src[code[0].To:code[1].From]))
		if op == g.Dialect().And || op == g.Dialect().Or {
			return op
		}
		if !strings.Contains(op, "??") && !strings.Contains(op, "/") {
			return ""
		}
	}
	if n.Is(kit.Name, kit.Call, kit.Member, kit.Unary) || n.Is(kit.Binary) && len(n.Code()) > 2 {
		return ""
	}
	return loose
}

// ordered reports whether a comparison can be turned: by its types, or because both sides are
// lengths or integers as they are written.
func (g *flattening) ordered(n, a, b *kit.Node) bool {
	if o, ok := g.Syntax.(orderer); ok && o.Ordered(g.f, n) {
		return true
	}
	return g.whole(a) && g.whole(b)
}

// whole reports whether an expression is a length or an integer as it is written.
func (g *flattening) whole(n *kit.Node) bool {
	s := g.f.Text(n)
	switch {
	case n.Is(kit.Number):
		return strings.Trim(s, "0123456789") == ""
	case g.Dialect().Open == "" || g.Dialect().Redeclares:
		return n.Is(kit.Call) && strings.HasPrefix(s, "len(")
	}
	return n.Is(kit.Member) && strings.HasSuffix(s, ".length") ||
		n.Is(kit.Call) && (strings.HasSuffix(s, ".size()") || strings.HasSuffix(s, ".length()"))
}
