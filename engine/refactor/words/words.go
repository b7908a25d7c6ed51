// Package words splits identifiers into words, and makes sets of words.
package words

import (
	"strings"
	"unicode"
)

// Set is the set of the words of a text, which white space separates.
func Set(text string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		m[w] = true
	}
	return m
}

// Of splits an identifier: parseHTTPRequest and parse_HTTP_request are parse, HTTP, request.
// Acronyms keep their capitals, unless the whole name is in capitals.
func Of(name string) []string {
	var out []string
	letters := []rune(name)
	loud := strings.ToUpper(name) == name
	start := 0
	cut := func(end int) {
		if end > start {
			w := string(letters[start:end])
			if loud || len(w) == 1 || strings.ToUpper(w) != w {
				w = strings.ToLower(w)
			}
			out = append(out, w)
		}
		start = end
	}
	for i, c := range letters {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			cut(i)
			start = i + 1
		case i > start && unicode.IsUpper(c) &&
			(!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])):
			cut(i)
		}
	}
	cut(len(letters))
	return out
}
