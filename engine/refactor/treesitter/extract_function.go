package treesitter

import (
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
)

// functions are the nodes that begin a function of their own.
var functions = strings.Fields(`function_definition lambda function_declaration generator_function_declaration
	function_expression generator_function function arrow_function method_definition`)

func pythonFile(path string) bool { return strings.HasPrefix(ext(path), ".py") }

func typescriptFile(path string) bool { return strings.Contains(ext(path), "ts") }

func rawOf(n *kit.Node) *node { return n.Raw.(*node) }

// Extractable declines what belongs to the function that holds it: yield, arguments, private
// names, what is said about globals.
func (s syntax) Extractable(x *kit.Extraction) error {
	u := x.File.Raw.(*unit)
	if why := s.d.invalid(x.Name); why != "" {
		return s.decline("%s", why)
	}
	if slices.Contains(strings.Fields("toString valueOf toJSON toLocaleString then constructor hasOwnProperty"), x.Name) ||
		strings.HasPrefix(x.Name, "__") && strings.HasSuffix(x.Name, "__") {
		return s.decline("%s is a name that the language itself looks up", x.Name)
	}
	if at := s.d.mentions(u, x.Name); len(at) > 0 {
		return s.decline("%s is in use already at %s", x.Name, spot(u, at[0]))
	}
	if s.d.global(u) {
		if others, err := s.p.mentioning(s.ctx, x.Name); err != nil || len(others) > 0 {
			return s.decline("%s is in use already in another script", x.Name)
		}
	}
	for _, n := range u.strange {
		if n.within(rawOf(x.Func)) && !strings.HasSuffix(n.text(), "attr") {
			return s.decline("%s at %s may use any variable", n.text(), spot(u, n))
		}
	}
	x.Swallows = func(n *kit.Node) bool { return swallows(rawOf(n)) }
	for _, st := range x.Stmts {
		if why, at := ofItsFunction(x, rawOf(st)); why != "" {
			return s.decline("%s at %s", why, spot(u, at))
		}
	}
	return s.uncaught(x, u)
}

// harmless are managers of Python's with statement that let errors pass.
var harmless = regexp.MustCompile(`(?i)(^|[._])(open|closing|r?lock|mutex|condition|(bounded)?semaphore|nullcontext|` +
	`connect|socket|popen|\w*file|\w*directory|\w*executor|pool|session|redirect_std(out|err)|atomic|cursor|` +
	`transaction|subtest|patch|scandir)(\.\w*)?$`)

// swallows reports whether a with statement may end the errors of its block.
func swallows(n *node) bool {
	if !n.is("with_statement") {
		return false
	}
	found := false
	n.walk(func(k *node) bool {
		if k.is("with_item") {
			m := k.get("value")
			if m.is("as_pattern") {
				m = m.firstKid()
			}
			if m.is("call") {
				m = m.get("function")
			}
			found = found || !harmless.MatchString(m.text())
		}
		return !k.is("block")
	})
	return found
}

// uncaught declines a promise that the lines return out of a try block as it is: the call would
// wait for it there, and the block would catch its errors.
func (s syntax) uncaught(x *kit.Extraction, u *unit) error {
	fn := rawOf(x.Func)
	if pythonFile(u.path) || !x.Returns || fn.child("async") == nil {
		return nil
	}
	try := rawOf(x.Stmts[0]).up(append([]string{"try_statement"}, functions...)...)
	if !try.is("try_statement") {
		return nil
	}
	var bad *node
	for _, st := range x.Stmts {
		rawOf(st).walk(func(n *node) bool {
			if v := n.firstKid(); n.is("return_statement") && v != nil && !v.is("await_expression", "string", "number", "true",
				"false", "null", "template_string", "object", "array", "binary_expression", "unary_expression") {
				bad = n
			}
			return !n.is(functions...)
		})
	}
	if bad != nil {
		return s.decline("%s returns what may be a promise out of a try block without waiting for it", spot(u, bad))
	}
	return nil
}

