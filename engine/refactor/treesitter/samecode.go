package treesitter

import "waferpair/workspace/text"

// sameCode declines when changes that promise to write comments alone change a token.
func (j *job) sameCode(file string, changes []text.Change) error {
	u := j.p.unit(file)
	after, err := applied(u.src, changes)
	if err != nil {
		return err
	}
	v := j.p.fresh(file, after)
	if v == nil {
		return j.decline("%s would no longer parse", file)
	}
	a, b := tokens(u.root), tokens(v.root)
	for i, n := range b {
		if i >= len(a) || a[i].kind != n.kind || a[i].text() != n.text() {
			return j.decline("a comment there would be inside a literal or another comment (%s)", spot(v, n))
		}
	}
	if len(b) < len(a) {
		return j.decline("a comment there would hide code (%s)", spot(u, a[len(b)]))
	}
	return nil
}

// tokens are the leaves of a tree that are no comments.
func tokens(root *node) []*node {
	var out []*node
	root.walk(func(n *node) bool {
		if n.kind == "comment" {
			return false
		}
		if n.first == nil && n.to > n.from {
			out = append(out, n)
		}
		return true
	})
	return out
}
