package spark

import (
	"strings"
	"unicode/utf8"

	"waferpair/engine/refactor/words"
)

// matcher matches patterns against one request, with backtracking: every way
// in which a pattern matches is reported, so that a second reading is noticed.
// steps bounds the work over the whole request.
type matcher struct {
	src   string
	files *fileIndex
	steps int
	verb  int // where the request proper begins, behind the courtesy
	far   int // the furthest position at which something was still expected

	best       reading // the one that gets furthest into the request
	completing bool    // what is missing at the end counts as there

	refused refusal // the clause furthest into the request that a check refused
}

// refusal is a clause that was read and cannot be meant.
type refusal struct {
	end    int
	clause clause
	why    string
}

const maxSteps = 400_000

// state is a point in a match. fillers counts the articles skipped on the way:
// of two readings, the one that takes more words for meaningful ones is right
// ("add parameter a int": the parameter is a, not int).
type state struct {
	pos     int
	fillers int
	named   bool   // a noun or a name was the last thing: no article can follow
	noun    string // the noun that announces a name, when it was the last thing
	prep    bool   // a preposition was the last thing
	caps    *capture
	lack    *lack // what was supposed at the end of the request
}

// capture is a persistent list, so that backtracking costs nothing.
type capture struct {
	arg, val string
	next     *capture
}

func (c *capture) get(arg string) (string, bool) {
	for ; c != nil; c = c.next {
		if c.arg == arg {
			return c.val, true
		}
	}
	return "", false
}

// match calls yield for every way in which n matches at s.
func (m *matcher) match(n *node, s state, yield func(state)) {
	if m.steps++; m.steps > maxSteps {
		return
	}
	switch n.kind {
	case litNode:
		m.literal(n, s, yield)
	case seqNode:
		m.sequence(n.kids, s, yield)
	case altNode:
		for _, k := range n.kids {
			m.match(k, s, yield)
		}
	case setNode:
		m.bind(n.word, n.val, s, yield)
	case slotNode:
		m.slot(n, s, yield)
	}
}

func (m *matcher) sequence(kids []*node, s state, yield func(state)) {
	switch len(kids) {
	case 0:
		yield(s)
	case 1:
		m.match(kids[0], s, yield)
	default:
		m.match(kids[0], s, func(s state) { m.sequence(kids[1:], s, yield) })
	}
}

// bind refuses an argument that is given twice: one of the two would be lost.
func (m *matcher) bind(arg, val string, s state, yield func(state)) {
	if _, twice := s.caps.get(arg); twice {
		return
	}
	s.caps = &capture{arg, val, s.caps}
	yield(s)
}

func (m *matcher) literal(n *node, s state, yield func(state)) {
	if n.word == "'s" {
		if end, ok := possessive(m.src, s.pos); ok {
			s.pos = end
			yield(s)
		}
		return
	}
	try := func(s state) {
		if end, ok := literalEnd(m.src, s.pos, n.word); ok {
			s.pos, s.named, s.noun, s.prep = end, nouns[n.word], announcing(n.word), prepositions[n.word]
			yield(s)
			return
		}
		m.expected(s.pos)
		m.suppose(n, s, yield)
	}
	if s.named || prepositions[n.word] {
		s.pos = skipSpace(m.src, s.pos)
		try(s)
		return
	}
	m.withArticles(s, try)
}

func (m *matcher) slot(n *node, s state, yield func(state)) {
	first := skipSpace(m.src, s.pos)
	try := func(s state) {
		found := n.scan(m, s.pos)
		if s.noun != "" && n.role != noName { // "the function this": a name, and nothing to point at
			found = namesOnly(found)
		}
		if len(found) == 0 {
			found = m.announced(n, s, s.pos > first)
		}
		if n.named && indefinite[strings.ToLower(wordAt(m.src, first))] && s.pos > first {
			found = m.beforeNoun(found)
		}
		if len(found) == 0 {
			m.expected(s.pos)
			m.suppose(n, s, func(t state) { m.bind(n.word, "?", t, yield) })
		}
		for _, f := range found {
			t := s
			t.pos, t.named, t.noun, t.prep = f.end, true, "", false
			m.bind(n.word, f.val, t, yield)
		}
	}
	if n.bare || s.named {
		s.pos = skipSpace(m.src, s.pos)
		try(s)
		return
	}
	m.withArticles(s, try)
}

