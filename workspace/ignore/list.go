package ignore

import (
	"bytes"
	"os"
)

// list is the rules of one ignore file. The last one that matches decides.
type list struct {
	source string // as Rule.Source
	base   int    // length of the part of a path (from the top of the work tree) that is above the file
	pats   []pattern

	// Most rules are plain names ("node_modules"): one map look-up handles all of them.
	// names has their indexes in ascending order, others the rest.
	names  map[string][]int32
	others []sieve
	fold   bool
}

// sieve is a cheap test whether a pattern may match. Most patterns of a long list do not
// match, and only their sieves are read.
type sieve struct {
	index       int32
	nameOnly    bool
	dirOnly     bool
	first, last byte // the first and last byte that the subject must have; 0: any
}

func newSieve(i int32, p *pattern) sieve {
	s := sieve{index: i, nameOnly: p.nameOnly, dirOnly: p.dirOnly}
	if p.fold {
		return s
	}
	ops := p.rest.ops
	switch {
	case p.shape != suffix && p.text != "":
		s.first = p.text[0]
	case len(ops) > 0 && ops[0].kind == opByte:
		s.first = ops[0].b
	}
	switch {
	case p.shape != headAndGlob && p.text != "":
		s.last = p.text[len(p.text)-1]
	case len(ops) > 0 && ops[len(ops)-1].kind == opByte:
		s.last = ops[len(ops)-1].b
	}
	return s
}

func (s *sieve) lets(subject string) bool {
	return subject != "" && (s.first == 0 || s.first == subject[0]) && (s.last == 0 || s.last == subject[len(subject)-1])
}

// maxFile is the size from which git ignores an ignore file, too.
const maxFile = 100 << 20

// readList reads an ignore file; it returns nil if there is none or it has no rules. A file
// inside the project must not be a link (follow is false), as in git: a link could make a
// checkout depend on any file of the computer.
func readList(file, source string, base int, fold, follow bool) *list {
	stat := os.Lstat
	if follow {
		stat = os.Stat
	}
	info, err := stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > maxFile {
		return nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return parseList(content, source, base, fold)
}

func parseList(content []byte, source string, base int, fold bool) *list {
	l := &list{source: source, base: base, fold: fold}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	for number := 1; len(content) > 0; number++ {
		line, rest, _ := bytes.Cut(content, []byte("\n"))
		content = rest
		if len(line) > 0 && line[0] != '#' {
			l.add(parsePattern(cleanLine(line), number, fold))
		}
	}
	if len(l.pats) == 0 {
		return nil
	}
	return l
}

// cleanLine removes the CR of a CRLF, and everything from a NUL byte on, because git's
// lines are C strings.
func cleanLine(line []byte) string {
	line = bytes.TrimSuffix(line, []byte("\r"))
	line, _, _ = bytes.Cut(line, []byte{0})
	return string(line)
}

func (l *list) add(p pattern) {
	if p.nameOnly && p.shape == literal && p.text == "" || p.rest.bad {
		return // cannot match anything
	}
	i := int32(len(l.pats))
	l.pats = append(l.pats, p)
	if !p.nameOnly || p.shape != literal {
		l.others = append(l.others, newSieve(i, &p))
		return
	}
	if l.names == nil {
		l.names = map[string][]int32{}
	}
	key := l.key(p.text)
	l.names[key] = append(l.names[key], i)
}

func (l *list) key(name string) string {
	if !l.fold {
		return name
	}
	for i := 0; i < len(name); i++ {
		if name[i] != lower(name[i]) {
			return lowerAll(name)
		}
	}
	return name
}

func lowerAll(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = lower(b[i])
	}
	return string(b)
}

// find returns the last rule that matches path (from the top of the work tree),
// whose last component is name; nil if none does.
func (l *list) find(path, name string, isDir bool) *pattern {
	best := l.findName(name, isDir)
	below := path[l.base:]
	for k := len(l.others) - 1; k >= 0 && l.others[k].index > best; k-- {
		s := &l.others[k]
		if s.dirOnly && !isDir {
			continue
		}
		subject := below
		if s.nameOnly {
			subject = name
		}
		if s.lets(subject) && l.pats[s.index].match(subject) {
			return &l.pats[s.index]
		}
	}
	if best < 0 {
		return nil
	}
	return &l.pats[best]
}

func (l *list) findName(name string, isDir bool) int32 {
	if l.names == nil {
		return -1
	}
	hits := l.names[l.key(name)]
	for k := len(hits) - 1; k >= 0; k-- {
		if isDir || !l.pats[hits[k]].dirOnly {
			return hits[k]
		}
	}
	return -1
}
