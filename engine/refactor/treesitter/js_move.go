package treesitter

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
)

// jsMove is what a move needs to know of the project's modules.
type jsMove struct {
	*moving
	d       ecma
	name    string
	sample  string   // a relative module name that the project writes
	inline  bool     // the export is a part of the declaration
	isType  bool     // nothing of it is there when the program runs
	needs   []jsNeed // what the other file has to import
	gone    []string // names that the source may import for nothing afterwards
	through map[string]string
}

// jsNeed is one name that a file has to import.
type jsNeed struct {
	spec  string // the module
	name  string // "default", "*" for all of it
	local string
	typed bool
	at    int // of the statement that imports it in the source
}

func (d ecma) movable(mv *moving) error {
	b, name, to := mv.s.b, mv.s.name, mv.m.To
	def := b.decls[0].def
	switch {
	case len(b.decls) != 1:
		return mv.decline("%s is declared at several places of %s", name, mv.u.path)
	case !def.is("function_declaration", "generator_function_declaration", "class_declaration",
		"abstract_class_declaration", "interface_declaration", "type_alias_declaration", "enum_declaration",
		"variable_declarator"):
		return mv.decline("%s (%s) is no declaration that can move", name, mv.s.spot())
	case def.is("variable_declarator") && !def.get("name").is("identifier"):
		return mv.decline("%s is set together with others (%s)", name, mv.s.spot())
	case d.global(mv.u) || mv.to != nil && d.global(mv.to) && len(mv.to.root.list()) > 0:
		return mv.decline("%s or %s is a script without imports or exports", mv.u.path, to)
	case mv.to != nil && mv.u.esm != mv.to.esm:
		return mv.decline("one of %s and %s imports, the other requires", mv.u.path, to)
	case d.typed(mv.u) && d.grammar(to) == jsGrammar:
		return mv.decline("%s is JavaScript, and %s is not", to, mv.u.path)
	case moduleKind(mv.u.path) != moduleKind(to):
		return mv.decline("%s and %s are modules of different kinds", mv.u.path, to)
	case mv.stmt.has("decorator"):
		return mv.decline("%s has decorators, which may register it when its module is loaded", name)
	case b.exported && exportOfName(mv.u, b, name) == nil:
		return mv.decline("%s exports %s as its default, or by another name", mv.u.path, name)
	}
	for _, r := range b.refs {
		if p := r.node.parent; !r.decl && (p.is("assignment_expression", "augmented_assignment_expression") &&
			r.node.field == "left" || p.is("update_expression") || p.is("for_in_statement") && r.node.field == "left" ||
			p.is("array_pattern", "shorthand_property_identifier_pattern", "assignment_pattern", "rest_pattern")) {
			return mv.decline("%s gets another value at %s", name, spot(mv.u, r.node))
		}
		if def.is("variable_declarator") && d.typed(mv.u) && inCondition(r.node) {
			return mv.decline("the condition at %s tells the type of %s, which TypeScript forgets of what is imported",
				spot(mv.u, r.node), name)
		}
	}
	if err := mv.amongTests(jsTests.MatchString, false); err != nil {
		return err
	}
	return d.ownFile(mv)
}

var jsTests = regexp.MustCompile(`[.](test|spec|bench|stories)[.]\w+$|(^|/)__tests__/`)

// inCondition reports whether a condition looks at the value of a name, by itself or in a comparison.
func inCondition(n *node) bool {
	for p := n.parent; p.is("parenthesized_expression", "unary_expression", "binary_expression"); p = p.parent {
		n = p
	}
	return n.field == "condition"
}

// moduleKind tells the extensions apart that say how a file is loaded.
func moduleKind(file string) string {
	switch e := ext(file); e {
	case ".mjs", ".mts":
		return "m"
	case ".cjs", ".cts":
		return "c"
	}
	return ""
}

// exportOfName is the export of the binding by its own name, nil where there is none or another one.
func exportOfName(u *unit, b *binding, name string) *export {
	var found *export
	for i := range u.exports {
		if e := &u.exports[i]; e.b == b {
			if e.name != name || found != nil {
				return nil
			}
			found = e
		}
	}
	return found
}

