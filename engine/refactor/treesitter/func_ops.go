package treesitter

import (
	"fmt"
	"strings"
)

func init() {
	operations["delete-unused"] = deleteUnused
	operations["replace-call"] = replaceCall
}

func nextKid(n *node) *node {
	for c := n.next; c != nil; c = c.next {
		if c.named && c.kind != "comment" {
			return c
		}
	}
	return nil
}

// above is the first of the comment lines directly above n, or n.
func above(n *node) *node {
	prev := n.prev
	if prev == nil && n.parent.is("block") {
		prev = n.parent.prev // Python: the comment before a block's first statement
	}
	for c := prev; c != nil && c.kind == "comment" && !trailing(c) && lineOf(c.src, c.to)+1 == n.line(); c = c.prev {
		n = c
	}
	return n
}

// deleteUnused deletes a function that nothing mentions.
func deleteUnused(j *job) (string, error) {
	f, err := j.function("func")
	if err != nil {
		return "", err
	}
	if f.class != nil && (len(f.family.owners) > 1 || len(f.family.unsure) > 0) {
		return "", j.decline("%s.%s overrides, or is called by, a class it inherits from", f.class.title(), f.name)
	}
	if strings.HasPrefix(f.name, "__") && strings.HasSuffix(f.name, "__") || f.name == "constructor" ||
		strings.HasPrefix(f.name, "test") || f.name == "main" {
		return "", j.decline("%s is called by what runs the program", f.name)
	}
	if len(decorators(f.fn)) > 0 || f.def.child("decorator") != nil {
		return "", j.decline("%s has a decorator, which may register it", f.name)
	}
	if err := j.nowhere(f); err != nil {
		return "", err
	}
	stmt := f.def
	if stmt.is("variable_declarator") {
		if stmt.parent.child("variable_declarator") != stmt || len(stmt.parent.list()) > 1 {
			return "", j.decline("%s is declared together with others", f.name)
		}
		stmt = stmt.parent
	}
	for stmt.parent.is("export_statement", "decorated_definition") {
		stmt = stmt.parent
	}
	if p := stmt.parent; p.is("block") && len(p.list()) == 1 {
		return "", j.decline("the block that holds %s would be empty", f.name)
	}
	if !stmt.ownLines() {
		return "", j.decline("%s shares its lines with other code", f.name)
	}
	from, to := j.blockOf(f.unit, stmt)
	j.replace(f.unit.path, from, to, "")
	return fmt.Sprintf("Deleted %s (%s).", f.name, f.spot()), nil
}

// nowhere declines when anything at all could refer to the function: an
// identifier outside of it, a string, a template, or code outside the project.
func (j *job) nowhere(f *function) error {
	units, err := j.p.mentioning(j.ctx, f.name)
	if err != nil {
		return err
	}
	for _, u := range units {
		for _, n := range j.d.mentions(u, f.name) {
			if n == f.node || n.within(f.def) {
				continue
			}
			if m := j.d.means(j.p, u, n); m.kind == other || m.kind == bound && m.b != f.b {
				continue
			}
			return j.decline("%s is used at %s", f.name, spot(u, n))
		}
		for _, n := range append(stringsNaming(u, f.name), j.d.named(u, f.name)...) {
			return j.decline("the string at %s names %s", spot(u, n), f.name)
		}
	}
	others, err := j.p.holding(j.ctx, templates, f.name)
	if len(others) > 0 {
		return j.decline("%s mentions %s", others[0], f.name)
	}
	if f.b != nil && f.b.exported || (f.python() || f.class != nil) && f.name[0] != '_' && f.name[0] != '#' {
		j.note("%s is exported or public; code outside this project may use it", f.name)
	}
	return err
}

