package treesitter

import (
	"bytes"
	"fmt"
	"path"
	"sort"
	"strings"
)

func init() { operations["rename"] = rename }

// rename follows one symbol through the project: every identifier with its name
// is resolved, in every file that contains the name, and those that mean the
// symbol are replaced.
//
//	files with the name -> identifiers -> meaning -> the symbol?  yes: replace
//	                                                 no: leave    unknown: decline, for members
func rename(j *job) (string, error) {
	symbol, to := j.op.Args["symbol"], j.op.Args["to"]
	if why := j.d.invalid(to); why != "" {
		return "", j.decline("%s", why)
	}
	all, err := j.some(symbol, j.op.Args["kind"])
	if err != nil {
		return "", err
	}
	if len(all) > 1 && j.op.Args["all"] != "true" {
		return "", j.ambiguous(symbol, j.op.Args["kind"], all)
	}
	r := &renaming{job: j, from: all[0].name, to: to, spots: map[*unit][]spotted{}}
	if r.from == to {
		return "", j.already("%s already has that name", symbol)
	}
	for _, s := range all {
		if err := r.subject(s); err != nil {
			return "", err
		}
	}
	return r.finish()
}

// renaming gathers the places of one rename.
type renaming struct {
	*job
	from, to string
	spots    map[*unit][]spotted
}

// spotted is an identifier that will be replaced.
type spotted struct {
	n            *node
	asRef, asKey bool // of a shorthand {name}: the variable, the property, or both
}

func (r *renaming) add(u *unit, n *node, asKey bool) {
	for i := range r.spots[u] {
		if s := &r.spots[u][i]; s.n == n {
			s.asRef, s.asKey = s.asRef || !asKey, s.asKey || asKey
			return
		}
	}
	r.spots[u] = append(r.spots[u], spotted{n, !asKey, asKey})
}

func (r *renaming) subject(s *subject) error {
	if why := r.d.special(r.p, s, r.to); why != "" {
		return r.decline("%s", why)
	}
	units, err := r.p.mentioning(r.ctx, r.from)
	if err != nil {
		return err
	}
	if o := importedAsIs(s); o != nil {
		return r.decline("%s is also what line %d imports from %s, under that name", r.from, o.stmt.line(), o.full)
	}
	if s.kind == "class" {
		if files, err := r.mangledElsewhere(); err != nil || len(files) > 0 {
			return r.decline("%s names a private attribute by the class's name, _%s__...", few(files),
				strings.TrimLeft(r.from, "_"))
		}
	}
	if n := seesLocals(s); n != nil {
		return r.decline("%s at %s may use %s by its name", n.text(), spot(s.unit, n), r.from)
	}
	if s.class != nil {
		return r.member(s, units)
	}
	if err := r.binding(s, units); err != nil {
		return err
	}
	if s.kind == "param" {
		return r.param(s, units)
	}
	return nil
}

// mangledElsewhere lists the files that spell out what Python makes of a private
// name in the class: _Class__name.
func (r *renaming) mangledElsewhere() ([]string, error) {
	if !r.d.handles("x.py") {
		return nil, nil
	}
	needle := []byte("_" + strings.TrimLeft(r.from, "_") + "__")
	return r.p.search(r.ctx, r.d.handles, func(b []byte) bool { return bytes.Contains(b, needle) })
}

// importedAsIs finds an import without `as` among the declarations of a name:
// there the name is the other module's.
func importedAsIs(s *subject) *origin {
	if s.b == nil {
		return nil
	}
	for _, o := range s.b.imps {
		if !o.alias {
			return o
		}
	}
	return nil
}

// seesLocals finds a call in the function of a local that can see it without
// naming it in code: locals(), eval(), with.
func seesLocals(s *subject) *node {
	for _, n := range s.unit.strange {
		switch n.text() {
		case "locals", "vars", "eval", "exec", "with":
			if s.nested() && n.within(s.b.scope.node) && !(n.text() == "vars" && n.parent.get("arguments").firstKid() != nil) {
				return n
			}
		}
	}
	return nil
}

// symbol is what the identifiers that are to be renamed mean.
func (r *renaming) symbol(s *subject) meaning {
	if s.export {
		return meaning{kind: exportOf, at: place{file: s.unit.path}, name: s.name}
	}
	return r.p.canonical(s.b, map[string]bool{})
}

