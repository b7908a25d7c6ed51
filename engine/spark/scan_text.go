package spark

import "strings"

// scanText finds prose: what is in quotes, or everything up to the end of the
// request or of its line, or up to a place where another clause may begin.
// When that clause can be understood, the request has two readings.
func scanText(m *matcher, pos int) []found {
	if fs := scanQuoted(m, pos); fs != nil && m.closes(fs[0].end) {
		return fs
	}
	if m.src[pos:] == "" || m.src[pos] == ':' || saidThat(m.src, pos) {
		return nil // the phrase has words for these, and should have taken them
	}
	line := m.src[pos:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	var all []found
	for end := pos + 1; end < pos+len(line); end++ {
		if _, ok := joinerEnd(m.src, end); ok && !atEnd(m.src, end) {
			all = appendText(all, m.src[pos:end], end)
		}
	}
	return appendText(all, line, pos+len(line))
}

// saidThat reports whether pos is at the second word of "saying that".
func saidThat(src string, pos int) bool {
	before := strings.ToLower(strings.TrimSpace(src[:pos]))
	return strings.EqualFold(wordAt(src, pos), "that") &&
		(strings.HasSuffix(before, "saying") || strings.HasSuffix(before, "says"))
}

// closes reports whether a quoted text that ends at pos is all of the text.
func (m *matcher) closes(pos int) bool {
	_, joined := joinerEnd(m.src, pos)
	return joined || atEnd(m.src, pos)
}

func appendText(fs []found, text string, end int) []found {
	text = strings.TrimSpace(text)
	if !strings.ContainsFunc(text, isNameRune) {
		return fs
	}
	return append(fs, found{text, end})
}

func scanQuoted(m *matcher, pos int) []found {
	inner, end, ok := quotedAt(m.src, pos)
	if !ok || strings.TrimSpace(inner) == "" || strings.Contains(inner, "\n") {
		return nil
	}
	return []found{{strings.TrimSpace(inner), end}}
}
