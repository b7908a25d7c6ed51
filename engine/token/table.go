package token

import (
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
)

// none stands for no token.
const none int32 = -1

// texts finds the token of a text: an open-addressing table of ids, whose texts are in one
// string. The hash is seeded, so no file can make its texts collide.
type texts struct {
	all   *arena
	slots []slot // a power of two, at most two thirds full
	seed  maphash.Seed
}

type slot struct {
	tag uint32 // of the hash
	id  int32  // none: empty
}

func newTexts(all *arena, n int) *texts {
	t := &texts{all: all, slots: make([]slot, tableSize(n)), seed: maphash.MakeSeed()}
	for i := range t.slots {
		t.slots[i].id = none
	}
	return t
}

// tableSize returns the power of two that leaves a third of a table of n entries empty.
func tableSize(n int) int { return 1 << bits.Len(uint(n+n/2+1)) }

// add adds a token; it returns false and the other one when a token has the same text.
func (t *texts) add(id int32) (other int32, ok bool) {
	text := t.all.at(id)
	at, tag := t.place(t.hash(text))
	for ; t.slots[at].id != none; at = (at + 1) & (len(t.slots) - 1) {
		if s := t.slots[at]; s.tag == tag && t.all.at(s.id) == text {
			return s.id, false
		}
	}
	t.slots[at] = slot{tag, id}
	return none, true
}

// find returns the token of a text, or none.
func (t *texts) find(text string) int32 { return t.findHashed(text, t.hash(text)) }

func (t *texts) findHashed(text string, hash uint64) int32 {
	at, tag := t.place(hash)
	for ; ; at = (at + 1) & (len(t.slots) - 1) {
		s := t.slots[at]
		if s.id == none || s.tag == tag && t.all.at(s.id) == text {
			return s.id
		}
	}
}

func (t *texts) hash(text string) uint64 { return maphash.String(t.seed, text) }

func (t *texts) place(hash uint64) (at int, tag uint32) {
	return int(hash) & (len(t.slots) - 1), uint32(hash >> 32)
}

// arena is texts in one string.
type arena struct {
	text string
	ends []uint32
}

func (s *arena) at(id int32) string {
	begin := uint32(0)
	if id > 0 {
		begin = s.ends[id-1]
	}
	return s.text[begin:s.ends[id]]
}

// pairs finds the merge of two tokens. The factor of the hash is random and odd, so no file can
// make its pairs collide.
type pairs struct {
	slots  []pair // a power of two, at most two thirds full
	factor uint64
	shift  int
}

type pair struct {
	key  uint64 // noPair: empty
	rank uint32 // the lower one merges first
	id   int32  // of the join
}

const (
	noPair = ^uint64(0)
	noRank = ^uint32(0)
)

func newPairs(n int) *pairs {
	p := &pairs{slots: make([]pair, tableSize(n)), factor: rand.Uint64() | 1}
	p.shift = 64 - bits.TrailingZeros(uint(len(p.slots)))
	for i := range p.slots {
		p.slots[i].key = noPair
	}
	return p
}

func pairKey(left, right int32) uint64 { return uint64(uint32(left))<<32 | uint64(uint32(right)) }

// place returns the slot of a pair: its own, or the empty one where it would be.
func (p *pairs) place(key uint64) *pair {
	for at := key * p.factor >> p.shift; ; at = (at + 1) & uint64(len(p.slots)-1) {
		if s := &p.slots[at]; s.key == key || s.key == noPair {
			return s
		}
	}
}

// add adds a merge, unless the pair has one of a lower rank.
func (p *pairs) add(left, right int32, rank uint32, id int32) {
	if s := p.place(pairKey(left, right)); s.key == noPair {
		*s = pair{pairKey(left, right), rank, id}
	}
}

func (p *pairs) find(left, right int32) (rank uint32, id int32) {
	if s := p.place(pairKey(left, right)); s.key != noPair {
		return s.rank, s.id
	}
	return noRank, none
}
