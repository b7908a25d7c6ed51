package treesitter

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// subject is a declared symbol that an operation can be about.
type subject struct {
	b      *binding // nil for a member
	class  *class   // for a member
	name   string
	unit   *unit
	node   *node // the identifier of the first declaration
	def    *node
	kind   string
	export bool     // JavaScript: a name that is only exported: exports.f = function () {}
	within []string // names around it, outermost first: folders, module, class, function
}

// nested reports whether the subject is local to a function.
func (s *subject) nested() bool { return s.b != nil && !s.b.topLevel() }

func (s *subject) spot() string { return spot(s.unit, s.node) }

// find lists what is declared under a name, which may be qualified: Class.method,
// module.name, function.local.
func (j *job) find(symbol, kind string) ([]*subject, error) {
	symbol, _, _ = strings.Cut(symbol, "(") // Java: roundUp(int)
	quals := strings.Split(strings.ReplaceAll(symbol, "/", "."), ".")
	name := quals[len(quals)-1]
	if name == "" {
		return nil, j.decline("the name is missing")
	}
	units, err := j.p.mentioning(j.ctx, name)
	if err != nil {
		return nil, err
	}
	var found []*subject
	for _, u := range units {
		for _, s := range u.subjects(name) {
			if s.matches(quals[:len(quals)-1]) && s.isKind(kind) && j.itself(s) {
				found = append(found, s)
			}
		}
	}
	return j.narrow(found), nil
}

// itself reports whether the subject is not just an import of another one.
func (j *job) itself(s *subject) bool {
	return s.b == nil || len(s.b.imps) == 0 || j.p.canonical(s.b, map[string]bool{}).b == s.b
}

// narrow prefers what is declared (or else used) in the target's file and
// lines. Without a qualifier, a name is a top-level one if there is one; else a
// member of a class; else a local of a function.
func (j *job) narrow(found []*subject) []*subject {
	if j.target.File != "" {
		var here []*subject
		for _, s := range found {
			if s.unit.path == j.target.File && j.selected(s) {
				here = append(here, s)
			}
		}
		if len(here) > 0 {
			found = here
		} else if used := j.usedHere(found); len(used) > 0 {
			found = used
		}
	}
	for _, rank := range []func(*subject) bool{
		func(s *subject) bool { return s.class == nil && !s.nested() },
		func(s *subject) bool { return s.class != nil },
	} {
		var ranked []*subject
		for _, s := range found {
			if rank(s) {
				ranked = append(ranked, s)
			}
		}
		if len(ranked) > 0 {
			return ranked
		}
	}
	return found
}

// selected reports whether a mention of the subject is in the selected lines.
func (j *job) selected(s *subject) bool {
	if j.target.From <= 0 {
		return true
	}
	in := func(n *node) bool { l := n.line(); return j.target.From <= l && l <= j.target.To }
	if in(s.node) || s.class != nil && in(s.def) {
		return true
	}
	if s.b != nil {
		for _, r := range s.b.refs {
			if in(r.node) {
				return true
			}
		}
	}
	return false
}

func (j *job) usedHere(found []*subject) []*subject {
	u := j.p.unit(j.target.File)
	if u == nil {
		return nil
	}
	var used []*subject
	for _, s := range found {
		for _, n := range j.d.mentions(u, s.name) {
			if j.isSubject(j.d.means(j.p, u, n), s) &&
				(j.target.From <= 0 || j.target.From <= n.line() && n.line() <= j.target.To) {
				used = append(used, s)
				break
			}
		}
	}
	return used
}

func (j *job) isSubject(m meaning, s *subject) bool {
	switch {
	case s.b != nil:
		return m.kind == bound && m.b == s.b
	case s.export:
		return m.kind == exportOf && m.at.file == s.unit.path && m.name == s.name
	}
	return m.kind == memberOf && has(j.p.ancestry(m.class), s.class)
}

// subjects are the declarations of a name in one file.
func (u *unit) subjects(name string) []*subject {
	var out []*subject
	for _, b := range u.bindings {
		if b.name == name && !b.onlyImported() && b.scope.kind != classScope {
			d := b.decls[0]
			out = append(out, &subject{b: b, name: name, unit: u, node: d.name, def: d.def, kind: b.kind,
				within: u.around(b.scope.node)})
		}
	}
	for _, e := range u.exports {
		alias := e.b == nil && e.from == "" || e.b != nil && e.b.name != e.name || e.from != "" && e.inner != e.name
		if e.name == name && e.node != nil && alias && name != "default" {
			out = append(out, &subject{export: true, name: name, unit: u, node: e.node, def: e.node, kind: "export",
				within: u.around(u.root)})
			break
		}
	}
	for _, c := range u.classes {
		if ms := c.members[name]; len(ms) > 0 {
			for _, m := range u.sorts(ms) {
				kind := "field"
				if m.method {
					kind = "method"
				}
				out = append(out, &subject{class: c, name: name, unit: u, node: m.name, def: m.def, kind: kind,
					within: append(u.around(c.node.parent), c.title())})
			}
		}
	}
	return out
}

