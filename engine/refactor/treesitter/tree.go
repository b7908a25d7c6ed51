package treesitter

/*
#include "cursor.h"
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"strings"
	"sync"
	"time"
	"unsafe"

	// The library and the grammars: linked in, and called from cursor.c.
	_ "github.com/tree-sitter/go-tree-sitter"
	_ "github.com/tree-sitter/tree-sitter-java/bindings/go"
	_ "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	_ "github.com/tree-sitter/tree-sitter-python/bindings/go"
	_ "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// grammar is one of the parsers that are linked in.
type grammar int

const (
	pyGrammar grammar = iota
	jsGrammar
	tsGrammar
	tsxGrammar
	javaGrammar
	grammars
)

// node is a node of a syntax tree. Nodes are immutable once parse returns.
type node struct {
	kind, field         string
	from, to            int
	parent, first, next *node
	prev, last          *node
	named, missing      bool
	src                 []byte
}

// names are a grammar's symbol and field names, read once.
type names struct {
	lang           *C.TSLanguage
	symbols, field []string
}

var tables [grammars]func() names

func init() {
	C.wp_own_allocator() // after the library's own init, which it undoes
	for g := range tables {
		tables[g] = sync.OnceValue(func() names { return readNames(g) })
	}
}

func readNames(g int) names {
	lang := C.wp_language(C.int(g))
	n := names{lang: lang}
	for i := range C.ts_language_symbol_count(lang) {
		name := strings.Clone(C.GoString(C.ts_language_symbol_name(lang, C.uint16_t(i))))
		if name == "line_comment" || name == "block_comment" {
			name = "comment" // as the other grammars call both
		}
		n.symbols = append(n.symbols, name)
	}
	n.field = append(n.field, "")
	for i := range C.ts_language_field_count(lang) {
		n.field = append(n.field, C.GoString(C.ts_language_field_name_for_id(lang, C.uint16_t(i+1))))
	}
	return n
}

func (n names) symbol(s C.uint16_t) string {
	if int(s) < len(n.symbols) {
		return n.symbols[s]
	}
	return "ERROR"
}

// patience is how long a file may take to parse. Real files take a few milliseconds;
// where an error follows an error for a megabyte the time grows with the square of the
// size, and minutes would pass.
var patience = func(bytes int) time.Duration { return 3*time.Second + time.Duration(bytes)*3*time.Microsecond }

// parse returns the root of src's syntax tree. Tree-sitter accepts anything:
// what it could not read is under ERROR nodes, what it had to suppose is missing.
func parse(g grammar, src []byte) (*node, error) {
	t := tables[g]()
	var count C.uint32_t
	// An empty slice has no address; one zero byte stands in for it.
	p := unsafe.Pointer(unsafe.SliceData(append(src[:len(src):len(src)], 0)))
	flat := C.wp_parse(t.lang, (*C.char)(p), C.uint32_t(len(src)), C.int64_t(patience(len(src)).Microseconds()), &count)
	if flat == nil {
		return nil, fmt.Errorf("treesitter: parse %d bytes: the parser gave up after %v", len(src), patience(len(src)))
	}
	defer C.free(unsafe.Pointer(flat))
	return link(unsafe.Slice(flat, int(count)), t, src), nil
}

// link turns preorder records into nodes joined by pointers.
func link(flat []C.flat_node, t names, src []byte) *node {
	nodes := make([]node, len(flat))
	for i := range flat {
		f, n := &flat[i], &nodes[i]
		n.kind, n.field = t.symbol(f.symbol), t.field[f.field]
		n.from, n.to = int(f.start), int(f.end)
		n.named, n.missing = f.flags&1 != 0, f.flags&2 != 0
		n.src = src
		if f.parent < 0 {
			continue
		}
		p := &nodes[f.parent]
		n.parent = p
		if p.last == nil {
			p.first = n
		} else {
			p.last.next, n.prev = n, p.last
		}
		p.last = n
	}
	return &nodes[0]
}

func (n *node) text() string {
	if n == nil {
		return ""
	}
	return string(n.src[n.from:n.to])
}

// is reports whether n is of one of the kinds; a nil node is of none.
func (n *node) is(kinds ...string) bool {
	if n == nil {
		return false
	}
	for _, k := range kinds {
		if n.kind == k {
			return true
		}
	}
	return false
}

// get returns the first child with that field name, or nil.
func (n *node) get(field string) *node {
	if n == nil {
		return nil
	}
	for c := n.first; c != nil; c = c.next {
		if c.field == field {
			return c
		}
	}
	return nil
}

// all returns the children with that field name.
func (n *node) all(field string) []*node {
	var out []*node
	for c := n.first; c != nil; c = c.next {
		if c.field == field {
			out = append(out, c)
		}
	}
	return out
}

// kids yields the named children that are not comments.
func (n *node) kids(yield func(*node) bool) {
	if n == nil {
		return
	}
	for c := n.first; c != nil; c = c.next {
		if c.named && c.kind != "comment" && !yield(c) {
			return
		}
	}
}

// list is kids as a slice.
func (n *node) list() []*node {
	var out []*node
	for c := range n.kids {
		out = append(out, c)
	}
	return out
}

// firstKid is the first named child that is not a comment, or nil.
func (n *node) firstKid() *node {
	for c := range n.kids {
		return c
	}
	return nil
}

// lastKid is the last named child that is not a comment, or nil.
func (n *node) lastKid() *node {
	for c := n.last; c != nil; c = c.prev {
		if c.named && c.kind != "comment" {
			return c
		}
	}
	return nil
}

// child returns the first child of one of the kinds, named or not.
func (n *node) child(kinds ...string) *node {
	if n == nil {
		return nil
	}
	for c := n.first; c != nil; c = c.next {
		if c.is(kinds...) {
			return c
		}
	}
	return nil
}

// walk visits n and everything under it in preorder; visit returns whether to go below.
func (n *node) walk(visit func(*node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for c := n.first; c != nil; c = c.next {
		c.walk(visit)
	}
}

// up returns the nearest ancestor (n excluded) of one of the kinds, or nil.
func (n *node) up(kinds ...string) *node {
	for p := n.parent; p != nil; p = p.parent {
		if p.is(kinds...) {
			return p
		}
	}
	return nil
}

// within reports whether n is m or lies under it.
func (n *node) within(m *node) bool {
	for ; n != nil; n = n.parent {
		if n == m {
			return true
		}
	}
	return false
}

// at returns the smallest node that covers [from, to).
func (n *node) at(from, to int) *node {
	for {
		var down *node
		for c := n.first; c != nil; c = c.next {
			if c.from <= from && to <= c.to && (c.from < c.to || from == to) {
				down = c
				break
			}
		}
		if down == nil {
			return n
		}
		n = down
	}
}

// line is the line number of n's first byte, from 1.
func (n *node) line() int { return lineOf(n.src, n.from) }

// errors counts what the parser could not read or had to suppose.
func (n *node) errors() int {
	count := 0
	n.walk(func(m *node) bool {
		if m.kind == "ERROR" || m.missing {
			count++
		}
		return true
	})
	return count
}
