package treesitter

import (
	"fmt"
	"strings"
)

func dump(n *node) string {
	var b strings.Builder
	var rec func(n *node, d int)
	rec = func(n *node, d int) {
		if n.named {
			f := n.field
			if f != "" {
				f += ": "
			}
			fmt.Fprintf(&b, "%s%s%s", strings.Repeat(" ", d), f, n.kind)
			if n.first == nil {
				fmt.Fprintf(&b, " %q", n.text())
			}
			b.WriteByte('\n')
		}
		for c := n.first; c != nil; c = c.next {
			rec(c, d+1)
		}
	}
	rec(n, 0)
	return b.String()
}
