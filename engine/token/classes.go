package token

import (
	"sync"
	"unicode"
)

// A class is what the patterns ask about a character. Letters, numbers, marks and spaces exclude
// each other; a character without any of their bits is another one: punctuation, a symbol, a control.
type class uint8

const (
	letter      class = 1 << iota // \p{L}
	number                        // \p{N}
	mark                          // \p{M}
	space                         // \s
	newline                       // \r or \n, which are spaces too
	punctuation                   // \p{P}
)

// asciiClasses are the classes of bytes below 128.
var asciiClasses = func() (list [128]class) {
	for r := range rune(128) {
		list[r] = classOf(r)
	}
	return list
}()

// classOf returns the class of a character by Go's tables. They are those of Unicode 15.0;
// llama.cpp's are of 15.1, which added one block of letters.
func classOf(r rune) class {
	switch {
	case r == '\r' || r == '\n':
		return space | newline
	case unicode.IsSpace(r):
		return space
	case unicode.Is(unicode.L, r) || r >= 0x2EBF0 && r <= 0x2EE5D:
		return letter
	case unicode.Is(unicode.N, r):
		return number
	case unicode.Is(unicode.M, r):
		return mark
	case unicode.Is(unicode.P, r):
		return punctuation
	}
	return 0
}

// classTable has the classes of all characters by their upper and lower bits: most blocks of 256
// are equal to another one.
type classTable struct {
	block  [(unicode.MaxRune + 1) / 256]uint16
	blocks [][256]class
}

func (t *classTable) of(r rune) class { return t.blocks[t.block[r>>8]][r&255] }

// classes is made when the first text beyond ASCII comes, in a few milliseconds.
var classes = sync.OnceValue(func() *classTable {
	t, known := &classTable{}, map[[256]class]uint16{}
	var flat []class = flatClasses()
	for b := range t.block {
		content := [256]class(flat[b*256:])
		at, ok := known[content]
		if !ok {
			at = uint16(len(t.blocks))
			known[content] = at
			t.blocks = append(t.blocks, content)
		}
		t.block[b] = at
	}
	return t
})

// flatClasses returns the class of each character: range by range, which is much faster than
// classOf for a million characters.
func flatClasses() []class {
	list := make([]class, unicode.MaxRune+1)
	fill := func(table *unicode.RangeTable, c class) {
		for _, r := range table.R16 {
			for at := uint32(r.Lo); at <= uint32(r.Hi); at += uint32(r.Stride) {
				list[at] = c
			}
		}
		for _, r := range table.R32 {
			for at := r.Lo; at <= r.Hi; at += r.Stride {
				list[at] = c
			}
		}
	}
	fill(unicode.L, letter)
	fill(unicode.N, number)
	fill(unicode.M, mark)
	fill(unicode.P, punctuation)
	fill(unicode.White_Space, space)
	for r := 0x2EBF0; r <= 0x2EE5D; r++ {
		list[r] = letter
	}
	list['\r'], list['\n'] = space|newline, space|newline
	return list
}
