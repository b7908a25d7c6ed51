package treesitter

import "strings"

// pyBinder walks a Python file once. Declarations wait until the walk is over,
// because a global or nonlocal statement decides which scope they belong to.
type pyBinder struct {
	u       *unit
	pending []pyDecl
	attrs   []*node // attributes that are assigned to
}

type pyDecl struct {
	s   *scope
	d   decl
	imp *origin
}

func bindPython(u *unit) {
	b := &pyBinder{u: u}
	u.module = newScope(moduleScope, nil, u.root)
	b.children(u.root, u.module)
	b.settle()
	u.resolve()
	b.classRefs()
	b.attributes()
}

func (b *pyBinder) declare(s *scope, name, def *node, kind string, imp *origin) {
	if name == nil || name.missing {
		return
	}
	if imp != nil {
		b.u.imports = append(b.u.imports, imp)
	}
	b.pending = append(b.pending, pyDecl{s, decl{name, def, kind}, imp})
}

// settle gives each declaration its scope.
func (b *pyBinder) settle() {
	for _, p := range b.pending {
		if s, name := p.s, p.d.name.text(); !s.nonlocals[name] {
			if s.globals[name] {
				s = b.u.module
			}
			b.bindIn(s, p)
		}
	}
	for _, p := range b.pending {
		if name := p.d.name.text(); p.s.nonlocals[name] {
			if t := p.s.parent.lookup(name, value); t != nil {
				b.bindIn(t.scope, p)
			} else {
				b.bindIn(p.s, p)
			}
		}
	}
}

func (b *pyBinder) bindIn(s *scope, p pyDecl) {
	bd := b.u.bind(s, p.d, value)
	if p.imp != nil {
		bd.imps = append(bd.imps, p.imp)
	}
	b.u.declared(bd, p.d.name)
}

func (b *pyBinder) children(n *node, s *scope) {
	for c := range n.kids {
		b.visit(c, s)
	}
}

func (b *pyBinder) visit(n *node, s *scope) {
	switch n.kind {
	case "identifier":
		b.refer(n, s)
	case "attribute":
		b.visit(n.get("object"), s)
	case "keyword_argument":
		b.visit(n.get("value"), s)
	case "function_definition":
		b.function(n, s)
	case "lambda":
		b.lambda(n, s)
	case "class_definition":
		b.class(n, s)
	case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
		b.comprehension(n, s)
	case "assignment", "augmented_assignment", "for_statement":
		b.assignment(n, s)
	case "named_expression":
		b.walrus(n, s)
	case "as_pattern":
		b.asPattern(n, s)
	case "delete_statement":
		for c := range n.kids {
			b.targets(c, n, s)
		}
	case "import_statement":
		b.importStatement(n, s)
	case "import_from_statement":
		b.importFrom(n, s)
	case "future_import_statement":
	case "global_statement", "nonlocal_statement":
		b.global(n, s)
	case "case_clause":
		b.caseClause(n, s)
	case "type_alias_statement":
		b.typeAlias(n, s)
	default:
		b.children(n, s)
	}
}

func (b *pyBinder) refer(n *node, s *scope) {
	b.u.refer(s, n, value)
	if n.parent.is("call") && n.field == "function" {
		switch n.text() {
		case "eval", "exec", "globals", "locals", "vars", "getattr", "setattr", "hasattr", "delattr":
			b.u.strange = append(b.u.strange, n)
		}
	}
}

func (b *pyBinder) function(n *node, s *scope) {
	kind := "func"
	if s.kind == classScope {
		kind = "method"
	}
	b.declare(s, n.get("name"), n, kind, nil)
	outer := b.typeParams(n, s)
	fs := newScope(functionScope, outer, n)
	b.u.scopes[n] = fs
	b.params(n.get("parameters"), fs, outer)
	if r := n.get("return_type"); r != nil {
		b.visit(r, outer)
	}
	b.children(n.get("body"), fs)
}

// typeParams makes the scope of [T, *Ts, **P], or returns s when there are none.
func (b *pyBinder) typeParams(n *node, s *scope) *scope {
	tp := n.get("type_parameters")
	if tp == nil {
		return s
	}
	ts := newScope(typeScope, s, tp)
	for t := range tp.kids {
		b.typeParam(t, ts)
	}
	return ts
}

func (b *pyBinder) typeParam(t *node, ts *scope) {
	for t.is("type", "constrained_type", "splat_type") {
		first := t.firstKid()
		if t.kind == "constrained_type" {
			for c := first.next; c != nil; c = c.next {
				b.visit(c, ts)
			}
		}
		t = first
	}
	if t.is("identifier") {
		b.declare(ts, t, t, "type", nil)
	}
}

func (b *pyBinder) lambda(n *node, s *scope) {
	fs := newScope(functionScope, s, n)
	b.params(n.get("parameters"), fs, s)
	b.visit(n.get("body"), fs)
}

