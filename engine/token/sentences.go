package token

import (
	"fmt"
	"slices"
	"strings"

	"waferpair/engine/gguf"
)

// blank is how vocabularies of model llama write a space.
const blank = "\u2581"

// scores is the merger of model llama: neighbours merge when their join is a token, and the one
// with the highest score goes first.
type scores struct {
	texts   *texts
	ranks   []uint32 // of each token; equal scores have equal ranks
	longest int      // bytes of the longest token
}

func (s *scores) of(piece string, left, right symbol) (rank uint32, id int32) {
	if int(right.end-left.begin) > s.longest {
		return noRank, none
	}
	id = s.texts.find(piece[left.begin:right.end])
	if id == none {
		return noRank, none
	}
	return s.ranks[id], id
}

// loadSentences reads what is particular to model llama.
func (v *Vocabulary) loadSentences(f *gguf.File) error {
	v.setPieces(func(b []byte, name string) []byte { return append(b, strings.ReplaceAll(name, blank, " ")...) })
	list, err := numbersOf(f, scoresKey, len(v.kinds))
	if err != nil {
		return err
	}
	if list == nil {
		list = make([]float64, len(v.kinds))
	}
	s := &scores{texts: newTexts(&v.names, len(v.kinds)), ranks: ranked(list)}
	v.cuts = true
	for id := range int32(len(v.kinds)) {
		if list[id] != list[id] {
			return fmt.Errorf("the score of token %d is no number", id)
		}
		switch v.kinds[id] {
		case control, unknown, byteToken:
			continue
		}
		name := v.names.at(id)
		if other, ok := s.texts.add(id); !ok {
			return fmt.Errorf("tokens %d and %d are both %q", other, id, name)
		}
		s.longest = max(s.longest, len(name))
		v.cuts = v.cuts && !strings.Contains(strings.TrimLeft(name, blank), blank)
		for i := range len(name) {
			v.inner[name[i]] = v.inner[name[i]] || len(name) > 1
		}
	}
	v.texts, v.merger = s.texts, s
	if v.prefix, err = value(f, prefixKey, true); err != nil {
		return err
	}
	return v.loadBytes()
}

// ranked returns the place of each score in the order of all, the highest first.
func ranked(list []float64) []uint32 {
	order := make([]int32, len(list))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		switch {
		case list[a] > list[b]:
			return -1
		case list[a] < list[b]:
			return 1
		}
		return 0
	})
	ranks := make([]uint32, len(list))
	for i, id := range order {
		if ranks[id] = uint32(i); i > 0 && list[id] == list[order[i-1]] {
			ranks[id] = ranks[order[i-1]]
		}
	}
	return ranks
}

// loadBytes finds the tokens for bytes of characters that have no token.
func (v *Vocabulary) loadBytes() error {
	for b := range v.bytes {
		v.bytes[b] = v.texts.find(string([]byte{byte(b)}))
	}
	for id := range int32(len(v.kinds)) {
		if b, ok := byteOf(v.names.at(id)); ok && v.kinds[id] != control {
			v.bytes[b] = id
		}
	}
	for b := range v.bytes {
		if v.bytes[b] == none {
			v.bytes[b] = v.unknown
		}
		if v.bytes[b] == none {
			return fmt.Errorf("no token stands for the byte %#02x, nor for what is unknown: texts with it would lose it", b)
		}
	}
	return nil
}

// encodeSentence appends the tokens of a text without special tokens.
func (v *Vocabulary) encodeSentence(dst []int32, words string, first bool, s *scratch) []int32 {
	if first && v.prefix {
		words = " " + words
	}
	words = strings.ReplaceAll(words, " ", blank)
	for words != "" && !s.over() {
		end := len(words)
		if v.cuts {
			end = v.endOfWord(words)
		}
		dst = v.encodePiece(dst, words[:end], s)
		words = words[end:]
	}
	return dst
}

// endOfWord returns the end of the blanks and of what follows them up to the next blank, or up to a byte
// that is in no token with others, such as a newline. It goes in steps of characters, so that a blank inside
// broken characters is none.
func (v *Vocabulary) endOfWord(words string) int {
	at := 0
	for strings.HasPrefix(words[at:], blank) {
		at += len(blank)
	}
	for at < len(words) {
		lead := words[at]
		switch {
		case lead < 0x80 && !v.inner[lead]:
			return max(1, at)
		case strings.HasPrefix(words[at:], blank):
			return at
		}
		at += sizeOf(lead)
	}
	return len(words)
}

// sizeOf returns the number of bytes of a character by its first one, as llama.cpp counts them
// (unicode_len_utf8).
func sizeOf(lead byte) int {
	switch {
	case lead < 0xC0:
		return 1
	case lead < 0xE0:
		return 2
	case lead < 0xF0:
		return 3
	}
	return 4
}

// characters cuts a piece into its characters, without a check of them.
func (v *Vocabulary) characters(piece string, s *scratch) {
	for at := 0; at < len(piece); {
		end := min(len(piece), at+sizeOf(piece[at]))
		s.symbols = append(s.symbols, symbol{int32(at), int32(end), v.texts.find(piece[at:end])})
		at = end
	}
}
