package token

import (
	"unicode/utf8"
)

// repaired returns a text as llama.cpp reads it (unicode_cpts_from_utf8): each byte that is in no
// character becomes U+FFFD, and a character in more bytes than it needs is written in the fewest.
// Surrogates stay. So decode need not check anything.
func repaired(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	b := make([]byte, 0, len(text)+16)
	for at := 0; at < len(text); {
		r, n := loose(text[at:])
		b = appendLoose(b, r)
		at += n
	}
	return string(b)
}

// loose decodes the first character of a text, with forms that UTF-8 forbids; 0xFFFD and 1 for a
// byte that begins none.
func loose(text string) (rune, int) {
	lead, n := text[0], 1
	r := rune(lead)
	switch {
	case lead < 0x80:
		return r, 1
	case lead >= 0xC0 && lead < 0xE0:
		r, n = r&0x1F, 2
	case lead >= 0xE0 && lead < 0xF0:
		r, n = r&0x0F, 3
	case lead >= 0xF0 && lead < 0xF8:
		r, n = r&0x07, 4
	}
	if n == 1 || len(text) < n {
		return utf8.RuneError, 1
	}
	for i := 1; i < n; i++ {
		if text[i]&0xC0 != 0x80 {
			return utf8.RuneError, 1
		}
		r = r<<6 | rune(text[i]&0x3F)
	}
	if r > utf8.MaxRune { // llama.cpp fails here
		return utf8.RuneError, 1
	}
	return r, n
}

func appendLoose(b []byte, r rune) []byte {
	if r >= 0xD800 && r <= 0xDFFF {
		return append(b, 0xED, 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(b, r)
}

// decode decodes the first character, which is beyond ASCII, of a repaired text.
func decode(text string) (rune, int) {
	switch lead := rune(text[0]); {
	case lead < 0xE0:
		return lead&0x1F<<6 | rune(text[1]&0x3F), 2
	case lead < 0xF0:
		return lead&0x0F<<12 | rune(text[1]&0x3F)<<6 | rune(text[2]&0x3F), 3
	default:
		return lead&0x07<<18 | rune(text[1]&0x3F)<<12 | rune(text[2]&0x3F)<<6 | rune(text[3]&0x3F), 4
	}
}
