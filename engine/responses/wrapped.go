package responses

import (
	"encoding/json"
	"errors"
	"strings"
)

// Unwrapper decodes the argument {"input": "..."} of a freeform tool as it streams: chunks
// of JSON in, chunks of the text out. A server that sends the text itself instead of JSON
// gets it passed through.
type Unwrapper struct {
	state wrapState
	held  []byte // what cannot be decoded yet: a key, or half an escape
	depth int    // of a value that is skipped
	quote bool   // the skipped value is within a string
	esc   bool   // its last byte was a backslash
	shown bool   // the text of the input has begun
}

type wrapState int

const (
	wrapStart wrapState = iota // before {
	wrapKey                    // before or within a name
	wrapColon                  // before a value
	wrapInput                  // within the string of the input
	wrapSkip                   // within another value
	wrapAfter                  // behind everything
	wrapRaw                    // no JSON: the text itself
)

// Push decodes a chunk and returns the text in it.
func (u *Unwrapper) Push(chunk string) string {
	var out strings.Builder
	for n := 0; n < len(chunk); n++ {
		switch c := chunk[n]; u.state {
		case wrapRaw:
			out.WriteString(chunk[n:])
			return out.String()
		case wrapInput:
			n += u.input(chunk[n:], &out) - 1
		case wrapStart:
			switch {
			case c == '{':
				u.state = wrapKey
			case !isSpace(c):
				u.state = wrapRaw
				n--
			}
		case wrapKey:
			u.key(c)
		case wrapColon:
			u.colon(c)
		case wrapSkip:
			u.skip(c)
		case wrapAfter: // nothing counts any more
		}
	}
	return out.String()
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// key collects a name.
func (u *Unwrapper) key(c byte) {
	switch {
	case len(u.held) == 0 && c == '"':
		u.held = append(u.held, c)
	case len(u.held) == 0 && c == '}':
		u.state = wrapAfter
	case len(u.held) == 0 || len(u.held) > 64:
	case c == '"' && !u.esc:
		u.state = wrapColon
	default:
		u.esc = c == '\\' && !u.esc
		u.held = append(u.held, c)
	}
}

// colon waits for the value behind a name.
func (u *Unwrapper) colon(c byte) {
	switch {
	case isSpace(c) || c == ':':
	case c == '"' && string(u.held) == `"input` && !u.shown:
		u.state, u.held, u.shown = wrapInput, u.held[:0], true
	default:
		u.state, u.held, u.depth, u.quote, u.esc = wrapSkip, u.held[:0], 0, false, false
		u.skip(c)
	}
}

// skip passes over a value that is not the input.
func (u *Unwrapper) skip(c byte) {
	switch {
	case u.quote:
		if c == '"' && !u.esc {
			u.quote = false
		}
		u.esc = c == '\\' && !u.esc
	case c == '"':
		u.quote = true
	case c == '{' || c == '[':
		u.depth++
	case u.depth == 0 && c == ',':
		u.state = wrapKey
	case u.depth == 0 && c == '}':
		u.state = wrapAfter
	case c == '}' || c == ']':
		u.depth--
	}
}

// input decodes the string of the input up to its end, and returns how many bytes it took.
func (u *Unwrapper) input(chunk string, out *strings.Builder) int {
	for n := 0; n < len(chunk); n++ {
		c := chunk[n]
		switch {
		case len(u.held) == 0 && c == '"':
			u.state, u.depth, u.quote = wrapSkip, 0, false
			return n + 1
		case len(u.held) == 0 && c != '\\':
			plain := strings.IndexAny(chunk[n:], `"\`)
			if plain < 0 {
				plain = len(chunk) - n
			}
			out.WriteString(chunk[n : n+plain])
			n += plain - 1
		default:
			u.escape(c, out)
			if u.state != wrapInput { // the quote that ended a lone half of a pair
				return n + 1
			}
		}
	}
	return len(chunk)
}

// escape adds a byte to an escape sequence and writes its character once it is complete. A
// surrogate waits for its other half.
func (u *Unwrapper) escape(c byte, out *strings.Builder) {
	if h := len(u.held); h == 6 && c != '\\' || h == 7 && c != 'u' {
		u.halfEnds(c, out)
		return
	}
	u.held = append(u.held, c)
	switch h := u.held; {
	case len(h) == 2 && c != 'u', len(h) == 6 && !isHigh(h[2:]), len(h) == 12:
		u.decode(out)
	}
}

// halfEnds writes the replacement of a half that nothing completes, and goes on behind it.
func (u *Unwrapper) halfEnds(c byte, out *strings.Builder) {
	rest := append([]byte(nil), u.held[6:]...)
	u.held = u.held[:6]
	u.decode(out)
	for _, b := range append(rest, c) {
		switch {
		case len(u.held) > 0 || b == '\\':
			u.escape(b, out)
		case b == '"':
			u.state, u.depth, u.quote = wrapSkip, 0, false
		default:
			out.WriteByte(b)
		}
	}
}

func (u *Unwrapper) decode(out *strings.Builder) {
	var s string
	if json.Unmarshal([]byte(`"`+string(u.held)+`"`), &s) != nil {
		s = string(u.held) // no escape of JSON; the text is what the model meant
	}
	out.WriteString(s)
	u.held = u.held[:0]
}

// isHigh reports whether hexadecimal digits are the first half of a surrogate pair.
func isHigh(hex []byte) bool {
	return (hex[0] == 'd' || hex[0] == 'D') && strings.IndexByte("89abAB", hex[1]) >= 0
}

// errNoInput means that the arguments of a freeform tool have no text in them.
var errNoInput = errors.New(`its arguments are not {"input": "..."}`)

// Unwrap returns the input in complete arguments.
func Unwrap(arguments string) (string, error) {
	trimmed := strings.TrimSpace(arguments)
	if !strings.HasPrefix(trimmed, "{") {
		return strings.TrimLeft(arguments, " \n\r\t"), nil
	}
	var of map[string]json.RawMessage
	if err := json.Unmarshal([]byte(arguments), &of); err != nil {
		return "", errNoInput
	}
	var s string
	if raw, ok := of["input"]; ok {
		if json.Unmarshal(raw, &s) != nil {
			return "", errNoInput
		}
		return s, nil
	}
	for _, raw := range of { // a model that gave the argument a name of its own
		if len(of) == 1 && json.Unmarshal(raw, &s) == nil {
			return s, nil
		}
	}
	return "", errNoInput
}
