package editstream

import (
	"regexp"
	"strings"
)

// What models write in a patch that the apply_patch tool would refuse, though it is clear what they mean.

// plainPath takes the quotes off a path.
func (p *v4a) plainPath(s string) string {
	s = strings.TrimSpace(s)
	if n := len(s); !p.strict && n > 2 && strings.IndexByte("`\"'", s[0]) >= 0 && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

// lineNumber matches a header that is no line of the file: line numbers and dots place nothing.
var lineNumber = regexp.MustCompile(`^(?i)(lines? \d+([-–,: ]+\d+)?:?|[.… ]*)$`)

// plainHead returns the header in a line "@@ HEADER", or "@@ HEADER @@"; "" when it says nothing of a place.
func plainHead(line, head string) string {
	if hunkNumbers.MatchString(line) {
		return ""
	}
	head = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(head, " \t"), " @@"), " \t")
	if lineNumber.MatchString(head) || head == "@@" {
		return ""
	}
	return head
}

// unmarked takes a line of a hunk, or of a new file, that begins with no mark: the end of what the patch is
// in, or a context line without its ' '. Words behind a patch whose End is missing mostly follow an empty
// line. So after one, lines are kept back until one with a mark says that they belong to the patch.
func (p *v4a) unmarked(l piece) {
	switch {
	case p.closesWrap(l):
		p.end()
		p.unwrap = ""
	case len(p.kept) > 0, p.blank && p.lines > 0:
		if p.kept = append(p.kept, l); len(p.kept) > maxKept {
			p.dropKept()
		}
	case p.state == v4aAdd:
		p.badHunk(l.no, msgHeader, strings.TrimSpace(l.text))
	default:
		p.emitLine(' ', l.text)
	}
}

// closesWrap reports whether a line ends the fence or heredoc that the patch is in.
func (p *v4a) closesWrap(l piece) bool {
	return p.unwrap != "" && (strings.TrimSpace(l.text) == p.unwrap || closes(l.text, p.unwrap))
}

// maxKept bounds the lines that are kept back.
const maxKept = 50

// keeps takes a line while others are kept back; false: they belonged to the patch, and so does it.
func (p *v4a) keeps(l piece) bool {
	if len(p.kept) == 0 || l.long() {
		return false
	}
	if run, _ := fence(l.text); run != "" && p.unwrap == "" { // it is in no fence: this one is behind it
		p.dropKept()
		p.line(l)
		return true
	}
	if !p.marked(l) && !p.closesWrap(l) {
		p.unmarked(l)
		return true
	}
	kept := p.kept
	p.kept = nil
	if p.state == v4aAdd {
		p.badHunk(kept[0].no, msgHeader, strings.TrimSpace(kept[0].text))
		return false
	}
	for _, k := range kept {
		p.emitLine(' ', k.text)
	}
	return false
}

// marked reports whether a line begins as those of a patch do, and not as an item of a list.
func (p *v4a) marked(l piece) bool {
	t := l.text
	switch {
	case t == "", strings.HasPrefix(t, "- "), strings.HasPrefix(t, "+ "):
		return false
	case strings.HasPrefix(t, "***"), strings.HasPrefix(t, "@@"), t[0] == '+':
		return true
	}
	return p.state != v4aAdd && (t[0] == ' ' || t[0] == '-')
}

// dropKept ends the patch before the lines that are kept back: they are words.
func (p *v4a) dropKept() {
	kept := p.kept
	if p.kept = nil; len(kept) == 0 {
		return
	}
	p.end()
	for _, k := range kept {
		p.line(k)
	}
}

// indentOf returns the white space before the marker that begins a patch: in a list, all of its lines have it.
func (p *v4a) indentOf(l piece) string {
	if p.strict {
		return ""
	}
	return l.text[:len(l.text)-len(strings.TrimLeft(l.text, " \t"))]
}

// outdented takes the patch's indentation off a line. A patch whose first header has none is not indented.
func (p *v4a) outdented(l piece) piece {
	if p.indent == "" || p.state == v4aOutside {
		return l
	}
	text, is := strings.CutPrefix(l.text, p.indent)
	if !is && p.state == v4aTop && p.files == 0 && strings.TrimSpace(l.text) != "" {
		p.indent = ""
	}
	if is {
		l.text = text
	}
	return l
}
