package treesitter

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

func init() {
	javaOps["add-import"] = javaAddImport
	javaOps["remove-imports"] = javaRemoveImports
	javaOps["sort-imports"] = javaSortImports
}

// importsOf are the import declarations of a file, in its order.
func importsOf(u *unit) []*node {
	var out []*node
	for c := range u.root.kids {
		if c.is("import_declaration") {
			out = append(out, c)
		}
	}
	return out
}

func javaAddImport(j *job) (string, error) {
	u, err := j.file()
	if err != nil {
		return "", err
	}
	if j.op.Args["alias"] != "" {
		return "", j.decline("Java's imports have no other names")
	}
	full := strings.TrimSuffix(strings.TrimSpace(j.op.Args["path"]), ";")
	static := false
	if rest, ok := strings.CutPrefix(full, "static "); ok {
		full, static = strings.TrimSpace(rest), true
	}
	var all []string
	for n := range strings.SplitSeq(j.op.Args["names"], ",") {
		if n = strings.TrimSpace(n); n != "" {
			all = append(all, full+"."+n)
		}
	}
	if len(all) == 0 {
		all = []string{full}
	}
	for i := len(all) - 1; i >= 0; i-- {
		if err := j.javaImport(u, all[i], static); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("Added the import of %s to %s.", strings.Join(all, ", "), u.path), nil
}

func (j *job) javaImport(u *unit, full string, static bool) error {
	line, err := j.importLineOf(u, full, static)
	if err == nil {
		j.insertImport(u, line, static)
	}
	return err
}

// importLineOf is an import declaration; it declines where the name means something already.
func (j *job) importLineOf(u *unit, full string, static bool) (string, error) {
	parts := strings.Split(full, ".")
	for i, p := range parts {
		if why := j.d.invalid(p); why != "" && !(p == "*" && i == len(parts)-1) {
			return "", j.decline("%s cannot be imported: %s", full, why)
		}
	}
	name := parts[len(parts)-1]
	if len(parts) == 1 {
		return "", j.decline("%s has no package: say which one, as in java.util.%s", full, name)
	}
	for _, o := range u.imports {
		if o.typed == static && (o.full == full && !o.star || o.star && o.full+".*" == full) {
			return "", j.already("%s imports that already", u.path)
		}
		if !o.star && o.name == name && !static && !o.typed {
			return "", j.decline("%s imports another %s (%s)", u.path, name, o.full)
		}
	}
	if b := u.module.names[name]; b != nil && len(b.imps) == 0 && !static {
		return "", j.decline("%s is already a type of %s", name, u.path)
	}
	if used := j.meansOther(u, full, name); used != nil && !static {
		return "", j.decline("%s at %s would then mean %s", name, spot(u, used), full)
	}
	if static {
		return "import static " + full + ";", nil
	}
	return "import " + full + ";", nil
}

// meansOther finds a use of the name that means a type of the project already.
func (j *job) meansOther(u *unit, full, name string) *node {
	for _, r := range u.refs {
		if r.node.text() != name || r.decl {
			continue
		}
		if t, _ := j.p.typeNamed(u, r.scope, name); t.known() {
			if c, _ := j.p.fullType(full); c == nil || c != t.class {
				return r.node
			}
		}
	}
	return nil
}

// insertImport puts a line among the imports where its order has it, or behind the package.
func (j *job) insertImport(u *unit, line string, static bool) {
	eol := u.style().eol
	var last, before *node
	for _, n := range importsOf(u) {
		if (n.child("static") != nil) != static || !n.ownLines() {
			continue
		}
		if last = n; before == nil && n.text() > line {
			before = n
		}
	}
	switch {
	case before != nil:
		at := lineStart(u.src, before.from)
		j.replace(u.path, at, at, line+eol)
	case last != nil:
		j.afterLine(u, last.to, line)
	default:
		all := importsOf(u)
		pkg := u.root.child("package_declaration")
		switch {
		case len(all) > 0:
			j.afterLine(u, all[len(all)-1].to, eol+line)
		case pkg != nil:
			j.afterLine(u, pkg.to, eol+line)
		default:
			j.firstImport(u, line)
		}
	}
}

// afterLine inserts a line behind the one that at is on.
func (j *job) afterLine(u *unit, at int, line string) {
	eol := u.style().eol
	next := nextLine(u.src, at)
	if next == len(u.src) && (next == 0 || u.src[next-1] != '\n') {
		j.replace(u.path, next, next, eol+line)
		return
	}
	j.replace(u.path, next, next, line+eol)
}

// javaRemoveImports removes the imports of types whose names a file does not mention, in code
// or in Javadoc.
func javaRemoveImports(j *job) (string, error) {
	units, err := j.importers()
	if err != nil {
		return "", err
	}
	path := strings.TrimSuffix(j.op.Args["path"], ".*")
	removed, seen := 0, false
	for _, u := range units {
		if u.errors > 0 {
			j.note("%s has syntax errors, and was left alone", u.path)
			continue
		}
		for _, o := range u.imports {
			if path != "" && o.full != path && o.name != path || j.target.From > 0 && !j.touches(o.stmt) {
				continue
			}
			seen = true
			if o.star || javaMentioned(u, o) {
				continue
			}
			if !o.stmt.ownLines() {
				j.note("%s shares its line with other code", spot(u, o.stmt))
				continue
			}
			removed++
			j.replace(u.path, lineStart(u.src, o.stmt.from), nextLine(u.src, o.stmt.to), "")
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
	return "", j.already("every import is used")
}

// javaMentioned: whatever spells the name outside of the imports may mean the import.
func javaMentioned(u *unit, o *origin) bool {
	found := false
	u.root.walk(func(n *node) bool {
		switch {
		case n.is("import_declaration"):
			return false
		case n.is("identifier", "type_identifier"):
			found = found || n.text() == o.name
		case n.is("comment"):
			found = found || containsWord([]byte(n.text()), o.name)
		}
		return !found
	})
	return found
}

// javaSortImports sorts each run of imports, static ones apart, as they are grouped: runs that
// blank lines set apart stay apart.
func javaSortImports(j *job) (string, error) {
	u, err := j.file()
	if err != nil {
		return "", err
	}
	var runs [][]*node
	for _, n := range importsOf(u) {
		if len(runs) > 0 {
			run := runs[len(runs)-1]
			prev := run[len(run)-1]
			same := (prev.child("static") != nil) == (n.child("static") != nil)
			if same && strings.TrimSpace(string(u.src[prev.to:n.from])) == "" && lineOf(u.src, prev.to)+1 == n.line() {
				runs[len(runs)-1] = append(run, n)
				continue
			}
		}
		runs = append(runs, []*node{n})
	}
	changed := false
	for _, run := range runs {
		in := slices.Clone(run)
		sort.SliceStable(in, func(a, b int) bool {
			return strings.TrimSuffix(in[a].text(), ";") < strings.TrimSuffix(in[b].text(), ";")
		})
		for i, n := range run {
			if in[i] != n {
				changed = true
				j.replace(u.path, n.from, n.to, in[i].text())
			}
		}
	}
	if !changed {
		return "", j.already("the imports of %s are sorted already", u.path)
	}
	return "Sorted the imports of " + u.path + ".", nil
}