// ofItsFunction finds what would mean something else in another function, and notes awaits.
func ofItsFunction(x *kit.Extraction, st *node) (why string, at *node) {
	st.walk(func(n *node) bool {
		if why != "" {
			return false
		}
		switch n.kind {
		case "yield", "yield_expression":
			why, at = "yield belongs to its own function", n
		case "await", "await_expression":
			x.Async = true
		case "for_statement", "with_statement", "for_in_clause", "for_in_statement":
			x.Async = x.Async || n.child("async", "await") != nil
		case "global_statement", "nonlocal_statement", "delete_statement":
			if !n.firstKid().is("attribute", "subscript") && pythonFile(x.File.Path) {
				why, at = "a statement about names of the function", n
			}
		case "import_from_statement":
			if n.child("wildcard_import") != nil {
				why, at = "an import of all names", n
			}
		case "meta_property":
			why, at = n.text()+" belongs to its own function", n
		case "labeled_statement":
			why, at = "a label", n
		case "identifier":
			if n.text() == "arguments" && !pythonFile(x.File.Path) {
				why, at = "arguments belong to their own function", n
			}
		}
		return !n.is(functions...)
	})
	return why, at
}

// Vars are the variables of functions and blocks that the statements name.
func (s syntax) Vars(x *kit.Extraction) ([]*kit.Variable, error) {
	u := x.File.Raw.(*unit)
	if err := s.self(x, u); err != nil {
		return nil, err
	}
	var out []*kit.Variable
	for _, b := range u.bindings {
		if !slices.ContainsFunc(b.refs, func(r *ref) bool { return x.Inside(kit.Access{At: r.node.from}) }) {
			continue
		}
		v, err := s.variable(x, u, b)
		if err != nil {
			return nil, err
		}
		if v != nil {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b *kit.Variable) int { return a.Uses[0].At - b.Uses[0].At })
	return out, s.narrowed(x, u, out)
}

// variable is a binding with its uses; nil for one that every function of the file sees, and
// for what the statements keep to themselves.
func (s syntax) variable(x *kit.Extraction, u *unit, b *binding) (*kit.Variable, error) {
	python := pythonFile(u.path)
	var declared, elsewhere bool // in the statements, outside of them
	for _, r := range b.refs {
		in := x.Inside(kit.Access{At: r.node.from})
		declared, elsewhere = declared || in && r.decl, elsewhere || !in
	}
	switch b.scope.kind {
	case moduleScope, namespaceScope, classScope:
		if python && declared {
			return nil, s.decline("the lines set %s, which is no variable of the function", b.name)
		}
		return nil, nil
	case comprehensionScope:
		return nil, nil
	case typeScope, functionScope, blockScope:
	}
	if declared && !elsewhere && !b.freeIn(x) {
		return nil, nil
	}
	if b.spaces == typ || b.kind == "class" || b.kind == "enum" || declared && elsewhere && b.kind == "func" ||
		b.kind == "import" {
		return nil, s.decline("%s is declared in the function, and the lines cannot be parted from it", b.name)
	}
	if c, _ := u.selfClass(b.decls[0].name); c != nil && b.name == x.Self {
		if len(b.decls) > 1 {
			return nil, s.decline("the method assigns to %s", b.name)
		}
		return nil, nil
	}
	v := &kit.Variable{Name: b.name, Raw: b, Loose: python}
	home := functionOf(b.scope.node)
	for _, r := range b.refs {
		a := kit.Access{At: r.node.from, To: r.node.to, Inner: functionOf(r.scope.node) != home}
		if python && r.decl && a.Inner {
			return nil, s.decline("a function inside sets %s", b.name)
		}
		access(&a, r, b, python)
		v.Uses = append(v.Uses, a)
	}
	for _, d := range b.decls {
		v.Loose = v.Loose || d.def.parent.is("variable_declaration")
	}
	v.Const = len(b.decls) == 1 && b.decls[0].kind == "const"
	slices.SortStableFunc(v.Uses, func(a, b kit.Access) int { return a.At - b.At })
	if typescriptFile(u.path) {
		v.Type = s.typeOf(u, b)
	}
	return v, nil
}

// freeIn reports whether a loop may run the statements again with the variable's old value.
func (b *binding) freeIn(x *kit.Extraction) bool {
	return pythonFile(x.File.Path) || b.decls[0].def.parent.is("variable_declaration")
}

// functionOf is the innermost function around a scope's node, or nil.
func functionOf(n *node) *node {
	if n.is(functions...) {
		return n
	}
	return n.up(functions...)
}

