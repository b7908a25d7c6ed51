package treesitter

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/words"
	"waferpair/workspace/text"
)

// pyMove is what a move needs to know of the project's modules.
type pyMove struct {
	*moving
	name     string
	spelling string          // a module name of the source, as somebody writes it
	needs    []wanted        // what the other file has to import
	typing   []wanted        // for type checkers only
	gone     []string        // names that the source may import for nothing afterwards
	modules  map[string]need // files that reach the declaration through its module: what they do instead
}

// need is how a file that wrote a.f writes b.f.
type need struct {
	add  wanted
	drop string // the local name of the old module
}

// movableDecorators do nothing but wrap what they decorate.
var movableDecorators = words.Set(`functools.cache cache functools.lru_cache lru_cache functools.wraps wraps contextmanager
	contextlib.contextmanager asynccontextmanager contextlib.asynccontextmanager dataclass dataclasses.dataclass
	functools.total_ordering total_ordering typing.final final typing.no_type_check no_type_check enum.unique unique
	functools.singledispatch typing.runtime_checkable runtime_checkable abstractmethod cached_property
	functools.cached_property staticmethod deprecated typing_extensions.deprecated attr.s attr.define define attrs.define
	attr.frozen attrs.frozen frozen`)

// itself are the names by which a module speaks of itself.
var itself = words.Set(`__name__ __file__ __package__ __path__ __spec__ __loader__ __doc__ __dict__`)

func (d pythonDialect) movable(mv *moving) error {
	b, name := mv.s.b, mv.s.name
	switch {
	case len(b.decls) != 1:
		return mv.decline("%s is given a value at several places of %s", name, mv.u.path)
	case b.decls[0].def.is("assignment") && !b.decls[0].def.get("left").is("identifier"):
		return mv.decline("%s is set together with others (%s)", name, mv.s.spot())
	case !mv.stmt.is("function_definition", "class_definition", "decorated_definition", "expression_statement",
		"type_alias_statement"):
		return mv.decline("%s (%s) is no declaration that can move", name, mv.s.spot())
	case mangled(name):
		return mv.decline("%s", d.special(mv.p, mv.s, "x"))
	case path.Base(mv.m.To) == "__main__.py":
		return mv.decline("nothing can import %s", mv.m.To)
	}
	for _, dec := range decorators(mv.s.def) {
		if !movableDecorators[dec] && !strings.HasSuffix(dec, ".setter") {
			return mv.decline("the decorator %s may register %s when its module is loaded", dec, name)
		}
	}
	test := strings.HasPrefix(strings.ToLower(name), "test")
	return mv.amongTests(func(f string) bool {
		return strings.HasPrefix(path.Base(f), "test_") || strings.HasSuffix(path.Base(f), "_test.py")
	}, test)
}

// amongTests declines what a test runner would no longer find, and code that tests would hold.
func (mv *moving) amongTests(isTest func(file string) bool, test bool) error {
	from, to := isTest(mv.u.path), isTest(mv.m.To)
	switch {
	case from && !to && test:
		return mv.decline("a test runner finds %s by the name of its file", mv.s.name)
	case to && !from:
		return mv.decline("%s holds tests", mv.m.To)
	}
	return nil
}

// pyMoves keeps what follow found out for imports, which runs when the parts are written.
const pyMoves = "move"

func (d pythonDialect) follow(mv *moving) error {
	pm := &pyMove{moving: mv, name: mv.s.name, modules: map[string]need{}}
	mv.p.extra[pyMoves] = pm
	if err := pm.users(d); err != nil {
		return err
	}
	if _, err := pm.module(mv.u.path, mv.m.To); err != nil {
		return err
	}
	if mv.to != nil {
		if err := pm.room(); err != nil {
			return err
		}
	}
	if err := pm.code(d); err != nil {
		return err
	}
	return pm.place()
}

// room declines a name that the other file has for something else.
func (pm *pyMove) room() error {
	if b := pm.to.module.names[pm.name]; b != nil {
		for i, o := range b.imps {
			if len(b.imps) != len(b.decls) || o.alias || !pm.leadsTo(pm.to, o, pm.u.path) {
				return pm.decline("%s has a %s already (%s)", pm.to.path, pm.name, spot(pm.to, b.decls[i].name))
			}
		}
		if len(b.imps) == 0 {
			return pm.decline("%s has a %s already (%s)", pm.to.path, pm.name, spot(pm.to, b.decls[0].name))
		}
	}
	if r := pm.captured(pm.to, pm.name); r != nil {
		return pm.decline("%s means something else at %s", pm.name, spot(pm.to, r.node))
	}
	return pm.future()
}

