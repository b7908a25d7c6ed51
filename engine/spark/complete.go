package spark

import (
	"fmt"
	"strings"
)

// A request that stops too early is told what it lacks: the phrases are matched
// again, and at the end of the request every word and every name that a phrase
// still wants counts as there, and missing. The shortest list of missing things
// is what is said.

// lack is a persistent list of what a match had to suppose.
type lack struct {
	what string
	word bool // a word of the phrase, not a name or a value
	next *lack
}

// cost ranks the lists: the shorter, and of two as long the one with fewer mere words.
func (l *lack) cost() int {
	n := 0
	for ; l != nil; l = l.next {
		if n += 2; l.word {
			n++
		}
	}
	return n
}

// named reports whether more than words is missing: "remove X" does not lack "import".
func (l *lack) named() bool {
	for ; l != nil; l = l.next {
		if !l.word {
			return true
		}
	}
	return false
}

const maxLacking = 3

func (l *lack) count() int {
	n := 0
	for ; l != nil; l = l.next {
		n++
	}
	return n
}

// suppose lets n match at the end of the request, when the request is being completed.
func (m *matcher) suppose(n *node, s state, yield func(state)) {
	if !m.completing || skipSpace(m.src, s.pos) < len(m.src) || s.lack.count() >= maxLacking {
		return
	}
	if n.kind == litNode {
		s.lack = &lack{what: quoteText(n.word), word: true, next: s.lack}
	} else {
		s.lack = &lack{what: describe(n.word), next: s.lack}
	}
	yield(s)
}

// describe says what an argument is, as part of a sentence.
func describe(arg string) string {
	switch arg {
	case "to":
		return "the new name"
	case "symbol", "from", "a", "b":
		return "a name"
	case "func", "@owner", "@where":
		return "the function's name"
	case "type":
		return "the type's name"
	case "fieldtype":
		return "the type"
	case "value":
		return "the value"
	case "expr":
		return "the expression"
	case "text":
		return "the text"
	case "path":
		return "the package or module"
	case "@file":
		return "the file"
	case "@from", "@to", "position":
		return "a number"
	}
	return "the name"
}

// missing says what the request lacks at its end, or "" when that is not what is wrong with it.
func (m *matcher) missing(g *grammar) string {
	c := &matcher{src: strings.TrimRight(m.src, " \t\n.!?,;"), files: m.files, completing: true, steps: maxSteps * 3 / 4}
	var best *lack
	least := 1 << 10
	c.match(g.opening, state{}, func(s state) {
		begin := c.beginning(s.pos)
		s.caps = nil
		for _, op := range g.ops {
			for _, p := range op.full {
				if s.lack != nil || begin[0] == "" || !p.mayBegin(begin) || p.open && !p.begins(begin) {
					continue
				}
				c.match(p.node, s, func(s state) {
					if n := s.lack.cost(); skipSpace(c.src, s.pos) == len(c.src) && s.lack.named() && n < least {
						best, least = s.lack, n
					}
				})
			}
		}
	})
	if best == nil {
		return ""
	}
	return best.sentence(lastWord(c.src))
}

// begins reports whether the phrase begins with one of the words itself.
func (p phrase) begins(begin []string) bool {
	q := p
	q.open = false
	return q.mayBegin(begin)
}

// sentence says what is missing: `the new name is missing after "to"`.
func (l *lack) sentence(after string) string {
	var parts []string
	for ; l != nil; l = l.next {
		parts = append([]string{l.what}, parts...)
	}
	verb := "is"
	if len(parts) > 1 {
		verb = "are"
	}
	list := parts[len(parts)-1]
	if len(parts) > 1 {
		list = strings.Join(parts[:len(parts)-1], ", ") + " and " + list
	}
	return fmt.Sprintf("%s %s missing after %s", list, verb, quoteText(after))
}

func lastWord(src string) string {
	i := strings.LastIndexAny(src, " \t\n")
	return clip(src[i+1:])
}
