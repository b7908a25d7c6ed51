package chat

import (
	"encoding/json"
	"strings"
)

type headVerdict int

const (
	headOpen  headVerdict = iota // it may still become one
	headWhole                    // the arguments begin
	headWrong
)

// maxHead is a limit of what is held for the name of a call.
const maxHead = 4096

// readHead reads the beginning of a call up to its arguments, an object:
//
//	{"name": "...", "arguments": {        (or parameters; "type" may be there too)
func readHead(text string) (name string, n int, verdict headVerdict) {
	h := head{text: text}
	if !h.byte('{') {
		return "", 0, h.verdict()
	}
	for {
		key, ok := h.string()
		if !ok || !h.byte(':') {
			return "", 0, h.verdict()
		}
		switch key {
		case "arguments", "parameters":
			if name == "" {
				return "", 0, headWrong
			}
			h.space()
			if at := h.at; h.byte('{') && at <= maxHead {
				return name, at, headWhole
			}
			return "", 0, h.verdict()
		case "name", "type":
			value, ok := h.string()
			if !ok || !h.byte(',') {
				return "", 0, h.verdict()
			}
			if key == "name" {
				name = value
			}
		default:
			return "", 0, headWrong
		}
	}
}

// head reads tokens of JSON.
type head struct {
	text string
	at   int
	out  bool // the text ended too early
}

func (h *head) verdict() headVerdict {
	if h.out && len(h.text) <= maxHead {
		return headOpen
	}
	return headWrong
}

func (h *head) space() {
	h.at = len(h.text) - len(strings.TrimLeft(h.text[h.at:], " \r\n\t"))
}

func (h *head) byte(c byte) bool {
	h.space()
	h.out = h.at >= len(h.text)
	if h.out || h.text[h.at] != c {
		return false
	}
	h.at++
	return true
}

func (h *head) string() (string, bool) {
	if !h.byte('"') {
		return "", false
	}
	for i := h.at; i < len(h.text); i++ {
		switch h.text[i] {
		case '\\':
			i++
		case '"':
			var s string
			err := json.Unmarshal([]byte(h.text[h.at-1:i+1]), &s)
			h.at = i + 1
			return s, err == nil
		}
	}
	h.out = true
	return "", false
}

// arguments finds the end of an object of JSON.
type arguments struct {
	depth          int
	quote, escaped bool
}

// push returns how much of a text belongs to the object, and whether it ends there.
func (a *arguments) push(text string) (n int, ended bool) {
	for i := range len(text) {
		c := text[i]
		switch {
		case a.quote:
			if c == '"' && !a.escaped {
				a.quote = false
			}
			a.escaped = c == '\\' && !a.escaped
		case c == '"':
			a.quote = true
		case c == '{' || c == '[':
			a.depth++
		case c == '}' || c == ']':
			if a.depth--; a.depth <= 0 {
				return i + 1, true
			}
		}
	}
	return len(text), false
}