// sorts is the first declaration of a member, or the first of each sort where a field and a
// method of one name are two members.
func (u *unit) sorts(ms []member) []member {
	for _, m := range ms {
		if u.apart && m.method != ms[0].method {
			return []member{ms[0], m}
		}
	}
	return ms[:1]
}

// onlyImported reports whether a binding is nothing but an import under its own
// name: what it names is declared elsewhere.
func (b *binding) onlyImported() bool {
	for _, o := range b.imps {
		if o.alias && o.name != b.name {
			return false
		}
	}
	return len(b.imps) > 0 && len(b.imps) == len(b.decls)
}

// around is the path of names that lead to what is declared directly in n:
// folders, module, classes, functions. A function without a name is "".
func (u *unit) around(n *node) []string {
	dir, base := path.Split(u.path)
	base = strings.TrimSuffix(base, ext(base))
	out := strings.FieldsFunc(dir, func(r rune) bool { return r == '/' })
	if base != "__init__" && base != "index" {
		out = append(out, base)
	}
	var inner []string
	for p := n; p != nil; p = p.parent {
		if p.is("lambda", "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression") ||
			p.is("arrow_function", "function_expression") && !p.parent.is("variable_declarator") {
			inner = append([]string{""}, inner...)
			continue
		}
		if p.is("function_definition", "class_definition", "function_declaration", "class_declaration",
			"abstract_class_declaration", "method_definition", "internal_module", "enum_declaration", "interface_declaration",
			"variable_declarator", "generator_function_declaration", "method_declaration", "constructor_declaration",
			"record_declaration", "annotation_type_declaration") {
			if nm := p.get("name"); nm != nil {
				inner = append([]string{nm.text()}, inner...)
			}
		}
	}
	if u.apart && len(inner) > 0 && len(out) > 0 && inner[0] == out[len(out)-1] {
		inner = inner[1:] // a file is called after its type
	}
	return append(out, inner...)
}

// matches reports whether the qualifiers are the innermost names around the subject.
func (s *subject) matches(quals []string) bool {
	if len(quals) > len(s.within) {
		return false
	}
	tail := s.within[len(s.within)-len(quals):]
	for i := range quals {
		if quals[i] != tail[i] {
			return false
		}
	}
	return true
}

func (s *subject) isKind(kind string) bool {
	k := s.kind
	switch kind {
	case "":
		return true
	case "func": // a method is a function too, and so is a constant that holds one
		return k == "func" || k == "method" || functionNode(s) != nil
	case "type", "class":
		return k == "class" || k == "type" || k == "interface" || k == "enum"
	case "var", "const":
		return k == "var" || k == "const"
	case "local":
		return s.nested() && k != "param"
	case "method":
		return s.class != nil && (k == "method" || functionNode(s) != nil)
	}
	return k == kind
}

// one demands exactly one subject, unless the request says all of them.
func (j *job) one(symbol, kind string) (*subject, error) {
	all, err := j.some(symbol, kind)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		return nil, j.ambiguous(symbol, kind, all)
	}
	return all[0], nil
}

// some demands at least one.
func (j *job) some(symbol, kind string) ([]*subject, error) {
	all, err := j.find(symbol, kind)
	if err != nil {
		return nil, err
	}
	all, err = j.distinct(all)
	if err == nil && len(all) == 0 {
		return nil, j.missing(symbol, kind)
	}
	return all, err
}

// distinct keeps one of the classes of each family: a method and its overrides are one symbol.
func (j *job) distinct(all []*subject) ([]*subject, error) {
	var out []*subject
	var seen []*family
next:
	for _, s := range all {
		if s.class == nil {
			out = append(out, s)
			continue
		}
		for _, f := range seen {
			if f.classes[s.class] && (!s.unit.apart || slices.ContainsFunc(out, func(o *subject) bool {
				return o.class != nil && f.classes[o.class] && o.kind == s.kind
			})) {
				continue next
			}
		}
		f, err := j.familyOf(s.class, s.name)
		if err != nil {
			return nil, err
		}
		seen = append(seen, f)
		out = append(out, s)
	}
	return out, nil
}

