package query

import (
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// Span colours a part of a text: a range in UTF-16 units and one of a few classes,
// kw str num com fn typ op pun var tag att. What has no class has no span.
//
//ts:type readonly [number, number, string]
type Span struct {
	From, To int32
	Class    string
}

// MarshalJSON gives [from, to, class].
func (s Span) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `[%d,%d,%q]`, s.From, s.To, s.Class), nil
}

// Bounds of the cache: spans take 24 bytes each.
const (
	maxSpans  = 1 << 20
	maxLexers = 1000
)

// colours keeps coloured texts by their hash, in two generations: when the young
// one is full it becomes the old one, and what is used again comes back from
// there. So what is in use stays, and nothing needs to be counted per use.
type colours struct {
	mu         sync.Mutex
	young, old map[[32]byte][]Span
	size       int                     // spans in young
	lexers     map[string]chroma.Lexer // by the base of the name; nil: there is none
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
	c.size += len(spans) + 16 // an empty one takes room too
}

// lexer finds the language of a name. Looking through all of them is slow, so
// what was found is kept.
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

// findLexer knows languages by their file names and by their own.
func findLexer(name string) chroma.Lexer {
	if l := lexers.Match(path.Base(name)); l != nil {
		return l
	}
	if strings.ContainsAny(name, "./") {
		return nil
	}
	return lexers.Get(name)
}