// params binds parameters in fs; their defaults and annotations belong outside.
func (b *pyBinder) params(ps *node, fs, outer *scope) {
	for p := range ps.kids {
		b.param(p, p, fs, outer)
	}
}

func (b *pyBinder) param(n, def *node, fs, outer *scope) {
	switch n.kind {
	case "identifier":
		b.declare(fs, n, def, "param", nil)
	case "default_parameter", "typed_default_parameter", "typed_parameter":
		for c := range n.kids {
			if c.field == "value" || c.field == "type" {
				b.visit(c, outer)
			} else {
				b.param(c, def, fs, outer)
			}
		}
	case "list_splat_pattern", "dictionary_splat_pattern", "tuple_pattern":
		for c := range n.kids {
			b.param(c, def, fs, outer)
		}
	}
}

func (b *pyBinder) class(n *node, s *scope) {
	b.declare(s, n.get("name"), n, "class", nil)
	outer := b.typeParams(n, s)
	c := &class{unit: b.u, node: n, scope: newScope(classScope, outer, n)}
	c.scope.hidesFromInner = true
	if bases := n.get("superclasses"); bases != nil {
		b.children(bases, outer)
		for k := range bases.kids {
			if !k.is("keyword_argument") {
				c.bases = append(c.bases, k)
			}
		}
	}
	b.u.classes = append(b.u.classes, c)
	b.children(n.get("body"), c.scope)
}

// comprehension: the first iterable is evaluated outside, everything else inside.
func (b *pyBinder) comprehension(n *node, s *scope) {
	cs := newScope(comprehensionScope, s, n)
	first := true
	for c := range n.kids {
		if !c.is("for_in_clause") {
			b.visit(c, cs)
			continue
		}
		for k := range c.kids {
			switch {
			case k.field == "left":
				b.targets(k, c, cs)
			case first:
				b.visit(k, s)
			default:
				b.visit(k, cs)
			}
		}
		first = false
	}
}

// assignment covers everything with a left side: =, +=, for.
func (b *pyBinder) assignment(n *node, s *scope) {
	for c := range n.kids {
		if c.field == "left" {
			b.targets(c, n, s)
		} else {
			b.visit(c, s)
		}
	}
}

func (b *pyBinder) walrus(n *node, s *scope) {
	t := s
	for t.kind == comprehensionScope {
		t = t.parent
	}
	b.declare(t, n.get("name"), n, "var", nil)
	b.visit(n.get("value"), s)
}

func (b *pyBinder) targets(n, def *node, s *scope) {
	switch n.kind {
	case "identifier":
		kind := "var"
		if s.kind == classScope {
			kind = "field"
		}
		b.declare(s, n, def, kind, nil)
	case "attribute":
		b.attrs = append(b.attrs, n)
		b.visit(n, s)
	case "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "as_pattern_target",
		"parenthesized_expression", "tuple", "list", "list_splat", "expression_list":
		for c := range n.kids {
			b.targets(c, def, s)
		}
	default:
		b.visit(n, s)
	}
}

// asPattern is `value as target` of with and except.
func (b *pyBinder) asPattern(n *node, s *scope) {
	for c := range n.kids {
		if c.field == "alias" {
			b.targets(c, n, s)
		} else {
			b.visit(c, s)
		}
	}
}

func (b *pyBinder) importStatement(n *node, s *scope) {
	for c := range n.kids {
		switch c.kind {
		case "dotted_name":
			first := c.firstKid()
			b.declare(s, first, c, "import", &origin{module: first.text(), full: c.text(), stmt: n})
		case "aliased_import":
			m := c.get("name").text()
			b.declare(s, c.get("alias"), c, "import", &origin{module: m, full: m, stmt: n, alias: true})
		}
	}
}

func (b *pyBinder) importFrom(n *node, s *scope) {
	from := n.get("module_name")
	module := strings.Join(strings.Fields(from.text()), "")
	for c := range n.kids {
		if c == from {
			continue
		}
		o := &origin{module: module, full: module, stmt: n}
		switch c.kind {
		case "wildcard_import":
			o.star = true
			b.u.imports = append(b.u.imports, o)
		case "dotted_name":
			o.node, o.name = c.firstKid(), c.text()
			b.declare(s, o.node, c, "import", o)
		case "aliased_import":
			o.node, o.name, o.alias = c.get("name").firstKid(), c.get("name").text(), true
			b.declare(s, c.get("alias"), c, "import", o)
		}
	}
}

func (b *pyBinder) global(n *node, s *scope) {
	for c := range n.kids {
		if n.kind == "global_statement" {
			if s.globals == nil {
				s.globals = map[string]bool{}
			}
			s.globals[c.text()] = true
			b.u.refer(b.u.module, c, value)
			continue
		}
		if s.nonlocals == nil {
			s.nonlocals = map[string]bool{}
		}
		s.nonlocals[c.text()] = true
		b.u.refer(s.parent, c, value)
	}
}

