package chat

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unwrap decodes the string in {"input":"..."} as its JSON streams in. Text that does not look like
// that is passed on as it is.
type unwrap struct {
	state int    // 0 before the value, 1 in it, 2 after it, 3 plain
	held  string // the beginning, or an escape that is not complete
}

// push returns the text that more JSON adds.
func (u *unwrap) push(more string) string {
	switch u.state {
	case 2:
		return ""
	case 3:
		return more
	}
	s := u.held + more
	u.held = ""
	if u.state == 0 {
		rest, is := u.open(s)
		if !is {
			return rest
		}
		s = rest
	}
	return u.inside(s)
}

// open looks for the beginning of the value. is: s continues inside it.
func (u *unwrap) open(s string) (rest string, is bool) {
	for at, want := range []string{"{", `"input"`, ":", `"`} {
		s2 := strings.TrimLeft(s, " \t\r\n")
		if !strings.HasPrefix(s2, want) {
			if strings.HasPrefix(want, s2) {
				u.held += s // it may still come
				return "", false
			}
			u.state = 3
			return u.held + s, false
		}
		u.held += s[:len(s)-len(s2)+len(want)]
		s = s2[len(want):]
		if at == 3 {
			u.state, u.held = 1, ""
		}
	}
	return s, true
}

var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f", '"': `"`, '\\': `\`, '/': "/"}

// inside decodes a piece of the string.
func (u *unwrap) inside(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		n := strings.IndexAny(s, `"\`)
		if n < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:n])
		s = s[n:]
		if s[0] == '"' {
			u.state = 2
			break
		}
		text, size := escape(s)
		if size == 0 {
			u.held = s
			break
		}
		b.WriteString(text)
		s = s[size:]
	}
	return b.String()
}

// escape decodes the escape at the beginning of s; size 0: it is not complete.
func escape(s string) (text string, size int) {
	if len(s) < 2 {
		return "", 0
	}
	if t, is := escapes[s[1]]; is {
		return t, 2
	}
	if s[1] != 'u' {
		return s[:2], 2 // no JSON; as it is
	}
	if len(s) < 6 {
		return "", 0
	}
	r, ok := hex(s)
	if !ok {
		return s[:2], 2
	}
	if !utf16.IsSurrogate(r) {
		return string(r), 6
	}
	if len(s) < 12 && strings.HasPrefix(`\u`, s[6:min(len(s), 8)]) || len(s) >= 8 && len(s) < 12 && s[6:8] == `\u` {
		return "", 0 // its other half
	}
	if len(s) >= 12 {
		if low, ok := hex(s[6:]); ok {
			if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
				return string(full), 12
			}
		}
	}
	return string(utf8.RuneError), 6
}

func hex(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}
