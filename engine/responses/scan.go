package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// event is the top level of an event. Strings and objects are the bytes of the JSON, read
// only when they are needed; nil where the event has none.
type event struct {
	kind                     string
	output, content, summary int // indexes; -1 where there is none
	itemID, delta            []byte
	text, part               []byte // all of a text, all of a part: what an event of type done has
	item, response, failed   []byte
	logprobs                 []byte
	whole                    []byte
}

var errNotObject = errors.New("the event is not a JSON object")

// scan reads the top level of an event without decoding what is below. It is the fast path
// of a stream: a delta costs one pass over its bytes. It accepts all valid JSON; of invalid
// JSON it finds only what it must look at.
func (e *event) scan(b []byte) error {
	*e = event{output: -1, content: -1, summary: -1, whole: b}
	i := space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return errNotObject
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return e.end(b, i)
	}
	for {
		from := i
		i = afterString(b, i)
		if i < 0 {
			return errNotObject
		}
		name := b[from+1 : i-1]
		i = space(b, i)
		if i >= len(b) || b[i] != ':' {
			return errNotObject
		}
		from = space(b, i+1)
		if i = afterValue(b, from); i < 0 {
			return errNotObject
		}
		if err := e.member(name, b[from:i]); err != nil {
			return err
		}
		i = space(b, i)
		switch {
		case i >= len(b):
			return errNotObject
		case b[i] == '}':
			return e.end(b, i)
		case b[i] != ',':
			return errNotObject
		}
		i = space(b, i+1)
	}
}

func (e *event) end(b []byte, i int) error {
	if space(b, i+1) != len(b) {
		return errNotObject
	}
	return nil
}

// member keeps one member of the event.
func (e *event) member(name, value []byte) (err error) {
	if bytes.IndexByte(name, '\\') >= 0 {
		plain, err := unquote(append(append([]byte{'"'}, name...), '"'))
		if err != nil {
			return err
		}
		name = []byte(plain)
	}
	if string(value) == "null" {
		return nil
	}
	switch string(name) {
	case "type":
		e.kind, err = eventKind(value)
	case "delta":
		e.delta = value
	case "text", "refusal", "arguments", "input":
		e.text = value
	case "part":
		e.part = value
	case "item_id":
		e.itemID = value
	case "output_index":
		e.output, err = index(value)
	case "content_index":
		e.content, err = index(value)
	case "summary_index":
		e.summary, err = index(value)
	case "item":
		e.item = value
	case "response":
		e.response = value
	case "error":
		e.failed = value
	case "logprobs":
		e.logprobs = value
	}
	return err
}

// eventKind returns the type of an event, without memory of its own for those of a stream.
func eventKind(value []byte) (string, error) {
	switch string(value) {
	case `"response.output_text.delta"`:
		return textDelta, nil
	case `"response.function_call_arguments.delta"`:
		return argumentsDelta, nil
	case `"response.custom_tool_call_input.delta"`:
		return inputDelta, nil
	case `"response.reasoning_text.delta"`:
		return reasoningDelta, nil
	case `"response.reasoning_summary_text.delta"`:
		return summaryDelta, nil
	}
	return unquote(value)
}

func index(value []byte) (int, error) {
	n, err := strconv.Atoi(string(value))
	if err != nil || n < 0 {
		return -1, errors.New("the event has an index that is not a number")
	}
	return n, nil
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// afterString returns the index behind the string that begins at i, or -1.
func afterString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	i++
	for {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		escape := bytes.IndexByte(b[i:i+n], '\\')
		if escape < 0 {
			return i + n + 1
		}
		if i += escape + 2; i > len(b) {
			return -1
		}
	}
}

// afterValue returns the index behind the value that begins at i, or -1.
func afterValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return afterString(b, i)
	case '{', '[':
		return afterNested(b, i)
	}
	from := i
	for i < len(b) && bytes.IndexByte([]byte(",}] \n\t\r"), b[i]) < 0 {
		i++
	}
	if i == from {
		return -1
	}
	return i
}

func afterNested(b []byte, i int) int {
	for depth := 0; i < len(b); {
		switch b[i] {
		case '"':
			if i = afterString(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// unquote decodes a JSON string as encoding/json does, and several times as fast.
func unquote(raw []byte) (string, error) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", errors.New("the event has another value in the place of a text")
	}
	body := raw[1 : len(raw)-1]
	if plain(body) {
		return string(body), nil
	}
	if out, ok := unescape(make([]byte, 0, len(body)), body); ok {
		return string(out), nil
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}

// plain reports whether a string's body is its value.
func plain(body []byte) bool {
	for _, c := range body {
		if c == '\\' || c < ' ' || c >= utf8.RuneSelf {
			return bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body) && !hasControl(body)
		}
	}
	return true
}

func hasControl(body []byte) bool {
	for _, c := range body {
		if c < ' ' {
			return true
		}
	}
	return false
}

// escapes are the characters that a backslash and a letter stand for.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape decodes the body of a string; false for what it leaves to encoding/json.
func unescape(out, body []byte) ([]byte, bool) {
	if !utf8.Valid(body) || hasControl(body) {
		return nil, false
	}
	for {
		n := bytes.IndexByte(body, '\\')
		if n < 0 {
			return append(out, body...), true
		}
		out = append(out, body[:n]...)
		body = body[n+1:]
		switch {
		case len(body) == 0:
			return nil, false
		case escapes[body[0]] != 0:
			out, body = append(out, escapes[body[0]]), body[1:]
		case body[0] == 'u':
			r, size := unicodeEscape(body)
			if size == 0 {
				return nil, false
			}
			out, body = utf8.AppendRune(out, r), body[size:]
		default:
			return nil, false
		}
	}
}

// unicodeEscape decodes uXXXX, and the uXXXX\uXXXX of a surrogate pair.
func unicodeEscape(body []byte) (rune, int) {
	r := hex4(body)
	if r < 0 {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 5
	}
	if len(body) < 11 || body[5] != '\\' {
		return utf8.RuneError, 5
	}
	if pair := utf16.DecodeRune(r, hex4(body[6:])); pair != utf8.RuneError {
		return pair, 11
	}
	return utf8.RuneError, 5
}

func hex4(body []byte) rune {
	if len(body) < 5 || body[0] != 'u' {
		return -1
	}
	var r rune
	for _, c := range body[1:5] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return -1
		}
	}
	return r
}
