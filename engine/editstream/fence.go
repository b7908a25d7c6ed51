package editstream

import "strings"

// fence recognises a Markdown fence at the start of line: its run of backticks or tildes
// (three or more) and its info string. A closing fence has no info.
func fence(line string) (run, info string) {
	line = strings.TrimSpace(line)
	n := 0
	for n < len(line) && (line[0] == '`' || line[0] == '~') && line[n] == line[0] {
		n++
	}
	info = strings.TrimSpace(line[n:])
	if n < 3 || strings.IndexByte(info, line[0]) >= 0 {
		return "", ""
	}
	return line[:n], info
}

// closes reports whether line closes the fence that run opened: the same character, at
// least as often, and nothing else.
func closes(line, run string) bool {
	r, info := fence(line)
	return r != "" && info == "" && r[0] == run[0] && len(r) >= len(run)
}
