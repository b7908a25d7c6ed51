package treesitter

import (
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/words"
)

// What TypeScript says about the variables that extracted lines share with the code around
// them. There is no checker here: a type is what is written, and "" where that is not certain.

// typeOf is the type of a variable that is declared once, "" if it is not written.
func (s syntax) typeOf(u *unit, b *binding) string {
	if len(b.decls) != 1 {
		return ""
	}
	def, name := b.decls[0].def, b.decls[0].name
	if def.get("name") != name && def.get("pattern") != name {
		return "" // a part of a pattern
	}
	assigned := slices.ContainsFunc(b.refs, func(r *ref) bool {
		a := kit.Access{}
		access(&a, r, b, false)
		return a.Write && !a.Declares
	})
	if t := def.get("type"); t != nil {
		text := strings.TrimSpace(strings.TrimPrefix(t.text(), ":"))
		initial := def.get("value") != nil || assigned
		switch {
		case strings.Contains(text, " is ") || strings.HasPrefix(text, "unique "):
			return ""
		case initial && strings.Contains(text, "|"), initial && !primitives[text] &&
			!strings.HasSuffix(text, "[]") && assigned:
			return "" // an assignment narrows it
		case def.is("optional_parameter"):
			return text + " | undefined"
		}
		return text
	}
	if assigned {
		return ""
	}
	return s.typeOfValue(u, def.get("value"), b.decls[0].kind == "const")
}

var primitives = words.Set("string number boolean bigint symbol")

// plainClasses are classes of the platform without type parameters.
var plainClasses = words.Set(`Date Error TypeError RangeError URL URLSearchParams RegExp AbortController Headers FormData
	TextEncoder TextDecoder`)

func (s syntax) typeOfValue(u *unit, n *node, constant bool) string {
	switch {
	case n.is("template_string"):
		return "string"
	case n.is("string") && !constant:
		return "string"
	case n.is("number") && !constant:
		return "number"
	case n.is("true", "false") && !constant:
		return "boolean"
	case n.is("as_expression") && !n.lastKid().is("as_expression") && n.lastKid().text() != "const":
		return n.lastKid().text()
	case n.is("new_expression"):
		return s.typeOfNew(u, n)
	case n.is("await_expression"):
		if t := s.typeOfCall(u, n.firstKid()); t != "" {
			return "Awaited<" + t + ">"
		}
	case n.is("call_expression"):
		return s.typeOfCall(u, n)
	}
	return ""
}

func (s syntax) typeOfNew(u *unit, n *node) string {
	c := n.get("constructor")
	if !c.is("identifier") {
		return ""
	}
	if args := n.get("type_arguments"); args != nil {
		return c.text() + args.text()
	}
	r := u.byNode[c]
	if r == nil || r.b == nil {
		if plainClasses[c.text()] {
			return c.text()
		}
		return ""
	}
	b := s.p.follow(r.b)
	if d := b.def(); d.is("class_declaration") && d.get("type_parameters") == nil && r.b.topLevel() {
		return c.text()
	}
	return ""
}

// typeOfCall is that of a call of a function of the project that says what it returns.
func (s syntax) typeOfCall(u *unit, n *node) string {
	f := n.get("function")
	r := u.byNode[f]
	if !n.is("call_expression") || !f.is("identifier") || r == nil || r.b == nil || !r.b.topLevel() {
		return ""
	}
	b := s.p.follow(r.b)
	d := b.def()
	if len(b.decls) != 1 || !d.is("function_declaration") || d.get("type_parameters") != nil {
		return ""
	}
	for _, o := range r.b.imps {
		if o.typed {
			return ""
		}
	}
	return "ReturnType<typeof " + f.text() + ">"
}

