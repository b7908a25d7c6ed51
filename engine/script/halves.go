package script

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// halves decodes consecutive JSON strings from a sender that cuts its text anywhere. When
// one string ends with the first half of a character, as an escaped surrogate or as bytes,
// and the next begins with the rest, the character comes out whole.
type halves struct {
	held string // the first half, as it stood in the JSON
}

// join decodes the next string, without the half character at its end.
func (h *halves) join(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	if len(raw) < 2 || raw[0] != '"' {
		return "", fmt.Errorf("%.20s is not a string", raw)
	}
	body := h.held + string(raw[1:len(raw)-1])
	whole := len(body) - halfAtEnd(body)
	h.held = body[whole:]
	var s string
	err := json.Unmarshal([]byte(`"`+body[:whole]+`"`), &s)
	return s, err
}

// rest returns the replacement for a half character that nothing followed.
func (h *halves) rest() string {
	if h.held == "" {
		return ""
	}
	h.held = ""
	return string(utf8.RuneError)
}

// halfAtEnd returns the length of the half character at the end of a JSON string's body.
func halfAtEnd(s string) int {
	if n := len(s) - len(`\ud83d`); n >= 0 && s[n] == '\\' && s[n+1] == 'u' && isHigh(s[n+2:]) {
		escapes := 0
		for n-escapes >= 0 && s[n-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 1 {
			return len(s) - n
		}
	}
	for back := 1; back < utf8.UTFMax && back <= len(s); back++ {
		if tail := s[len(s)-back:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				return back
			}
			break
		}
	}
	return 0
}

// isHigh reports whether four hexadecimal digits are the first half of a surrogate pair.
func isHigh(hex string) bool {
	u, err := strconv.ParseUint(hex, 16, 16)
	return err == nil && u >= 0xd800 && u < 0xdc00
}
