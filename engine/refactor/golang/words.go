package golang

import (
	"strings"
)

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
