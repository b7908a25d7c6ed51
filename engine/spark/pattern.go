package spark

import (
	"fmt"
	"strings"
)

// The pattern language, in which the phrasings of the operations are written:
//
//	word            that word, whatever its case. Articles before it are skipped,
//	                except before a preposition and right behind a noun or a name
//	'name'          possessive and punctuation words stand for themselves: 's  :  ,  =
//	( a | b c )     one of the alternatives
//	[ a | b c ]     one of them, or nothing
//	<arg:kind>      a slot: scans a thing of that kind (see slots) into the argument
//	<arg=value>     sets the argument to a fixed value
//	@macro          the pattern of that name in macros
//
// An argument whose name begins with @ is not the operation's but the request's:
// the file, the lines, an owner that narrows a symbol.
type node struct {
	kind  nodeKind
	word  string // literal; argument of a slot or setting
	val   string // value of a setting
	scan  scanner
	bare  bool // slot that takes no article before it
	named bool // slot for a name
	kids  []*node
}

type nodeKind int

const (
	litNode nodeKind = iota
	seqNode
	altNode // an optional part is an alternative with an empty sequence in it
	slotNode
	setNode
)

type compiler struct {
	toks   []string
	macros *macroSet
}

// macroSet compiles each macro when it is first used, and once.
type macroSet struct {
	patterns map[string]string
	nodes    map[string]*node
}

func (s *macroSet) node(name string) *node {
	if n, ok := s.nodes[name]; ok && n != nil {
		return n
	}
	p, ok := s.patterns[name]
	if _, open := s.nodes[name]; !ok || open {
		panic("spark: pattern: no macro @" + name + ", or it uses itself")
	}
	s.nodes[name] = nil
	s.nodes[name] = compile(p, s)
	return s.nodes[name]
}

// compile turns a pattern into its tree. A mistake in a pattern is our own bug
// and found by every test, so it panics.
func compile(pattern string, macros *macroSet) *node {
	c := &compiler{toks: patternTokens(pattern), macros: macros}
	n := c.alternatives()
	if len(c.toks) > 0 {
		panic(fmt.Sprintf("spark: pattern %q: unexpected %q", pattern, c.toks[0]))
	}
	return n
}

// patternTokens splits a pattern into brackets, bars and words.
func patternTokens(p string) []string {
	toks := make([]string, 0, len(p)/4)
	start := 0
	cut := func(end int) {
		if end > start {
			toks = append(toks, p[start:end])
		}
	}
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case ' ', '\t', '\n':
			cut(i)
			start = i + 1
		case '(', ')', '[', ']', '|':
			cut(i)
			toks = append(toks, p[i:i+1])
			start = i + 1
		}
	}
	cut(len(p))
	return toks
}

func (c *compiler) peek() string {
	if len(c.toks) == 0 {
		return ""
	}
	return c.toks[0]
}

func (c *compiler) next() string {
	t := c.peek()
	c.toks = c.toks[1:]
	return t
}

func (c *compiler) alternatives() *node {
	one := c.sequence()
	if c.peek() != "|" {
		return one
	}
	alts := []*node{one}
	for c.peek() == "|" {
		c.next()
		alts = append(alts, c.sequence())
	}
	return &node{kind: altNode, kids: alts}
}

func (c *compiler) sequence() *node {
	var kids []*node
	for {
		switch t := c.peek(); t {
		case "", "|", ")", "]":
			if len(kids) == 1 {
				return kids[0]
			}
			return &node{kind: seqNode, kids: kids}
		case "(", "[":
			c.next()
			kids = append(kids, c.group(t == "["))
		default:
			kids = append(kids, c.atom(c.next()))
		}
	}
}

func (c *compiler) group(optional bool) *node {
	n := c.alternatives()
	if end := c.peek(); end != ")" && end != "]" {
		panic("spark: pattern: a bracket is not closed")
	}
	c.next()
	if optional {
		return &node{kind: altNode, kids: []*node{n, {kind: seqNode}}}
	}
	return n
}

func (c *compiler) atom(t string) *node {
	switch {
	case t[0] == '@':
		return c.macros.node(t[1:])
	case t[0] == '<' && strings.HasSuffix(t, ">") && len(t) > 2:
		return slotOrSetting(t[1 : len(t)-1])
	}
	return &node{kind: litNode, word: strings.ToLower(t)}
}

func slotOrSetting(t string) *node {
	if arg, val, ok := strings.Cut(t, "="); ok {
		return &node{kind: setNode, word: arg, val: val}
	}
	arg, kind, _ := strings.Cut(t, ":")
	scan, ok := slots[kind]
	if !ok {
		panic("spark: pattern: no kind of slot " + t)
	}
	return &node{kind: slotNode, word: arg, scan: scan, bare: noArticle[kind], named: kind != "plaintype"}
}

// firsts collects the words that a match of n can begin with; it reports
// whether n can match nothing at all, and notes when a slot may come first.
func (n *node) firsts(p *phrase) (empty bool) {
	switch n.kind {
	case litNode:
		p.first = append(p.first, n.word)
		return false
	case slotNode:
		p.open = true
		return false
	case seqNode:
		for _, k := range n.kids {
			if !k.firsts(p) {
				return false
			}
		}
	case altNode:
		for _, k := range n.kids {
			empty = k.firsts(p) || empty
		}
		return empty
	}
	return true
}

// words appends the literal words of a pattern: the operation's vocabulary.
func (n *node) words(into map[string]bool) {
	if n.kind == litNode {
		into[n.word] = true
	}
	for _, k := range n.kids {
		k.words(into)
	}
}