func (j *job) missing(symbol, kind string) error {
	if kind != "" {
		if all, err := j.find(symbol, ""); err == nil && len(all) > 0 {
			return coded(refactor.NoSymbol, j.decline("%s is a %s (%s), not a %s", symbol, all[0].kind, all[0].spot(), kind))
		}
	}
	near, err := j.nearest(symbol)
	if err != nil {
		return err
	}
	name := symbol[strings.LastIndexByte(symbol, '.')+1:]
	units, _ := j.p.mentioning(j.ctx, name)
	for _, u := range units {
		if b := u.module.names[name]; b != nil && b.onlyImported() {
			return coded(refactor.NoSymbol, j.declineNear(near, "%s is not declared in this project; %s imports it from %s",
				symbol, spot(u, b.decls[0].name), b.imps[0].full))
		}
	}
	return coded(refactor.NoSymbol,
		j.declineNear(near, "no symbol named %s in the project's files of this language", symbol))
}

// Declares counts the declarations of the operation's subject.
func (l *language) Declares(ctx context.Context, src refactor.Source,
	target refactor.Target, op refactor.Op) (int, []string, error) {
	j, err := l.start(ctx, src, target, op)
	if err != nil {
		return 0, nil, err
	}
	symbol := subjectArg(op)
	if symbol == "" {
		n, err := j.concerned()
		return n, nil, err
	}
	all, err := j.find(symbol, op.Args["kind"])
	if err == nil {
		all, err = j.distinct(all)
	}
	if err != nil || len(all) > 0 {
		return len(all), nil, err
	}
	near, err := j.nearest(symbol)
	return 0, near, err
}

// concerned is 1 when an operation without a subject has to do with the
// language: the file that it is about is one of its files or, for those that can
// be about the whole project, some file is.
func (j *job) concerned() (int, error) {
	if j.target.File != "" {
		if j.d.handles(j.target.File) {
			return 1, nil
		}
		return 0, nil
	}
	if spec, _ := refactor.Lookup(j.op.Name); spec.Scope != refactor.Project {
		return 0, nil
	}
	var files []string
	var err error
	switch j.op.Name {
	case "replace-call":
		from := j.op.Args["from"]
		files, err = j.p.holding(j.ctx, j.d.handles, from[strings.LastIndexByte(from, '.')+1:]+"(")
	case "add-flag":
		files, err = j.flagReaders()
	case "remove-imports":
		files, err = j.p.holding(j.ctx, j.d.handles, "import")
	case "extract-constant", "extract-variable":
		files, err = j.p.holding(j.ctx, j.d.handles, j.op.Args["expr"])
	}
	return min(len(files), 1), err
}

// subjectArg is the argument that names what the operation is about.
func subjectArg(op refactor.Op) string {
	if op.Name == "replace-call" || op.Name == "add-flag" { // what it names need not be declared here
		return ""
	}
	spec, _ := refactor.Lookup(op.Name)
	p, _ := spec.Subject()
	return op.Args[p.Name]
}

// nearest lists declared names that are like the one asked for. It parses the
// whole language, so it runs only when a name was not found.
func (j *job) nearest(symbol string) ([]string, error) {
	name := symbol[strings.LastIndexByte(symbol, '.')+1:]
	files, err := j.p.holding(j.ctx, j.p.d.handles)
	if err != nil {
		return nil, err
	}
	const most = 400 // files to look at: enough for a hint, and bounded
	if len(files) > most {
		files = files[:most]
	}
	names := map[string]bool{}
	for _, u := range j.p.load(files) {
		for _, b := range u.bindings {
			if b.topLevel() && !b.onlyImported() {
				names[b.name] = true
			}
		}
		for _, c := range u.classes {
			for m := range c.members {
				names[m] = true
			}
		}
	}
	return closest(name, names), nil
}

// closest are the names of a set that a mistyped one may have meant.
func closest(name string, names map[string]bool) []string {
	return kit.Nearest(name, slices.Collect(maps.Keys(names)))
}

// file is the target's file, which some operations cannot do without.
func (j *job) file() (*unit, error) {
	if j.target.File == "" {
		return nil, j.decline("%s", refactor.WhichFile)
	}
	if u := j.p.unit(j.target.File); u != nil {
		return u, nil
	}
	return nil, j.decline("%s cannot be read as a file of this language", j.target.File)
}

// touches reports whether the selected lines overlap n.
func (j *job) touches(n *node) bool {
	return n.line() <= j.target.To && lineOf(n.src, n.to) >= j.target.From
}
