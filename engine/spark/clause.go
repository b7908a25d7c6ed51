package spark

import (
	"cmp"
	"slices"
	"strings"
)

// operation is one entry of the grammar: how one of refactor.Ops is asked for.
type operation struct {
	name    string
	phrases []string // full requests
	more    []string // what may follow after "and": rename a to b *and c to d*
	share   []string // arguments that "more" takes over from the clause before
	say     func(args) string
	check   func(args, *capture) string // refuses a reading: says why, or ""
	pointed string                      // the argument that a selection can stand for

	full, next []phrase
}

// reading is one way to understand a beginning of the request: the clauses up to pos.
type reading struct {
	state
	clauses []clause
}

// clause is one operation as it was read, with its own captures.
type clause struct {
	op   *operation
	args args
	caps *capture // everything that was captured, the @ ones too
}

const (
	maxReadings = 16
	maxClauses  = 20
)

// readings understands the whole request in every way that the grammar allows.
// It works through the positions from left to right: at each one that a clause
// can end at, it keeps the distinct readings that lead there.
func (m *matcher) readings(g *grammar) []reading {
	open := map[int][]reading{0: {{}}}
	var complete []reading
	for len(open) > 0 && m.steps <= maxSteps {
		pos := lowest(open)
		for _, r := range open[pos] {
			for _, next := range m.clauses(g, r) {
				if atEnd(m.src, next.pos) {
					complete = addReading(complete, next)
				} else if end, ok := joinerEnd(m.src, next.pos); ok && len(next.clauses) < maxClauses {
					next.pos = end
					open[end] = addReading(open[end], next)
				}
			}
		}
		delete(open, pos)
	}
	return complete
}

func lowest(open map[int][]reading) int {
	first := -1
	for pos := range open {
		if first < 0 || pos < first {
			first = pos
		}
	}
	return first
}

// addReading keeps one reading of each program, and of the programs those that
// took the fewest words for filler.
func addReading(rs []reading, r reading) []reading {
	if len(rs) > 0 && r.fillers > rs[0].fillers {
		return rs
	}
	if len(rs) > 0 && r.fillers < rs[0].fillers {
		return []reading{r}
	}
	for _, other := range rs {
		if other.same(r) {
			return rs
		}
	}
	if len(rs) == maxReadings {
		return rs
	}
	return append(rs, r)
}

func (r reading) same(o reading) bool {
	return slices.EqualFunc(r.clauses, o.clauses, func(a, b clause) bool {
		return a.op == b.op && a.args.equal(b.args) && sameTarget(a.caps, b.caps)
	})
}

func sameTarget(a, b *capture) bool {
	for _, key := range targetKeys {
		va, _ := a.get(key)
		if vb, _ := b.get(key); va != vb {
			return false
		}
	}
	return true
}

// clauses extends a reading by one clause in every way.
func (m *matcher) clauses(g *grammar, r reading) []reading {
	var all []reading
	start := r.state
	start.caps = nil
	m.match(g.opening, start, func(s state) {
		begin := m.beginning(s.pos)
		if len(r.clauses) == 0 {
			m.verb = max(m.verb, s.pos)
		}
		for _, op := range g.ops {
			for _, p := range op.full {
				if p.mayBegin(begin) {
					all = m.phrase(g, r, op, p, s, all)
				}
			}
		}
	})
	if n := len(r.clauses); n > 0 {
		op := r.clauses[n-1].op
		for _, p := range op.next {
			all = m.phrase(g, r, op, p, start, all)
		}
	}
	return all
}

// phrase matches one phrase and what may close a clause.
func (m *matcher) phrase(g *grammar, r reading, op *operation, p phrase, s state, all []reading) []reading {
	m.match(p.node, s, func(s state) {
		m.match(g.closing, s, func(s state) {
			c := clause{op: op, args: argsOf(s.caps), caps: s.caps}
			if len(r.clauses) > 0 {
				c.takeOver(r.clauses[len(r.clauses)-1], op.share)
			}
			if why := c.refusal(); why != "" {
				m.refuse(s.pos, c, why)
				return
			}
			next := reading{state: s, clauses: append(slices.Clip(r.clauses), c)}
			m.understood(next)
			all = append(all, next)
		})
	})
	return all
}

