package treesitter

import (
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// Inlinable implements the hook of inline.
func (s syntax) Inlinable(ds []*kit.Decl) (*ops.Signature, error) {
	d := ds[0]
	f := s.functionOf(d)
	if f.fn == nil {
		return nil, s.decline("%s (%s) is a %s", d.Title, d.Place(), d.Kind)
	}
	if err := s.ordinary(f); err != nil {
		return nil, err
	}
	if n := s.Opaque(d.File, d.File.Of(f.fn)); n != nil {
		return nil, s.decline("%s at %s may use any variable", d.File.Text(n), d.File.Place(n.From))
	}
	for _, n := range stringsNaming(f.unit, f.name) {
		return nil, s.decline("the string at %s names %s", spot(f.unit, n), f.name)
	}
	if f.python() && f.name[0] != '_' {
		s.note("%s is public; code outside this project may call it", f.name)
	}
	if !f.python() {
		s.dropTypes(f)
	}
	return s.Signature("symbol")
}

// dropTypes removes the imports that only the signature of the function uses.
func (s syntax) dropTypes(f *function) {
	by, body := map[*node]*dropped{}, f.fn.get("body")
	for _, b := range f.unit.bindings {
		if len(b.imps) != 1 || len(b.decls) != 1 || b.exported || b.scope.kind != moduleScope ||
			importedNames(b.imps[0].stmt) == nil {
			continue
		}
		used := slices.DeleteFunc(slices.Clone(b.refs), func(r *ref) bool { return r.decl })
		if len(used) == 0 || slices.ContainsFunc(used, func(r *ref) bool {
			return !r.node.within(f.fn) || r.node.within(body)
		}) {
			continue
		}
		stmt := b.imps[0].stmt
		if by[stmt] == nil {
			by[stmt] = &dropped{u: f.unit, stmt: stmt}
		}
		by[stmt].names = append(by[stmt].names, b.decls[0].def)
	}
	for stmt, d := range by {
		d.all = len(d.names) == len(importedNames(stmt))
		s.drop(d)
	}
}

// ordinary declines a function whose body is not all that a call of it does, and one that other
// code may call.
func (s syntax) ordinary(f *function) error {
	name := f.name
	_, java := s.d.(typed)
	exported := f.b != nil && f.b.exported || f.unit.cjs && f.b != nil && f.b.exported
	own := strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#") || levelOf(f.def) == "private"
	switch {
	case f.fn.child("async", "*", "get", "set") != nil || strings.HasPrefix(f.fn.kind, "generator"):
		return s.decline("%s is asynchronous, a generator or an accessor", name)
	case f.fn.get("type_parameters") != nil:
		return s.decline("%s is generic", name)
	case exported:
		return s.decline("%s is exported, and other code may call it", name)
	case java && !javaHas(f.def, "private"):
		return s.decline("%s is not private, and other code may call or override it", name)
	case java && (javaHas(f.def, "synchronized") || f.def.child("throws") != nil):
		return s.decline("%s is synchronized, or says what it throws", name)
	case f.class != nil && !java && !own:
		return s.decline("%s is public, and other code may call or override it", name)
	case strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__"), name == "constructor", name == "main":
		return s.decline("%s is called by what runs the program", name)
	}
	if t := f.fn.get("return_type"); t.is("type_predicate_annotation", "asserts_annotation") {
		return s.decline("%s proves a type (%s)", name, t.text())
	}
	return s.unremarkable(f)
}

func (s syntax) unremarkable(f *function) error {
	var bad *node
	f.fn.get("body").walk(func(n *node) bool {
		switch {
		case n.is("yield", "yield_expression", "await", "await_expression", "meta_property", "super", "lambda_expression",
			"nonlocal_statement", "global_statement", "labeled_statement") || n.is(functions...) || n.is("import_statement",
			"import_from_statement", "class_definition", "class_declaration", "named_expression", "list_comprehension",
			"set_comprehension", "dictionary_comprehension", "generator_expression"),
			n.is("this") && f.class == nil, n.is("identifier") && n.text() == "super":
			bad = n
		case n.is("string") && f.python() && n.child("interpolation") != nil:
			bad = n
		}
		return bad == nil
	})
	if bad != nil {
		return s.decline("line %d of %s holds what belongs to its own function", bad.line(), f.name)
	}
	if t := f.fn.get("return_type"); t != nil && typescriptFile(f.unit.path) {
		f.fn.get("body").walk(func(n *node) bool {
			if n.is("object", "array", "as_expression", "true", "false", "string", "number", "null") &&
				n.parent.is("return_statement", "arrow_function", "parenthesized_expression", "ternary_expression") {
				bad = n
			}
			return bad == nil
		})
		if bad != nil && !slices.Contains([]string{": string", ": number"}, t.text()) {
			return s.decline("the type of what %s returns, %s, would get lost", f.name, strings.TrimPrefix(t.text(), ": "))
		}
	}
	return nil
}

// As implements the hook of inline. Where types convert (Java), what may be of another type is cast.
func (s syntax) As(value *kit.Node, f *kit.File, text string, typ *kit.Node,
	_ *kit.File, at *kit.Node) (string, error) {
	v := rawOf(value)
	if _, java := s.d.(typed); !java {
		literal := v.is("string", "number", "true", "false", "null", "undefined", "object", "array", "template_string")
		if typescriptFile(f.Path) && literal && !s.takesLiteral(rawOf(at)) {
			return "", s.decline("the literal %s would have another type in the place of a variable", text)
		}
		return text, nil
	}
	want, is := rawOf(typ).text(), javaKind(f.Raw.(*unit), v)
	if is == want || want == "void" {
		return text, nil
	}
	if !value.Is(kit.Name, kit.Call, kit.Number, kit.String, kit.Member) {
		text = "(" + text + ")"
	}
	return "(" + want + ") " + text, nil
}

// takesLiteral reports whether TypeScript lets a literal stand where the node is: it refuses
// comparisons of literals, and conditions that never change.
func (s syntax) takesLiteral(at *node) bool {
	p := at.parent
	if p.is("binary_expression") {
		return p.child("+", "-", "*", "/", "%") != nil
	}
	return p.is("arguments", "return_statement", "template_substitution", "variable_declarator", "arrow_function", "pair")
}

// javaKind is the type of an expression where it is plain to see, else "".
func javaKind(u *unit, v *node) string {
	switch v.kind {
	case "string_literal":
		return "String"
	case "true", "false":
		return "boolean"
	case "character_literal":
		return "char"
	case "decimal_integer_literal":
		if strings.HasSuffix(strings.ToLower(v.text()), "l") {
			return "long"
		}
		return "int"
	case "parenthesized_expression":
		return javaKind(u, v.firstKid())
	case "identifier":
		if r := u.byNode[v]; r != nil && r.b != nil && len(r.b.decls) == 1 {
			def := r.b.decls[0].def
			if def.is("variable_declarator") {
				def = def.parent
			}
			return def.get("type").text()
		}
	case "binary_expression":
		if v.child("<", ">", "==", "!=", "<=", ">=", "&&", "||") != nil {
			return "boolean"
		}
		a, b := javaKind(u, v.get("left")), javaKind(u, v.get("right"))
		if v.child("+", "-", "*", "/", "%") == nil {
			return ""
		}
		for _, t := range []string{"String", "double", "float", "long", "int"} {
			other := map[string]string{a: b, b: a}[t]
			if (a == t || b == t) && (t == "String" && v.child("+") != nil ||
				strings.Contains(" double float long int ", " "+other+" ")) {
				return t
			}
		}
	}
	return ""
}