func namesOnly(fs []found) []found {
	return keep(fs, func(f found) bool { return !isPointer(f.val) })
}

// indefinite articles stand before a name only when a noun or a type follows: "a
// timeout parameter", "a size int"; nobody writes "rename a timeout to limit".
var indefinite = words.Set("a an")

func (m *matcher) beforeNoun(fs []found) []found {
	return keep(fs, func(f found) bool {
		next := wordAt(m.src, skipSpace(m.src, f.end))
		if strings.HasPrefix(m.src[f.end:], "=") {
			return true
		}
		return nouns[strings.ToLower(next)] || builtinTypes[next] ||
			strings.Contains(dotted(m.src[skipSpace(m.src, f.end):]), ".")
	})
}

// withArticles tries at s, and again past each article that stands there.
func (m *matcher) withArticles(s state, try func(state)) {
	s.pos = skipSpace(m.src, s.pos)
	try(s)
	for range 2 {
		w := wordAt(m.src, s.pos)
		if w == "" || !articles[strings.ToLower(w)] {
			return
		}
		s.pos = skipSpace(m.src, s.pos+len(w))
		s.fillers++
		try(s)
	}
}

// announcing is the word when a name may be expected behind it.
func announcing(word string) string {
	if explicitNouns[word] {
		return word
	}
	return ""
}

func (m *matcher) understood(r reading) {
	if r.pos > m.best.pos {
		m.best = r
	}
}

func (m *matcher) refuse(end int, c clause, why string) {
	if end > m.refused.end {
		m.refused = refusal{end, c, why}
	}
}

func (m *matcher) expected(pos int) {
	m.far = max(m.far, pos)
}

// literalEnd matches a word of a pattern at pos; the word must end there.
func literalEnd(src string, pos int, word string) (int, bool) {
	end := pos + len(word)
	if end > len(src) || !strings.EqualFold(src[pos:end], word) {
		return 0, false
	}
	last, _ := utf8.DecodeLastRuneInString(word)
	if isNameRune(last) && !endsWord(src, end) {
		return 0, false
	}
	return end, true
}

// endsWord reports whether a word may end at pos: the next rune does not
// continue it, not even across the joint of log.Println, re-use or don't.
func endsWord(src string, pos int) bool {
	r, n := utf8.DecodeRuneInString(src[pos:])
	if n == 0 {
		return true
	}
	if isNameRune(r) {
		return false
	}
	if strings.ContainsRune(".-/'@", r) {
		after, n := utf8.DecodeRuneInString(src[pos+1:])
		return n == 0 || !isNameRune(after)
	}
	return !strings.ContainsRune("`\"({[<", r)
}

// possessive matches the 's of Server's.
func possessive(src string, pos int) (int, bool) {
	if strings.HasPrefix(src[pos:], "'s") && endsWord(src, pos+2) {
		return pos + 2, true
	}
	return 0, false
}

func skipSpace(src string, pos int) int {
	for pos < len(src) && isSpace(src[pos]) {
		pos++
	}
	return pos
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// wordAt is the run of letters, digits and inner apostrophes at pos.
func wordAt(src string, pos int) string {
	end := pos
	for end < len(src) {
		r, n := utf8.DecodeRuneInString(src[end:])
		if !isNameRune(r) && (r != '\'' || end == pos) {
			break
		}
		end += n
	}
	return strings.TrimRight(src[pos:end], "'")
}