// ownFile declines code that depends on the file that it is in.
func (d ecma) ownFile(mv *moving) error {
	if head := directiveOf(mv.u); mv.to != nil && head != directiveOf(mv.to) {
		return mv.decline("%s and %s do not begin with the same directive", mv.u.path, mv.m.To)
	}
	var bad *node
	mv.stmt.walk(func(n *node) bool {
		switch n.kind {
		case "identifier":
			if t := n.text(); t == "__dirname" || t == "__filename" {
				bad = n
			}
		case "meta_property":
			bad = n
		case "string":
			if t := unquote(n); !mv.sameFolder() && (strings.HasPrefix(t, "./") || strings.HasPrefix(t, "../")) {
				bad = n
			}
		case "await_expression":
			if atOnce(n) {
				bad = n
			}
		case "call_expression", "new_expression":
			if !atOnce(n) {
				return true
			}
			f := n.get("function")
			if f == nil {
				f = n.get("constructor")
			}
			for f.is("member_expression") {
				f = f.get("object")
			}
			if r := mv.u.byNode[f]; !f.is("identifier") || r != nil && r.b != nil && mv.p.follow(r.b).imps == nil {
				bad = n
			}
		}
		return bad == nil
	})
	if bad != nil {
		return mv.decline("%s at %s depends on its file, or on when that is loaded", kit.OneLine(bad.text()), spot(mv.u, bad))
	}
	return nil
}

// directiveOf is a file's "use client" and the like.
func directiveOf(u *unit) string {
	if c := u.root.firstKid(); c.is("expression_statement") && c.firstKid().is("string") {
		if t := unquote(c.firstKid()); t != "use strict" {
			return t
		}
	}
	return ""
}

func (d ecma) follow(mv *moving) error {
	jm := &jsMove{moving: mv, d: d, name: mv.s.name, through: map[string]string{}}
	mv.p.extra[pyMoves] = jm
	jm.inline = mv.stmt.is("export_statement")
	jm.isType = mv.s.def.is("interface_declaration", "type_alias_declaration")
	jm.findSample()
	if err := jm.room(); err != nil {
		return err
	}
	if err := jm.users(); err != nil {
		return err
	}
	patches, err := jm.code()
	if err != nil {
		return err
	}
	if mv.u.esm && !jm.inline && (mv.s.b.exported || mv.to == nil || mv.remains(mv.s.b)) {
		patches = append(patches, kit.Patch{From: mv.stmt.from, To: mv.stmt.from, With: "export "})
	}
	if err := mv.m.Patch(patches...); err != nil {
		return err
	}
	return jm.place()
}

// findSample finds how the project writes relative modules.
func (jm *jsMove) findSample() {
	units := []*unit{jm.u}
	if jm.to != nil {
		units = append(units, jm.to)
	}
	units = append(units, jm.p.all()...)
	files, _ := jm.p.holding(jm.ctx, jm.d.handles, "from")
	units = append(units, jm.p.load(files[:min(len(files), 30)])...)
	for _, u := range units {
		for _, o := range u.imports {
			if strings.HasPrefix(o.module, ".") && jm.d.locate(jm.p, u.path, o.module).file != "" {
				jm.sample = o.module
				return
			}
		}
	}
	if ext(jm.u.path) == ".mjs" {
		jm.sample = "./a.mjs"
	}
}

// room declines a name that the other file has for something else.
func (jm *jsMove) room() error {
	if jm.to == nil {
		return nil
	}
	if b := jm.to.module.names[jm.name]; b != nil {
		for _, o := range b.imps {
			if len(b.imps) == len(b.decls) && jm.leadsTo(jm.to, o, jm.u.path) {
				return nil
			}
		}
		return jm.decline("%s has a %s already (%s)", jm.to.path, jm.name, spot(jm.to, b.decls[0].name))
	}
	if r := jm.captured(jm.to, jm.name); r != nil {
		return jm.decline("%s means something else at %s", jm.name, spot(jm.to, r.node))
	}
	if m := jm.d.exported(jm.p, place{file: jm.to.path}, jm.name, map[string]bool{}); m.kind != unknown && m.b != jm.s.b {
		return jm.decline("%s exports another %s", jm.to.path, jm.name)
	}
	return nil
}

