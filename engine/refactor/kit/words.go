package kit

import (
	"fmt"
	"strings"
)

// How results are worded.

// Plural is a count of things: "1 call", "3 calls".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// OneLine is source text as a message shows it.
func OneLine(s string) string {
	const most = 60
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > most {
		return string(r[:most]) + "..."
	}
	return string(r)
}
