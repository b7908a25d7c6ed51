package treesitter

import (
	"fmt"
	"slices"
	"strings"

	"waferpair/workspace/text"
)

// wanted is what an added import asks for.
type wanted struct {
	path, alias string
	names       []string // "a", "a as b"
}

func addImport(j *job) (string, error) {
	u, err := j.file()
	if err != nil {
		return "", err
	}
	w := wanted{path: strings.Trim(j.op.Args["path"], `'"`), alias: j.op.Args["alias"]}
	for n := range strings.SplitSeq(j.op.Args["names"], ",") {
		if n = strings.Join(strings.Fields(n), " "); n != "" {
			w.names = append(w.names, n)
		}
	}
	if w.path == "" {
		return "", j.decline("the module is missing")
	}
	if u.python() {
		err = j.addPython(u, w)
	} else {
		err = j.addJS(u, w)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Added the import of %s to %s.", w.path, u.path), nil
}

// bindsName is the local name of "a as b".
func bindsName(spec string) string {
	f := strings.Fields(spec)
	if len(f) == 0 {
		return ""
	}
	return f[len(f)-1]
}

// clash declines a name that the module binds already, otherwise than by this very import.
func (j *job) clash(u *unit, w wanted, name, imported string) (already bool, err error) {
	b := u.module.names[name]
	if b == nil {
		return false, nil
	}
	for _, o := range b.imps {
		if o.full == w.path && o.name == imported {
			return true, nil
		}
	}
	return false, j.decline("%s is already a %s of %s (line %d)", name, b.kind, u.path, b.decls[0].name.line())
}

func (j *job) addPython(u *unit, w wanted) error {
	for _, part := range strings.Split(strings.TrimLeft(w.path, "."), ".") {
		if part == "" && strings.Trim(w.path, ".") == "" && len(w.names) > 0 {
			continue // from . import x
		}
		if why := j.d.invalid(part); why != "" {
			return j.decline("%s is not a module: %s", w.path, why)
		}
	}
	if len(w.names) == 0 {
		return j.addPythonModule(u, w)
	}
	var fresh []string
	for _, spec := range w.names {
		if w.alias != "" && len(w.names) == 1 {
			spec += " as " + w.alias
		}
		imported, _, _ := strings.Cut(spec, " ")
		if why := j.d.invalid(bindsName(spec)); why != "" && spec != "*" {
			return j.decline("%s", why)
		}
		already, err := j.clash(u, w, bindsName(spec), imported)
		if err != nil {
			return err
		}
		if !already {
			fresh = append(fresh, spec)
		}
	}
	if len(fresh) == 0 {
		return j.already("%s imports that already", u.path)
	}
	if j.extendFrom(u, w.path, fresh) {
		return nil
	}
	j.insertPython(u, "from "+w.path+" import "+strings.Join(fresh, ", "))
	return nil
}

func (j *job) addPythonModule(u *unit, w wanted) error {
	if strings.HasPrefix(w.path, ".") {
		return j.decline("import %s is not Python: say which names to import from it", w.path)
	}
	line, name := "import "+w.path, w.alias
	if w.alias != "" {
		line += " as " + w.alias
	} else {
		name, _, _ = strings.Cut(w.path, ".")
	}
	for _, o := range u.imports {
		if o.full == w.path && o.name == "" && o.alias == (w.alias != "") &&
			(w.alias == "" || u.module.names[w.alias] != nil) {
			return j.already("%s imports that already", u.path)
		}
	}
	if b := u.module.names[name]; b != nil && (len(b.imps) == 0 || w.alias != "" || b.imps[0].name != "") {
		return j.decline("%s is already a %s of %s (line %d)", name, b.kind, u.path, b.decls[0].name.line())
	}
	j.insertPython(u, line)
	return nil
}

// extendFrom adds names to a `from path import a, b` that is there.
func (j *job) extendFrom(u *unit, path string, names []string) bool {
	for c := range u.root.kids {
		if !c.is("import_from_statement") || c.get("module_name").text() != path || c.child("wildcard_import") != nil {
			continue
		}
		kids := c.all("name")
		last := kids[len(kids)-1]
		text := strings.Join(names, ", ")
		if c.child("(") == nil && c.line() == lineOf(u.src, c.to) && c.to-c.from+len(text)+2 <= 88 {
			j.replace(u.path, last.to, last.to, ", "+text)
			return true
		}
		if c.child("(") != nil && len(kids) > 1 && kids[0].line() != kids[1].line() {
			sep := u.style().eol + indentAt(u.src, last.from)
			text = strings.Join(names, ","+sep)
			if last.next.is(",") {
				j.replace(u.path, last.next.to, last.next.to, sep+text+",")
			} else {
				j.replace(u.path, last.to, last.to, ","+sep+text)
			}
			return true
		}
	}
	return false
}

// insertPython puts a line among the imports, where its group and name belong, once.
func (j *job) insertPython(u *unit, line string) {
	if slices.ContainsFunc(j.edits[u.path], func(c text.Change) bool {
		return c.From == c.To && strings.TrimSpace(c.Insert) == line
	}) {
		return
	}
	eol := u.style().eol
	root, _ := parse(pyGrammar, []byte(line))
	group, key := importKey(root.firstKid())
	if at := j.d.locate(j.p, u.path, pyModuleOf(root.firstKid())); group == thirdGroup && !at.outside {
		group = localGroup
	}
	var before, after *node // the neighbours that the line goes between
	var beforeGroup, afterGroup int
	for c := range u.root.kids {
		if !sortable(c) || !c.ownLines() {
			continue
		}
		g, k := importKey(c)
		if at := j.d.locate(j.p, u.path, pyModuleOf(c)); c.kind != "future_import_statement" &&
			g == thirdGroup && !at.outside {
			g = localGroup
		}
		if g < group || g == group && k <= key {
			before, beforeGroup = c, g
		} else if after == nil && before == nil {
			after, afterGroup = c, g
		}
	}
	src := u.src
	switch {
	case before != nil:
		at := nextLine(src, before.to)
		text := line + eol
		if at == len(src) && (len(src) == 0 || src[len(src)-1] != '\n') {
			text = eol + line
		}
		if beforeGroup != group {
			text = eol + text
		}
		if next := nextImport(before); next != nil && beforeGroup != group {
			if g, _ := importKey(next); g != group && lineOf(src, before.to)+1 == next.line() {
				text += eol
			}
		}
		j.replace(u.path, at, at, text)
	case after != nil:
		at := lineStart(src, after.from)
		text := line + eol
		if afterGroup != group {
			text += eol
		}
		j.replace(u.path, at, at, text)
	default:
		j.firstImport(u, line)
	}
}

func nextImport(n *node) *node {
	for c := n.next; c != nil; c = c.next {
		if c.kind != "comment" {
			if sortable(c) {
				return c
			}
			return nil
		}
	}
	return nil
}

// firstImport puts the first import of a file behind what must come first: #!,
// "use strict", a docstring, the comment that opens the file.
func (j *job) firstImport(u *unit, line string) {
	src, eol := u.src, u.style().eol
	start := bomLen(src)
	at := start
	c := u.root.first
	for ; c != nil; c = c.next {
		head := c.is("comment", "hash_bang_line") && (at == start || lineOf(src, at) >= c.line()) && opens(u, c)
		doc := c.is("expression_statement") && c.firstKid().is("string")
		if !head && !doc {
			break
		}
		at = nextLine(src, c.to)
	}
	text := line + eol
	if at > start {
		if src[at-1] != '\n' {
			text = eol + text
		}
		text = eol + text
	}
	if rest := strings.TrimLeft(string(src[at:]), " \t"); rest != "" && rest[0] != '\n' && rest[0] != '\r' {
		text += eol
	}
	j.replace(u.path, at, at, text)
}

// opens reports whether a comment is about the file: it is not directly above code.
func opens(u *unit, c *node) bool {
	if c.kind == "hash_bang_line" || strings.HasPrefix(c.text(), "#!") || strings.Contains(c.text(), "coding:") {
		return true
	}
	for c.next != nil && c.next.kind == "comment" && c.next.line() == lineOf(u.src, c.to)+1 {
		c = c.next
	}
	return c.next == nil || c.next.line() > lineOf(u.src, c.to)+1 ||
		c.next.is("expression_statement") && c.next.firstKid().is("string")
}

func (j *job) addJS(u *unit, w wanted) error {
	if len(w.names) == 0 && w.alias == "" {
		return j.declineNear([]string{"alias=NAME", "names=NAME,..."}, "JavaScript imports names: which ones of %s?", w.path)
	}
	if w.alias != "" {
		if already, err := j.clash(u, w, w.alias, "default"); err != nil {
			return err
		} else if already {
			return j.already("%s imports that already", u.path)
		}
		if why := j.d.invalid(w.alias); why != "" {
			return j.decline("%s", why)
		}
	}
	var fresh []string
	for _, spec := range w.names {
		imported := strings.TrimPrefix(spec, "type ")
		imported, _, _ = strings.Cut(imported, " ")
		if why := j.d.invalid(bindsName(spec)); why != "" {
			return j.decline("%s", why)
		}
		already, err := j.clash(u, w, bindsName(spec), imported)
		if err != nil {
			return err
		}
		if !already {
			fresh = append(fresh, spec)
		}
	}
	if len(fresh) == 0 && w.alias == "" {
		return j.already("%s imports that already", u.path)
	}
	w.names = fresh
	if u.cjs && !u.esm {
		return j.addRequire(u, w)
	}
	if w.alias == "" && j.extendNamed(u, w) {
		return nil
	}
	j.insertJS(u, j.importLine(u, w))
	return nil
}

func (j *job) importLine(u *unit, w wanted) string {
	st := u.style()
	var parts []string
	if w.alias != "" {
		parts = append(parts, w.alias)
	}
	switch {
	case len(w.names) == 1 && strings.HasPrefix(w.names[0], "* as "):
		parts = append(parts, w.names[0])
	case len(w.names) > 0:
		parts = append(parts, "{ "+strings.Join(w.names, ", ")+" }")
	}
	return "import " + strings.Join(parts, ", ") + " from " + st.quote + w.path + st.quote + st.semi
}

func (j *job) addRequire(u *unit, w wanted) error {
	st := u.style()
	what := w.alias
	if len(w.names) > 0 {
		if w.alias != "" {
			return j.decline("one require gives a module or names of it, not both")
		}
		what = "{ " + strings.ReplaceAll(strings.Join(w.names, ", "), " as ", ": ") + " }"
	}
	j.insertJS(u, "const "+what+" = require("+st.quote+w.path+st.quote+")"+st.semi)
	return nil
}

// extendNamed adds names to the braces of an import of the module.
func (j *job) extendNamed(u *unit, w wanted) bool {
	for c := range u.root.kids {
		if !c.is("import_statement") || unquote(c.get("source")) != w.path || c.child("type") != nil {
			continue
		}
		named := c.child("import_clause").child("named_imports")
		if named == nil || len(named.list()) == 0 {
			continue
		}
		kids := named.list()
		for _, n := range w.names {
			spliceInto(j, u, named, kids, len(kids), n)
		}
		return true
	}
	return false
}

// insertJS puts a line behind the last import (or require) at the top of the file.
func (j *job) insertJS(u *unit, line string) {
	var last *node
	for c := range u.root.kids {
		if !c.ownLines() {
			continue
		}
		if c.is("import_statement") || c.is("lexical_declaration", "variable_declaration") && isRequire(c) {
			last = c
		}
	}
	if last == nil {
		j.firstImport(u, line)
		return
	}
	at := nextLine(u.src, last.to)
	eol := u.style().eol
	if at == len(u.src) && u.src[at-1] != '\n' {
		j.replace(u.path, at, at, eol+line)
		return
	}
	j.replace(u.path, at, at, line+eol)
}

func isRequire(n *node) bool {
	d := n.child("variable_declarator")
	_, ok := (&jsBinder{u: &unit{}}).requires(d.get("value"))
	return ok
}