// access says what happens to a variable where it is named.
func access(a *kit.Access, r *ref, b *binding, python bool) {
	n, p := r.node, r.node.parent
	for p.is("array_pattern", "object_pattern", "pair_pattern", "object_assignment_pattern", "assignment_pattern",
		"rest_pattern", "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "parenthesized_expression") &&
		(n.field != "right" && n.field != "key") {
		n, p = p, p.parent
	}
	switch {
	case r.decl && python:
		a.Declares, a.Write = b.kind == "param" && n.within(functionOf(b.scope.node).get("parameters")), true
		a.Write = !a.Declares
		a.Read = p.is("augmented_assignment")
		a.Maybe = p.is("named_expression", "case_pattern", "as_pattern_target") && !p.up("with_item", "except_clause").
			is("with_item",
				"except_clause") || p.is("assignment") && p.get("right") == nil
	case r.decl:
		a.Declares, a.Write = true, true
	case p.is("assignment_expression", "augmented_assignment_expression") && n.field == "left":
		a.Write, a.Read = true, p.is("augmented_assignment_expression") || !p.parent.is("expression_statement")
		a.Maybe = !p.parent.is("expression_statement")
	case p.is("update_expression"):
		a.Write, a.Read, a.Maybe = true, true, !p.parent.is("expression_statement")
	case p.is("for_in_statement") && n.field == "left" && p.get("kind") == nil:
		a.Write = true
	default:
		a.Read = true
	}
}

// self finds out whether the new function is a method: the statements use the object that the
// method works on.
func (s syntax) self(x *kit.Extraction, u *unit) error {
	var bad error
	for _, st := range x.Stmts {
		rawOf(st).walk(func(n *node) bool {
			switch {
			case bad != nil:
			case n.is("this", "super"):
				if c, _ := u.thisClass(&node{kind: "this", parent: n.parent, src: n.src}); c != nil {
					x.Self = "this"
				} else if at := n.up("function_declaration", "function_expression", "method_definition", "class"); at == nil ||
					!at.within(rawOf(st)) {
					bad = s.decline("%s at %s is not that of a class", n.text(), spot(u, n))
				}
				if n.is("super") && n.parent.is("call_expression") {
					bad = s.decline("super() at %s belongs to the constructor", spot(u, n))
				}
			case n.is("private_property_identifier") || u.keepsPrivate(n):
				if c, _ := u.thisClass(&node{kind: "this", parent: rawOf(x.Stmts[0]).parent, src: n.src}); c == nil {
					bad = s.decline("%s at %s is private to its class", n.text(), spot(u, n))
				}
				x.Self = "this"
			case n.is("identifier") && pythonFile(u.path):
				bad = s.pythonSelf(x, u, n)
			}
			return bad == nil
		})
	}
	if bad == nil && x.Self == "this" {
		return s.constructed(x, u)
	}
	if bad == nil && x.Self != "" { // a base, or what is derived from the class, may have a method of that name
		if others, err := s.p.mentioning(s.ctx, x.Name); err != nil || len(others) > 0 {
			return s.decline("%s is in use already in %s", x.Name, others[0].path)
		}
	}
	return bad
}

// keepsPrivate reports whether the property may be one that a class of the file keeps to itself.
func (u *unit) keepsPrivate(n *node) bool {
	if !n.is("property_identifier") || !n.parent.is("member_expression", "pair_pattern") ||
		n.parent.get("object").is("this") {
		return false
	}
	for _, c := range u.classes {
		if ms := c.members[n.text()]; len(ms) > 0 && n.within(c.node) && levelOf(ms[0].def) != "public" {
			return true
		}
	}
	return false
}

func (s syntax) pythonSelf(x *kit.Extraction, u *unit, n *node) error {
	name := n.text()
	if c, _ := u.selfClass(n); c != nil {
		b := u.byNode[n].b
		if functionOf(b.scope.node).parent.parent != c.node && !functionOf(b.scope.node).parent.is("decorated_definition") {
			return s.decline("%s at %s is not that of a class of the file", name, spot(u, n))
		}
		x.Self = name
	}
	switch {
	case name == "super" && x.Self == "", name == "__class__":
		return s.decline("%s at %s belongs to its own method", name, spot(u, n))
	case strings.HasPrefix(name, "__") && !strings.HasSuffix(name, "__") &&
		n.up("class_definition") != nil && x.Self == "":
		return s.decline("%s at %s is a private name of its class", name, spot(u, n))
	}
	return nil
}

// constructed: only a constructor sets what must be set once.
func (s syntax) constructed(x *kit.Extraction, u *unit) error {
	m := rawOf(x.Func)
	for m != nil && !m.parent.is("class_body") {
		m = m.parent
	}
	if m == nil {
		return s.decline("this at %s is not that of a class", spot(u, rawOf(x.Stmts[0])))
	}
	c := u.classAt(m.parent.parent)
	if c == nil || len(c.members[x.Name]) > 0 {
		return s.decline("the class has a member %s already", x.Name)
	}
	if others, err := s.p.mentioning(s.ctx, x.Name); err != nil || len(others) > 0 {
		return s.decline("%s is in use already in %s", x.Name, others[0].path)
	}
	if m.get("name").text() == "constructor" {
		for _, st := range x.Stmts {
			if n := rawOf(st); strings.Contains(n.text(), "this.") {
				return s.decline("the constructor at %s sets up the object", spot(u, n))
			}
		}
	}
	return nil
}

// Calling writes the call, and what declares or sets its results.
func (s syntax) Calling(x *kit.Extraction) ([]string, error) {
	u := x.File.Raw.(*unit)
	st := u.style()
	semi := st.semi
	if pythonFile(u.path) {
		semi = ""
	}
	if fn := rawOf(x.Func); x.Returns && fn.child("async") != nil {
		x.Async = true
	}
	call := x.Name
	if x.Self == "this" && static(x) {
		call = "this." + call
	} else if x.Self != "" {
		call = x.Self + "." + call
	}
	args := make([]string, len(x.Params))
	for i, p := range x.Params {
		args[i] = p.Name
	}
	call += "(" + strings.Join(args, ", ") + ")"
	if x.Async {
		call = "await " + call
	}
	if x.Returns {
		if !returnsValue(x) {
			if x.Tail {
				return []string{call + semi}, nil
			}
			return []string{call + semi, "return" + semi}, nil
		}
		return []string{"return " + call + semi}, nil
	}
	names := make([]string, len(x.Results))
	for i, r := range x.Results {
		names[i] = r.Name
	}
	switch {
	case len(names) == 0:
		return []string{call + semi}, nil
	case pythonFile(u.path):
		return []string{strings.Join(names, ", ") + " = " + call}, nil
	}
	return s.jsAssigned(x, u, names, call, st)
}

func returnsValue(x *kit.Extraction) bool {
	found := false
	for _, st := range x.Stmts {
		rawOf(st).walk(func(n *node) bool {
			found = found || n.is("return_statement") && n.firstKid() != nil
			return !n.is(functions...)
		})
	}
	return found
}

func (s syntax) jsAssigned(x *kit.Extraction, u *unit, names []string, call string, st style) ([]string, error) {
	fresh, word := 0, "const "
	for _, r := range x.Results {
		if x.Outer(r) {
			continue
		}
		fresh++
		if slices.ContainsFunc(r.Uses, func(a kit.Access) bool { return a.Write && !a.Declares && !x.Inside(a) }) {
			word = "let "
		}
		if r.Loose {
			word = "var "
		}
	}
	typed := ""
	if typescriptFile(u.path) {
		var err error
		if typed, err = s.resultType(x, u, word == "const "); err != nil {
			return nil, err
		}
	}
	switch {
	case fresh > 0 && fresh < len(names):
		return nil, s.decline("the lines declare %s and set others that are declared elsewhere", x.Results[0].Name)
	case len(names) == 1 && fresh == 1:
		return []string{word + names[0] + typed + " = " + call + st.semi}, nil
	case len(names) == 1:
		return []string{names[0] + " = " + call + st.semi}, nil
	case fresh > 0:
		return []string{word + "{ " + strings.Join(names, ", ") + " }" + typed + " = " + call + st.semi}, nil
	}
	lead := ""
	if st.semi == "" {
		lead = ";"
	}
	return []string{lead + "({ " + strings.Join(names, ", ") + " } = " + call + ")" + st.semi}, nil
}

func static(x *kit.Extraction) bool {
	u := x.File.Raw.(*unit)
	_, st := u.thisClass(&node{kind: "this", parent: rawOf(x.Stmts[0]).parent, src: u.src})
	return st
}

// Called is the new function: a method behind the one that the lines are taken from, or a
// function of the module.
func (s syntax) Called(x *kit.Extraction) (kit.Function, error) {
	u := x.File.Raw.(*unit)
	if pythonFile(u.path) {
		return s.pythonFunction(x, u)
	}
	return s.jsFunction(x, u)
}

func (s syntax) pythonFunction(x *kit.Extraction, u *unit) (kit.Function, error) {
	fn := kit.Function{Tab: u.style().tab, Gap: 2}
	var params []string
	at := rawOf(x.Stmts[0])
	for !at.parent.is("module") && (x.Self == "" || !at.parent.parent.is("class_definition")) {
		at = at.parent
	}
	if x.Self != "" {
		def := at
		if at.is("decorated_definition") {
			def = at.get("definition")
		}
		if slices.Contains(decorators(def), "classmethod") {
			fn.Head = []string{"@classmethod"}
		}
		params, fn.Indent, fn.Gap = []string{x.Self}, indentAt(u.src, at.from), 1
	}
	for _, p := range x.Params {
		params = append(params, p.Name)
	}
	head := "def " + x.Name + "(" + strings.Join(params, ", ") + "):"
	if x.Async {
		head = "async " + head
	}
	fn.Head = append(fn.Head, head)
	if len(x.Results) > 0 {
		fn.Give = "return " + namesOf(x.Results)
	}
	if fn.Above = x.Self == "" && !at.is("function_definition"); fn.Above {
		fn.At = lineStart(u.src, above(at).from)
	} else {
		fn.At = nextLine(u.src, at.to)
	}
	if !at.ownLines() {
		return fn, s.decline("the function at %s shares its lines with other code", spot(u, at))
	}
	return fn, nil
}

func namesOf(vs []*kit.Variable) string {
	names := make([]string, len(vs))
	for i, v := range vs {
		names[i] = v.Name
	}
	return strings.Join(names, ", ")
}

func (s syntax) jsFunction(x *kit.Extraction, u *unit) (kit.Function, error) {
	st := u.style()
	fn := kit.Function{Tab: st.tab, Gap: 1, Foot: "}"}
	at := rawOf(x.Func)
	for at.parent != nil && !at.parent.is("program") && !(at.parent.is("statement_block") &&
		at.parent.parent.is("internal_module", "module")) && (x.Self == "" || !at.parent.is("class_body")) {
		at = at.parent
	}
	if at.parent == nil || !at.ownLines() {
		return fn, s.decline("the function at %s shares its lines with other code", spot(u, rawOf(x.Func)))
	}
	fn.At, fn.Indent = nextLine(u.src, at.to), indentAt(u.src, at.from)
	typed := typescriptFile(u.path)
	var params []string
	for _, p := range x.Params {
		if typed && p.Type == "" {
			return fn, s.decline("%s would be a parameter, and its type is not written", p.Name)
		}
		params = append(params, p.Name+colon(p.Type))
	}
	for _, l := range x.Locals {
		if typed && l.Type == "" {
			return fn, s.decline("the type of %s is not written", l.Name)
		}
		fn.Head = append(fn.Head, fn.Tab+"let "+l.Name+colon(l.Type)+st.semi)
	}
	head := x.Name + "(" + strings.Join(params, ", ") + ")"
	if typed && x.Returns {
		t, err := s.returned(x, u)
		if err != nil {
			return fn, err
		}
		head += t
	}
	switch {
	case x.Self == "":
		head = "function " + head
	case typed:
		head = "private " + staticWord(x) + asyncWord(x) + head
	default:
		head = staticWord(x) + asyncWord(x) + head
	}
	if x.Self == "" {
		head = asyncWord(x) + head
	}
	fn.Head = append([]string{head + " {"}, fn.Head...)
	switch len(x.Results) {
	case 0:
	case 1:
		fn.Give = "return " + x.Results[0].Name + st.semi
	default:
		fn.Give = "return { " + namesOf(x.Results) + " }" + st.semi
	}
	return fn, nil
}

func colon(t string) string {
	if t == "" {
		return ""
	}
	return ": " + t
}

func staticWord(x *kit.Extraction) string {
	if static(x) {
		return "static "
	}
	return ""
}

func asyncWord(x *kit.Extraction) string {
	if x.Async {
		return "async "
	}
	return ""
}

// returned is the annotation of what the new function returns: that of the function around it.
func (s syntax) returned(x *kit.Extraction, u *unit) (string, error) {
	fn := rawOf(x.Func)
	if t := fn.get("return_type"); t != nil {
		if t.is("type_predicate_annotation", "asserts_annotation") || x.Async && fn.child("async") == nil {
			return "", s.decline("the function around them returns %s", t.text())
		}
		return t.text(), nil
	}
	var bad *node
	for _, st := range x.Stmts {
		rawOf(st).walk(func(n *node) bool {
			if n.is("return_statement") && n.firstKid() != nil && !n.firstKid().is("identifier", "member_expression",
				"call_expression", "await_expression", "template_string", "new_expression", "binary_expression") {
				bad = n
			}
			return !n.is(functions...)
		})
	}
	if bad != nil {
		return "", s.decline("the type of what %s returns is not written", spot(u, bad))
	}
	return "", nil
}
