package treesitter

import (
	"path"
	"slices"
	"strings"
)

// uses are the places where a function is used, sorted by what can be said of them.
type uses struct {
	calls  []callSite // the function is surely what is called
	values []*node    // surely the function, handed on instead of called
	doubts []callSite // may be the function: a method of an unknown receiver
	units  map[*node]*unit
}

// callSite is one call.
type callSite struct {
	u    *unit
	n    *node // the identifier
	call *node // the call or new expression; nil when a doubt is no call
	self bool  // Python: the receiver is passed as the first argument (Class.method(obj))
}

// function is a subject that has parameters.
type function struct {
	*subject
	fn     *node // the node with the parameters
	params *node
	family *family // for methods
}

// function finds the one function that an operation is about.
func (j *job) function(arg string) (*function, error) {
	name := j.op.Args[arg]
	all, err := j.some(name, "")
	if err != nil {
		return nil, err
	}
	var fs []*function
	var ones []*subject
	for _, s := range all {
		if fn := functionNode(s); fn != nil {
			ones = append(ones, s)
			fs = append(fs, &function{subject: s, fn: fn, params: fn.get("parameters")})
		}
	}
	if len(fs) == 0 && all[0].implementation() != nil {
		return nil, j.decline("%s has overloads (%s), which would have to change too", name, all[0].spot())
	}
	if len(fs) == 0 {
		return nil, j.decline("%s (%s) is a %s, not a function", name, all[0].spot(), all[0].kind)
	}
	if len(fs) > 1 {
		return nil, j.ambiguous(name, "func", ones)
	}
	f := fs[0]
	if f.b != nil && len(f.b.decls) > 1 || f.b == nil && len(f.class.members[f.name]) > 1 {
		return nil, j.decline("%s is declared more than once in %s", name, f.unit.path)
	}
	if f.class != nil {
		if f.family, err = j.familyOf(f.class, f.name); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// functionNode is the node with the parameters of what the subject declares.
func functionNode(s *subject) *node {
	def := s.def
	switch {
	case s.export:
		return nil
	case def.is("function_definition", "function_declaration", "generator_function_declaration", "method_definition",
		"method_declaration", "constructor_declaration"):
		return def
	case def.is("variable_declarator", "public_field_definition", "field_definition") && s.node.parent == def:
		if v := def.get("value"); v.is("arrow_function", "function_expression", "generator_function") {
			return v
		}
	}
	return nil
}

// find gathers every use of f in the project.
func (j *job) uses(f *function) (*uses, error) {
	units, err := j.p.mentioning(j.ctx, f.name)
	if err != nil {
		return nil, err
	}
	us := &uses{units: map[*node]*unit{}}
	for _, u := range units {
		for _, n := range j.d.mentions(u, f.name) {
			j.sortUse(us, f, u, n)
		}
	}
	return us, j.aliases(us, f, units)
}

func (j *job) sortUse(us *uses, f *function, u *unit, n *node) {
	m := j.d.means(j.p, u, n)
	us.units[n] = u
	site := callSite{u: u, n: n, call: callOf(n)}
	sure := m.kind == bound && m.b == f.b
	if f.class != nil {
		sure = m.kind == memberOf && f.family.classes[m.class]
		if site.call != nil && m.static && u.d.style().Self && !isStatic(f) {
			site.self = true
		}
	}
	switch {
	case renamedExport(n) && f.class == nil && (sure || m.kind == exportOf || m.kind == unknown):
		us.doubts = append(us.doubts, site)
	case sure && site.call != nil:
		us.calls = append(us.calls, site)
	case sure && !declares(u, n, f):
		us.values = append(us.values, n)
	case !sure && f.class != nil && m.kind == unknown, m.kind == ambiguousName:
		us.doubts = append(us.doubts, site)
	case n.is("shorthand_property_identifier") && m.kind == unknown:
		us.doubts = append(us.doubts, site)
	}
}

func isStatic(f *function) bool {
	for _, d := range decorators(f.fn) {
		if d == "staticmethod" || d == "classmethod" {
			return true
		}
	}
	return false
}

// aliases adds the uses under other names: of `import f as g`, of a default import, of what imports
// from those that do so.
func (j *job) aliases(us *uses, f *function, units []*unit) error {
	if f.b == nil {
		return nil
	}
	importers, err := j.p.mentioning(j.ctx, moduleWord(f.unit.path))
	if err != nil {
		return err
	}
	seen := map[*unit]bool{}
	names := j.otherNames(f, append(slices.Clone(units), importers...), seen, nil)
	for i := 0; i < len(names); i++ {
		units, err := j.p.mentioning(j.ctx, names[i])
		if err != nil {
			return err
		}
		names = j.otherNames(f, units, seen, names)
		for _, u := range units {
			for _, n := range j.d.mentions(u, names[i]) {
				if us.units[n] == nil && j.p.isOf(u, n, f) {
					j.sortAlias(us, f, u, n)
				}
			}
		}
	}
	return nil
}

// moduleWord is the word by which imports name the module of a file.
func moduleWord(file string) string {
	stem := strings.TrimSuffix(path.Base(file), ext(file))
	if dir := path.Base(path.Dir(file)); (stem == "index" || stem == "__init__") && wordByte(dir[0]) {
		return dir
	}
	return stem
}

// otherNames appends the names by which files know a function, other than its own.
func (j *job) otherNames(f *function, units []*unit, seen map[*unit]bool, names []string) []string {
	for _, u := range units {
		if seen[u] {
			continue
		}
		seen[u] = true
		for _, b := range u.bindings {
			if len(b.imps) == 1 && b.name != f.name && !has(names, b.name) && j.p.follow(b) == f.b {
				names = append(names, b.name)
			}
		}
	}
	return names
}

func (p *project) isOf(u *unit, n *node, f *function) bool {
	if r := u.byNode[n]; r != nil && r.b != nil && len(r.b.imps) == 1 {
		return p.follow(r.b) == f.b
	}
	m := p.d.means(p, u, n)
	return m.kind == bound && p.follow(m.b) == f.b
}

func (j *job) sortAlias(us *uses, f *function, u *unit, n *node) {
	us.units[n] = u
	switch c := callOf(n); {
	case renamedExport(n):
		us.doubts = append(us.doubts, callSite{u: u, n: n})
	case c != nil:
		us.calls = append(us.calls, callSite{u: u, n: n, call: c})
	case !declares(u, n, f):
		us.values = append(us.values, n)
	}
}

// renamedExport reports whether an export gives a name to others as another one, whose uses are not
// followed.
func renamedExport(n *node) bool {
	as := n.parent.get("alias")
	return n.parent.is("export_specifier") && n.field == "name" && as != nil && as.text() != "default"
}

func callOf(n *node) *node {
	if p := n.parent; p.is("attribute", "member_expression") && p.lastKid() == n {
		n = p
	}
	if p := n.parent; p.is("call", "call_expression") && p.get("function") == n ||
		p.is("new_expression") && p.get("constructor") == n {
		return p
	}
	return nil
}

// declares reports whether a mention declares, imports or exports the function, which uses it in no way.
func declares(u *unit, n *node, f *function) bool {
	if n.parent.is("import_specifier", "export_specifier", "import_clause", "global_statement", "nonlocal_statement") {
		return true
	}
	if n.up("import_statement", "import_from_statement") != nil || n == f.node {
		return true
	}
	if n.parent == f.def && n.field == "name" || n.parent.is("method_definition", "function_definition",
		"abstract_method_signature", "method_signature") && n.field == "name" {
		return true
	}
	if n.up("export_statement") == n.parent { // export default f
		return true
	}
	for _, e := range u.exports {
		if e.node == n || e.ref != nil && e.ref.node == n && n.up("assignment_expression") != nil {
			return true
		}
	}
	r := u.byNode[n]
	return r != nil && r.decl && len(r.b.imps) > 0
}

// arguments are the arguments of a call, or nil when it has a template for them.
func (c callSite) arguments() *node {
	if a := c.call.get("arguments"); a.is("argument_list", "arguments") {
		return a
	}
	return nil
}

// spreads reports whether the call passes *args, **options or ...rest.
func (c callSite) spreads() bool {
	return c.arguments().child("list_splat", "dictionary_splat", "spread_element") != nil
}

func (us *uses) places(ns []*node) []string {
	var out []string
	for _, n := range ns {
		out = append(out, spot(us.units[n], n))
	}
	return out
}

// receiver is the number of parameters that the call syntax fills: self or cls.
func (f *function) receiver() int {
	if f.class == nil || !f.unit.d.style().Self {
		return 0
	}
	for _, d := range decorators(f.fn) {
		if d == "staticmethod" {
			return 0
		}
	}
	return 1
}

func (f *function) python() bool { return f.unit.python() }
