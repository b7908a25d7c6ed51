package ignore

import (
	"bytes"
	"os"
)

// A list is the rules of one ignore file. The last one that matches decides.
type list struct {
	source string // as Rule.Source
	base   int    // how much of a path (from the top of the work tree) lies above the file
	pats   []pattern

	// Most rules are plain names ("node_modules"): one map look-up answers for all
	// of them. names holds their indexes in ascending order, others all the rest.
	names  map[string][]int32
	others []int32
	fold   bool
}

// maxFile is the size from which on git, too, takes no rules from a file.
const maxFile = 100 << 20

// readList reads an ignore file; nil when there is none or it holds no rules.
// Those inside the project must not be links (follow false), as in git: a link
// could make a checkout depend on any file of the machine.
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

// cleanLine drops the CR of a CRLF and all from a NUL byte on: git's lines are C
// strings.
func cleanLine(line []byte) string {
	line = bytes.TrimSuffix(line, []byte("\r"))
	line, _, _ = bytes.Cut(line, []byte{0})
	return string(line)
}

func (l *list) add(p pattern) {
	if p.nameOnly && p.shape == literal && p.text == "" || p.rest.bad {
		return // can match nothing
	}
	i := int32(len(l.pats))
	l.pats = append(l.pats, p)
	if !p.nameOnly || p.shape != literal {
		l.others = append(l.others, i)
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
	for k := len(l.others) - 1; k >= 0 && l.others[k] > best; k-- {
		p := &l.pats[l.others[k]]
		if p.dirOnly && !isDir {
			continue
		}
		subject := name
		if !p.nameOnly {
			subject = path[l.base:]
		}
		if p.match(subject) {
			return p
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
