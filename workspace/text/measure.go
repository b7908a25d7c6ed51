package text

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// These functions measure one leaf. No character spans two leaves, so the sums are correct
// for the whole text.

func measure(b []byte) (breaks int, units UTF16) { return breaksOf(b), unitsOf(b) }

func breaksOf(b []byte) int { return bytes.Count(b, []byte{'\n'}) }

// afterBreak returns the offset after the n-th line break of b, counted from 1.
func afterBreak(b []byte, n int) Byte {
	at := 0
	for ; n > 0; n-- {
		at += bytes.IndexByte(b[at:], '\n') + 1
	}
	return Byte(at)
}

// unitsOf returns the length of b in UTF-16 code units.
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

// bytesOf returns the offset in b of UTF-16 offset u, and false inside a pair.
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

// asciiPrefix returns how many bytes at the start of b are ASCII. It tests eight at a time:
// nearly all source code is ASCII.
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
