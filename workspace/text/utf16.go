package text

import "unicode/utf16"

// isUTF16 reports whether the sample can be UTF-16 at all: its surrogates are in pairs and
// it has no NUL character, unlike a file that begins with the mark by accident (UTF-32, a
// recording).
func isUTF16(sample []byte, e Encoding) bool {
	units := codeUnits(sample, e.order())
	for i := 0; i < len(units); i++ {
		switch u := rune(units[i]); {
		case u == 0:
			return false
		case utf16.IsSurrogate(u):
			if i+1 < len(units) && utf16.DecodeRune(u, rune(units[i+1])) == '\uFFFD' {
				return false
			}
			if i+1 == len(units) && u >= 0xDC00 {
				return false
			}
			i++
		}
	}
	return true
}

// looksUTF16 reports whether a sample without a byte order mark is very likely UTF-16: more
// than two thirds of its characters are Latin ones, which have a zero byte, always on the
// same side, and it has no control character that text does not use. Text in other scripts
// without a mark counts as binary: showing a file as binary loses nothing, editing a binary
// file would.
func looksUTF16(sample []byte, e Encoding) bool {
	if !isUTF16(sample, e) {
		return false
	}
	latin, total := 0, 0
	for _, u := range codeUnits(sample, e.order()) {
		switch {
		case u < 0x20 && !isTextControl(byte(u)), 0x7F <= u && u < 0xA0:
			return false
		case u <= 0xFF:
			latin++
		}
		total++
	}
	return total > 0 && 3*latin > 2*total
}

// isTextControl reports whether text files use the control character c.
func isTextControl(c byte) bool {
	switch c {
	case '\t', '\n', '\v', '\f', '\r', 0x1b:
		return true
	}
	return false
}
