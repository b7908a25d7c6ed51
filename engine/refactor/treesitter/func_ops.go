package treesitter

import (
	"fmt"
	"strings"

	"waferpair/engine/refactor/words"
)

func init() {
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
		if fail == nil && u.python() && from == "print" && logLevels[to[strings.LastIndexByte(to, '.')+1:]] {
			fail = j.printLogged(u, n, to)
		}
		calls++
		j.replace(u.path, fn.from, fn.to, to)
		return true
	})
	return calls, fail
}

var logLevels = words.Set(`debug info warning warn error critical exception`)

// printLogged makes the values of a print those of a log message: a logger takes what is behind the
// first one for the values of its format.
func (j *job) printLogged(u *unit, call *node, to string) error {
	args := call.get("arguments").list()
	if len(args) == 0 {
		return j.decline("print at %s prints an empty line, and %s needs a message", spot(u, call), to)
	}
	for _, a := range args {
		if a.is("keyword_argument", "list_splat", "dictionary_splat", "generator_expression") {
			return j.decline("print at %s is called with %s, which %s does not take", spot(u, call), oneLine(a.text()), to)
		}
	}
	text := args[0].text()
	switch {
	case len(args) == 1:
		return nil
	case !args[0].is("string") || !strings.ContainsAny(text[:1], `"'`) || strings.Contains(text, "%"):
		return j.decline("print at %s is given several values, which %s takes for the values of a format; make them one "+
			"f-string first", spot(u, call), to)
	}
	end := args[0].to - 1
	if strings.HasSuffix(text, `"""`) || strings.HasSuffix(text, "'''") {
		end -= 2
	}
	j.replace(u.path, end, end, strings.Repeat(" %s", len(args)-1))
	return nil
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
