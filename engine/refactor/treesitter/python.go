package treesitter

import (
	"path"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// pythonDialect is the Python dialect.
type pythonDialect struct{}

// Python carries operations out on .py and .pyi files.
func Python() refactor.Language { return newLanguage("python", pythonDialect{}) }

func (pythonDialect) handles(file string) bool { return ext(file) == ".py" || ext(file) == ".pyi" }
func (pythonDialect) style() kit.Dialect {
	return kit.Dialect{Name: "python", Self: true, Line: "#", Empty: "pass", Keyword: "=", Indent: "    ",
		Not: "not ", And: "and", Or: "or", Nothing: "None", Hints: true}
}

func (pythonDialect) declared(n *node) (name, kind string)   { return declared(n) }
func (pythonDialect) path(n *node) (names []string, ok bool) { return pathTo(n) }
func (pythonDialect) typed(*unit) bool                       { return true }
func (pythonDialect) grammar(string) grammar                 { return pyGrammar }
func (pythonDialect) bind(u *unit)                           { bindPython(u) }

// locate finds a module: relative ones beside the file, absolute ones under the
// folders that Python could have on its path: the root of the file's own
// package first, then every folder above the file, and src in each of them.
func (d pythonDialect) locate(p *project, from, module string) place {
	level := len(module) - len(strings.TrimLeft(module, "."))
	parts := strings.Split(module[level:], ".")
	if module[level:] == "" {
		parts = nil
	}
	dir := path.Dir(from)
	if level > 0 {
		for range level - 1 {
			dir = path.Dir(dir)
		}
		return p.pyModule(dir, parts)
	}
	for _, root := range p.pyRoots(dir) {
		if at := p.pyModule(root, parts); at.file != "" || at.dir != "" {
			return at
		}
	}
	return place{outside: true}
}

func (p *project) pyRoots(dir string) []string {
	root := dir
	for p.index[path.Join(root, "__init__.py")] && root != "." {
		root = path.Dir(root)
	}
	roots := []string{root, path.Join(root, "src")}
	for ; ; dir = path.Dir(dir) {
		roots = append(roots, dir, path.Join(dir, "src"))
		if dir == "." || dir == "/" {
			return roots
		}
	}
}

func (p *project) pyModule(root string, parts []string) place {
	base := path.Join(append([]string{root}, parts...)...)
	for _, f := range []string{path.Join(base, "__init__.py"), base + ".py",
		path.Join(base, "__init__.pyi"), base + ".pyi"} {
		if p.index[f] && (len(parts) > 0 || path.Dir(f) == base) {
			at := place{file: f}
			if path.Dir(f) == base {
				at.dir = base
			}
			return at
		}
	}
	if p.isDir(base) {
		return place{dir: base}
	}
	return place{}
}

// isDir reports whether the project has Python files under a folder.
func (p *project) isDir(dir string) bool {
	dirs, ok := p.extra["dirs"].(map[string]bool)
	if !ok {
		dirs = map[string]bool{}
		for _, f := range p.files {
			if !p.d.handles(f) {
				continue
			}
			for d := path.Dir(f); !dirs[d]; d = path.Dir(d) {
				dirs[d] = true
			}
		}
		p.extra["dirs"] = dirs
	}
	return dirs[dir]
}

func (d pythonDialect) exported(p *project, at place, name string, seen map[string]bool) meaning {
	if at.outside {
		return meaning{kind: other}
	}
	if u := p.unit(at.file); at.file != "" && u != nil {
		if key := at.file + "\x00" + name; seen[key] {
			return meaning{}
		} else {
			seen[key] = true
		}
		if b := u.module.names[name]; b != nil {
			return d.asImported(p, b, name, seen)
		}
	}
	// The package's own submodule, rather than what a star import may bring.
	if at.dir != "" {
		if sub := p.pyModule(at.dir, []string{name}); sub.file != "" || sub.dir != "" {
			return meaning{kind: module, at: sub}
		}
	}
	if u := p.unit(at.file); at.file != "" && u != nil {
		return d.starred(p, u, name, seen)
	}
	return meaning{}
}

// asImported is the meaning of a module's binding for those who import it.
func (d pythonDialect) asImported(p *project, b *binding, name string, seen map[string]bool) meaning {
	if len(b.imps) == 1 && len(b.decls) == 1 {
		o := b.imps[0]
		at := d.locate(p, b.unit.path, o.module)
		if o.name == "" && !at.outside {
			return meaning{kind: module, at: at, b: b}
		}
		key := at.file + "\x00" + o.name
		passed := seen[key] // a package that imports from itself comes back here
		if m := d.exported(p, at, o.name, seen); m.kind == module {
			return m
		}
		if !passed {
			delete(seen, key)
		}
	}
	return p.canonical(b, seen)
}

// starred looks a name up in the modules that u imports everything from.
func (d pythonDialect) starred(p *project, u *unit, name string, seen map[string]bool) meaning {
	if strings.HasPrefix(name, "_") {
		return meaning{}
	}
	var found meaning
	for _, o := range u.imports {
		if !o.star {
			continue
		}
		at := d.locate(p, u.path, o.module)
		if v := p.unit(at.file); at.file == "" || v == nil || v.hides(name) {
			continue
		}
		if m := d.exported(p, at, name, seen); m.kind != unknown && m.kind != other && m.kind != module {
			found = m
		}
	}
	return found
}

// hides reports whether import * leaves a name out: __all__ is one list of
// strings, and the name is not in it.
func (u *unit) hides(name string) bool {
	all := u.module.names["__all__"]
	if all == nil || len(all.refs) != 1 || !all.def().is("assignment") {
		return false
	}
	list := all.def().get("right")
	if !list.is("list", "tuple") {
		return false
	}
	for s := range list.kids {
		if !s.is("string") || s.child("string_content").text() == name {
			return false
		}
	}
	return true
}

func (d pythonDialect) means(p *project, u *unit, n *node) meaning {
	if r := u.byNode[n]; r != nil {
		switch {
		case r.b != nil && r.b.scope.kind == classScope && u.classAt(r.b.scope.node) != nil:
			return meaning{kind: memberOf, class: u.classAt(r.b.scope.node), name: r.b.name, b: nil}
		case r.b != nil:
			return p.canonical(r.b, map[string]bool{})
		}
		if m := d.starred(p, u, n.text(), map[string]bool{}); m.kind != unknown {
			return m
		}
		return meaning{kind: other}
	}
	parent := n.parent
	switch {
	case parent.is("attribute"):
		return d.attribute(p, u, d.entity(p, u, parent.get("object")), n.text())
	case parent.is("keyword_argument") && n.field == "name":
		return d.keyword(p, u, parent)
	case parent.is("dotted_name") && parent.parent.is("aliased_import") && parent.up("import_from_statement") != nil:
		stmt := parent.up("import_from_statement")
		return d.exported(p, d.locate(p, u.path, stmt.get("module_name").text()), n.text(), map[string]bool{})
	case parent.is("keyword_pattern"):
		if cp := parent.up("class_pattern"); cp != nil {
			if e := d.dotted(p, u, cp.firstKid()); e.kind == aClass {
				return meaning{kind: memberOf, class: e.class, name: n.text()}
			}
		}
		return meaning{}
	case parent.is("dotted_name"):
		return d.dottedPart(p, u, n)
	}
	return meaning{}
}

// attribute is what .name means on a value.
func (d pythonDialect) attribute(p *project, u *unit, e entity, name string) meaning {
	switch e.kind {
	case outsider:
		return meaning{kind: other}
	case aModule:
		if m := d.exported(p, e.at, name, map[string]bool{}); m.kind != unknown {
			return m
		}
		return meaning{kind: other}
	case aClass, anInstance:
		return meaning{kind: memberOf, class: e.class, name: name, static: e.kind == aClass}
	}
	return meaning{}
}

// dottedPart is a name in `import a.b.c` or in a dotted match pattern.
func (d pythonDialect) dottedPart(p *project, u *unit, n *node) meaning {
	if n.up("import_statement", "import_from_statement", "future_import_statement") != nil {
		return meaning{kind: other}
	}
	e := d.dottedUntil(p, u, n.parent, n)
	return d.attribute(p, u, e, n.text())
}

func (d pythonDialect) dotted(p *project, u *unit, n *node) entity {
	if n.is("dotted_name") {
		return d.dottedUntil(p, u, n, nil)
	}
	return entity{}
}

func (d pythonDialect) dottedUntil(p *project, u *unit, n, stop *node) entity {
	var e entity
	first := true
	for c := range n.kids {
		if c == stop {
			break
		}
		if first {
			e = d.entity(p, u, c)
		} else {
			e = d.fromMeaning(p, d.attribute(p, u, e, c.text()))
		}
		first = false
	}
	return e
}

// keyword is what the name of f(name=value) means.
func (d pythonDialect) keyword(p *project, u *unit, kw *node) meaning {
	if kw.parent.parent.is("class_definition") {
		return meaning{kind: other} // class A(metaclass=M)
	}
	name := kw.get("name").text()
	e := d.entity(p, u, kw.parent.parent.get("function"))
	switch e.kind {
	case outsider:
		return meaning{kind: other}
	case aBinding:
		if e.b.kind == "func" && len(e.b.decls) == 1 {
			return paramOf(e.b.unit, e.b.def(), name)
		}
	case aClass:
		return d.constructorKeyword(p, e.class, name)
	default: // its parameters are not known
	}
	if fn := kw.parent.parent.get("function"); fn.is("attribute") {
		m := d.means(p, u, fn.get("attribute"))
		if m.kind == other {
			return m
		}
		if m.kind == memberOf {
			above := strings.HasPrefix(fn.get("object").text(), "super(")
			if c, method, ok := d.methodNamed(p, m.class, m.name, above); ok {
				return paramOf(c.unit, method.def, name)
			}
		}
	}
	return meaning{}
}

func paramOf(u *unit, fn *node, name string) meaning {
	if b := u.scopes[fn].names[name]; b != nil && b.kind == "param" {
		return meaning{kind: bound, b: b}
	}
	return meaning{kind: other} // goes into **kwargs
}

func (d pythonDialect) constructorKeyword(p *project, c *class, name string) meaning {
	for _, k := range p.ancestry(c) {
		if ms := k.members["__init__"]; len(ms) > 0 {
			return paramOf(k.unit, ms[0].def, name)
		}
		if _, ok := k.members[name]; ok {
			return meaning{kind: memberOf, class: k, name: name}
		}
	}
	return meaning{}
}

func (d pythonDialect) mentions(u *unit, name string) []*node {
	var out []*node
	u.root.walk(func(n *node) bool {
		if n.kind == "identifier" && n.to-n.from == len(name) && n.text() == name {
			out = append(out, n)
		}
		return true
	})
	return out
}

func (pythonDialect) invalid(name string) string {
	switch {
	case !identifier(name, ""):
		return name + " is not a Python identifier"
	case pyKeywords[name]:
		return name + " is a Python keyword"
	}
	return ""
}

// outsideBases are base classes from outside that look at no name of their subclasses.
var outsideBases = map[string]bool{
	"object": true, "ABC": true, "abc.ABC": true, "Protocol": true, "typing.Protocol": true, "Generic": true,
	"typing.Generic": true, "NamedTuple": true, "typing.NamedTuple": true, "TypedDict": true, "Exception": true,
	"BaseException": true, "ValueError": true, "RuntimeError": true, "TypeError": true, "KeyError": true,
	"LookupError": true, "Enum": true, "enum.Enum": true, "IntEnum": true, "str": true, "int": true,
	"BaseModel": true, "pydantic.BaseModel": true,
}

// taken are the names that those base classes do know.
var taken = map[string]bool{
	"args": true, "with_traceback": true, "add_note": true, "name": true, "value": true, "format": true,
	"join": true, "split": true, "index": true, "count": true, "keys": true, "values": true, "items": true,
	"get": true, "pop": true, "update": true, "copy": true, "dict": true, "json": true, "schema": true,
}

func (pythonDialect) outsideBase(base *node, name string) bool {
	if base.is("subscript") {
		base = base.firstKid()
	}
	return outsideBases[base.text()] && !taken[name] && !strings.HasPrefix(name, "__") &&
		!strings.HasPrefix(name, "model_")
}

func (pythonDialect) respell(n *node, to string, asRef, asKey bool) string { return to }

func (pythonDialect) keyMeans(*project, *unit, *node) meaning { return meaning{kind: other} }

// named: the strings of a module's __all__ are names.
func (pythonDialect) named(u *unit, name string) []*node {
	all := u.module.names["__all__"]
	if all == nil {
		return nil
	}
	var out []*node
	for _, r := range all.refs {
		stmt := r.node.up("assignment", "augmented_assignment", "call")
		stmt.walk(func(n *node) bool {
			if n.kind == "string_content" && n.text() == name {
				out = append(out, n)
			}
			return true
		})
	}
	return out
}

func (d pythonDialect) special(p *project, s *subject, to string) string {
	switch {
	case strings.HasPrefix(s.name, "__") && strings.HasSuffix(s.name, "__"):
		return s.name + " is a name that Python itself looks up"
	case s.class != nil && s.name == "_":
		return "_ is not a name to rename"
	case s.b != nil && pyBuiltins[s.name] && s.b.scope.kind == moduleScope:
		return s.name + " is also a Python builtin: which of its uses run before it is bound here is not certain"
	case mangled(s.name) != mangled(to) && s.node.up("class_definition") != nil, mangled(to) && s.b != nil &&
		d.usedInClass(p, s):
		return "a name that begins with two underscores is mangled inside a class: " + s.name + " and " + to +
			" are not mangled alike"
	case mangled(s.name) && s.b != nil && d.usedInClass(p, s):
		return s.name + " is used inside a class, where Python mangles it"
	case s.class != nil && s.kind == "method" && strings.HasPrefix(s.name, "test"):
		return ""
	case s.b != nil && fieldOfForm(s):
		return s.name + " is looked up by name by the tool that runs it"
	}
	return ""
}

// mangled: inside a class, Python turns __x into _Class__x.
func mangled(name string) bool {
	return strings.HasPrefix(name, "__") && !strings.HasSuffix(name, "__")
}

func (d pythonDialect) usedInClass(p *project, s *subject) bool {
	for _, r := range s.b.refs {
		if r.node.up("class_definition") != nil {
			return true
		}
	}
	return false
}

// fieldOfForm: pytest passes fixtures by parameter name, and a fixture is the
// function of that name, so neither can be renamed alone.
func fieldOfForm(s *subject) bool {
	for _, dec := range decorators(s.def) {
		if strings.HasSuffix(dec, "fixture") {
			return true
		}
	}
	if s.kind != "param" {
		return false
	}
	fn := s.b.scope.node
	if strings.HasPrefix(fn.get("name").text(), "test_") {
		return true
	}
	for _, dec := range decorators(fn) {
		if strings.HasSuffix(dec, "fixture") || strings.HasSuffix(dec, ".parametrize") {
			return true
		}
	}
	return false
}

func (pythonDialect) lost(string) bool  { return false }
func (pythonDialect) global(*unit) bool { return false }

func (pythonDialect) structural() bool { return false }

func (pythonDialect) loads(p *project, u, target *unit) bool {
	for _, r := range u.refs {
		if t := r.node.text(); t == "import_module" || t == "__import__" || t == "importlib" && !r.decl {
			return true
		}
	}
	return false
}

// keyed: the strings that Python takes for attribute names.
func (pythonDialect) keyed(u *unit, name string) []*node {
	var out []*node
	for _, n := range stringsNaming(u, name) {
		if n.text() != name {
			continue
		}
		if a := n.up("assignment"); a != nil && (a.get("left").text() == "__slots__" ||
			a.get("left").text() == "__match_args__") {
			out = append(out, n)
		}
		if args := n.parent.parent; args.is("argument_list") {
			switch f := args.parent.get("function").text(); f[strings.LastIndexByte(f, '.')+1:] {
			case "getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller", "object":
				out = append(out, n)
			}
		}
	}
	return out
}

// methodNamed is the method that a call of c.name runs; above means that of super().
func (d pythonDialect) methodNamed(p *project, c *class, name string, above bool) (*class, member, bool) {
	for i, k := range p.ancestry(c) {
		if in, out := p.bases(k); above && i == 0 && len(in)+len(out) > 1 {
			return nil, member{}, false
		}
		if ms := k.members[name]; len(ms) > 0 && !(above && i == 0) {
			return k, ms[0], len(ms) == 1 && ms[0].method
		}
	}
	return nil, member{}, false
}