// captured is a reference of the file to a name that its module does not have yet.
func (mv *moving) captured(u *unit, name string) *ref {
	if u.module.names[name] != nil || u.python() && u.importsAll() && mv.starred(u, name) {
		return nil
	}
	for _, r := range u.refs {
		if r.b == nil && r.node.text() == name {
			return r
		}
	}
	return nil
}

// starred reports whether a star import gives the file what moves.
func (mv *moving) starred(u *unit, name string) bool {
	m := mv.d.(pythonDialect).starred(mv.p, u, name, map[string]bool{})
	return m.kind == bound && m.b == mv.s.b
}

var futureAnnotations = regexp.MustCompile(`(?m)^from __future__ import .*annotations`)

func (pm *pyMove) future() error {
	if futureAnnotations.Match(pm.u.src) && !futureAnnotations.Match(pm.to.src) && pm.stmt.has("type") {
		return pm.decline("%s has \"from __future__ import annotations\" and %s has not: the types would be looked up",
			pm.u.path, pm.to.path)
	}
	return nil
}

// leadsTo reports whether an import takes a name from the file.
func (mv *moving) leadsTo(u *unit, o *origin, file string) bool {
	return o.name == mv.s.name && mv.d.locate(mv.p, u.path, o.module).file == file
}

// users looks at every mention of what moves.
func (pm *pyMove) users(d pythonDialect) error {
	units, err := pm.mentioningAll()
	if err != nil {
		return err
	}
	if err := pm.unread(); err != nil {
		return err
	}
	for _, u := range units {
		for _, o := range u.imports {
			if o.module[:1] != "." && pm.leadsTo(u, o, pm.u.path) {
				pm.spelling = o.module
			}
			if u == pm.to && pm.leadsTo(u, o, pm.u.path) && o.alias {
				return pm.decline("%s calls it by another name (%s)", u.path, spot(u, o.stmt))
			}
		}
		for _, n := range d.mentions(u, pm.name) {
			if err := pm.mention(d, u, n); err != nil {
				return err
			}
		}
		for _, n := range stringsNaming(u, pm.name) {
			if t := n.text(); t != pm.name && strings.HasSuffix("."+modulePath(pm.u.path),
				"."+strings.TrimSuffix(t, "."+pm.name)) {
				return pm.decline("the string at %s names %s", spot(u, n), t)
			}
		}
	}
	return nil
}

// modulePath is a file's path with dots.
func modulePath(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(file, ext(file)), "/__init__"), "/", ".")
}

func (pm *pyMove) mention(d pythonDialect, u *unit, n *node) error {
	m := d.means(pm.p, u, n)
	is := m.kind == bound && m.b == pm.s.b
	switch {
	case m.kind == ambiguousName && m.includes(meaning{kind: bound, b: pm.s.b}):
		return pm.decline("%s is bound to more than one thing", spot(u, n))
	case m.kind == unknown && n.parent.is("attribute") && d.loads(pm.p, u, pm.u):
		return pm.decline("%s may be reached through the module that is loaded there by a call", spot(u, n))
	case !is:
		return nil
	case n.parent.is("dotted_name") && n.up("case_clause") != nil:
		return pm.decline("%s is a pattern (%s)", pm.name, spot(u, n))
	}
	if r := u.byNode[n]; r != nil {
		if r.decl && r.b != pm.s.b && (len(r.b.imps) != len(r.b.decls) || len(r.b.imps) == 0) {
			return pm.decline("%s is given another value at %s", pm.name, spot(u, n))
		}
		return nil
	}
	if n.parent.is("attribute") && n.field == "attribute" {
		return pm.attribute(d, u, n.parent)
	}
	return nil
}

