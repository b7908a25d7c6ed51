package refactor

import (
	"strings"

	"waferpair/workspace/text"
)

// fitBreaks gives the lines that changes insert the line breaks of where they go,
// in a file that mixes them: a new line ends as the line that it replaces does,
// one that replaces none as the line above it. Languages write with the line
// breaks of the file's majority, and need not know better.
func fitBreaks(before text.Text, changes []text.Change) []text.Change {
	src := before.String()
	if !mixedBreaks(src) {
		return changes
	}
	out := make([]text.Change, len(changes))
	for i, c := range changes {
		if strings.Contains(c.Insert, "\n") {
			c.Insert = fitted(src, c)
		}
		out[i] = c
	}
	return out
}

func fitted(src string, c text.Change) string {
	gone := strings.SplitAfter(src[c.From:c.To], "\n")
	usual := breakNear(src, int(c.From), int(c.To))
	var b strings.Builder
	for i, l := range strings.SplitAfter(c.Insert, "\n") {
		own := breakOf(l)
		b.WriteString(strings.TrimSuffix(l, own))
		if own == "" {
			continue
		}
		if i < len(gone) && breakOf(gone[i]) != "" {
			usual = breakOf(gone[i])
		}
		b.WriteString(usual)
	}
	return b.String()
}

// breakNear is how the line above the change ends: the one that the change begins
// in, unless it begins that line. At the top of the file it is the line below.
func breakNear(src string, from, to int) string {
	above, below := src[:from], ""
	if end := strings.IndexByte(src[to:], '\n'); end >= 0 {
		below = src[to : to+end+1]
		if end == 0 && to > 0 && src[to-1] == '\r' {
			below = src[to-1 : to+1]
		}
	}
	if above != "" && !strings.HasSuffix(above, "\n") && breakOf(below) != "" {
		return breakOf(below)
	}
	if end := strings.LastIndexByte(above, '\n'); end >= 0 {
		return breakOf(above[:end+1])
	}
	return breakOf(below)
}

// breakOf is the line break at the end of a line.
func breakOf(line string) string {
	switch {
	case strings.HasSuffix(line, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(line, "\n"):
		return "\n"
	}
	return ""
}

func mixedBreaks(src string) bool {
	crlf := strings.Count(src, "\r\n")
	return crlf > 0 && crlf != strings.Count(src, "\n")
}
