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
		name, kind := l.d.declared(n)
		if kind == "" || name == "" {
			return true
		}
		if around, ok := l.d.path(n); ok {
			out = append(out, refactor.Declaration{Name: name, Kind: kind, Container: strings.Join(around, "."),
				Line: lines.of(nameOf(n).from), EndLine: lines.end(n), Params: outlineParams(n)})
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

// outlineParams are the parameters of a declared function, without the receiver of a Python
// method and without patterns, which have no name.
func outlineParams(n *node) []string {
	fn := n
	if fn.is("record_declaration") {
		return nil
	}
	for _, field := range []string{"value", "right"} {
		if v := n.get(field); v.is("arrow_function", "function_expression", "generator_function", "lambda") {
			fn = v
		}
	}
	if p := fn.get("parameter"); p.is("identifier") {
		return []string{p.text()}
	}
	var out []string
	for p := range fn.get("parameters").kids {
		if name := simpleName(p); name != "" {
			out = append(out, name)
		}
	}
	if _, kind := declared(n); kind == "method" && n.is("function_definition") && len(out) > 0 &&
		(out[0] == "self" || out[0] == "cls") {
		out = out[1:]
	}
	return out
}

// simpleName is the identifier of one parameter: x, x=1, x: int, x?: number, *args.
func simpleName(p *node) string {
	for range 3 {
		switch {
		case p == nil:
			return ""
		case p.is("identifier"):
			return p.text()
		}
		next := p.firstKid()
		if p.is("spread_parameter") { // Java's String... names
			next = p.child("variable_declarator")
		}
		for _, field := range []string{"name", "pattern", "left"} {
			if c := p.get(field); c != nil {
				next = c
				break
			}
		}
		if p.is("object_pattern", "array_pattern", "tuple_pattern", "comment") {
			return ""
		}
		p = next
	}
	return ""
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
