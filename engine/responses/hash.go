package responses

import (
	"hash/maphash"

	"waferpair/engine/model"
)

var seed = maphash.MakeSeed()

// Said is an item of a conversation, as far as it can be recognised again.
type Said struct {
	Hash    uint64
	Thought bool // reasoning, which a conversation may leave out later
}

// SaidBy returns what items say.
func SaidBy(items []model.Item) []Said {
	out := make([]Said, len(items))
	for n, i := range items {
		out[n] = Said{Hash(i), i.Kind == model.Reasoning}
	}
	return out
}

// Hash identifies what an item says within this process: two items with one hash are the
// same to a model. Its id, opaque fields, the status, and how its text is divided are not in it:
// a conversation that is read from a store has none of them.
func Hash(i model.Item) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	put := func(s string) {
		_, _ = h.WriteString(s) // a hash never fails
		_ = h.WriteByte(0)
	}
	for _, s := range []string{string(i.Kind), i.Role, i.CallID, i.Name, i.Input} {
		put(s)
	}
	for _, p := range i.Parts {
		if p.File != "" {
			put(string(p.Kind))
			put(p.File)
		}
		_, _ = h.WriteString(p.Text) // nor here
	}
	if len(i.Parts) == 0 && i.Input == "" {
		put(string(i.Opaque))
	}
	return h.Sum64()
}

// shown is what was emitted of a part: enough to compare it with the whole text, and no
// more.
type shown struct {
	kind  model.PartKind
	index int // as the server counts: content and summary parts each from 0
	n     int
	hash  maphash.Hash
}

func newShown(kind model.PartKind, index int) *shown {
	s := &shown{kind: kind, index: index}
	s.hash.SetSeed(seed)
	return s
}

func (s *shown) add(text string) {
	s.n += len(text)
	_, _ = s.hash.WriteString(text) // a hash never fails
}

// rest returns what of the whole text was not shown yet; false when what was shown is not
// its beginning.
func (s *shown) rest(whole string) (string, bool) {
	if len(whole) < s.n || maphash.String(seed, whole[:s.n]) != s.hash.Sum64() {
		return "", false
	}
	return whole[s.n:], true
}
