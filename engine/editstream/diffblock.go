package editstream

import (
	"fmt"
	"path"
	"strings"
)

// How blocks find unified diffs in a text: by the two lines with which the diff of a file begins, in
// a fence or not, or by a diff's fence after the path of its file.

func (p *blocks) unindented(l piece) string {
	if p.run == "" {
		return l.text
	}
	return strings.TrimPrefix(l.text, p.indent)
}

// beginsDiff reports whether a diff begins with the line, or with the one before it.
func (p *blocks) beginsDiff(l piece) bool {
	t := p.unindented(l)
	if n := len(p.pending); n > 0 && p.diff.begins(p.unindented(p.pending[n-1]), t) {
		return true
	}
	if !p.fresh || p.run == "" || !isDiff(p.info) || t == "" || p.diff.announces(t) {
		return false
	}
	return strings.HasPrefix(t, "@@") || p.named != "" && strings.ContainsRune("+- ", rune(t[0]))
}

// announcesOwn reports whether the first line in a fence, after a path, begins a diff of that file
// and not the file.
func (p *blocks) announcesOwn(l piece) bool {
	t := p.unindented(l)
	switch path.Ext(p.path) {
	case ".diff", ".patch":
		return false
	}
	old, is := diffPath(t, "--- ")
	return is && (old == "/dev/null" || strings.HasSuffix(old, p.path)) ||
		strings.HasPrefix(t, "diff --git ") && strings.HasSuffix(t, p.path)
}

// beginDiff passes lines to the parser of diffs until it returns one.
func (p *blocks) beginDiff(l piece) {
	p.whole = p.whole && !p.auto
	lines := []piece{l}
	if n := len(p.pending); n > 0 && p.diff.begins(p.unindented(p.pending[n-1]), p.unindented(l)) {
		lines = []piece{p.pending[n-1], l}
		p.pending = p.pending[:n-1]
	}
	k := len(p.pending)
	for i := range p.pending {
		if p.run != "" && p.opensFence(p.pending[i]) {
			k, p.sealed = i, true // its fence is no prose
		}
	}
	if p.path = p.named; len(lines) == 1 && p.path != "" {
		k = p.announced()
	}
	for p.sealed && k > 0 && strings.TrimSpace(p.pending[k-1].text) == "" {
		k--
	}
	p.releaseBefore(k)
	indent, named := "", ""
	if p.run != "" {
		indent = p.indent
	}
	if len(lines) == 1 {
		named = p.named
	}
	p.diff.begin(p.emit, p.run, indent, named)
	for _, l := range lines {
		p.diff.line(l)
	}
}

// mindDoubt reports a line that seems to belong to a diff which ended before it, so that half a
// diff is not taken for all of it.
func (p *blocks) mindDoubt(l piece) {
	if at := p.diff.doubt; at > 0 && (strings.HasPrefix(l.text, "+") || strings.HasPrefix(l.text, "@@")) {
		p.diff.doubt = 0
		p.emit(Bad{l.no, fmt.Sprintf("line %d seems to go on with the diff that ended before line %d; "+
			"each line of a hunk begins with ' ', '-' or '+': write what is missing in a fence", l.no, at)})
	}
}