// users looks at every mention of what moves.
func (jm *jsMove) users() error {
	units, err := jm.mentioningAll()
	if err != nil {
		return err
	}
	if err := jm.unread(); err != nil {
		return err
	}
	for _, u := range units {
		if u != jm.u && jm.d.loads(jm.p, u, jm.u) {
			return jm.decline("%s loads or mocks the module of %s by a call", u.path, jm.name)
		}
		for _, o := range u.imports {
			if u == jm.to && jm.leadsTo(u, o, jm.u.path) && o.alias {
				return jm.decline("%s calls it by another name (%s)", u.path, spot(u, o.stmt))
			}
		}
		for _, n := range jm.d.mentions(u, jm.name) {
			if err := jm.mention(u, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (jm *jsMove) mention(u *unit, n *node) error {
	m := jm.d.means(jm.p, u, n)
	if m.kind == ambiguousName && m.includes(meaning{kind: bound, b: jm.s.b}) {
		return jm.decline("%s is bound to more than one thing", spot(u, n))
	}
	p := n.parent
	if m.kind != bound || m.b != jm.s.b || u.byNode[n] != nil || u == jm.u ||
		!p.is("member_expression", "nested_type_identifier", "nested_identifier") || n == p.firstKid() {
		return nil
	}
	obj := p.firstKid()
	e := jm.d.entity(jm.p, u, obj)
	if e.kind != aModule || e.at.file != jm.u.path {
		return nil // through a module that exports it, and goes on doing so
	}
	r := u.byNode[obj]
	if r == nil || r.b == nil || len(r.b.imps) == 0 {
		return jm.decline("%s uses it through a module that is not plainly imported", spot(u, p))
	}
	if p.parent.is("assignment_expression") && p.field == "left" {
		return jm.decline("%s sets it from outside", spot(u, p))
	}
	if p.parent.is("call_expression") && p.field == "function" && jm.s.kind == "func" && jm.stmt.has("this") {
		return jm.decline("%s uses this, and is called as a property at %s", jm.name, spot(u, p))
	}
	if b := r.scope.lookup(jm.name, both); b != nil && (b.scope != u.module || len(b.imps) == 0 ||
		!jm.leadsTo(u, b.imps[0], jm.u.path)) {
		return jm.decline("%s means something else at %s", jm.name, spot(u, p))
	}
	if c := jm.captured(u, jm.name); c != nil {
		return jm.decline("%s means something else at %s", jm.name, spot(u, c.node))
	}
	jm.edit(u, p.from, p.to, jm.name)
	jm.through[u.path] = r.b.name
	return nil
}

// specifier is how one file names another, in the manner of a name that the project writes.
func (jm *jsMove) specifier(from, file, like string) (string, error) {
	stem := strings.TrimSuffix(file, ext(file))
	rel, e := stem, path.Ext(like)
	if slices.Contains(jsExtensions, e) {
		rel = stem + extensionLike(e, like, file)
	} else if moduleKind(file) != "" {
		rel = file
	} else if path.Base(stem) == "index" && path.Base(like) != "index" {
		rel = path.Dir(stem)
	}
	if like != "" && !strings.HasPrefix(like, ".") { // an alias of a folder
		way := relativePath(path.Dir(jm.u.path), rel)
		alias := path.Join(path.Dir(like), way)
		if !strings.HasPrefix(way, "..") && jm.d.locate(jm.p, from, alias).file == file {
			return alias, nil
		}
		for up := path.Dir(like); strings.Contains(up, "/"); up = path.Dir(up) {
			way = strings.TrimPrefix(way, "../")
			if alias = path.Join(path.Dir(up), way); jm.d.locate(jm.p, from, alias).file == file {
				return alias, nil
			}
		}
	}
	spec := relativePath(path.Dir(from), rel)
	if !strings.HasPrefix(spec, ".") {
		spec = "./" + spec
	}
	if jm.d.locate(jm.p, from, spec).file != file {
		return "", jm.decline("how %s would import %s is not certain", from, file)
	}
	return spec, nil
}

// extensionLike is the extension that imports of the file are written with.
func extensionLike(e, like, file string) string {
	typed := map[string]string{".ts": ".js", ".tsx": ".js", ".mts": ".mjs", ".cts": ".cjs"}
	if strings.Contains(e, "ts") || typed[ext(file)] == "" {
		return ext(file)
	}
	return typed[ext(file)]
}

// relativePath is the way from a folder to a file.
func relativePath(dir, file string) string {
	up := ""
	for dir != "." && dir != "" && dir != file && !strings.HasPrefix(file, dir+"/") {
		dir, up = path.Dir(dir), up+"../"
	}
	if dir == file {
		return strings.TrimSuffix(up, "/") + "."
	}
	if dir != "." && dir != "" {
		file = strings.TrimPrefix(file, dir+"/")
	}
	return up + file
}

// code finds out what the moved code uses, and what of it the other file has to import.
func (jm *jsMove) code() ([]kit.Patch, error) {
	bs, refs := jm.uses()
	if react := jm.u.module.names["React"]; react != nil && len(react.imps) > 0 && !slices.Contains(bs, react) &&
		jm.stmt.has("jsx_element", "jsx_self_closing_element", "jsx_fragment") {
		bs = append(bs, react)
	}
	var patches []kit.Patch
	for _, b := range bs {
		ps, err := jm.need(b, refs[b])
		if err != nil {
			return nil, err
		}
		patches = append(patches, ps...)
	}
	slices.SortStableFunc(jm.needs, func(a, b jsNeed) int { return a.at - b.at })
	return patches, nil
}

func (jm *jsMove) need(b *binding, refs []*ref) ([]kit.Patch, error) {
	if len(b.imps) == 0 {
		return nil, jm.needOwn(b, refs)
	}
	if len(b.imps) != len(b.decls) || len(b.imps) != 1 {
		return nil, jm.decline("%s is imported and declared in %s", b.name, jm.u.path)
	}
	o := b.imps[0]
	if o.stmt.parent != jm.u.root {
		return nil, jm.decline("%s is imported under a condition (%s)", b.name, spot(jm.u, o.stmt))
	}
	if !jm.remains(b) {
		jm.gone = append(jm.gone, b.name)
	}
	n := jsNeed{spec: o.module, name: o.name, local: b.name, typed: o.typed, at: o.stmt.from}
	switch {
	case o.name == "":
		n.name = "*"
	case o.name == "=" && jm.u.esm:
		return nil, jm.decline("%s is imported by require (%s)", b.name, spot(jm.u, o.stmt))
	case o.name == "=" && o.stmt.is("lexical_declaration", "variable_declaration") && !isRequire(o.stmt):
		return nil, jm.decline("%s is loaded by a call (%s)", b.name, spot(jm.u, o.stmt))
	}
	if jm.d.locate(jm.p, jm.u.path, o.module).file == jm.m.To {
		return jm.nowOwn(b, o, refs)
	}
	if strings.HasPrefix(o.module, ".") {
		n.spec = relativePath(path.Dir(jm.m.To), path.Join(path.Dir(jm.u.path), o.module))
		if !strings.HasPrefix(n.spec, ".") {
			n.spec = "./" + n.spec
		}
	}
	jm.needs = append(jm.needs, n)
	return nil, nil
}

// needOwn imports what the source declares itself, which exports it for that.
func (jm *jsMove) needOwn(b *binding, refs []*ref) error {
	if len(b.decls) != 1 || b.scope != jm.u.module {
		return jm.decline("%s uses %s, which %s declares at several places", jm.name, b.name, jm.u.path)
	}
	for _, r := range refs {
		if p := r.node.parent; p.is("update_expression") || r.node.field == "left" &&
			p.is("assignment_expression", "augmented_assignment_expression") {
			return jm.decline("%s sets %s, which stays in %s", jm.name, b.name, jm.u.path)
		}
	}
	e := exportOfName(jm.u, b, b.name)
	switch {
	case e == nil && b.exported:
		return jm.decline("%s uses %s, which %s exports by another name", jm.name, b.name, jm.u.path)
	case e == nil && !jm.u.esm:
		return jm.decline("%s uses %s, which %s does not export", jm.name, b.name, jm.u.path)
	case e == nil:
		stmt := jm.u.topOf(b.decls[0].def)
		if stmt.is("variable_declaration", "lexical_declaration") && !onlyKid(b.decls[0].def) ||
			stmt.is("ambient_declaration") {
			return jm.decline("%s uses %s, which is not exported (%s)", jm.name, b.name, spot(jm.u, stmt))
		}
		jm.edit(jm.u, stmt.from, stmt.from, "export ")
		jm.note("%s is exported by %s now: %s uses it", b.name, jm.u.path, jm.name)
	}
	spec, err := jm.specifier(jm.m.To, jm.u.path, jm.sample)
	typed := b.decls[0].def.is("interface_declaration", "type_alias_declaration")
	jm.needs = append(jm.needs, jsNeed{spec: spec, name: b.name, local: b.name, typed: typed, at: len(jm.u.src)})
	return err
}

// nowOwn rewrites the uses of what the other file declares itself.
func (jm *jsMove) nowOwn(b *binding, o *origin, refs []*ref) (ps []kit.Patch, err error) {
	for _, r := range refs {
		name, from, to := o.name, r.node.from, r.node.to
		if p := r.node.parent; o.name == "" && p.is("member_expression", "nested_type_identifier") && p.firstKid() == r.node {
			name, to = p.lastKid().text(), p.to
		}
		if jm.to == nil || jm.to.module.names[name] == nil || r.node.is("shorthand_property_identifier") && name != b.name {
			return nil, jm.decline("%s uses %s of %s as a value", jm.name, b.name, jm.m.To)
		}
		if x := r.scope.lookup(name, both); x != nil && x.scope != jm.u.module {
			return nil, jm.decline("%s means something else at %s", name, spot(jm.u, r.node))
		}
		if name != jm.u.textOf(from, to) {
			ps = append(ps, kit.Patch{From: from, To: to, With: name})
		}
	}
	return ps, nil
}

// place is where the code goes: functions and classes to the end, in front of what is exported
// there as a whole; all else behind the imports.
func (jm *jsMove) place() error {
	if jm.to == nil {
		jm.m.Head = jm.m.From.Notice()
		if dir := directiveOf(jm.u); dir != "" {
			jm.m.Head = strings.TrimSpace(jm.m.Head + "\n\n" + jm.u.root.firstKid().text())
		}
		return nil
	}
	kids := jm.to.root.list()
	at, top := len(jm.to.src), 0
	for i := len(kids) - 1; i >= 0; i-- {
		t := kids[i].text()
		if !strings.HasPrefix(t, "module.exports") && !strings.HasPrefix(t, "exports.") &&
			!(kids[i].is("export_statement") && kids[i].get("declaration") == nil) {
			break
		}
		at = jm.to.before(kids[i])
	}
	for _, c := range kids {
		if c.is("import_statement") || c.is("lexical_declaration", "variable_declaration") && isRequire(c) {
			top = nextLine(jm.to.src, c.to)
		}
	}
	least := top
	_, refs := jm.uses()
	for b, rs := range refs {
		for _, o := range b.imps {
			if x := jm.to.module.names[o.name]; x != nil && jm.d.locate(jm.p, jm.u.path, o.module).file == jm.m.To &&
				slices.ContainsFunc(rs, func(r *ref) bool { return atOnce(r.node) }) {
				least = max(least, nextLine(jm.to.src, jm.to.topOf(x.decls[0].def).to))
			}
		}
	}
	if !jm.s.def.is("function_declaration", "generator_function_declaration", "class_declaration",
		"abstract_class_declaration") {
		if least == top && top > 0 {
			at = top
		}
	}
	if b := jm.to.module.names[jm.name]; b != nil && !jm.isType {
		for _, r := range b.refs {
			if !r.decl && atOnce(r.node) && r.node.up("import_statement", "import_clause") == nil {
				at = min(at, jm.to.before(jm.to.topOf(r.node)))
			}
		}
	}
	if at < least {
		return jm.decline("%s needs what %s declares behind the place where it is needed", jm.name, jm.to.path)
	}
	jm.m.At = at
	return nil
}

func (d ecma) imports(mv *moving) error {
	jm := mv.p.extra[pyMoves].(*jsMove)
	jm.moving = mv
	was := map[string][]string{}
	units, err := jm.mentioningAll()
	if err != nil {
		return err
	}
	for _, u := range units {
		was[u.path] = jm.loaded(u)
		if err := jm.importer(u); err != nil {
			return err
		}
	}
	if err := jm.barrels(); err != nil {
		return err
	}
	if err := jm.source(); err != nil {
		return err
	}
	for _, n := range jm.needs {
		if err := jm.add(jm.m.To, n, true); err != nil {
			return err
		}
	}
	if !jm.u.esm && (jm.s.b.exported || jm.remains(jm.s.b)) {
		if err := jm.change(jm.m.To, jm.exportCommon); err != nil {
			return err
		}
	}
	return jm.circles(was)
}

// importer makes one file import from the other file what it imports from the source.
func (jm *jsMove) importer(u *unit) error {
	for u != jm.u {
		v, err := jm.now(u.path)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(v.imports, func(o *origin) bool { return jm.leadsTo(v, o, jm.u.path) })
		if i < 0 {
			break
		}
		if err := jm.change(u.path, func(j *job, v *unit) error { return jm.retarget(j, v, v.imports[i]) }); err != nil {
			return err
		}
	}
	if local := jm.through[u.path]; local != "" {
		if u.path != jm.m.To {
			spec, err := jm.specifier(u.path, jm.m.To, moduleOfLocal(u, local))
			if err != nil {
				return err
			}
			if err := jm.add(u.path, jsNeed{spec: spec, name: jm.name, local: jm.name, typed: jm.isType}, false); err != nil {
				return err
			}
		}
		if err := jm.dropRequired(u.path, local); err != nil {
			return err
		}
		if err := jm.dropUnused(u.path, local); err != nil {
			return err
		}
	}
	return jm.reexports(u)
}

func moduleOfLocal(u *unit, local string) string {
	if b := u.module.names[local]; b != nil && len(b.imps) > 0 {
		return b.imps[0].module
	}
	return ""
}

// retarget rewrites one import of what moves.
func (jm *jsMove) retarget(j *job, u *unit, o *origin) error {
	spec, err := jm.specifier(u.path, jm.m.To, o.module)
	own := u.path == jm.m.To
	if err != nil && !own {
		return err
	}
	if o.stmt.is("lexical_declaration", "variable_declaration") {
		return jm.retargetRequire(j, u, o, spec)
	}
	var parts []*node
	if c := o.stmt.child("import_clause"); c != nil {
		parts = c.list()
	}
	sp := o.node.parent
	if !sp.is("import_specifier") || len(parts) == 0 {
		return jm.decline("the import at %s is not plain", spot(u, o.stmt))
	}
	d := &dropped{u: u, stmt: o.stmt, names: []*node{sp}, all: len(importedNames(o.stmt)) == 1}
	q := o.stmt.get("source").text()[:1]
	n := jsNeed{spec: spec, name: o.name, local: o.name, typed: o.typed}
	if a := sp.get("alias"); a != nil {
		n.local = a.text()
	}
	switch {
	case d.all && !own && !importsNames(u, spec):
		s := o.stmt.get("source")
		j.replace(u.path, s.from, s.to, q+spec+q)
		return nil
	case !j.drop(d):
		return jm.decline("the import at %s cannot go", spot(u, o.stmt))
	case own:
		return nil
	case !n.typed && j.extendNamed(u, wanted{path: spec, names: []string{n.specText()}}):
		return nil
	}
	at := nextLine(u.src, o.stmt.to)
	line := n.line(u, q)
	if at == len(u.src) && u.src[at-1] != '\n' {
		j.replace(u.path, at, at, u.style().eol+line)
	} else {
		j.replace(u.path, at, at, line+u.style().eol)
	}
	return nil
}

// specText is the name as braces hold it.
func (n jsNeed) specText() string {
	if n.name == n.local {
		return n.name
	}
	return n.name + " as " + n.local
}

// line is a statement that imports it.
func (n jsNeed) line(u *unit, quote string) string {
	what := "{ " + n.specText() + " }"
	switch n.name {
	case "default", "=":
		what = n.local
	case "*":
		what = "* as " + n.local
	}
	if n.typed {
		what = "type " + what
	}
	return "import " + what + " from " + quote + n.spec + quote + u.style().semi
}

// importsNames reports whether the file has braces for names of the module.
func importsNames(u *unit, spec string) bool {
	for c := range u.root.kids {
		if c.is("import_statement") && unquote(c.get("source")) == spec && c.child("type") == nil &&
			c.child("import_clause").child("named_imports") != nil {
			return true
		}
	}
	return false
}

// retargetRequire rewrites const { f } = require("./a").
func (jm *jsMove) retargetRequire(j *job, u *unit, o *origin, spec string) error {
	d := o.stmt.child("variable_declarator")
	pat, call := d.get("name"), d.get("value")
	if call.is("await_expression") {
		call = call.firstKid()
	}
	arg := call.get("arguments").firstKid()
	if !pat.is("object_pattern") || !onlyKid(d) || !o.stmt.ownLines() || !arg.is("string") {
		return jm.decline("the import at %s is not plain", spot(u, o.stmt))
	}
	kids := pat.list()
	i := slices.IndexFunc(kids, func(n *node) bool { return n.text() == o.name || n.get("key").text() == o.name })
	if i < 0 {
		return jm.decline("the import at %s is not plain", spot(u, o.stmt))
	}
	own, q := u.path == jm.m.To, arg.text()[:1]
	switch {
	case len(kids) == 1 && own:
		j.replace(u.path, lineStart(u.src, o.stmt.from), nextLine(u.src, o.stmt.to), "")
		return nil
	case len(kids) == 1:
		j.replace(u.path, arg.from, arg.to, q+spec+q)
		return nil
	}
	j.keepOnly(u, kids, kids[i:i+1])
	if own {
		return nil
	}
	line := u.textOf(o.stmt.from, pat.from) + "{ " + kids[i].text() + " }" + u.textOf(pat.to, arg.from) + q + spec + q +
		u.textOf(arg.to, o.stmt.to)
	at := lineEnd(u.src, o.stmt.to)
	j.replace(u.path, at, at, u.style().eol+indentAt(u.src, o.stmt.from)+line)
	return nil
}

// reexports rewrites export { f } from "./a".
func (jm *jsMove) reexports(u *unit) error {
	for {
		again := false
		err := jm.change(u.path, func(j *job, v *unit) error {
			for _, e := range v.exports {
				if e.from == "" || e.inner != jm.name || jm.d.locate(jm.p, v.path, e.from).file != jm.u.path {
					continue
				}
				again = true
				return jm.reexport(j, v, e)
			}
			return nil
		})
		if err != nil || !again {
			return err
		}
	}
}

func (jm *jsMove) reexport(j *job, u *unit, e export) error {
	stmt := e.node.up("export_statement")
	kids := stmt.child("export_clause").list()
	sp := e.node.parent
	spec, err := jm.specifier(u.path, jm.m.To, e.from)
	if u.path == jm.m.To || err != nil || !stmt.ownLines() {
		return jm.decline("%s exports it from the other file (%s)", u.path, spot(u, stmt))
	}
	src := stmt.get("source")
	q := src.text()[:1]
	if len(kids) == 1 {
		j.replace(u.path, src.from, src.to, q+spec+q)
		return nil
	}
	j.keepOnly(u, kids, []*node{sp})
	line := u.textOf(stmt.from, stmt.child("export_clause").from) + "{ " + sp.text() + " } from " + q + spec + q +
		u.style().semi
	at := lineEnd(u.src, stmt.to)
	j.replace(u.path, at, at, u.style().eol+line)
	return nil
}

// barrels export what export * from the source gave.
func (jm *jsMove) barrels() error {
	if !jm.s.b.exported {
		return nil
	}
	files, err := jm.p.holding(jm.ctx, jm.d.handles, "export")
	if err != nil {
		return err
	}
	for _, u := range jm.p.load(files) {
		for _, e := range u.exports {
			if e.name != "*" || jm.d.locate(jm.p, u.path, e.from).file != jm.u.path || u.path == jm.u.path {
				continue
			}
			if err := jm.barrel(u, e.from); err != nil {
				return err
			}
		}
	}
	return nil
}

func (jm *jsMove) barrel(u *unit, from string) error {
	if u.path == jm.m.To || slices.ContainsFunc(u.exports, func(o export) bool {
		return o.name == "*" && jm.d.locate(jm.p, u.path, o.from).file == jm.m.To
	}) {
		return nil
	}
	if !u.esm {
		return jm.decline("%s exports all of %s", u.path, jm.u.path)
	}
	spec, err := jm.specifier(u.path, jm.m.To, from)
	if err != nil {
		return err
	}
	return jm.change(u.path, func(j *job, v *unit) error {
		for c := range v.root.kids {
			if !c.is("export_statement") || unquote(c.get("source")) != from || c.child("*") == nil {
				continue
			}
			q, word := c.get("source").text()[:1], "export "
			if jm.isType {
				word = "export type "
			}
			at := lineEnd(v.src, c.to)
			j.replace(v.path, at, at, v.style().eol+word+"{ "+jm.name+" } from "+q+spec+q+v.style().semi)
			return nil
		}
		return jm.decline("%s exports all of %s in a way that is not plain", v.path, jm.u.path)
	})
}

// source imports back what it still uses, and gives up what only the moved code used.
func (jm *jsMove) source() error {
	if err := jm.change(jm.u.path, jm.unexport); err != nil {
		return err
	}
	back := slices.ContainsFunc(jm.s.b.refs, func(r *ref) bool {
		return !r.decl && !jm.moved(r.node) && r.node.up("export_clause") == nil && !commonExport(r.node)
	})
	if back {
		spec, err := jm.specifier(jm.u.path, jm.m.To, jm.sample)
		if err != nil {
			return err
		}
		need := jsNeed{spec: spec, name: jm.name, local: jm.name, typed: jm.isType}
		if err := jm.add(jm.u.path, need, false); err != nil {
			return err
		}
	}
	if err := jm.dropRequired(jm.u.path, jm.gone...); err != nil {
		return err
	}
	return jm.dropUnused(jm.u.path, jm.gone...)
}

// dropRequired removes requires of names that the file does not use any more.
func (jm *jsMove) dropRequired(file string, names ...string) error {
	return jm.change(file, func(j *job, u *unit) error {
		for c := range u.root.kids {
			if !c.is("lexical_declaration", "variable_declaration") || !isRequire(c) || !c.ownLines() {
				continue
			}
			d := c.child("variable_declarator")
			kids := []*node{d.get("name")}
			if kids[0].is("object_pattern") {
				kids = kids[0].list()
			}
			gone := slices.DeleteFunc(slices.Clone(kids), func(k *node) bool {
				if k.is("pair_pattern") {
					k = k.get("value")
				}
				b := u.module.names[k.text()]
				return !slices.Contains(names, k.text()) || b == nil ||
					slices.ContainsFunc(b.refs, func(r *ref) bool { return !r.decl })
			})
			switch {
			case len(gone) == 0 || !onlyKid(d):
			case len(gone) == len(kids):
				j.dropLines(u, c)
			default:
				j.keepOnly(u, kids, gone)
			}
		}
		return nil
	})
}

// commonExport reports whether a reference does nothing but export.
func commonExport(n *node) bool {
	p := n.parent
	if p.is("pair") {
		p = p.parent
	}
	return p.is("object") && p.parent.get("left").text() == "module.exports" ||
		p.is("assignment_expression") && n.field == "right" && isExportsObject(p.get("left").get("object"))
}

// unexport takes the name out of the source's lists of exports.
func (jm *jsMove) unexport(j *job, u *unit) error {
	for _, e := range u.exports {
		if e.name != jm.name || e.from != "" || e.node == nil {
			continue
		}
		switch list := e.node.parent; {
		case list.is("export_specifier"):
			kids := list.parent.list()
			stmt := list.up("export_statement")
			if len(kids) > 1 {
				j.keepOnly(u, kids, []*node{list})
			} else if stmt.ownLines() {
				j.replace(u.path, lineStart(u.src, stmt.from), nextLine(u.src, stmt.to), "")
			} else {
				return jm.decline("the export at %s cannot go", spot(u, stmt))
			}
		case list.is("object", "pair"):
			gone := e.node
			if list.is("pair") {
				gone, list = list, list.parent
			}
			if kids := list.list(); len(kids) > 1 {
				j.keepOnly(u, kids, []*node{gone})
			} else {
				j.replace(u.path, list.from, list.to, "{}")
			}
		case list.is("member_expression") && list.parent.parent.is("expression_statement") && list.parent.parent.ownLines():
			stmt := list.parent.parent
			j.replace(u.path, lineStart(u.src, stmt.from), nextLine(u.src, stmt.to), "")
		default:
			return jm.decline("the export at %s cannot go", spot(u, e.node))
		}
	}
	return nil
}

// exportCommon exports the declaration from a CommonJS module, in the manner of its other exports.
func (jm *jsMove) exportCommon(j *job, u *unit) error {
	semi, eol := u.style().semi, u.style().eol
	for c := range u.root.kids {
		a := c.firstKid()
		if !c.is("expression_statement") || !a.is("assignment_expression") || a.get("left").text() != "module.exports" {
			continue
		}
		obj := a.get("right")
		if !obj.is("object") {
			return jm.decline("%s exports one value (%s)", u.path, spot(u, c))
		}
		spliceInto(j, u, obj, obj.list(), len(obj.list()), jm.name)
		return nil
	}
	line := "module.exports = { " + jm.name + " }" + semi
	if strings.Contains(string(u.src), "exports.") {
		line = "exports." + jm.name + " = " + jm.name + semi
	}
	at := len(u.src)
	lead := eol
	if at > 0 && u.src[at-1] != '\n' {
		lead += eol
	}
	j.replace(u.path, at, at, lead+line+eol)
	return nil
}

// add makes a file import a name, if it does not yet.
func (jm *jsMove) add(file string, n jsNeed, check bool) error {
	return jm.change(file, func(j *job, u *unit) error {
		if b := u.module.names[n.local]; b != nil {
			for _, o := range b.imps {
				is := o.name
				if is == "" {
					is = "*"
				}
				if is == n.name && (o.module == n.spec || jm.d.locate(jm.p, file, o.module) == jm.d.locate(jm.p, file, n.spec) &&
					!jm.d.locate(jm.p, file, n.spec).outside) {
					return nil
				}
			}
			return jm.decline("%s has a %s already (%s)", file, n.local, spot(u, b.decls[0].name))
		}
		was := jm.p.unit(file) // which shows how it is written
		if was == nil {
			was = jm.u
		} else if r := jm.captured(was, n.local); r != nil && check {
			return jm.decline("%s means something else at %s", n.local, spot(was, r.node))
		}
		st := was.style()
		switch {
		case !jm.u.esm:
			what := n.local
			if n.name != "=" {
				what = "{ " + strings.ReplaceAll(n.specText(), " as ", ": ") + " }"
			}
			j.insertJS(u, "const "+what+" = require("+st.quote+n.spec+st.quote+")"+st.semi)
		case !n.typed && n.name != "default" && n.name != "*" &&
			j.extendNamed(u, wanted{path: n.spec, names: []string{n.specText()}}):
		default:
			j.insertJS(u, n.line(was, st.quote))
		}
		return nil
	})
}

// loaded are the files that a file loads while it is loaded itself; types are not there then.
func (jm *jsMove) loaded(u *unit) []string {
	var out []string
	for _, o := range u.imports {
		if o.typed || !atOnce(o.stmt) {
			continue
		}
		at := jm.d.locate(jm.p, u.path, o.module)
		if o.name != "" && at.file != "" && u.path != jm.m.To && at.file != jm.m.To {
			m := jm.d.exported(jm.p, at, o.name, map[string]bool{})
			if m.kind == bound && (m.b.kind == "interface" || m.b.kind == "type") {
				continue
			}
		}
		if at.file != "" {
			out = append(out, at.file)
		}
	}
	for _, e := range u.exports {
		if e.from != "" {
			if at := jm.d.locate(jm.p, u.path, e.from); at.file != "" {
				out = append(out, at.file)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// circles declines modules that would load each other.
func (jm *jsMove) circles(was map[string][]string) error {
	if jm.isType {
		return nil
	}
	next := func(f string) []string {
		v, err := jm.now(f)
		if err != nil || v == nil {
			return nil
		}
		return jm.loaded(v)
	}
	for _, f := range append(slices.Collect(keysOf(was)), jm.m.To) {
		for _, to := range next(f) {
			fresh := !slices.Contains(was[f], to) || f == jm.m.To && to == jm.u.path
			if fresh && f != to && reach(to, f, next) {
				return jm.decline("%s and %s would import each other", f, to)
			}
		}
	}
	return nil
}
