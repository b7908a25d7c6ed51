package main

import (
	"strconv"
	"strings"
)

func quoted(word string) string {
	return "'" + strings.ReplaceAll(strings.Trim(strconv.Quote(word), `"`), "'", `\'`) + "'"
}

// above returns a comment above a declaration; behind returns one after it.
func above(indent, text string) string {
	switch {
	case text == "":
		return ""
	case !strings.Contains(text, "\n"):
		return indent + "/** " + text + " */\n"
	}
	return indent + "/**\n" + lines(indent+" * ", text) + indent + " */\n"
}

func behind(text string) string {
	if text == "" {
		return ""
	}
	return " // " + strings.ReplaceAll(text, "\n", " ")
}

func lines(before, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(before+strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "  "), " ") + "\n")
	}
	return b.String()
}
