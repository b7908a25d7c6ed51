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
	role  nameRole
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

// compiler reads a pattern token by token.
type compiler struct {
	src    string
	tok    string // the token at hand, "" at the end
	open   []*node
	macros *macroSet
}

// macroSet compiles each macro when it is first used, and once. It also holds
// the nodes, in blocks: there are thousands, and they live as long as it does.
type macroSet struct {
	patterns map[string]string
	nodes    map[string]*node
	block    []node
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

func (s *macroSet) add(n node) *node {
	if len(s.block) == cap(s.block) {
		s.block = make([]node, 0, 512)
	}
	s.block = append(s.block, n)
	return &s.block[len(s.block)-1]
}

// compile turns a pattern into its tree. A mistake in a pattern is our own bug
// and found by every test, so it panics.
func compile(pattern string, macros *macroSet) *node {
	c := &compiler{src: pattern, macros: macros}
	c.next()
	n := c.alternatives()
	if c.tok != "" {
		panic(fmt.Sprintf("spark: pattern %q: unexpected %q", pattern, c.tok))
	}
	return n
}

// next steps to the next token, a bracket, a bar or a word, and returns the one before.
func (c *compiler) next() string {
	before := c.tok
	c.src = strings.TrimLeft(c.src, " \t\n")
	end := strings.IndexAny(c.src, " \t\n()[]|")
	switch end {
	case -1:
		end = len(c.src)
	case 0:
		end = 1
	}
	c.tok, c.src = c.src[:end], c.src[end:]
	return before
}

func (c *compiler) alternatives() *node {
	mark := len(c.open)
	for {
		c.open = append(c.open, c.sequence())
		if c.tok != "|" {
			return c.close(mark, altNode)
		}
		c.next()
	}
}

func (c *compiler) sequence() *node {
	mark := len(c.open)
	for {
		switch t := c.tok; t {
		case "", "|", ")", "]":
			return c.close(mark, seqNode)
		case "(", "[":
			c.next()
			c.open = append(c.open, c.group(t == "["))
		default:
			c.open = append(c.open, c.atom(c.next()))
		}
	}
}

// close makes one node of those that were opened since the mark.
func (c *compiler) close(mark int, kind nodeKind) *node {
	kids := c.open[mark:]
	c.open = c.open[:mark]
	if len(kids) == 1 {
		return kids[0]
	}
	return c.macros.add(node{kind: kind, kids: append([]*node(nil), kids...)})
}

func (c *compiler) group(optional bool) *node {
	n := c.alternatives()
	if c.tok != ")" && c.tok != "]" {
		panic("spark: pattern: a bracket is not closed")
	}
	c.next()
	if optional {
		return c.macros.add(node{kind: altNode, kids: []*node{n, nothing}})
	}
	return n
}

func (c *compiler) atom(t string) *node {
	switch {
	case t[0] == '@':
		return c.macros.node(t[1:])
	case t[0] == '<' && strings.HasSuffix(t, ">") && len(t) > 2:
		return c.macros.add(slotOrSetting(t[1 : len(t)-1]))
	}
	return c.macros.add(node{kind: litNode, word: strings.ToLower(t)})
}

// nothing is what an optional part may be.
var nothing = &node{kind: seqNode}

func slotOrSetting(t string) node {
	if arg, val, ok := strings.Cut(t, "="); ok {
		return node{kind: setNode, word: arg, val: val}
	}
	arg, kind, _ := strings.Cut(t, ":")
	scan, ok := slots[kind]
	if !ok {
		panic("spark: pattern: no kind of slot " + t)
	}
	return node{kind: slotNode, word: arg, scan: scan, bare: noArticle[kind], named: kind != "plaintype" &&
		kind != "dashed",
		role: roles[kind]}
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
	case setNode:
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