// attribute rewrites module.name, where the module is the source.
func (pm *pyMove) attribute(d pythonDialect, u *unit, at *node) error {
	obj := at.get("object")
	if e := d.entity(pm.p, u, obj); e.kind != aModule || e.at.file != pm.u.path {
		return nil // through a module that imports it, and goes on doing so
	}
	if p := at.parent; at.field == "left" || p.is("delete_statement", "pattern_list", "tuple_pattern") {
		return pm.decline("%s sets it from outside", spot(u, at))
	}
	root := obj
	for root.is("attribute") {
		root = root.get("object")
	}
	r := u.byNode[root]
	if r == nil || r.b == nil || len(r.b.imps) == 0 || u == pm.u {
		return pm.decline("%s uses it through a module that is not plainly imported", spot(u, at))
	}
	if u == pm.to {
		if b := r.scope.lookup(pm.name, value); b != nil && (b.scope != u.module || len(b.imps) == 0) {
			return pm.decline("%s would mean another one at %s", pm.name, spot(u, at))
		}
		pm.edit(u, at.from, at.to, pm.name)
		pm.modules[u.path] = need{drop: r.b.name}
		return nil
	}
	mod, err := pm.module(u.path, pm.m.To)
	if err != nil {
		return err
	}
	o := r.b.imps[0]
	w, local := wanted{path: mod}, mod
	if o.name != "" || o.alias {
		if strings.HasPrefix(o.module, ".") && path.Dir(pm.m.To) == path.Dir(u.path) {
			mod = "." + mod[strings.LastIndexByte(mod, '.')+1:]
		}
		i := strings.LastIndexByte(mod, '.')
		local = mod[i+1:]
		if i >= 0 {
			w = wanted{path: strings.TrimSuffix(mod[:i+1], "."), names: []string{local}}
			if w.path == "" {
				w.path = "."
			}
		}
	}
	first, _, _ := strings.Cut(local, ".")
	if c := pm.captured(u, first); c != nil {
		return pm.decline("%s means something else at %s", first, spot(u, c.node))
	}
	if b := r.scope.lookup(first, value); b != nil && (b.scope != u.module || len(b.imps) == 0) {
		return pm.decline("%s means something else at %s", first, spot(u, at))
	}
	pm.edit(u, obj.from, obj.to, local)
	pm.modules[u.path] = need{w, r.b.name}
	return nil
}

func (mv *moving) edit(u *unit, from, to int, s string) {
	e := &mv.m.Job.Edits
	if e.Changes == nil {
		e.Changes = map[string][]text.Change{}
	}
	c := text.Change{From: text.Byte(from), To: text.Byte(to), Insert: s}
	if !slices.Contains(e.Changes[u.path], c) {
		e.Changes[u.path] = append(e.Changes[u.path], c)
	}
}

// module is how one file names another: relative where the file does so, else by its dotted path.
func (pm *pyMove) module(from, file string) (string, error) {
	name := strings.TrimSuffix(file, ext(file))
	name = strings.TrimSuffix(name, "/__init__")
	u := pm.p.unit(from)
	if u == nil {
		u = pm.u
	}
	if rel := relativeModule(from, file); rel != "" && speaksRelatively(u) {
		return rel, nil
	}
	for _, root := range pm.roots(from) {
		rest := name
		if root != "." {
			var ok bool
			if rest, ok = strings.CutPrefix(name, root+"/"); !ok {
				continue
			}
		}
		parts := strings.Split(rest, "/")
		if slices.ContainsFunc(parts, func(p string) bool { return pm.d.invalid(p) != "" }) {
			return "", pm.decline("%s has a path that Python cannot import", file)
		}
		if len(parts) == 1 && pyStdlib[parts[0]] && file == pm.m.To && pm.to == nil {
			return "", pm.decline("%s would stand in the way of Python's own module %s", file, parts[0])
		}
		if mod := strings.Join(parts, "."); pm.d.locate(pm.p, from, mod).file == file {
			return mod, nil
		}
	}
	return "", pm.decline("how %s would import %s is not certain", from, file)
}

// roots are the folders that modules are named from, first the one that somebody's import of the
// source shows.
func (pm *pyMove) roots(from string) []string {
	roots := pm.p.pyRoots(path.Dir(from))
	if pm.spelling == "" {
		return roots
	}
	way := strings.TrimSuffix(strings.TrimSuffix(pm.u.path, ext(pm.u.path)), "/__init__")
	tail := strings.ReplaceAll(pm.spelling, ".", "/")
	if root, ok := strings.CutSuffix("./"+way, "/"+tail); ok {
		return append([]string{path.Clean(root)}, roots...)
	}
	return roots
}

// relativeModule is a name that begins with dots, for files of one package; "" where there is none.
func relativeModule(from, file string) string {
	dir, name := path.Dir(from), strings.TrimSuffix(file, ext(file))
	name = strings.TrimSuffix(name, "/__init__")
	dots := "."
	for !strings.HasPrefix(name, dir+"/") {
		if dir == "." {
			return ""
		}
		dir, dots = path.Dir(dir), dots+"."
	}
	return dots + strings.ReplaceAll(strings.TrimPrefix(name, dir+"/"), "/", ".")
}

