package treesitter

import (
	"maps"
	"path"
	"slices"
	"strings"

	"waferpair/engine/refactor/ops"
)

// Implementation implements the hook of implement.
func (s syntax) Implementation(typ, iface string) (*ops.Implementation, error) {
	all, err := s.some(s.op.Args[typ], "class")
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		return nil, s.ambiguous(s.op.Args[typ], "class", all)
	}
	c := all[0].unit.classOf(all[0].b)
	switch {
	case c == nil || c.iface || c.node.get("body") == nil:
		return nil, s.decline("%s (%s) is not a class", all[0].name, all[0].spot())
	case !s.d.typed(c.unit):
		return nil, s.decline("JavaScript has no interfaces: what has the methods passes for one")
	case c.unit.python() && !c.node.get("body").lastKid().ownLines():
		return nil, s.decline("the body of %s (%s) has no lines of its own", c.title(), all[0].spot())
	}
	im := &implementation{syntax: s, c: c, u: c.unit, imports: map[string][]string{}}
	im.out = &ops.Implementation{Title: c.title(), File: s.kitFile(c.unit)}
	if c.unit.python() {
		return im.out, im.python(strings.TrimSpace(s.op.Args[iface]))
	}
	return im.out, im.typescript(strings.TrimSpace(s.op.Args[iface]))
}

// implementation is one class that gets the members of another type.
type implementation struct {
	syntax
	c       *class
	u       *unit
	out     *ops.Implementation
	of      *class              // the interface, or the abstract class
	members []string            // in the file's language, without indentation
	imports map[string][]string // what they mention, by module
}

// target finds the type of the project that a name means in the class's file, or that only one
// other file declares.
func (im *implementation) target(name string) (*class, error) {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if b := im.c.scope.parent.lookup(last, both); b != nil && last == name {
		from := im.p.follow(b)
		if c := from.unit.classOf(from); c != nil && len(from.decls) == 1 {
			return c, nil
		}
		if len(from.imps) > 0 {
			return nil, im.decline("%s comes from %s, which is not in this project, so that its members are not known", name,
				from.imps[0].full)
		}
		return nil, im.decline("%s (%s) is no type whose members are known, or is declared more than once", name,
			spot(from.unit, from.decls[0].name))
	}
	units, err := im.p.mentioning(im.ctx, last)
	if err != nil {
		return nil, err
	}
	var found []*class
	for _, u := range units {
		b := u.module.names[last]
		if b == nil || len(b.imps) > 0 || !u.python() && !b.exported ||
			last != name && path.Base(strings.TrimSuffix(u.path, ext(u.path))) != strings.Split(name, ".")[0] {
			continue
		}
		if c := u.classOf(b); c != nil && len(b.decls) == 1 {
			found = append(found, c)
		}
	}
	switch {
	case len(found) > 1:
		return nil, im.decline("%s is declared in %s and in %s: import the one that is meant first", name, found[0].unit.path,
			found[1].unit.path)
	case len(found) == 0:
		return nil, im.decline("no type %s with known members is declared in the project, or exported there", name)
	}
	return found[0], im.needs(last, found[0].b)
}

// needs notes an import of what the class's file has to know.
func (im *implementation) needs(name string, b *binding) error {
	if here := im.u.module.names[name]; here != nil {
		if im.p.follow(here) == b || here == b {
			return nil
		}
		return im.decline("%s is something else in %s (line %d)", name, im.u.path, here.decls[0].name.line())
	}
	if b.unit == im.u {
		return nil
	}
	module := ""
	switch {
	case len(b.imps) == 1 && b.imps[0].name == name && !strings.HasPrefix(b.imps[0].full, "."):
		module = b.imps[0].full
	case len(b.imps) > 0 || !b.topLevel():
		return im.decline("%s, which it mentions, is not known in %s: import it first", name, im.u.path)
	case im.u.python():
		module = dotted(im.p, b.unit.path)
		if im.p.reachesModule(b.unit, im.u, 0) {
			return im.decline("%s imports %s, which would have to import %s from it", b.unit.path, im.u.path, name)
		}
	case !b.exported:
		return im.decline("%s, which it mentions, is not exported from %s", name, b.unit.path)
	default:
		module = im.relative(b.unit.path)
	}
	if !im.u.python() && im.p.flags(im.u.path).VerbatimModuleSyntax && b.kind != "class" {
		name = "type " + name
	}
	if !slices.Contains(im.imports[module], name) {
		im.imports[module] = append(im.imports[module], name)
	}
	return nil
}

// reachesModule reports whether a Python module imports another one, itself or through others.
func (p *project) reachesModule(from, to *unit, depth int) bool {
	if depth > 20 {
		return true
	}
	for _, o := range from.imports {
		for _, m := range []string{o.full, o.full + "." + o.name} {
			at := p.d.locate(p, from.path, m)
			if at.file == to.path || at.file != "" && at.file != from.path && depth < 6 && p.unit(at.file) != nil &&
				p.reachesModule(p.unit(at.file), to, depth+1) {
				return true
			}
		}
	}
	return false
}

// relative is how the class's file names another module.
func (im *implementation) relative(file string) string {
	dir := path.Dir(im.u.path)
	up := ""
	for dir != "." && !strings.HasPrefix(file, dir+"/") {
		dir = path.Dir(dir)
		up += "../"
	}
	if dir != "." {
		file = strings.TrimPrefix(file, dir+"/")
	}
	if up == "" {
		up = "./"
	}
	end := ""
	for _, o := range im.u.imports {
		if e := path.Ext(o.module); strings.HasPrefix(o.module, ".") && (e == ".js" || e == ".ts") {
			end = e
		}
	}
	return up + strings.TrimSuffix(file, ext(file)) + end
}

// finish writes the imports and the members at the end of the class.
func (im *implementation) finish() error {
	if im.u.python() && len(im.u.imports) == 0 && len(im.imports) > 0 {
		im.firstImports()
		return nil
	}
	for _, module := range slices.Sorted(maps.Keys(im.imports)) {
		w := wanted{path: module, names: im.imports[module]}
		var err error
		if im.u.python() {
			err = im.addPython(im.u, w)
		} else {
			err = im.addJS(im.u, w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// firstImports are those of a Python file that has none: its own project's last.
func (im *implementation) firstImports() {
	eol := im.u.style().eol
	var outside, own []string
	for _, module := range slices.Sorted(maps.Keys(im.imports)) {
		line := "from " + module + " import " + strings.Join(im.imports[module], ", ")
		if im.d.locate(im.p, im.u.path, module).outside {
			outside = append(outside, line)
		} else {
			own = append(own, line)
		}
	}
	text := strings.Join(outside, eol)
	if len(outside) > 0 && len(own) > 0 {
		text += eol + eol
	}
	text += strings.Join(own, eol)
	if im.u.root.firstKid().is("class_definition", "function_definition", "decorated_definition") {
		text += eol
	}
	im.firstImport(im.u, text)
}

// indented is text of a class's member, at its depth.
func (im *implementation) indented(text string) string {
	lead := indentAt(im.u.src, im.c.node.from)
	if kids := im.c.node.get("body").list(); len(kids) > 0 && kids[0].ownLines() {
		lead = indentAt(im.u.src, kids[0].from)
	} else {
		lead += im.u.style().tab
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		l = strings.ReplaceAll(l, "\t", im.u.style().tab)
		if l != "" {
			lines[i] = lead + l
		}
	}
	return strings.Join(lines, im.u.style().eol)
}
