package responses

import (
	"cmp"
	"encoding/json"
	"strings"
	"unicode"
)

// Error is an error that a server reports: the body of a failed request, an event `error`,
// or the error of a failed response.
type Error struct {
	Status  int // as an event states it; 0: it states none
	Type    string
	Code    string
	Message string
	Param   string
}

func (e *Error) Error() string {
	what := cmp.Or(e.Message, e.Code, e.Type, "the server gave no reason")
	if e.Code != "" && e.Message != "" && !strings.Contains(e.Message, e.Code) {
		what += " (" + e.Code + ")"
	}
	return what
}

// ParseError reads the error in a JSON object: {"error":{...}}, {"error":"words"}, or its
// fields by themselves, as servers variously have it. nil if there is none.
func ParseError(b []byte) *Error {
	var w struct {
		Status  json.Number     `json:"status"`
		Error   json.RawMessage `json:"error"`
		Detail  json.RawMessage `json:"detail"`
		Message json.RawMessage `json:"message"`
		Code    any             `json:"code"`
		Param   any             `json:"param"`
		Type    any             `json:"type"`
	}
	var list []json.RawMessage // as Google's servers have it
	if json.Unmarshal(b, &list) == nil && len(list) > 0 {
		b = list[0]
	}
	if json.Unmarshal(b, &w) != nil {
		return nil
	}
	status, _ := w.Status.Int64() // 0 when it is no number
	e := parseFields(w.Error)
	if e == nil {
		e = &Error{Message: words(w.Message), Code: text(w.Code), Param: text(w.Param), Type: text(w.Type)}
		e.Message = cmp.Or(e.Message, words(w.Detail))
	}
	if e.Message == "" && e.Code == "" {
		return nil
	}
	e.Status = int(status)
	e.Message, e.Code, e.Type, e.Param = clean(e.Message, 2000), clean(e.Code, 100), clean(e.Type, 100),
		clean(e.Param, 100)
	return e
}

// parseFields reads an error that is an object, or words. nil for neither.
func parseFields(b []byte) *Error {
	if len(b) == 0 || string(b) == "null" {
		return nil
	}
	var of struct {
		Message json.RawMessage `json:"message"`
		Code    any             `json:"code"`
		Param   any             `json:"param"`
		Type    any             `json:"type"`
	}
	if json.Unmarshal(b, &of) != nil {
		return &Error{Message: words(b)}
	}
	return &Error{Message: words(of.Message), Code: text(of.Code), Param: text(of.Param), Type: text(of.Type)}
}

// words returns a message: a string, or else the JSON of it.
func words(b json.RawMessage) string {
	var s string
	if len(b) == 0 || string(b) == "null" {
		return ""
	}
	if json.Unmarshal(b, &s) == nil {
		return s
	}
	return string(b)
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		b, _ := json.Marshal(v) // a number of JSON is one of JSON
		return string(b)
	}
	return ""
}

// clean replaces control characters, with which a server could draw on a terminal or turn its text
// around, and bounds the length.
func clean(s string, most int) string {
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029':
			return -1
		}
		return r
	}, s)
}

// cleanID drops control characters from an id or a name.
func cleanID(s string) string {
	for _, r := range s {
		if unicode.IsControl(r) {
			return clean(s, 512)
		}
	}
	if len(s) > 512 {
		return clean(s, 512)
	}
	return s
}