// speaksRelatively reports whether a file imports its neighbours by names with dots.
func speaksRelatively(u *unit) bool {
	return slices.ContainsFunc(u.imports, func(o *origin) bool { return strings.HasPrefix(o.module, ".") })
}

// code finds out what the moved code uses, and what of it the other file has to import.
func (pm *pyMove) code(d pythonDialect) error {
	var err error
	pm.stmt.walk(func(n *node) bool {
		if n.is("import_from_statement") && !pm.sameFolder() && strings.HasPrefix(n.get("module_name").text(), ".") {
			err = pm.decline("the import at %s is relative to its folder", spot(pm.u, n))
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	bs, refs := pm.uses()
	for _, r := range inOrder(pm.u.refs) {
		if !pm.moved(r.node) {
			continue
		}
		if r.decl && r.b != nil && r.b.scope == pm.u.module && r.b != pm.s.b {
			return pm.decline("%s sets %s, which stays in %s", pm.name, r.b.name, pm.u.path)
		}
		name := r.node.text()
		if itself[name] && r.b == nil {
			return pm.decline("%s uses %s, which is another one in %s", pm.name, name, pm.m.To)
		}
		if r.b == nil && !pyBuiltins[name] {
			if err := pm.fromStar(d, r); err != nil {
				return err
			}
		}
	}
	bs = append(bs, pm.quotedTypes(bs)...)
	var patches []kit.Patch
	for _, b := range bs {
		ps, err := pm.need(d, b, refs[b])
		if err != nil {
			return err
		}
		patches = append(patches, ps...)
	}
	return pm.m.Patch(patches...)
}

var identifiers = regexp.MustCompile(`[A-Za-z_]\w*`)

// quotedTypes are the names in the strings that annotate the moved code.
func (pm *pyMove) quotedTypes(have []*binding) []*binding {
	var out []*binding
	pm.stmt.walk(func(n *node) bool {
		if !n.is("string_content") || n.up("type") == nil || n.up("type").from < pm.stmt.from {
			return true
		}
		for _, w := range identifiers.FindAllString(n.text(), -1) {
			if b := pm.u.module.names[w]; b != nil && b != pm.s.b && !slices.Contains(have, b) && !slices.Contains(out, b) {
				out = append(out, b)
			}
		}
		return true
	})
	return out
}

// fromStar imports what the source has by a star import.
func (pm *pyMove) fromStar(d pythonDialect, r *ref) error {
	name := r.node.text()
	if !pm.u.importsAll() || strings.HasPrefix(name, "__") {
		return nil
	}
	m := d.starred(pm.p, pm.u, name, map[string]bool{})
	if m.kind != bound {
		return pm.decline("%s comes from an import of everything (%s)", name, spot(pm.u, r.node))
	}
	if m.b.unit.path == pm.m.To {
		return nil
	}
	mod, err := pm.module(pm.m.To, m.b.unit.path)
	pm.needs = append(pm.needs, wanted{path: mod, names: []string{name}})
	return err
}

// need is what the other file does for one name of the source.
func (pm *pyMove) need(d pythonDialect, b *binding, refs []*ref) ([]kit.Patch, error) {
	if len(b.imps) == 0 {
		if len(b.decls) != 1 {
			return nil, pm.decline("%s uses %s, which is given a value at several places of %s", pm.name, b.name, pm.u.path)
		}
		mod, err := pm.module(pm.m.To, pm.u.path)
		pm.needs = append(pm.needs, wanted{path: mod, names: []string{b.name}})
		return nil, err
	}
	if len(b.imps) != len(b.decls) {
		return nil, pm.decline("%s is imported and set in %s", b.name, pm.u.path)
	}
	if !pm.remains(b) {
		pm.gone = append(pm.gone, b.name)
	}
	var patches []kit.Patch
	for _, o := range b.imps {
		into := &pm.needs
		if o.stmt.parent != pm.u.root {
			if into = &pm.typing; !typeChecking(o.stmt) {
				return nil, pm.decline("%s is imported under a condition (%s)", b.name, spot(pm.u, o.stmt))
			}
		}
		ps, w, err := pm.importOf(d, b, o, refs)
		if err != nil {
			return nil, err
		}
		patches = append(patches, ps...)
		if w.path != "" {
			*into = append(*into, w)
		}
	}
	return patches, nil
}

// importOf is what the other file imports for an import of the source: nothing of what it declares.
func (pm *pyMove) importOf(d pythonDialect, b *binding, o *origin, refs []*ref) (ps []kit.Patch, w wanted, err error) {
	if o.name == "" {
		w = wanted{path: o.full}
		if o.alias {
			w.alias = b.name
		}
		if d.locate(pm.p, pm.u.path, o.full).file == pm.m.To {
			return pm.nowOwn(b, o, refs)
		}
		return nil, w, nil
	}
	at := d.locate(pm.p, pm.u.path, o.module)
	if at.file == pm.m.To {
		return pm.nowOwn(b, o, refs)
	}
	if m := d.exported(pm.p, at, o.name, map[string]bool{}); m.kind == module && m.at.file == pm.m.To {
		return pm.nowOwn(b, o, refs)
	}
	mod := o.module
	if strings.HasPrefix(mod, ".") && !pm.sameFolder() {
		if at.file == "" {
			return nil, w, pm.decline("the import at %s is relative to its folder", spot(pm.u, o.stmt))
		}
		if mod, err = pm.module(pm.m.To, at.file); err != nil {
			return nil, w, err
		}
	}
	spec := o.name
	if o.alias {
		spec += " as " + b.name
	}
	return nil, wanted{path: mod, names: []string{spec}}, nil
}

// nowOwn rewrites the uses of what the other file declares itself.
func (pm *pyMove) nowOwn(b *binding, o *origin, refs []*ref) (ps []kit.Patch, w wanted, err error) {
	for _, r := range refs {
		name, n := o.name, r.node
		from, to := n.from, n.to
		if pm.to == nil || pm.to.module.names[name] == nil {
			for name = ""; n.parent.is("attribute") && n.field == "object"; n = n.parent {
				if prop := n.parent.get("attribute"); pm.to != nil && pm.to.module.names[prop.text()] != nil {
					name, to = prop.text(), prop.to
					break
				}
			}
			if name == "" {
				return nil, w, pm.decline("%s uses the module %s as a value", spot(pm.u, r.node), pm.m.To)
			}
		}
		if x := r.scope.lookup(name, value); x != nil && x.scope != pm.u.module {
			return nil, w, pm.decline("%s means something else at %s", name, spot(pm.u, r.node))
		}
		if name != pm.u.textOf(from, to) {
			ps = append(ps, kit.Patch{From: from, To: to, With: name})
		}
	}
	return ps, w, nil
}

func (u *unit) textOf(from, to int) string { return string(u.src[from:to]) }

// typeChecking reports whether a statement is for type checkers only.
func typeChecking(stmt *node) bool {
	c := stmt.up("if_statement")
	return c != nil && strings.HasSuffix(c.get("condition").text(), "TYPE_CHECKING")
}

// place is where the code goes: constants to the others at the top, everything else to the end, in
// front of what needs it while the module is loaded.
func (pm *pyMove) place() error {
	if pm.s.kind != "var" && pm.s.kind != "const" {
		pm.m.Gap = 2
	}
	if pm.to == nil {
		head := pm.m.From.Notice()
		if futureAnnotations.Match(pm.u.src) && pm.stmt.has("type") {
			head = strings.TrimSpace(head + "\n\nfrom __future__ import annotations")
		}
		pm.m.Head = head
		return nil
	}
	at, least := len(pm.to.src), 0
	if last := pm.to.root.lastKid(); last.is("if_statement") &&
		strings.Contains(last.get("condition").text(), "__name__") {
		at = pm.to.before(last)
	}
	_, refs := pm.uses()
	for b, rs := range refs {
		for _, o := range b.imps {
			x := pm.to.module.names[o.name]
			if x == nil || pm.d.locate(pm.p, pm.u.path, o.module).file != pm.m.To {
				continue
			}
			if slices.ContainsFunc(rs, func(r *ref) bool { return atOnce(r.node) }) {
				least = max(least, nextLine(pm.to.src, pm.to.topOf(x.decls[0].def).to))
			}
		}
	}
	if pm.m.Gap == 1 {
		if top := pm.to.top(); top >= least {
			at = top
		}
	}
	if b := pm.to.module.names[pm.name]; b != nil {
		for _, r := range b.refs {
			if !r.decl && atOnce(r.node) {
				at = min(at, pm.to.before(pm.to.topOf(r.node)))
			}
		}
	}
	if at < least {
		return pm.decline("%s needs what %s declares behind the place where it is needed", pm.name, pm.to.path)
	}
	pm.m.At = at
	return nil
}

// top is where a Python file's imports and first constants end.
func (u *unit) top() int {
	at := len(u.src)
	for c := u.root.first; c != nil; c = c.next {
		simple := c.is("import_statement", "import_from_statement", "future_import_statement", "comment") ||
			c.is("expression_statement") && c.firstKid().is("string", "assignment") || c.is("try_statement") ||
			c.is("if_statement") && strings.Contains(c.get("condition").text(), "TYPE_CHECKING")
		if !simple {
			break
		}
		if !c.is("comment") || c.next.is("comment") {
			at = nextLine(u.src, c.to)
		}
	}
	if at == len(u.src) && u.root.first != nil && !u.root.first.is("comment") && u.root.firstKid() != nil {
		return u.before(u.root.firstKid())
	}
	return at
}

func (d pythonDialect) imports(mv *moving) error {
	pm := mv.p.extra[pyMoves].(*pyMove)
	pm.moving = mv
	was := map[string][]string{}
	units, err := pm.mentioningAll()
	if err != nil {
		return err
	}
	for _, u := range units {
		was[u.path] = pm.loaded(d, u)
		if err := pm.importer(d, u); err != nil {
			return err
		}
	}
	if err := pm.source(d); err != nil {
		return err
	}
	if err := pm.target(d); err != nil {
		return err
	}
	return pm.circles(d, was)
}

// importer makes one file import from the other file what it imports from the source.
func (pm *pyMove) importer(d pythonDialect, u *unit) error {
	for {
		v, err := pm.now(u.path)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(v.imports, func(o *origin) bool { return pm.leadsTo(v, o, pm.u.path) })
		if i < 0 || u == pm.u {
			break
		}
		if err := pm.change(u.path, func(j *job, v *unit) error { return pm.retarget(j, v, v.imports[i]) }); err != nil {
			return err
		}
	}
	if n, ok := pm.modules[u.path]; ok {
		if n.add.path != "" {
			if err := pm.add(u.path, n.add, false); err != nil {
				return err
			}
		}
		if err := pm.dropUnused(u.path, n.drop); err != nil {
			return err
		}
	}
	return pm.stars(d, u)
}

// stars imports by name what a star import of the source gave.
func (pm *pyMove) stars(d pythonDialect, u *unit) error {
	star := slices.ContainsFunc(u.imports, func(o *origin) bool {
		return o.star && d.locate(pm.p, u.path, o.module).file == pm.u.path
	})
	if !star || u == pm.to || strings.HasPrefix(pm.name, "_") || pm.u.hides(pm.name) {
		return nil
	}
	mod, err := pm.module(u.path, pm.m.To)
	if err != nil {
		return err
	}
	return pm.add(u.path, wanted{path: mod, names: []string{pm.name}}, false)
}

// add makes a file import something, if it does not yet. New names that the file uses already as
// they are decline where they are to be checked.
func (mv *moving) add(file string, w wanted, check bool) error {
	return mv.change(file, func(j *job, u *unit) error {
		names := w.names
		if len(names) == 0 {
			first, _, _ := strings.Cut(w.path, ".")
			names = []string{first}
			if w.alias != "" {
				names = []string{w.alias}
			}
		}
		for _, spec := range names {
			was := mv.p.unit(file)
			if !check || was == nil {
				continue
			}
			if r := mv.captured(was, bindsName(spec)); r != nil {
				return mv.decline("%s means something else at %s", bindsName(spec), spot(was, r.node))
			}
		}
		return notAlready(j.addPython(u, w))
	})
}

// notAlready takes what is there already for done.
func notAlready(err error) error {
	if isAlready(err) {
		return nil
	}
	return err
}

// retarget rewrites one import of what moves.
func (pm *pyMove) retarget(j *job, u *unit, o *origin) error {
	names := importedNames(o.stmt)
	i := slices.IndexFunc(names, func(n *node) bool {
		return n.text() == o.name || n.is("aliased_import") && n.get("name").text() == o.name
	})
	if i < 0 {
		return pm.decline("the import at %s is not plain", spot(u, o.stmt))
	}
	d := &dropped{u: u, stmt: o.stmt, names: names[i : i+1], all: len(names) == 1}
	if u.path == pm.m.To {
		if !j.drop(d) {
			return pm.decline("the import at %s cannot go", spot(u, o.stmt))
		}
		return nil
	}
	mod, err := pm.module(u.path, pm.m.To)
	if err != nil {
		return err
	}
	spec := names[i].text()
	top := o.stmt.parent == u.root
	switch {
	case d.all && !(top && takesFrom(u, mod)):
		m := o.stmt.get("module_name")
		j.replace(u.path, m.from, m.to, mod)
	case !j.drop(d):
		return pm.decline("the import at %s cannot go", spot(u, o.stmt))
	case top && j.extendFrom(u, mod, []string{spec}):
	default:
		line := indentAt(u.src, o.stmt.from) + "from " + mod + " import " + spec
		at := nextLine(u.src, o.stmt.to)
		if at == len(u.src) && u.src[at-1] != '\n' {
			j.replace(u.path, at, at, u.style().eol+line)
		} else {
			j.replace(u.path, at, at, line+u.style().eol)
		}
	}
	return nil
}

// takesFrom reports whether the file has a statement for names of the module.
func takesFrom(u *unit, mod string) bool {
	for c := range u.root.kids {
		if c.is("import_from_statement") && c.get("module_name").text() == mod && c.child("wildcard_import") == nil {
			return true
		}
	}
	return false
}

// dropUnused removes imports that the file does not use any more, one by one.
func (mv *moving) dropUnused(file string, names ...string) error {
	for again := true; again; {
		again = false
		err := mv.change(file, func(j *job, u *unit) error {
			quiet := *j
			for _, d := range quiet.unusedImports(u, "") {
				d.names = slices.DeleteFunc(d.names, func(n *node) bool { return !declaresOne(u, n, names) })
				d.all = len(d.names) == len(importedNames(d.stmt))
				switch {
				case len(d.names) == 0:
					continue
				case d.all && d.stmt.ownLines() && d.stmt.parent == u.root:
					j.dropLines(u, d.stmt)
					again = true
				default:
					again = quiet.drop(d)
				}
				if again {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// declaresOne reports whether a part of an import binds one of the names.
func declaresOne(u *unit, n *node, names []string) bool {
	return slices.ContainsFunc(u.bindings, func(b *binding) bool {
		return slices.Contains(names, b.name) && slices.ContainsFunc(b.decls, func(x decl) bool { return x.def == n })
	})
}

// dropLines removes a statement with its lines, and the blank lines that would be too many.
func (j *job) dropLines(u *unit, stmt *node) {
	src := u.src
	from, to := lineStart(src, stmt.from), nextLine(src, stmt.to)
	blank := func(at int) bool {
		return at < len(src) && len(strings.TrimSpace(string(src[at:lineEnd(src, at)]))) == 0
	}
	if from == bomLen(src) || from > 0 && blank(lineStart(src, from-1)) {
		for blank(to) {
			to = nextLine(src, to)
		}
	}
	j.replace(u.path, from, to, "")
}

// source imports back what it still uses, and gives up what only the moved code used.
func (pm *pyMove) source(d pythonDialect) error {
	if !pm.remains(pm.s.b) {
		if err := pm.change(pm.u.path, func(j *job, u *unit) error { return pm.unlist(j, u) }); err != nil {
			return err
		}
		return pm.dropUnused(pm.u.path, pm.gone...)
	}
	mod, err := pm.module(pm.u.path, pm.m.To)
	if err != nil {
		return err
	}
	if err := pm.add(pm.u.path, wanted{path: mod, names: []string{pm.name}}, false); err != nil {
		return err
	}
	return pm.dropUnused(pm.u.path, pm.gone...)
}

// unlist takes the name out of the source's __all__.
func (pm *pyMove) unlist(j *job, u *unit) error {
	for _, n := range pm.d.named(u, pm.name) {
		s := n.parent
		list := s.parent
		if !list.is("list", "tuple") {
			return pm.decline("%s is in __all__ (%s)", pm.name, spot(u, n))
		}
		kids := list.list()
		if len(kids) == 1 {
			return pm.decline("%s is all that __all__ lists (%s)", pm.name, spot(u, n))
		}
		j.keepOnly(u, kids, []*node{s})
		j.note("%s is no longer in __all__ of %s", pm.name, u.path)
	}
	return nil
}

// target imports what the moved code uses.
func (pm *pyMove) target(d pythonDialect) error {
	for _, w := range pm.needs {
		if err := pm.add(pm.m.To, w, true); err != nil {
			return err
		}
	}
	if err := pm.typeOnly(); err != nil {
		return err
	}
	if err := pm.packages(); err != nil {
		return err
	}
	return pm.change(pm.m.To, func(j *job, u *unit) error {
		all := u.module.names["__all__"]
		if all == nil || strings.HasPrefix(pm.name, "_") || len(all.decls) != 1 {
			return nil
		}
		list := all.def().get("right")
		if !list.is("list", "tuple") || len(list.list()) == 0 {
			return nil
		}
		q := u.style().quote
		if first := list.firstKid().text(); first[0] == '"' || first[0] == '\'' {
			q = first[:1]
		}
		spliceInto(j, u, list, list.list(), len(list.list()), q+pm.name+q)
		return nil
	})
}

// typeOnly imports what only type checkers need, under their condition.
func (pm *pyMove) typeOnly() error {
	for _, w := range pm.typing {
		line := "import " + w.path
		if w.alias != "" {
			line += " as " + w.alias
		}
		if len(w.names) > 0 {
			line = "from " + w.path + " import " + strings.Join(w.names, ", ")
		}
		if v, err := pm.now(pm.m.To); err != nil {
			return err
		} else if len(w.names) > 0 && v.module.names[bindsName(w.names[0])] != nil {
			continue
		}
		if err := pm.add(pm.m.To, wanted{path: "typing", names: []string{"TYPE_CHECKING"}}, false); err != nil {
			return err
		}
		if err := pm.change(pm.m.To, func(j *job, u *unit) error { return pm.underCondition(j, u, line) }); err != nil {
			return err
		}
	}
	return nil
}

func (pm *pyMove) underCondition(j *job, u *unit, line string) error {
	eol := u.style().eol
	var last *node
	for c := range u.root.kids {
		if c.is("if_statement") && c.get("condition").text() == "TYPE_CHECKING" {
			first := c.get("consequence").firstKid()
			at := lineStart(u.src, first.from)
			j.replace(u.path, at, at, indentAt(u.src, first.from)+line+eol)
			return nil
		}
		if c.is("import_statement", "import_from_statement", "future_import_statement") {
			last = c
		}
	}
	at := nextLine(u.src, last.to)
	j.replace(u.path, at, at, eol+"if TYPE_CHECKING:"+eol+u.style().tab+line+eol)
	return nil
}

// packages makes the new folders of a package packages.
func (pm *pyMove) packages() error {
	dir := path.Dir(pm.m.To)
	if pm.to != nil || dir == "." || pm.p.index[path.Join(dir, "__init__.py")] {
		return nil
	}
	others := slices.ContainsFunc(pm.p.files, func(f string) bool {
		return f != pm.m.To && pm.d.handles(f) && strings.HasPrefix(f, dir+"/")
	})
	if !others && pm.p.index[path.Join(path.Dir(dir), "__init__.py")] {
		pm.m.Job.Edits.Create(path.Join(dir, "__init__.py"), "")
	}
	return nil
}

// loaded are the files that a file loads while it is loaded itself.
func (pm *pyMove) loaded(d pythonDialect, u *unit) []string {
	var out []string
	for _, o := range u.imports {
		if !atOnce(o.stmt) || typeChecking(o.stmt) {
			continue
		}
		at := d.locate(pm.p, u.path, o.full)
		if at.file != "" {
			out = append(out, at.file)
		}
		for dir := path.Dir(at.file); at.file != "" && dir != "." &&
			!strings.HasPrefix(u.path, dir+"/"); dir = path.Dir(dir) {
			if f := path.Join(dir, "__init__.py"); pm.p.index[f] { // the packages around it come first
				out = append(out, f)
			}
		}
		if o.name != "" && at.dir != "" {
			if sub := pm.p.pyModule(at.dir, []string{o.name}); sub.file != "" {
				out = append(out, sub.file)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// circles declines modules that would load each other.
func (pm *pyMove) circles(d pythonDialect, was map[string][]string) error {
	next := func(f string) []string {
		v, err := pm.now(f)
		if err != nil || v == nil {
			return nil
		}
		return pm.loaded(d, v)
	}
	for _, f := range append(slices.Collect(keysOf(was)), pm.m.To) {
		for _, to := range next(f) {
			fresh := !slices.Contains(was[f], to) || to == pm.m.To || f == pm.m.To && to == pm.u.path
			if fresh && f != to && reach(to, f, next) {
				return pm.decline("%s and %s would import each other", f, to)
			}
		}
	}
	return nil
}