// refusal is why a clause cannot be meant as it was read, or "".
func (c *clause) refusal() string {
	if c.op.check == nil {
		return ""
	}
	return c.op.check(c.args, c.caps)
}

// phrase is a compiled phrasing, with the words that it can begin with, so
// that most phrases are ruled out without being tried.
type phrase struct {
	*node
	first []string
	open  bool // it can begin with a name
}

func newPhrase(n *node) phrase {
	p := phrase{node: n}
	n.firsts(&p)
	return p
}

// beginning lists what a phrase at pos may begin with: the text from the first
// word on, and from the words behind articles.
func (m *matcher) beginning(pos int) []string {
	var begin []string
	for range 3 {
		pos = skipSpace(m.src, pos)
		w := wordAt(m.src, pos)
		begin = append(begin, strings.ToLower(w))
		if !articles[strings.ToLower(w)] {
			break
		}
		pos += len(w)
	}
	return begin
}

func (p phrase) mayBegin(begin []string) bool {
	return p.open || slices.ContainsFunc(begin, func(w string) bool { return slices.Contains(p.first, w) })
}

// takeOver completes "and c" by the arguments of the clause before it. A full
// phrase has all that it needs and takes nothing.
func (c *clause) takeOver(before clause, share []string) {
	if _, short := c.args["@more"]; !short {
		return
	}
	delete(c.args, "@more")
	for _, arg := range share {
		if v, ok := before.args[arg]; ok && c.args[arg] == "" {
			c.args[arg] = v
		}
	}
}

// joiners stand between two clauses; the longer come first.
var joiners = []string{"and then also", "and then", "and also", "and finally", "and after that", "after that",
	"then also", "and", "then", "also", "afterwards", "plus"}

// joinerEnd steps over what joins two clauses: "and", ", then", ";", a line's end.
func joinerEnd(src string, pos int) (int, bool) {
	p := pos
	for p < len(src) && (src[p] == ' ' || src[p] == '\t' || src[p] == '\r') {
		p++
	}
	punct := p
	for p < len(src) && strings.IndexByte(",;.\n", src[p]) >= 0 {
		p = skipSpace(src, p+1)
	}
	joined := p > punct && (src[punct] == '\n' || p == len(src) || isSpace(src[p-1]))
	if p == pos && !joined {
		return pos, false // a joiner must not be glued to the word before it
	}
	p = skipBullet(src, p, joined)
	for _, j := range joiners {
		if end, ok := phraseEnd(src, p, j); ok {
			return skipComma(src, end), true
		}
	}
	return p, joined
}

// phraseEnd matches several words with any space between them.
func phraseEnd(src string, pos int, words string) (int, bool) {
	for _, w := range strings.Fields(words) {
		end, ok := literalEnd(src, skipSpace(src, pos), w)
		if !ok {
			return pos, false
		}
		pos = end
	}
	return pos, true
}

func skipComma(src string, pos int) int {
	p := skipSpace(src, pos)
	if strings.HasPrefix(src[p:], ",") {
		return skipSpace(src, p+1)
	}
	return p
}

// skipBullet steps over the "- " or "2. " of a list, at the beginning of a line.
func skipBullet(src string, pos int, lineStart bool) int {
	if !lineStart || pos == 0 || !strings.Contains(src[max(0, pos-8):pos], "\n") {
		return pos
	}
	p := pos
	for p < len(src) && src[p] >= '0' && src[p] <= '9' {
		p++
	}
	if p < len(src) && (p > pos && (src[p] == '.' || src[p] == ')') || p == pos && (src[p] == '-' || src[p] == '*')) &&
		p+1 < len(src) && src[p+1] == ' ' {
		return skipSpace(src, p+1)
	}
	return pos
}

// atEnd reports whether nothing but closing punctuation is left.
func atEnd(src string, pos int) bool {
	rest := strings.TrimSpace(src[pos:])
	return strings.Trim(rest, ".!?;, \n") == "" && len(rest) <= 3
}

// args are an operation's arguments as they were read.
type args map[string]string

func argsOf(c *capture) args {
	a := args{}
	for ; c != nil; c = c.next {
		if c.arg[0] != '@' || c.arg == "@more" {
			a[c.arg] = c.val
		}
	}
	return a
}

func (a args) equal(b args) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}

func (a args) keys() []string {
	keys := make([]string, 0, len(a))
	for k := range a {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, cmp.Compare)
	return keys
}
