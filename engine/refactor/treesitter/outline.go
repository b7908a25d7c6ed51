package treesitter

import (
	"fmt"
	"strings"

	"waferpair/engine/refactor"
)

// Outline lists what a file declares, in its order: what the language can name.
func (l *language) Outline(path string, src []byte) ([]refactor.Declaration, error) {
	root, err := parse(l.d.grammar(path), src)
	if err != nil {
		return nil, fmt.Errorf("outline %s: %w", path, err)
	}
	var out []refactor.Declaration
	lines := lineCounter{src: src}
	root.walk(func(n *node) bool {
		name, kind := declared(n)
		if kind == "" || name == "" {
			return true
		}
		if around, ok := pathTo(n); ok {
			out = append(out, refactor.Declaration{Name: name, Kind: kind, Container: strings.Join(around, "."),
				Line: lines.of(nameOf(n).from), EndLine: lines.end(n)})
		}
		return true
	})
	return out, nil
}

// nameOf is the identifier of a declaration, or the declaration itself.
func nameOf(n *node) *node {
	for _, field := range []string{"name", "property", "left"} {
		if id := n.get(field); id != nil {
			return id
		}
	}
	return n
}

// lineCounter numbers the lines of offsets that mostly grow.
type lineCounter struct {
	src      []byte
	at, line int
}

func (c *lineCounter) of(at int) int {
	if at < c.at {
		c.at, c.line = 0, 0
	}
	for ; c.at < at; c.at++ {
		if c.src[c.at] == '\n' {
			c.line++
		}
	}
	return c.line + 1
}

// end is the last line of a node; a line break at its end is not of another line.
func (c *lineCounter) end(n *node) int {
	at := n.to
	if at > n.from && c.src[at-1] == '\n' {
		at--
	}
	ahead := *c
	return ahead.of(at)
}
