package token

// symbol is a part of a piece while its neighbours are merged: at first a byte or a character, in
// the end a token, or what none stands for.
type symbol struct {
	begin, end int32 // in the piece
	id         int32 // none: no token
}

// merger knows which neighbours merge. The pair with the lowest rank goes first; of equal ranks,
// the left one.
type merger interface {
	of(piece string, left, right symbol) (rank uint32, id int32)
}

// join is a possible merge.
type join struct {
	rank uint32 // noRank: none
	id   int32
}

// scratch is memory of one call of Encode.
type scratch struct {
	symbols []symbol
	joins   []join // of each symbol with the next one
	long    long
	words   *words

	stop    func() bool // of Options
	stopped bool        // it has said so
	steps   int
}

// stepsBetween is how many pieces or merges are done before the next question whether to stop: a millisecond.
const stepsBetween = 1 << 12

// over reports whether to stop.
func (s *scratch) over() bool {
	if s.stop == nil || s.stopped {
		return s.stopped
	}
	if s.steps++; s.steps%stepsBetween == 0 {
		s.stopped = s.stop()
	}
	return s.stopped
}

// few is the number of symbols up to which looking at all of them for each merge is faster than
// a heap.
const few = 48

// merge merges the symbols of a piece as far as they go.
func (s *scratch) merge(piece string, m merger) {
	if len(s.symbols) > few {
		s.symbols = s.long.merge(piece, s.symbols, m, s)
		return
	}
	s.joins = s.joins[:0]
	for i := range len(s.symbols) - 1 {
		rank, id := m.of(piece, s.symbols[i], s.symbols[i+1])
		s.joins = append(s.joins, join{rank, id})
	}
	for {
		best := s.best()
		if best < 0 {
			return
		}
		s.symbols[best] = symbol{s.symbols[best].begin, s.symbols[best+1].end, s.joins[best].id}
		s.symbols = append(s.symbols[:best+1], s.symbols[best+2:]...)
		s.joins = append(s.joins[:best], s.joins[best+1:]...)
		for i := max(0, best-1); i <= best && i < len(s.joins); i++ {
			rank, id := m.of(piece, s.symbols[i], s.symbols[i+1])
			s.joins[i] = join{rank, id}
		}
	}
}

// best returns the join that goes first, or -1.
func (s *scratch) best() int {
	best, rank := -1, noRank
	for i, j := range s.joins {
		if j.rank < rank {
			best, rank = i, j.rank
		}
	}
	return best
}

// long merges many symbols: a linked list of them, and a heap of joins. A join in the heap may be
// stale; it then names ends that its symbols no longer have.
type long struct {
	symbols    []symbol // end 0: merged into the one before it
	prev, next []int32
	heap       []candidate
}

type candidate struct {
	join
	at          int32 // the left symbol
	middle, end int32 // where the left and the right one end
}

func (c candidate) before(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.at < d.at
}

// unbroken is the number of symbols up to which a piece is merged to its end: results of such pieces are kept.
const unbroken = 1 << 16

func (l *long) merge(piece string, symbols []symbol, m merger, s *scratch) []symbol {
	l.symbols = symbols
	l.prev, l.next, l.heap = l.prev[:0], l.next[:0], l.heap[:0]
	for i := range int32(len(symbols)) {
		if len(symbols) > unbroken && s.over() {
			return symbols
		}
		l.prev, l.next = append(l.prev, i-1), append(l.next, i+1)
		l.propose(piece, i-1, i, m)
	}
	for len(l.heap) > 0 && (len(symbols) <= unbroken || !s.over()) {
		l.take(piece, l.pop(), m)
	}
	kept := symbols[:0]
	for at := int32(0); at < int32(len(symbols)); at = l.next[at] {
		kept = append(kept, symbols[at])
	}
	return kept
}

// take carries out a join that is not stale.
func (l *long) take(piece string, c candidate, m merger) {
	left := &l.symbols[c.at]
	right := l.next[c.at]
	if left.end != c.middle || right >= int32(len(l.symbols)) || l.symbols[right].end != c.end {
		return
	}
	left.end, left.id = c.end, c.id
	l.symbols[right].end = 0
	after := l.next[right]
	l.next[c.at] = after
	if after < int32(len(l.symbols)) {
		l.prev[after] = c.at
		l.propose(piece, c.at, after, m)
	}
	l.propose(piece, l.prev[c.at], c.at, m)
}

// propose adds the join of two neighbours to the heap, if they merge.
func (l *long) propose(piece string, left, right int32, m merger) {
	if left < 0 {
		return
	}
	a, b := l.symbols[left], l.symbols[right]
	rank, id := m.of(piece, a, b)
	if rank != noRank {
		l.push(candidate{join{rank, id}, left, a.end, b.end})
	}
}

func (l *long) push(c candidate) {
	l.heap = append(l.heap, c)
	at := len(l.heap) - 1
	for at > 0 {
		above := (at - 1) / 2
		if !c.before(l.heap[above]) {
			break
		}
		l.heap[at] = l.heap[above]
		at = above
	}
	l.heap[at] = c
}

func (l *long) pop() candidate {
	first, last := l.heap[0], l.heap[len(l.heap)-1]
	l.heap = l.heap[:len(l.heap)-1]
	n := len(l.heap)
	if n == 0 {
		return first
	}
	at := 0
	for {
		below := 2*at + 1
		if below >= n {
			break
		}
		if below+1 < n && l.heap[below+1].before(l.heap[below]) {
			below++
		}
		if !l.heap[below].before(last) {
			break
		}
		l.heap[at] = l.heap[below]
		at = below
	}
	l.heap[at] = last
	return first
}
