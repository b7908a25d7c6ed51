package treesitter

// space says what a name stands for: TypeScript keeps values and types apart,
// so that `interface Box` and `const Box` live side by side. Python and
// JavaScript have values only.
type space uint8

const (
	value space = 1 << iota
	typ
	both = value | typ
)

type scopeKind uint8

const (
	moduleScope scopeKind = iota
	functionScope
	classScope
	blockScope         // a block, a loop head, a catch clause
	comprehensionScope // Python only: walrus targets pass through it
	typeScope          // type parameters
	namespaceScope
)

// scope is a region of one file in which names are bound.
type scope struct {
	kind   scopeKind
	parent *scope
	node   *node
	names  map[string]*binding
	class  *class // Java: the type whose body it is
	// Python: what a global or nonlocal statement of this function says about a name.
	globals, nonlocals map[string]bool
	// Python: whether class scopes hide from the functions in them.
	hidesFromInner bool
}

// binding is one name in one scope, with every place that declares it. Places
// that declare the same name in the same scope are one binding: Python's
// reassignments, TypeScript's overloads and merged declarations.
type binding struct {
	name     string
	kind     string // func, class, type, var, const, param, import, enum, namespace, method, field
	spaces   space
	scope    *scope
	unit     *unit
	decls    []decl
	refs     []*ref
	exported bool      // JavaScript: the module or namespace gives it to others
	imps     []*origin // where it comes from, when it is imported
}

// decl is one place that declares a binding.
type decl struct {
	name *node // the identifier
	def  *node // the construct: function_definition, variable_declarator, parameter, ...
	kind string
}

// ref is one identifier that refers to (or declares) a binding.
type ref struct {
	node  *node
	scope *scope
	space space
	b     *binding // nil: bound nowhere in the file
	decl  bool
}

// origin is what an import binds.
type origin struct {
	module string // as written: "./config", "pkg.mod", "..x"; for `import a.b`, what is bound: "a"
	full   string // Python: the module that is loaded: "a.b"
	name   string // the imported name; "" for the module itself, "default" for a default import
	node   *node  // the identifier of the imported name, when it is written
	stmt   *node  // the import statement
	star   bool   // Python's from m import *
	alias  bool   // the local name is chosen here
	typed  bool   // type-only
}

func newScope(kind scopeKind, parent *scope, n *node) *scope {
	return &scope{kind: kind, parent: parent, node: n, names: map[string]*binding{}}
}

// sees reports whether a lookup that comes from scope child goes into s.
func (s *scope) sees(child *scope) bool {
	return !s.hidesFromInner || child == s || child.kind == typeScope
}

// lookup finds what a name means in s.
func (s *scope) lookup(name string, sp space) *binding {
	child := s
	for at := s; at != nil; child, at = at, at.parent {
		if !at.sees(child) {
			continue
		}
		if at.globals[name] {
			at = at.module()
		}
		if b := at.names[name]; b != nil && b.spaces&sp != 0 {
			return b
		}
	}
	return nil
}

// chain lists the scopes that a lookup from s passes, innermost first.
func (s *scope) chain() []*scope {
	var out []*scope
	child := s
	for at := s; at != nil; child, at = at, at.parent {
		if at.sees(child) {
			out = append(out, at)
		}
	}
	return out
}

// function is the nearest scope that `var`, return and assignment belong to.
func (s *scope) function() *scope {
	for s.kind != functionScope && s.kind != moduleScope && s.kind != namespaceScope && s.kind != classScope {
		s = s.parent
	}
	return s
}

func (s *scope) module() *scope {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// under reports whether s is t or lies in it.
func (s *scope) under(t *scope) bool {
	for ; s != nil; s = s.parent {
		if s == t {
			return true
		}
	}
	return false
}

// def is the construct of the binding's first declaration.
func (b *binding) def() *node {
	if len(b.decls) == 0 {
		return nil
	}
	return b.decls[0].def
}

// topLevel reports whether the binding belongs to its module (or to a namespace of it).
func (b *binding) topLevel() bool {
	return b.scope.kind == moduleScope || b.scope.kind == namespaceScope
}

// bind adds a declaration to a scope.
func (u *unit) bind(s *scope, d decl, sp space) *binding {
	name := d.name.text()
	b := s.names[name]
	if b == nil {
		b = &binding{name: name, kind: d.kind, scope: s, unit: u}
		s.names[name] = b
		u.bindings = append(u.bindings, b)
	}
	b.spaces |= sp
	b.decls = append(b.decls, d)
	return b
}

// refer notes an identifier to be resolved once every declaration is known.
func (u *unit) refer(s *scope, n *node, sp space) *ref {
	r := &ref{node: n, scope: s, space: sp}
	u.refs = append(u.refs, r)
	u.byNode[n] = r
	return r
}

// declared ties the identifier of a declaration to its binding.
func (u *unit) declared(b *binding, n *node) {
	if r := u.byNode[n]; r != nil && r.decl {
		return
	}
	r := &ref{node: n, scope: b.scope, space: b.spaces, b: b, decl: true}
	u.refs = append(u.refs, r)
	u.byNode[n] = r
	b.refs = append(b.refs, r)
}

// resolve finds the binding of every reference that has none yet.
func (u *unit) resolve() {
	for _, r := range u.refs {
		if r.b != nil {
			continue
		}
		if r.b = r.scope.lookup(r.node.text(), r.space); r.b != nil {
			r.b.refs = append(r.b.refs, r)
		}
	}
}