// binding finds the places of a variable, function, class, import alias, ...
func (r *renaming) binding(s *subject, units []*unit) error {
	if s.nested() && s.kind != "param" {
		units = []*unit{s.unit}
	}
	target := r.symbol(s)
	var unclear []string
	for _, u := range units {
		for _, n := range r.d.mentions(u, r.from) {
			switch m := r.d.means(r.p, u, n); {
			case m.same(target):
				r.add(u, n, false)
			case m.kind == ambiguousName && m.includes(target):
				return r.decline("%s is bound to more than one thing, of which %s is one", spot(u, n), s.spot())
			case m.kind == unknown && n.parent.is("attribute", "member_expression", "pair_pattern", "pair") && !s.nested() &&
				r.d.loads(r.p, u, s.unit):
				return r.decline("%s may be reached through the module that is loaded there by a call", spot(u, n))
			case m.kind == unknown && n.parent.is("attribute", "member_expression") && !s.nested():
				unclear = append(unclear, spot(u, n))
			}
			if r.d.keyMeans(r.p, u, n).same(target) {
				r.add(u, n, true)
			}
		}
		for _, n := range r.d.named(u, r.from) {
			if b := u.module.names[r.from]; b != nil && r.p.canonical(b, map[string]bool{}).same(target) {
				r.add(u, n, false)
				r.note("%s: the entry of __all__ was renamed too", spot(u, n))
			}
		}
	}
	if len(unclear) > 0 {
		if at := r.escape(s); at != "" {
			return r.decline("the module of %s is used as a value at %s, so %s may be meant at %s", s.name, at,
				s.name, few(unclear))
		}
		r.note("attributes named %s of values that are not evident were left alone: %s", r.from, few(unclear))
	}
	if err := r.blind(s, units); err != nil {
		return err
	}
	return r.conflicts(s)
}

// blind declines when the symbol may be used where it cannot be seen: through
// an import that leads somewhere in the project, or as a global of a script.
func (r *renaming) blind(s *subject, units []*unit) error {
	if s.nested() {
		return nil
	}
	for _, u := range units {
		for _, o := range u.imports {
			at := r.d.locate(r.p, u.path, o.module)
			if o.name == r.from && at == (place{}) && r.d.lost(o.module) {
				return r.decline("%s:%d imports %s from %s, and where that leads is not certain", u.path, o.stmt.line(),
					r.from, o.module)
			}
		}
		if n := r.augmented(u, s); n != nil {
			return r.decline("%s adds to %s in a module declaration", spot(u, n), r.from)
		}
		if u == s.unit || !r.d.global(s.unit) {
			continue
		}
		for _, ref := range u.refs {
			if ref.b == nil && ref.node.text() == r.from {
				return r.decline("%s may be the global %s of the script %s", spot(u, ref.node), r.from, s.unit.path)
			}
		}
	}
	return nil
}

// augmented finds a `declare module "./x" { interface Name }` about the subject.
func (r *renaming) augmented(u *unit, s *subject) *node {
	for _, b := range u.bindings {
		if m := b.scope.node; b.name == r.from && m.is("module") && m.get("name").is("string") {
			if r.gives(r.d.locate(r.p, u.path, unquote(m.get("name"))), s) {
				return b.decls[0].name
			}
		}
	}
	return nil
}

func (m meaning) includes(t meaning) bool {
	for _, o := range m.of {
		if o.same(t) {
			return true
		}
	}
	return false
}

// conflicts declines when the new name already means something where the symbol
// is declared or used, or would take over references to something else.
func (r *renaming) conflicts(s *subject) error {
	for u, spots := range r.spots {
		checked := map[*binding]bool{}
		for _, sp := range spots {
			ref := u.byNode[sp.n]
			if ref == nil || !sp.asRef {
				continue
			}
			if ref.b == nil { // through import *
				if other := u.module.names[r.to]; other != nil {
					return r.taken(u, other)
				}
				continue
			}
			if !checked[ref.b] {
				checked[ref.b] = true
				if err := r.conflict(u, ref.b); err != nil {
					return err
				}
			}
		}
	}
	if s.nested() {
		return nil
	}
	return r.exportConflicts(s)
}

