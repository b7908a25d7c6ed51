package ignore

import "strings"

// pattern is one compiled rule. It has one of four shapes, cheapest first: a literal, a
// suffix ("*.o"), a literal head and a glob for the rest, or (head empty) a glob alone. A
// pattern without an inner slash is compared with the last component of the path, any other
// one with the path below the ignore file.
type pattern struct {
	line     int
	shown    string // as git prints it: with its ! and its trailing slash
	negative bool
	dirOnly  bool
	nameOnly bool // compared with the last component
	fold     bool
	shape    shape
	text     string // literal, suffix or head
	rest     glob
}

type shape uint8

const (
	literal shape = iota
	suffix
	headAndGlob
)

const special = `*?[\`

// parsePattern compiles the rule on one line without its line end, which is neither a
// comment nor empty.
func parsePattern(line string, number int, fold bool) pattern {
	s := trimSpaces(line)
	p := pattern{line: number, shown: s, fold: fold}
	if strings.HasPrefix(s, "!") {
		p.negative = true
		s = s[1:]
	}
	if strings.HasSuffix(s, "/") {
		p.dirOnly = true
		s = s[:len(s)-1]
	}
	p.nameOnly = !strings.Contains(s, "/")
	if !p.nameOnly {
		s = strings.TrimPrefix(s, "/")
	}
	p.compile(s)
	return p
}

func (p *pattern) compile(s string) {
	head := strings.IndexAny(s, special)
	switch {
	case head < 0:
		p.shape, p.text = literal, s
	case p.nameOnly && s[0] == '*' && !strings.ContainsAny(s[1:], special):
		p.shape, p.text = suffix, s[1:]
	case p.nameOnly:
		p.shape, p.rest = headAndGlob, compileGlob(s, false, p.fold)
	default:
		// git matches the head first and drops it, so that in a/b**/c the ** is at the
		// start of its pattern and may cross slashes.
		p.shape, p.text = headAndGlob, s[:head]
		p.rest = compileGlob(s[head:], true, p.fold)
	}
}

// match reports whether the rule applies to name: the last component of the path if
// p.nameOnly, otherwise the path below the ignore file's directory.
func (p *pattern) match(name string) bool {
	switch p.shape {
	case literal:
		return p.equal(name, p.text)
	case suffix:
		cut := len(name) - len(p.text)
		return cut >= 0 && p.equal(name[cut:], p.text)
	default:
		n := len(p.text)
		return len(name) >= n && p.equal(name[:n], p.text) && p.rest.match(name[n:])
	}
}

func (p *pattern) equal(a, b string) bool {
	if !p.fold {
		return a == b
	}
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

// trimSpaces removes trailing spaces; one after a backslash stays. A single backslash at
// the end keeps everything.
func trimSpaces(s string) string {
	end := 0 // the end of the part to keep
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			if i++; i == len(s) {
				return s
			}
		}
		end = i + 1
	}
	return s[:end]
}
