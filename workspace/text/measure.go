package text

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// These count within one leaf. No character lies across two leaves, so what is
// counted here adds up to what is right for the whole text.

func measure(b []byte) (breaks int, units UTF16) { return breaksOf(b), unitsOf(b) }

func breaksOf(b []byte) int { return bytes.Count(b, []byte{'\n'}) }

// afterBreak is the offset after the n-th line break of b, from 1.
func afterBreak(b []byte, n int) Byte {
	at := 0
	for ; n > 0; n-- {
		at += bytes.IndexByte(b[at:], '\n') + 1
	}
	return Byte(at)
}

// unitsOf is the length of b in UTF-16 code units.
func unitsOf(b []byte) UTF16 {
	n := UTF16(0)
	for len(b) > 0 {
		k := asciiPrefix(b)
		n, b = n+UTF16(k), b[k:]
		if len(b) > 0 {
			r, size := utf8.DecodeRune(b)
			n, b = n+unitsOfRune(r), b[size:]
		}
	}
	return n
}

// bytesOf is the offset in b of UTF-16 offset u, and false inside a pair.
func bytesOf(b []byte, u UTF16) (Byte, bool) {
	at := 0
	for u > 0 {
		k := min(asciiPrefix(b[at:]), int(u))
		at, u = at+k, u-UTF16(k)
		if u > 0 {
			r, size := utf8.DecodeRune(b[at:])
			at, u = at+size, u-unitsOfRune(r)
		}
	}
	return Byte(at), u == 0
}

func unitsOfRune(r rune) UTF16 {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// asciiPrefix is how many bytes b starts with that are ASCII. It looks at eight
// at a time: nearly all of source code is ASCII.
func asciiPrefix(b []byte) int {
	n := 0
	for len(b)-n >= 8 && binary.LittleEndian.Uint64(b[n:])&0x8080808080808080 == 0 {
		n += 8
	}
	for n < len(b) && b[n] < utf8.RuneSelf {
		n++
	}
	return n
}
