package token

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"waferpair/engine/gguf"
)

// letters are the characters in which files of model gpt2 write bytes: the printable ones of
// Latin-1 as they are, the others as characters from U+0100 on.
var letters, lettersBack = func() (to [256]rune, back map[rune]byte) {
	back = map[rune]byte{}
	next := rune(256)
	for b := range 256 {
		r := rune(b)
		if b < '!' || b > '~' && b < 0xA1 || b == 0xAD {
			r = next
			next++
		}
		to[b], back[r] = r, byte(b)
	}
	return to, back
}()

// lettersOf has the byte of each character below U+0180; -1: none.
var lettersOf = func() (list [0x180]int16) {
	for r := range list {
		list[r] = -1
		if b, ok := lettersBack[rune(r)]; ok {
			list[r] = int16(b)
		}
	}
	return list
}()

// appendBytes appends the bytes that a name stands for; false when it has another character.
func appendBytes(b, name []byte) ([]byte, bool) {
	for at := 0; at < len(name); {
		r, n := rune(name[at]), 1
		if r >= 0x80 {
			r, n = utf8.DecodeRune(name[at:])
		}
		if int(r) >= len(lettersOf) || lettersOf[r] < 0 {
			return b, false
		}
		b, at = append(b, byte(lettersOf[r])), at+n
	}
	return b, true
}

// loadPairs reads what is particular to model gpt2.
func (v *Vocabulary) loadPairs(f *gguf.File) error {
	v.setPieces(func(b []byte, name string) []byte {
		begin := len(b)
		b, ok := appendBytes(b, []byte(name))
		if !ok {
			return append(b[:begin], name...)
		}
		return b
	})
	if err := v.loadTexts(); err != nil {
		return err
	}
	for b := range 256 {
		v.bytes[b] = v.texts.find(string([]byte{byte(b)}))
		// No character has the bytes C0, C1 and F5 to FF, and those from F1 on begin only characters of planes that
		// are nearly empty: StarCoder has no tokens for them. They are lost, as in llama.cpp.
		if v.bytes[b] == none && b != 0xC0 && b != 0xC1 && b < 0xF1 {
			return fmt.Errorf("no token stands for the byte %#02x: texts with it would lose it", b)
		}
	}
	return v.loadMerges(f)
}

// loadTexts makes the table of the tokens that text may become, by their bytes.
func (v *Vocabulary) loadTexts() error {
	v.texts = newTexts(&v.pieces, len(v.kinds))
	var b []byte
	for id := range int32(len(v.kinds)) {
		switch v.kinds[id] {
		case control, unknown, byteToken:
			continue
		}
		name := v.names.at(id)
		var ok bool
		if b, ok = appendBytes(b[:0], []byte(name)); !ok || string(b) != v.pieces.at(id) {
			continue // a name that is no bytes: only a special token can be found by it
		}
		if other, ok := v.texts.add(id); !ok {
			return fmt.Errorf("tokens %d and %d are both %q", other, id, name)
		}
	}
	return nil
}

// loadMerges reads the merges "left right", whose ranks are their places in the list.
func (v *Vocabulary) loadMerges(f *gguf.File) error {
	list, n, err := listOf(f, mergesKey)
	if err != nil {
		return err
	}
	if n > maxMerges {
		return fmt.Errorf("%s has %d merges; at most %d are read", mergesKey, n, maxMerges)
	}
	p := newPairs(n)
	var joined []byte
	for rank, merge := range list {
		left, right, ok := v.mergeOf(merge, &joined)
		id := none
		if ok {
			id = v.texts.find(string(joined))
		}
		if id == none {
			return fmt.Errorf("merge %d, %.80q, is not of two tokens whose join is a token", rank, merge)
		}
		p.add(left, right, uint32(rank), id)
	}
	v.merger = p
	return nil
}

// mergeOf returns the two tokens of a merge, and their joined bytes.
func (v *Vocabulary) mergeOf(merge []byte, joined *[]byte) (left, right int32, ok bool) {
	if len(merge) == 0 {
		return none, none, false
	}
	// The first token may begin with a space only in files that do not write bytes as characters.
	middle := bytes.IndexByte(merge[1:], ' ') + 1
	if middle == 0 {
		return none, none, false
	}
	b, ok := appendBytes((*joined)[:0], merge[:middle])
	if !ok {
		return none, none, false
	}
	left = v.texts.find(string(b))
	begin := len(b)
	b, ok = appendBytes(b, merge[middle+1:])
	*joined = b
	if !ok || left == none {
		return none, none, false
	}
	right = v.texts.find(string(b[begin:]))
	return left, right, right != none
}

// of implements merger.
func (p *pairs) of(_ string, left, right symbol) (rank uint32, id int32) {
	if left.id == none || right.id == none {
		return noRank, none
	}
	return p.find(left.id, right.id)
}
