package treesitter

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
)

func init() {
	operations["add-import"] = addImport
	operations["remove-imports"] = removeImports
	operations["sort-imports"] = sortImports
}

// dropped is an import that goes, whole or in part.
type dropped struct {
	u     *unit
	stmt  *node
	names []*node // the specifiers to remove
	all   bool    // every name of the statement
}

// removeImports removes the imports whose names nothing uses.
func removeImports(j *job) (string, error) {
	units, err := j.importers()
	if err != nil {
		return "", err
	}
	path := j.op.Args["path"]
	removed, seen := 0, false
	for _, u := range units {
		unused := j.unusedImports(u, path)
		seen = seen || importsPath(u, path)
		for _, d := range unused {
			if j.drop(d) {
				removed += len(d.names)
			}
		}
	}
	switch {
	case removed > 0:
		return fmt.Sprintf("Removed %s in %s.", count(removed, "unused import", "unused imports"),
			count(len(j.edits), "file", "files")), nil
	case path != "" && !seen:
		return "", j.decline("nothing imports %s", path)
	case path != "":
		return "", j.decline("%s is used%s", path, j.because())
	}
	return "", j.decline("no import is surely unused%s", j.because())
}

func (j *job) because() string {
	if len(j.notes) == 0 {
		return ""
	}
	return " (" + strings.Join(j.notes, "; ") + ")"
}

func importsPath(u *unit, path string) bool {
	for _, o := range u.imports {
		if o.full == path {
			return true
		}
	}
	return false
}

// importers are the files to look at: the target's, or all.
func (j *job) importers() ([]*unit, error) {
	if j.target.File != "" {
		u, err := j.file()
		return []*unit{u}, err
	}
	files, err := j.p.holding(j.ctx, j.p.d.handles, "import")
	return j.p.load(files), err
}

// unusedImports groups the unused names of a file by statement.
func (j *job) unusedImports(u *unit, path string) []*dropped {
	by := map[*node]*dropped{}
	var out []*dropped
	for _, b := range u.bindings {
		if len(b.imps) == 0 || len(b.imps) != len(b.decls) {
			continue
		}
		if why := j.inUse(u, b); why != "" {
			if why != "used" && (path == "" || path == b.imps[0].full) {
				j.note("%s: %s is kept: %s", spot(u, b.decls[0].name), b.name, why)
			}
			continue
		}
		for i, o := range b.imps {
			if path != "" && o.full != path || j.target.From > 0 && !j.touches(o.stmt) {
				continue
			}
			d := by[o.stmt]
			if d == nil {
				d = &dropped{u: u, stmt: o.stmt}
				by[o.stmt] = d
				out = append(out, d)
			}
			d.names = append(d.names, b.decls[i].def)
		}
	}
	for _, d := range out {
		d.all = len(d.names) == len(importedNames(d.stmt))
	}
	sort.Slice(out, func(a, b int) bool { return out[a].stmt.from < out[b].stmt.from })
	return out
}

// importedNames are the parts of an import statement that bind a name.
func importedNames(stmt *node) []*node {
	if stmt.is("lexical_declaration", "variable_declaration") {
		return nil // require: not removed
	}
	if clause := stmt.child("import_clause"); clause != nil {
		var out []*node
		for c := range clause.kids {
			if c.is("named_imports") {
				out = append(out, c.list()...)
			} else {
				out = append(out, c)
			}
		}
		return out
	}
	if r := stmt.child("import_require_clause"); r != nil {
		return []*node{r}
	}
	return stmt.all("name")
}

// inUse says why an import must stay: "used", or a reason to be told. "" means that it can go.
func (j *job) inUse(u *unit, b *binding) string {
	for _, r := range b.refs {
		if !r.decl {
			return "used"
		}
	}
	switch {
	case b.scope.kind != moduleScope:
		return "it is inside a function or class"
	case importedNames(b.imps[0].stmt) == nil:
		return "used" // require
	case b.exported:
		return "used"
	case strings.HasPrefix(u.path[strings.LastIndexByte(u.path, '/')+1:], "__init__."):
		return "a package's __init__ gives its imports to others"
	case strings.HasPrefix(b.name, "__"):
		return "it is a name that Python itself looks up"
	case b.imps[0].alias && b.imps[0].name == b.name:
		return "imported as itself, which exports it"
	case b.imps[0].stmt.up("try_statement", "if_statement") != nil:
		return "the import is conditional"
	case strings.Contains(string(u.src[b.imps[0].stmt.from:lineEnd(u.src, b.imps[0].stmt.to)]), "noqa"):
		return "marked noqa"
	case b.name == "React" && u.root.has("jsx_element", "jsx_self_closing_element", "jsx_fragment"):
		return "JSX may use it"
	case quoted(u, b.name):
		return "a string or comment names it, as an annotation or a pragma may"
	case j.importedFrom(u, b):
		return "another file imports it from here"
	}
	return ""
}

