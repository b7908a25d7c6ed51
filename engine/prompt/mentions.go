package prompt

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// named is a path as the request has it.
type named struct {
	path     string // without the project's folder and the line
	at, line int
	file     int // that it means
	long     int // the length of what the two paths share
	n        int // number of files for which that is so
}

// mentionPaths finds the files whose path the request has: from the project's folder; or the end of it, such as a
// base name; or with more in front, as a stack trace of another computer has it.
func (f *focus) mentionPaths(r Request) {
	root := r.Files.Root()
	var all []*named
	at, line := 0, false // line: the word before was "line"
	for token := range strings.FieldsFuncSeq(r.Text, func(c rune) bool {
		return strings.ContainsRune(" \t\r\n\"'`()[]{}<>,;|*!?", c)
	}) {
		at++
		if n, err := strconv.Atoi(token); line && err == nil && len(all) > 0 && all[len(all)-1].at == at-2 {
			all[len(all)-1].line = n // File "a.py", line 3
		}
		if line = token == "line"; line {
			continue
		}
		if p := namedBy(token, root, at); p != nil {
			all = append(all, p)
		}
	}
	f.find(all)
	for _, p := range all {
		if p.n == 0 && !path.IsAbs(p.path) && strings.Contains(path.Base(p.path), ".") && len(f.unlisted) < maxMentioned &&
			!slices.Contains(f.unlisted, p.path) {
			f.unlisted = append(f.unlisted, p.path)
		}
		if p.n == 1 {
			f.mention(p.file, p.at, "the request names it")
			f.mentionLine(p.file, p.line)
		}
	}
}

// namedBy returns a word as a path; nil if it is none.
func namedBy(word, root string, at int) *named {
	word = strings.TrimRight(strings.TrimPrefix(word, "@"), ".:")
	if root != "" {
		word = strings.TrimPrefix(word, root+"/")
	}
	word, line, _ := strings.Cut(path.Clean(strings.ReplaceAll(word, `\`, "/")), ":")
	if len(word) < 3 {
		return nil
	}
	line, _, _ = strings.Cut(line, ":")
	n, _ := strconv.Atoi(line)
	return &named{path: word, at: at, line: max(0, n)}
}

// find looks for the files that paths mean.
func (f *focus) find(all []*named) {
	bases := map[string][]*named{}
	for _, p := range all {
		if i, ok := f.index(p.path); ok {
			p.file, p.n, p.long = i, 1, len(p.path)
		} else if base := path.Base(p.path); strings.Contains(base, ".") {
			bases[base] = append(bases[base], p)
		}
	}
	if len(bases) == 0 {
		return
	}
	for i, file := range f.files {
		for _, p := range bases[path.Base(file)] {
			if strings.HasSuffix(file, "/"+p.path) || strings.HasSuffix(p.path, "/"+file) {
				p.means(i, min(len(file), len(p.path)))
			}
		}
	}
}

// means notes a file that a path may mean: what shares most with it wins.
func (p *named) means(file, long int) {
	switch {
	case long > p.long:
		p.file, p.n, p.long = file, 1, long
	case long == p.long:
		p.n++
	}
}

// mentionLine notes the line that a request names in a file: of several the last one, which in most stack traces
// with a file twice is the inner one or near to it.
func (f *focus) mentionLine(file, line int) {
	for i := range f.mentioned {
		if m := &f.mentioned[i]; m.file == file && line > 0 {
			m.line = line
		}
	}
}