func (r *renaming) taken(u *unit, by *binding) error {
	where := u.path
	if len(by.decls) > 0 {
		where = spot(u, by.decls[0].name)
	}
	return r.decline("%s is already the name of a %s (%s)", r.to, by.kind, where)
}

func (r *renaming) conflict(u *unit, b *binding) error {
	if other := b.scope.names[r.to]; other != nil && other.spaces&b.spaces != 0 {
		return r.taken(u, other)
	}
	for _, ref := range b.refs {
		for _, s := range ref.scope.chain() {
			if s == b.scope {
				break
			}
			if other := s.names[r.to]; other != nil && other.spaces&ref.space != 0 {
				return r.decline("at %s the new name %s would mean the %s of line %d", spot(u, ref.node), r.to, other.kind,
					other.decls[0].name.line())
			}
		}
	}
	for _, ref := range u.refs {
		if ref.node.text() == r.to && ref.space&b.spaces != 0 && captures(b.scope, ref) && !b.early(ref) {
			return r.decline("%s at %s would then mean the renamed %s", r.to, spot(u, ref.node), b.kind)
		}
	}
	return nil
}

// captures reports whether ref's lookup would stop at s if s bound its name.
func captures(s *scope, ref *ref) bool {
	name := ref.node.text()
	for _, at := range ref.scope.chain() {
		if at.globals[name] {
			at = at.module()
		}
		if at == s {
			return true
		}
		if b := at.names[name]; b != nil && b.spaces&ref.space != 0 {
			return false
		}
	}
	return false
}

// exportConflicts looks at the modules through which the symbol travels.
func (r *renaming) exportConflicts(s *subject) error {
	for u := range r.spots {
		if m := r.d.exported(r.p, placeOf(u), r.from, map[string]bool{}); !m.same(r.symbol(s)) {
			continue
		}
		if m := r.d.exported(r.p, placeOf(u), r.to, map[string]bool{}); m.kind != unknown && m.kind != other {
			return r.decline("%s already exports a %s", u.path, r.to)
		}
	}
	return nil
}

func placeOf(u *unit) place {
	at := place{file: u.path}
	if strings.HasPrefix(path.Base(u.path), "__init__.") {
		at.dir = path.Dir(u.path)
	}
	return at
}

// param checks the calls that pass the parameter by name.
func (r *renaming) param(s *subject, units []*unit) error {
	fn := s.b.scope.node
	name := fn.get("name").text()
	var doubtful []string
	for _, u := range units {
		for _, n := range r.d.mentions(u, r.from) {
			if !n.parent.is("keyword_argument") || n.field != "name" || r.d.means(r.p, u, n).kind != unknown {
				continue
			}
			if r.couldCall(n.parent.parent.parent.get("function"), fn) {
				doubtful = append(doubtful, spot(u, n))
			}
		}
	}
	doubtful = append(doubtful, r.spreadCalls(s, name)...)
	if err := r.overridden(s, name); err != nil {
		return err
	}
	if len(doubtful) > 0 {
		return r.decline("%s may be passed by name at %s, and it is not certain that %s is what is called there", r.from,
			few(doubtful), name)
	}
	return nil
}

// overridden declines when calls pass the parameter by name to a method that
// other classes declare too: the object may be one of theirs.
func (r *renaming) overridden(s *subject, name string) error {
	c := s.unit.classHolding(s.b.scope.node)
	if c == nil || name == "__init__" || name == "__new__" {
		return nil
	}
	byName := false
	for _, spots := range r.spots {
		for _, sp := range spots {
			byName = byName || sp.n.parent.is("keyword_argument") && sp.n.field == "name"
		}
	}
	if !byName {
		return nil
	}
	f, err := r.familyOf(c, name)
	if err == nil && len(f.owners)+len(f.unsure) > 1 {
		return r.decline("%s is passed by name, and other classes declare %s too", r.from, name)
	}
	return err
}

// classHolding is the class that a method is declared in.
func (u *unit) classHolding(fn *node) *class {
	for _, c := range u.classes {
		for _, m := range c.members[fn.get("name").text()] {
			if m.def == fn {
				return c
			}
		}
	}
	return nil
}

