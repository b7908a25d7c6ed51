package editstream

import "strings"

// flushWrap emits as Prose a wrapper line that no patch followed.
func (p *v4a) flushWrap() {
	if p.wrap != nil {
		p.emit(Prose{p.wrap.whole()})
		p.wrap = nil
	}
}

func (p *v4a) opensWrap(line string) bool { return wrapEnd(line) != "" }

// wrapEnd returns the line that closes the heredoc or fence that line opens, or "".
func wrapEnd(line string) string {
	if end := heredoc(line); end != "" {
		return end
	}
	if f, _ := fence(line); f != "" {
		return f
	}
	return ""
}

// heredoc returns the delimiter of "<<EOF", "<<'EOF'", "<<\"EOF\"" (also after a command
// name, as in "apply_patch <<'EOF'"), or "".
func heredoc(line string) string {
	command, word, ok := strings.Cut(line, "<<")
	if command = strings.TrimSpace(command); !ok || command != "" && command != "apply_patch" {
		return ""
	}
	word = strings.TrimSpace(word)
	if n := len(word); n > 2 && (word[0] == '\'' || word[0] == '"') && word[n-1] == word[0] {
		word = word[1 : n-1]
	}
	for _, r := range word {
		if r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return ""
		}
	}
	return word
}