func (n *node) has(kinds ...string) bool {
	found := false
	n.walk(func(m *node) bool {
		found = found || m.is(kinds...)
		return !found
	})
	return found
}

// quoted reports whether a string, or a comment that tools read, has the name as a word.
func quoted(u *unit, name string) bool {
	word := regexp.MustCompile(`(^|[^\w$])` + regexp.QuoteMeta(name) + `($|[^\w$])`)
	found := false
	u.root.walk(func(n *node) bool {
		switch n.kind {
		case "string":
			found = found || n.parent.kind != "import_statement" && word.MatchString(n.text())
			return false
		case "comment":
			found = found || word.MatchString(forTools(n.text()))
		}
		return !found
	})
	return found
}

// inBraces is a type or a link in a documentation comment.
var inBraces = regexp.MustCompile(`(?s)\{.*?\}`)

// forTools returns what tools may read of a comment: a type comment, types and links in braces, what
// stands behind a tag. Names in the prose of a documentation comment use nothing.
func forTools(comment string) string {
	if strings.HasPrefix(comment, "# type:") {
		return comment
	}
	read := inBraces.FindAllString(comment, -1)
	for line := range strings.Lines(comment) {
		if at := strings.IndexByte(line, '@'); at >= 0 {
			read = append(read, line[at:])
		}
	}
	return strings.Join(read, "\n")
}

// importedFrom reports whether another Python file imports the name from this one.
func (j *job) importedFrom(u *unit, b *binding) bool {
	if !u.python() {
		return false
	}
	units, err := j.p.mentioning(j.ctx, b.name)
	if err != nil {
		return true
	}
	for _, v := range units {
		for _, o := range v.imports {
			if v != u && (o.name == b.name || o.star) && j.d.locate(j.p, v.path, o.module).file == u.path {
				return true
			}
		}
		if v != u && j.throughModule(v, u, b.name) {
			return true
		}
	}
	return false
}

// throughModule reports whether v reads module.name, where the module is u.
func (j *job) throughModule(v, u *unit, name string) bool {
	for _, n := range j.d.mentions(v, name) {
		if n.parent.is("attribute") && n.field == "attribute" {
			if e := j.d.entity(j.p, v, n.parent.get("object")); e.kind == aModule && e.at.file == u.path {
				return true
			}
		}
	}
	return false
}

// drop removes names from an import statement, or the statement.
func (j *job) drop(d *dropped) bool {
	src := d.u.src
	if d.all {
		if !d.stmt.ownLines() {
			return j.kept(d, "it shares its line with other code")
		}
		if p := d.stmt.parent; p.is("block") && len(p.list()) == 1 {
			return j.kept(d, "its block would be empty")
		}
		j.replace(d.u.path, lineStart(src, d.stmt.from), nextLine(src, d.stmt.to), "")
		return true
	}
	kids := importedNames(d.stmt)
	if c := d.stmt.child("import_clause"); c != nil {
		return j.dropSpecifiers(d, c)
	}
	j.keepOnly(d.u, kids, d.names)
	return true
}

func (j *job) kept(d *dropped, why string) bool {
	j.note("%s: the unused import is kept: %s", spot(d.u, d.stmt), why)
	return false
}

// keepOnly removes some elements of a comma-separated list, at least one of which stays.
func (j *job) keepOnly(u *unit, kids, gone []*node) {
	firstKept := -1
	for i, k := range kids {
		if !has(gone, k) {
			firstKept = i
			break
		}
	}
	for i, k := range kids {
		switch {
		case !has(gone, k):
		case i < firstKept:
			j.replace(u.path, k.from, kids[i+1].from, "")
		default:
			j.replace(u.path, kids[i-1].to, k.to, "")
		}
	}
}

// dropSpecifiers removes names of `import d, { a, b } from 'x'`.
func (j *job) dropSpecifiers(d *dropped, clause *node) bool {
	parts := clause.list()
	var gone []*node
	for _, c := range parts {
		if !c.is("named_imports") {
			if has(d.names, c) {
				gone = append(gone, c)
			}
			continue
		}
		var here []*node
		for _, sp := range c.list() {
			if has(d.names, sp) {
				here = append(here, sp)
			}
		}
		switch {
		case len(here) == len(c.list()) && len(parts) > 1:
			gone = append(gone, c)
		case len(here) > 0:
			j.keepOnly(d.u, c.list(), here)
		}
	}
	j.keepOnly(d.u, parts, gone)
	return true
}
