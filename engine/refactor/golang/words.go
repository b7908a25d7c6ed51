package golang

import (
	"strings"
	"unicode"
)

// words splits an identifier: parseHTTPRequest -> parse HTTP request.
func words(name string) []string {
	var out []string
	rs := []rune(name)
	start := 0
	flush := func(end int) {
		if end > start {
			w := string(rs[start:end])
			if strings.ToUpper(w) != w || len(w) == 1 {
				w = strings.ToLower(w)
			}
			out = append(out, w)
		}
		start = end
	}
	for i, r := range rs {
		switch {
		case r == '_':
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && (!unicode.IsUpper(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])):
			flush(i)
		}
	}
	flush(len(rs))
	return out
}

func phrase(ws []string) string { return strings.Join(ws, " ") }

func list(xs []string, last string) string {
	switch len(xs) {
	case 0:
		return ""
	case 1:
		return xs[0]
	}
	return strings.Join(xs[:len(xs)-1], ", ") + " " + last + " " + xs[len(xs)-1]
}

// oneLine shortens a type to what fits in a sentence.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 40 {
		if i := strings.IndexAny(s, "{("); i > 0 {
			return s[:i]
		}
	}
	return s
}
