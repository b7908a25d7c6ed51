package treesitter

import (
	"strings"

	"waferpair/engine/refactor/kit"
)

// documents is what a dialect says about doc comments.
type documents interface {
	docForm(u *unit) kit.DocForm
	// documentable says what a node declares, if that takes a doc comment.
	documentable(u *unit, n *node) (kit.Documented, bool)
}

func (s syntax) DocForm(f *kit.File) kit.DocForm { return s.d.(documents).docForm(f.Raw.(*unit)) }

// Documentable are the declarations that take a doc comment, outer ones first.
func (s syntax) Documentable(f *kit.File) []kit.Documented {
	var out []kit.Documented
	u := f.Raw.(*unit)
	u.root.walk(func(n *node) bool {
		if d, ok := s.d.(documents).documentable(u, n); ok {
			d.File = f
			out = append(out, d)
		}
		return true
	})
	return out
}

// kitOf is a node as the common operations see it. The nodes above it are not.
func kitOf(n *node) *kit.Node {
	if n == nil {
		return nil
	}
	return nodeOf(n, nil)
}

// aboveStatement is the place for a comment above a declaration and the comments that belong to it.
func aboveStatement(d *kit.Documented, stmt *node) {
	first := stmt
	for c := first.prev; c != nil && c.is("comment", "decorator") && c.ownLines() &&
		lineOf(stmt.src, c.to)+1 >= first.line(); c = c.prev {
		first = c
	}
	d.Line, d.Indent = lineStart(stmt.src, first.from), indentAt(stmt.src, stmt.from)
	if strings.TrimSpace(string(stmt.src[d.Line:first.from])) != "" {
		d.Cannot = "does not begin its line"
	}
}

// bareType is the text of a type without the colon before it.
func bareType(n *node) string {
	return strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(n.text()), ":")), " ")
}
