package query

import (
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// Span colours a range of a text, in UTF-16 units, with one of a few classes: kw str num com fn
// typ op pun var tag att. Text without a class has no span.
//
//ts:type readonly [number, number, string]
type Span struct {
	From, To int32
	Class    string
}

// MarshalJSON encodes a span as [from, to, class].
func (s Span) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `[%d,%d,%q]`, s.From, s.To, s.Class), nil
}

// Bounds of the cache: spans take 24 bytes each.
const (
	maxSpans  = 1 << 20
	maxLexers = 1000
)

// colours caches coloured texts by their hash, in two generations: a full young generation
// becomes the old one, and entries that are used again move back. So entries in use stay, without
// counting uses.
type colours struct {
	mu         sync.Mutex
	young, old map[[32]byte][]Span
	size       int                     // spans in young
	lexers     map[string]chroma.Lexer // by base name; nil: there is none
}

func (c *colours) get(key [32]byte) ([]Span, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.young[key]; ok {
		return s, true
	}
	s, ok := c.old[key]
	if ok {
		c.keep(key, s)
	}
	return s, ok
}

func (c *colours) put(key [32]byte, spans []Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(key, spans)
}

func (c *colours) keep(key [32]byte, spans []Span) {
	if c.young == nil || c.size+len(spans) > maxSpans/2 {
		c.young, c.old, c.size = map[[32]byte][]Span{}, c.young, 0
	}
	c.young[key] = spans
	c.size += len(spans) + 16 // an empty list takes memory, too
}

// lexer returns the lexer for a name. The search through all lexers is slow, so its result is
// cached.
func (c *colours) lexer(name string) chroma.Lexer {
	key := path.Base(name)
	c.mu.Lock()
	l, ok := c.lexers[key]
	c.mu.Unlock()
	if ok {
		return l
	}
	l = findLexer(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lexers == nil || len(c.lexers) >= maxLexers {
		c.lexers = map[string]chroma.Lexer{}
	}
	c.lexers[key] = l
	return l
}

// findLexer searches lexers by file name and by language name.
func findLexer(name string) chroma.Lexer {
	if l := lexers.Match(path.Base(name)); l != nil {
		return l
	}
	if strings.ContainsAny(name, "./") {
		return nil
	}
	return lexers.Get(name)
}
