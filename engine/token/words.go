package token

// words remembers the tokens of short pieces, because texts, source code above all, repeat theirs. A
// piece has one place by its hash, which the last one there has.
type words [1 << wordBits]word

const wordBits = 13

// word is one cache line.
type word struct {
	text  [30]byte
	size  uint8
	count uint8
	ids   [8]int32
}

// word returns the place of a piece with this hash.
func (s *scratch) word(hash uint64) *word {
	if s.words == nil {
		s.words = new(words)
	}
	return &s.words[hash>>(64-wordBits)]
}

func (w *word) is(piece string) bool {
	return len(piece) == int(w.size) && string(w.text[:w.size]) == piece
}

func (w *word) keep(piece string, ids []int32) {
	if len(piece) <= len(w.text) && len(ids) <= len(w.ids) {
		w.size, w.count = uint8(len(piece)), uint8(len(ids))
		copy(w.text[:], piece)
		copy(w.ids[:], ids)
	}
}