// blockOf is a statement with its comments and the blank lines before it.
func (j *job) blockOf(u *unit, stmt *node) (int, int) {
	from, to := lineStart(u.src, above(stmt).from), nextLine(u.src, stmt.to)
	for from > 0 {
		prev := lineStart(u.src, from-1)
		if strings.TrimSpace(string(u.src[prev:from])) != "" {
			break
		}
		from = prev
	}
	if from == 0 { // the blank lines behind it instead
		for to < len(u.src) && strings.TrimSpace(string(u.src[to:nextLine(u.src, to)])) == "" {
			to = nextLine(u.src, to)
		}
	}
	return from, to
}

// replaceCall writes another function's name into the calls of one.
func replaceCall(j *job) (string, error) {
	from, to := j.op.Args["from"], j.op.Args["to"]
	parts := strings.Split(from, ".")
	units, err := j.p.mentioning(j.ctx, parts[len(parts)-1])
	if err != nil {
		return "", err
	}
	calls, files := 0, 0
	for _, u := range units {
		if j.target.File != "" && u.path != j.target.File {
			continue
		}
		n, err := j.replaceCallsIn(u, from, to)
		if err != nil {
			return "", err
		}
		calls += n
		if n > 0 {
			files++
		}
	}
	if calls == 0 {
		return "", j.decline("nothing calls %s", from)
	}
	return fmt.Sprintf("Replaced %s of %s by %s in %s.", count(calls, "call", "calls"), from, to,
		count(files, "file", "files")), nil
}

func (j *job) replaceCallsIn(u *unit, from, to string) (int, error) {
	root, _, _ := strings.Cut(to, ".")
	if why := j.d.invalid(root); why != "" && root != "this" && root != "self" {
		return 0, j.decline("%s", why)
	}
	calls := 0
	var fail error
	u.root.walk(func(n *node) bool {
		if fail != nil || !n.is("call", "call_expression") {
			return fail == nil
		}
		fn := n.get("function")
		if fn.text() != from || j.target.From > 0 && !j.touches(n) {
			return true
		}
		fail = j.calleeKnown(u, fn, root)
		calls++
		j.replace(u.path, fn.from, fn.to, to)
		return true
	})
	return calls, fail
}

// calleeKnown: what is called now is a global, an import or a top-level name,
// and the new name means something at the call.
func (j *job) calleeKnown(u *unit, fn *node, root string) error {
	leaf := fn
	for leaf.is("attribute", "member_expression") {
		leaf = leaf.firstKid()
	}
	r := u.byNode[leaf]
	if r == nil {
		return j.decline("%s at %s is called on a value", fn.text(), spot(u, fn))
	}
	if r.b != nil && !r.b.topLevel() {
		return j.decline("%s at %s is a local %s", leaf.text(), spot(u, fn), r.b.kind)
	}
	b := r.scope.lookup(root, value)
	if b == nil && !pyBuiltins[root] && !jsGlobals[root] {
		return j.decline("%s is not known in %s: import it first", root, u.path)
	}
	if b != nil && !b.topLevel() {
		return j.decline("%s at %s is a local %s", root, spot(u, fn), b.kind)
	}
	return nil
}

// stillBound declines when code that stays uses a name that the lines declare.
func (j *job) stillBound(u *unit, from, to int) error {
	if d, ok := j.d.(typed); ok {
		if err := d.membersUsed(j, u, from, to); err != nil {
			return err
		}
	}
	for _, b := range u.bindings {
		gone := 0
		for _, d := range b.decls {
			if d.name.from >= from && d.name.to <= to {
				gone++
			}
		}
		if gone == 0 || gone < len(b.decls) {
			continue
		}
		for _, r := range b.refs {
			if r.node.from < from || r.node.from >= to {
				return j.decline("%s is used at %s", b.name, spot(u, r.node))
			}
		}
		if b.topLevel() {
			if err := j.usedElsewhere(u, b); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *job) usedElsewhere(u *unit, b *binding) error {
	units, err := j.p.mentioning(j.ctx, b.name)
	for _, v := range units {
		for _, n := range j.d.mentions(v, b.name) {
			if m := j.d.means(j.p, v, n); v != u && m.kind == bound && m.b == b {
				return j.decline("%s is used at %s", b.name, spot(v, n))
			}
		}
	}
	return err
}
