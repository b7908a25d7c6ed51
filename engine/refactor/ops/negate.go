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
	if inner != cond && g.Dialect().Open != "" && g.Dialect().Parens { // if (a)
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

// opposite gives the text, and the operator that holds it together, if that is and or or.
func (g *flattening) opposite(n *kit.Node) (text, joins string) {
	d := g.Dialect()
	n = unwrapped(g.f, n)
	whole := g.f.Text(n)
	if n.Is(kit.Unary) && strings.HasPrefix(whole, strings.TrimSpace(d.Not)) && len(n.Kids) == 1 {
		inner := n.Kids[0]
		return g.f.Text(unwrapped(g.f, inner)), g.joins(unwrapped(g.f, inner))
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
		case opposites[op] != "":
			return a + " " + opposites[op] + " " + b, ""
		case turnedOrder[op] != "" && g.ordered(n, a, b):
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

// joins is the operator of a condition, if that is and or or.
func (g *flattening) joins(n *kit.Node) string {
	if code := n.Code(); n.Is(kit.Binary) && len(code) == 2 {
		op := strings.TrimSpace(string(g.f.Src[code[0].To:code[1].From]))
		if op == g.Dialect().And || op == g.Dialect().Or {
			return op
		}
	}
	return ""
}

// ordered reports whether a comparison can be turned: by its types, or because one side is a length.
func (g *flattening) ordered(n *kit.Node, a, b string) bool {
	if o, ok := g.Syntax.(orderer); ok && o.Ordered(g.f, n) {
		return true
	}
	for _, s := range []string{a, b} {
		if strings.HasPrefix(s, "len(") && strings.HasSuffix(s, ")") || strings.HasSuffix(s, ".length") ||
			strings.HasSuffix(s, ".size()") || strings.HasSuffix(s, ".length()") {
			return true
		}
	}
	return false
}
