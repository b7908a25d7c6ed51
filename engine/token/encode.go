package token

import "sync/atomic"

// Options say how a text becomes tokens. The zero value is for text of users and of files.
type Options struct {
	// Special means that names of control tokens in the text become these tokens. User-defined
	// tokens, such as <tool_call>, are always found.
	Special bool
	BOS     bool // the text begins a prompt: a BOS token comes first if the vocabulary wants one
	EOS     bool // the text ends: an EOS token follows if the vocabulary wants one
	// Joined means that the text goes on from earlier text: no space goes before it. It matters
	// only for vocabularies of model llama.
	Joined bool
	// Stop is asked now and then while a long text is encoded; nil: never. When it has said true, what is
	// returned is of no use.
	Stop func() bool
}

// Encode appends the tokens of a text.
func (v *Vocabulary) Encode(dst []int32, text string, o Options) []int32 {
	if o.BOS && v.addBOS {
		dst = append(dst, v.begin)
	}
	s := v.scratch.Get().(*scratch)
	s.stop, s.stopped = o.Stop, false
	defer v.scratch.Put(s)
	first := !o.Joined || o.BOS && v.addBOS
	at := 0
	for _, m := range v.special.cut(text, o.Special) {
		dst = v.encodeText(dst, text[at:m.begin], first, s)
		dst = append(dst, m.id)
		at, first = m.end, true
	}
	dst = v.encodeText(dst, text[at:], first, s)
	if o.EOS && v.addEOS {
		dst = append(dst, v.end)
	}
	return dst
}

// encodeText appends the tokens of a text without special tokens. first means that no text is
// before it.
func (v *Vocabulary) encodeText(dst []int32, text string, first bool, s *scratch) []int32 {
	if text == "" {
		return dst
	}
	if v.sentences {
		return v.encodeSentence(dst, text, first, s)
	}
	text = repaired(text)
	for at := 0; at < len(text) && !s.over(); {
		end := v.pattern.next(text, at)
		dst = v.encodePiece(dst, text[at:end], s)
		at = end
	}
	return dst
}

// encodePiece appends the tokens of a piece. Most pieces are a token, which is found at once, and
// is right if its own text merges to it.
func (v *Vocabulary) encodePiece(dst []int32, piece string, s *scratch) []int32 {
	if len(piece) == 1 && !v.sentences {
		return append(dst, v.bytes[piece[0]])
	}
	hash := v.texts.hash(piece)
	if id := v.texts.findHashed(piece, hash); id != none && (v.pattern.whole || v.proved(id, piece, s)) {
		return append(dst, id)
	}
	w := s.word(hash)
	if w.is(piece) {
		return append(dst, w.ids[:w.count]...)
	}
	begin := len(dst)
	dst = v.appendMerged(dst, piece, s)
	w.keep(piece, dst[begin:])
	return dst
}

// appendMerged appends the tokens that a piece merges to.
func (v *Vocabulary) appendMerged(dst []int32, piece string, s *scratch) []int32 {
	v.mergePiece(piece, s)
	for _, m := range s.symbols {
		if m.id != none {
			dst = append(dst, m.id)
			continue
		}
		for _, b := range []byte(piece[m.begin:m.end]) {
			if id := v.bytes[b]; id != none {
				dst = append(dst, id)
			}
		}
	}
	return dst
}

// mergePiece leaves the tokens of a piece in the scratch.
func (v *Vocabulary) mergePiece(piece string, s *scratch) {
	s.symbols = s.symbols[:0]
	if v.sentences {
		v.characters(piece, s)
	} else {
		for i := range int32(len(piece)) {
			if (i+1)%unbroken == 0 && s.over() {
				break
			}
			s.symbols = append(s.symbols, symbol{i, i + 1, v.bytes[piece[i]]})
		}
	}
	s.merge(piece, v.merger)
}

// What is known about a token, in two bits of proofs.
const (
	proofUnknown = iota
	proofYes
	proofNo
)

// proved reports whether the text of a token merges to that token. Some vocabularies have tokens
// that no merge makes. The answer is kept; goroutines that ask at the same time find the same.
func (v *Vocabulary) proved(id int32, piece string, s *scratch) bool {
	word, shift := &v.proofs[id/16], id%16*2
	known := atomic.LoadUint32(word) >> shift & 3
	if known == proofUnknown {
		v.mergePiece(piece, s)
		known = proofNo
		if len(s.symbols) == 1 && s.symbols[0].id == id {
			known = proofYes
		}
		atomic.OrUint32(word, known<<shift)
	}
	return known == proofYes
}