// couldCall: an unknown callee could be the function when it has its name, or
// its class's, or hands keyword arguments on.
func (r *renaming) couldCall(callee, fn *node) bool {
	last := callee.text()
	last = last[strings.LastIndexByte(last, '.')+1:]
	name := fn.get("name").text()
	if c := fn.up("class_definition"); c != nil && name == "__init__" {
		return last == c.get("name").text() || last == "__init__" || last == "cls" || last == "replace" || last == "partial"
	}
	return last == name || last == "partial" || last == "submit" || last == "Thread"
}

// spreadCalls lists the calls of the function that pass **options: what they hold is not known.
func (r *renaming) spreadCalls(s *subject, name string) []string {
	if name == "__init__" {
		name = s.b.scope.node.up("class_definition").get("name").text()
	}
	if name == "" {
		return nil
	}
	units, _ := r.p.mentioning(r.ctx, name)
	var out []string
	for _, u := range units {
		for _, n := range r.d.mentions(u, name) {
			call := n.parent
			if call.is("attribute") {
				call = call.parent
			}
			if call.is("call") && n.within(call.get("function")) && call.get("arguments").child("dictionary_splat") != nil {
				if m := r.d.means(r.p, u, n); m.kind != other {
					out = append(out, spot(u, n))
				}
			}
		}
	}
	return out
}

// member renames a method or field in every class of its family. Every other
// mention of the name as a property must be known to be something else.
func (r *renaming) member(s *subject, units []*unit) error {
	f, err := r.familyOf(s.class, r.from)
	if err != nil {
		return err
	}
	if len(f.unsure) > 0 {
		b := f.unsure[0]
		return r.decline("%s extends %s, which is not in this project and may rely on the name %s", s.class.title(),
			b.text(), r.from)
	}
	for c := range f.classes {
		if ms := c.members[r.to]; len(ms) > 0 {
			return r.decline("%s already has a %s (%s)", c.title(), r.to, spot(c.unit, ms[0].name))
		}
	}
	var doubtful []string
	for _, u := range units {
		for _, n := range r.d.mentions(u, r.from) {
			m := r.propertyMeans(u, n)
			switch {
			case m.kind == memberOf && r.inFamily(f, m.class):
				r.add(u, n, n.is("shorthand_property_identifier", "shorthand_property_identifier_pattern"))
			case m.kind == unknown:
				doubtful = append(doubtful, spot(u, n))
			case m.kind == memberOf && !f.classes[m.class] && len(r.declarers(m.class)) == 0:
				// A class that does not declare it: the value may be one of the family all the same.
				doubtful = append(doubtful, spot(u, n))
			}
		}
		for _, n := range r.d.keyed(u, r.from) {
			doubtful = append(doubtful, spot(u, n))
		}
	}
	if k := r.lookalike(f, units); k != nil {
		return r.decline("%s (%s) also has a %s, and TypeScript lets its objects pass for those of %s", k.title(),
			spot(k.unit, k.node), r.from, s.class.title())
	}
	if len(doubtful) > 0 {
		sort.Strings(doubtful)
		return r.decline("it is not certain whether %s means %s.%s at %s", r.from, s.class.title(), r.from, few(doubtful))
	}
	return r.memberScopes(f)
}

// lookalike finds a class outside the family that has the member too and whose
// objects could be used as the family's.
func (r *renaming) lookalike(f *family, units []*unit) *class {
	if !r.d.structural() || strings.HasPrefix(r.from, "#") {
		return nil
	}
	for _, u := range units {
		for _, k := range u.classes {
			if f.classes[k] || len(k.members[r.from]) == 0 {
				continue
			}
			for _, c := range f.owners {
				if r.p.interchangeable(c, k) {
					return k
				}
			}
		}
	}
	return nil
}

// propertyMeans is what an identifier means as a property; a variable is none,
// except in the body of a Python class.
func (r *renaming) propertyMeans(u *unit, n *node) meaning {
	if n.is("shorthand_property_identifier", "shorthand_property_identifier_pattern") {
		return r.d.keyMeans(r.p, u, n)
	}
	m := r.d.means(r.p, u, n)
	if u.byNode[n] != nil && m.kind != memberOf {
		return meaning{kind: other}
	}
	return m
}