// resultType is the annotation of the variables that take the results; const ones need none.
func (s syntax) resultType(x *kit.Extraction, u *unit, constant bool) (string, error) {
	for _, r := range x.Results {
		b := r.Raw.(*binding)
		value := b.decls[0].def.get("value")
		if x.Outer(r) {
			continue
		}
		literal := value.is("null", "array") || value.is("string", "number", "true", "false") && b.decls[0].kind == "const"
		if literal && b.decls[0].def.get("type") == nil {
			return "", s.decline("the type of %s is that of its value at %s", r.Name, spot(u, value))
		}
		if b.decls[0].def.get("value") == nil && b.decls[0].def.get("type") == nil {
			return "", s.decline("the type of %s is not written", r.Name)
		}
	}
	if constant {
		return "", nil
	}
	if len(x.Results) == 1 && !x.Outer(x.Results[0]) {
		t := x.Results[0].Raw.(*binding).decls[0].def.get("type")
		if t != nil {
			return t.text(), nil
		}
		if v := x.Results[0].Raw.(*binding).decls[0].def.get("value"); v.is("string", "number", "true", "false") {
			return "", nil
		}
	}
	if slices.ContainsFunc(x.Results, x.Outer) {
		return "", nil
	}
	return "", s.decline("the type of %s is not written", namesOf(x.Results))
}

// narrowed declines when TypeScript knows more about a value, because of a condition around or
// before the statements, than the new function would; or the other way round.
func (s syntax) narrowed(x *kit.Extraction, u *unit, vars []*kit.Variable) error {
	if !typescriptFile(u.path) {
		return nil
	}
	simple, local := map[string]bool{}, map[string]bool{}
	for _, v := range vars {
		simple[v.Name], local[v.Name] = primitives[v.Type], true
	}
	outer := rawOf(x.Func)
	for f := outer.up(functions...); f != nil; f = f.up(functions...) {
		outer = f
	}
	used := map[string]bool{}
	for _, st := range x.Stmts {
		rootsOf(rawOf(st), u, used)
	}
	after := map[string]bool{}
	outer.walk(func(n *node) bool {
		if n.from >= x.To {
			rootsOf(n, u, after)
			return false
		}
		return true
	})
	var bad string
	var at *node
	outer.walk(func(n *node) bool {
		c := conditionOf(n)
		if c == nil || c.from >= x.To || bad != "" {
			return bad == ""
		}
		mentioned := map[string]bool{}
		rootsOf(c, u, mentioned)
		for name := range mentioned {
			in := x.Inside(kit.Access{At: c.from})
			sets := c.field == "left" && strings.Contains(c.parent.kind, "assignment")
			lasts := after[name] && (throwsIn(x) || sets && !local[name]) // what holds behind the lines
			if simple[name] || in && !lasts || !in && !used[name] {
				continue
			}
			bad, at = name, c
		}
		return bad == ""
	})
	if bad != "" {
		return s.decline("what is at %s may say more about the type of %s than its declaration", spot(u, at), bad)
	}
	return nil
}

// conditionOf is the part of n by which types are narrowed, or nil.
func conditionOf(n *node) *node {
	switch {
	case n.is("if_statement", "while_statement", "ternary_expression", "for_statement"):
		return n.get("condition")
	case n.is("switch_statement"):
		return n.get("value")
	case n.is("binary_expression") && n.child("&&", "||", "??") != nil:
		return n.get("left")
	case n.is("assignment_expression", "augmented_assignment_expression"):
		return n.get("left")
	case n.is("call_expression") && strings.Contains(strings.ToLower(n.get("function").text()), "assert"):
		return n.get("arguments")
	}
	return nil
}

// rootsOf collects what the paths in n begin with: names, and members of this.
func rootsOf(n *node, u *unit, into map[string]bool) {
	n.walk(func(k *node) bool {
		switch {
		case k.is("this"):
			if k.parent.is("member_expression") {
				into[k.parent.text()] = true
			}
		case k.is("identifier", "shorthand_property_identifier"):
			r := u.byNode[k]
			called := k.field == "function"
			if r != nil && r.b != nil && !called && r.b.kind != "func" && r.b.kind != "class" {
				into[k.text()] = true
			}
		}
		return true
	})
}

// throwsIn reports whether the statements may end the function: behind them, a condition of
// theirs then holds.
func throwsIn(x *kit.Extraction) bool {
	return slices.ContainsFunc(x.Stmts, func(st *kit.Node) bool { return rawOf(st).has("throw_statement") })
}