func (b *pyBinder) caseClause(n *node, s *scope) {
	for c := range n.kids {
		if c.is("case_pattern") {
			b.pattern(c, s)
		} else {
			b.visit(c, s)
		}
	}
}

// pattern walks a match pattern: a lone name captures, a dotted one is a value.
func (b *pyBinder) pattern(n *node, s *scope) {
	switch n.kind {
	case "identifier":
		b.declare(s, n, n.up("case_clause"), "var", nil)
	case "dotted_name":
		if first := n.firstKid(); first == n.lastKid() {
			b.pattern(first, s)
		} else {
			b.visit(first, s)
		}
	case "class_pattern":
		for c := range n.kids {
			if c.is("dotted_name") {
				b.visit(c.firstKid(), s)
			} else {
				b.pattern(c, s)
			}
		}
	case "keyword_pattern":
		for c := range n.kids {
			if c != n.firstKid() {
				b.pattern(c, s)
			}
		}
	case "attribute":
		b.visit(n, s)
	default:
		for c := range n.kids {
			b.pattern(c, s)
		}
	}
}

func (b *pyBinder) typeAlias(n *node, s *scope) {
	parts := n.list()
	ts := newScope(typeScope, s, n)
	if len(parts) > 0 {
		name := parts[0]
		if name.is("type") {
			name = name.firstKid()
		}
		if name.is("generic_type") {
			if tp := name.child("type_parameter"); tp != nil {
				for t := range tp.kids {
					b.typeParam(t, ts)
				}
			}
			name = name.firstKid()
		}
		b.declare(s, name, n, "type", nil)
		for _, p := range parts[1:] {
			b.visit(p, ts)
		}
	}
}

// classRefs ties classes to the bindings of their names, and gives the
// references that run in a class body before the name is bound there the outer
// meaning that they have: `class A: size = size`.
func (b *pyBinder) classRefs() {
	for _, c := range b.u.classes {
		if r := b.u.byNode[c.node.get("name")]; r != nil {
			c.b = r.b
		}
		for _, bd := range c.scope.names {
			b.rebindEarly(c, bd)
			for _, d := range bd.decls {
				c.add(bd.name, member{name: d.name, def: d.def, method: d.kind == "method", static: true})
			}
		}
	}
}

// early reports whether a reference in the body of b's own class runs before b is bound.
func (b *binding) early(r *ref) bool {
	d := b.decls[0]
	bound := d.def.to
	if d.def.is("function_definition", "class_definition") {
		bound = d.name.from
	}
	return b.scope.hidesFromInner && r.scope == b.scope && r.node.from < bound
}

func (b *pyBinder) rebindEarly(c *class, bd *binding) {
	var keep []*ref
	for _, r := range bd.refs {
		if r.decl || !bd.early(r) {
			keep = append(keep, r)
			continue
		}
		if r.b = c.scope.parent.lookup(bd.name, value); r.b != nil {
			r.b.refs = append(r.b.refs, r)
		}
	}
	bd.refs = keep
}

// attributes records what methods assign on self.
func (b *pyBinder) attributes() {
	for _, a := range b.attrs {
		if c, static := b.u.selfClass(a.get("object")); c != nil {
			name := a.get("attribute")
			c.add(name.text(), member{name: name, def: a.parent, static: static})
		}
	}
}

// selfClass returns the class whose methods' first parameter n names, and
// whether n stands for the class itself (classmethod) rather than an instance.
func (u *unit) selfClass(n *node) (*class, bool) {
	r := u.byNode[n]
	if r == nil || r.b == nil || r.b.kind != "param" || len(r.b.decls) != 1 {
		return nil, false
	}
	fn := r.b.scope.node
	s := r.b.scope.parent
	if s.kind == typeScope {
		s = s.parent
	}
	if !fn.is("function_definition") || s.kind != classScope || fn.get("parameters").firstKid() != r.b.decls[0].def {
		return nil, false
	}
	static := fn.get("name").text() == "__new__" || fn.get("name").text() == "__init_subclass__"
	for _, d := range decorators(fn) {
		switch d {
		case "staticmethod":
			return nil, false
		case "classmethod":
			static = true
		}
	}
	return u.classAt(s.node), static
}

// decorators lists the decorators of a definition, without their arguments.
func decorators(def *node) []string {
	var out []string
	if def.parent.is("decorated_definition") {
		for c := range def.parent.kids {
			if c.is("decorator") {
				d := c.firstKid()
				if d.is("call") {
					d = d.get("function")
				}
				out = append(out, d.text())
			}
		}
	}
	return out
}