// declarers lists the classes in c's ancestry that declare the member.
func (r *renaming) declarers(c *class) []*class {
	var out []*class
	for _, a := range r.p.ancestry(c) {
		if len(a.members[r.from]) > 0 {
			out = append(out, a)
		}
	}
	return out
}

func (r *renaming) inFamily(f *family, c *class) bool {
	if !f.classes[c] {
		return false
	}
	for _, a := range r.declarers(c) {
		if f.classes[a] {
			return true
		}
	}
	return len(f.owners) > 0
}

// memberScopes checks the bare uses of a name inside a Python class body.
func (r *renaming) memberScopes(f *family) error {
	for c := range f.classes {
		if b := c.scope.names[r.from]; b != nil {
			if err := r.conflict(c.unit, b); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *renaming) finish() (string, error) {
	places := 0
	for u, spots := range r.spots {
		for _, sp := range spots {
			if e := sp.n.up("ERROR"); e != nil {
				return "", r.decline("%s is in a place that has a syntax error", spot(u, sp.n))
			}
			r.replace(u.path, sp.n.from, sp.n.to, r.d.respell(sp.n, r.to, sp.asRef, sp.asKey))
			places++
		}
	}
	if err := r.leftAlone(); err != nil {
		return "", err
	}
	return fmt.Sprintf("Renamed %s to %s: %s in %s.", r.from, r.to, count(places, "place", "places"),
		count(len(r.spots), "file", "files")), nil
}

// leftAlone notes what may refer to the symbol and is not code of this language: strings that
// are exactly the name, and templates that mention it. It declines where a file that changes
// mentions it in code that cannot be read.
func (r *renaming) leftAlone() error {
	var in []string
	units, err := r.p.mentioning(r.ctx, r.from)
	if err != nil {
		return err
	}
	for _, u := range units {
		if len(r.spots[u]) == 0 && !r.topLevel() {
			continue
		}
		for _, n := range stringsNaming(u, r.from) {
			if !r.changed(u, n) {
				in = append(in, spot(u, n))
			}
		}
		for _, n := range r.d.mentions(u, r.from) {
			switch {
			case n.up("ERROR") == nil:
			case len(r.spots[u]) > 0: // probably one of those that change
				return r.decline("%s mentions %s in a place that has a syntax error; mend that first", spot(u, n), r.from)
			default:
				r.note("%s is in a place that has a syntax error, and was left alone", spot(u, n))
			}
		}
	}
	if len(in) > 0 {
		r.note("strings that spell %s were left alone: %s", r.from, few(in))
	}
	if !r.topLevel() {
		return nil
	}
	others, err := r.p.holding(r.ctx, templates, r.from)
	if len(others) > 0 {
		r.note("these files mention %s and were left alone: %s", r.from, few(others))
	}
	return err
}

func (r *renaming) changed(u *unit, n *node) bool {
	for _, s := range r.spots[u] {
		if s.n.within(n) || n.within(s.n) {
			return true
		}
	}
	return false
}

func (r *renaming) topLevel() bool {
	for u, spots := range r.spots {
		for _, sp := range spots {
			if ref := u.byNode[sp.n]; ref == nil || ref.b == nil || ref.b.topLevel() || ref.b.scope.kind == classScope {
				return true
			}
		}
	}
	return false
}

// templates are files that can name code of the languages here without being parsed by us.
func templates(file string) bool {
	switch path.Base(file) {
	case "pyproject.toml", "setup.cfg":
		return true // entry points
	}
	switch ext(file) {
	case ".vue", ".svelte", ".astro", ".html", ".htm", ".jinja", ".j2", ".ipynb", ".pyx", ".pxd", ".mdx":
		return true
	}
	return false
}

// stringsNaming lists the string literals whose whole text is the name, or a
// dotted path that ends in it: getattr(x, "name"), patch("pkg.mod.name").
func stringsNaming(u *unit, name string) []*node {
	var out []*node
	u.root.walk(func(n *node) bool {
		if n.is("string_content", "string_fragment") {
			t := n.text()
			if t == name || strings.HasSuffix(t, "."+name) && !strings.ContainsAny(t, " \n") {
				out = append(out, n)
			}
		}
		return true
	})
	return out
}
