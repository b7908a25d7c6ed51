package fuzzy

import "strings"

// Query is the user's input, prepared for many names. It is not safe for concurrent use,
// because it reuses memory from one name to the next.
type Query struct {
	text  string // as typed, without spaces
	lower string
	set   set

	rows        [2]row
	now, before *row
}

// row holds the possible places of one letter of the query, each with the best score of a
// match that ends there. If a letter occurs very often, only the first places count.
type row struct {
	n     int
	at    [maxPlaces]int32
	score [maxPlaces]int32
}

const maxPlaces = 128

func (r *row) add(at, score int) {
	if r.n < maxPlaces {
		r.at[r.n], r.score[r.n] = int32(at), int32(score)
		r.n++
	}
}

// best returns the place with the highest score, the first of several.
func (r *row) best() (k int) {
	for i := range r.n {
		if r.score[i] > r.score[k] {
			k = i
		}
	}
	return k
}

// NewQuery prepares a query. It ignores spaces.
func NewQuery(text string) *Query {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, `\`, "/")), "")
	lower := fold(text)
	return &Query{text: text, lower: lower, set: setOf(lower)}
}

// Empty reports whether the query matches everything.
func (q *Query) Empty() bool { return q.text == "" }

// Score returns how well a name matches; ok is false when it does not.
func (q *Query) Score(n *Name) (score int, ok bool) {
	if q.set&^n.set != 0 {
		return 0, false
	}
	if q.text == "" {
		return 0, true
	}
	q.now = &q.rows[0]
	q.first(n)
	for i := 1; i < len(q.lower) && q.now.n > 0; i++ {
		q.now, q.before = &q.rows[i&1], q.now
		q.next(n, i)
	}
	if q.now.n == 0 {
		return 0, false
	}
	return int(q.now.score[q.now.best()]), true
}

// Bound returns an upper bound of the score of a name that has all letters of the query.
func (q *Query) Bound(n *Name) int {
	sum := len(q.lower)*(letter+sameCase+adjacent) - adjacent
	for i := range len(q.lower) {
		if k := number(q.lower[i]); k < letters {
			sum += int(n.tops[k])
		} else {
			sum += partStart + inLast
		}
	}
	return sum
}

// In reports whether a name has the letters of the query in order.
func (q *Query) In(n *Name) bool {
	rest := n.lower
	for i := range len(q.lower) {
		at := strings.IndexByte(rest, q.lower[i])
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// first finds the places of the first letter.
func (q *Query) first(n *Name) {
	q.now.n = 0
	for at := place(n.lower, q.lower[0], 0); at >= 0; at = place(n.lower, q.lower[0], at+1) {
		q.now.add(at, letter+n.bonus(at, q.text[0]))
	}
}

// next finds the places of letter i from those of the letter before. Both rows are sorted, so
// that one pass is enough: of the places before, it tracks the best score alone, for distant
// letters, and the best score with its place, for near ones.
func (q *Query) next(n *Name, i int) {
	b, k := q.before, 0
	q.now.n = 0
	near, far := impossible, impossible
	start := int(b.at[0]) + 1
	for at := place(n.lower, q.lower[i], start); at >= 0; at = place(n.lower, q.lower[i], at+1) {
		for ; k < b.n && int(b.at[k]) < at-1; k++ {
			near, far = max(near, int(b.score[k]+b.at[k])), max(far, int(b.score[k]))
		}
		best := max(near-(at-1), far-maxGap)
		if k < b.n && int(b.at[k]) == at-1 {
			best = max(best, int(b.score[k])+adjacent)
		}
		q.now.add(at, best+letter+n.bonus(at, q.text[i]))
	}
}

// place returns the index of a byte from an index on; -1 when it is missing.
func place(s string, c byte, from int) int {
	if i := strings.IndexByte(s[from:], c); i >= 0 {
		return from + i
	}
	return -1
}

// Match returns the byte offsets of the best match in a matching name.
func (q *Query) Match(n *Name) []int {
	if _, ok := q.Score(n); !ok || q.text == "" {
		return nil
	}
	rows := make([]row, len(q.lower))
	q.now = &rows[0]
	q.first(n)
	for i := 1; i < len(rows); i++ {
		q.now, q.before = &rows[i], q.now
		q.next(n, i)
	}
	return q.trail(n, rows)
}

// trail walks back from the best place of the last letter.
func (q *Query) trail(n *Name, rows []row) []int {
	out := make([]int, len(rows))
	i := len(rows) - 1
	k := rows[i].best()
	for ; i > 0; i-- {
		at := int(rows[i].at[k])
		out[i] = at
		want := int(rows[i].score[k]) - letter - n.bonus(at, q.text[i])
		before := &rows[i-1]
		for k = 0; int(before.score[k])+step(int(before.at[k]), at) != want; k++ {
		}
	}
	out[0] = int(rows[0].at[k])
	return out
}

// step is the score of the distance between two letters.
func step(before, at int) int {
	if at == before+1 {
		return adjacent
	}
	return -min(at-before-1, maxGap)
}
