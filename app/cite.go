package app

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"waferpair/engine"
)

// Citations of an answer: places of the project, as path:line or path:from-to, in the text or in
// code spans. Each place counts once, in the order of the answer.
//
//	app/turn.go:35-40   `my notes.md:3`   turn.go:35 (the only file of that name)
//	turn.go#L35-L40     `turn.go` line 35   lines 35 to 40 of turn.go
//
// What only looks like one, such as localhost:8080 or 12:30, is none: the file must be there, or
// at least be of a kind that the project has.

// maxCitations bounds the citations of an answer.
const maxCitations = 200

const noSuchFile = "there is no such file in the project"

var (
	inText  = regexp.MustCompile(`([\p{L}\p{N}_@+~./\\-]*[\p{L}\p{N}_])(?::|#L)(\d{1,7})(?:[-–]L?(\d{1,7}))?`)
	inSpan  = regexp.MustCompile("`([^`\n:#]+)(?::|#L)(\\d{1,7})(?:[-–]L?(\\d{1,7}))?`")
	inWords = regexp.MustCompile("([\\p{L}\\p{N}_@+~./\\\\-]*[\\p{L}\\p{N}_])`?,? (?:\\(?(?:at |on )?lines? |L)(\\d{1,7})(?:(?:[-–]L?| to )(\\d{1,7}))?")
	behind  = regexp.MustCompile(
		"[Ll]ines? (\\d{1,7})(?:(?:[-–]| to )(\\d{1,7}))? (?:of|in) `?([\\p{L}\\p{N}_@+~./\\\\-]*[\\p{L}\\p{N}_])")
)

// citations finds the places that an answer names, and checks them.
func (p *documents) citations(ctx context.Context, said string) (out []engine.Cited) {
	all, err := p.Files(ctx)
	if err != nil {
		p.notice("the places that the answer names could not be checked: " + err.Error())
		return nil
	}
	c := citer{files: all, read: p.Read, lines: map[string]int{}}
	seen := map[string]bool{}
	for _, at := range citationsIn(said) {
		cited, is := c.check(at)
		if !is || seen[cited.Text] {
			continue
		}
		seen[cited.Text] = true
		if out = append(out, cited); len(out) == maxCitations {
			break
		}
	}
	return out
}

// citationsAfter finds the places that an answer names which goes on with one that ended in a word: that
// word may be the beginning of a place.
func (p *documents) citationsAfter(ctx context.Context, word, said string) []engine.Cited {
	end := strings.IndexAny(said, " \t\n")
	if end < 0 {
		end = len(said)
	}
	if word == "" || end == 0 {
		return p.citations(ctx, said)
	}
	joined := p.citations(ctx, word+said[:end])
	if !slices.ContainsFunc(joined, func(c engine.Cited) bool { return c.OK }) {
		return p.citations(ctx, said)
	}
	rest := slices.DeleteFunc(p.citations(ctx, said[end:]), func(c engine.Cited) bool {
		return slices.ContainsFunc(joined, func(j engine.Cited) bool { return j.Text == c.Text })
	})
	return append(joined, rest...)
}

// citationsIn returns what may be a citation, in the order of the text.
func citationsIn(said string) (out []engine.Cited) {
	type found struct {
		at int
		c  engine.Cited
	}
	var all []found
	covered := -1
	add := func(from, to int, name, line, until string) {
		c := engine.Cited{Text: strings.Trim(said[from:to], "`"), Path: name}
		c.Line, _ = strconv.Atoi(line) // at most seven digits
		c.To, _ = strconv.Atoi(until)
		all = append(all, found{from, c})
	}
	group := func(m []int, n int) string {
		if m[2*n] < 0 {
			return ""
		}
		return said[m[2*n]:m[2*n+1]]
	}
	spans := inSpan.FindAllStringSubmatchIndex(said, -1)
	for _, m := range spans {
		add(m[0], m[1], group(m, 1), group(m, 2), group(m, 3))
	}
	for _, m := range inText.FindAllStringSubmatchIndex(said, -1) {
		inside := slices.ContainsFunc(spans, func(s []int) bool { return m[0] >= s[0] && m[1] <= s[1] })
		url := strings.HasSuffix(said[:m[0]], ":") && strings.HasPrefix(said[m[0]:], "//")
		if inside || url || m[0] < covered {
			continue
		}
		covered = m[1]
		add(m[0], m[1], group(m, 1), group(m, 2), group(m, 3))
	}
	for _, m := range inWords.FindAllStringSubmatchIndex(said, -1) {
		add(m[0], m[1], group(m, 1), group(m, 2), group(m, 3))
	}
	for _, m := range behind.FindAllStringSubmatchIndex(said, -1) {
		add(m[0], m[1], group(m, 3), group(m, 1), group(m, 2))
	}
	slices.SortStableFunc(all, func(a, b found) int { return a.at - b.at })
	for _, f := range all {
		out = append(out, f.c)
	}
	return out
}

// citer checks citations against a project.
type citer struct {
	files []string // sorted
	read  func(path string) ([]byte, error)
	lines map[string]int // of files that were read
	kinds map[string]bool
}

// check resolves and checks a citation; false when it is none.
func (c *citer) check(at engine.Cited) (engine.Cited, bool) {
	name := path.Clean(strings.ReplaceAll(at.Path, `\`, "/"))
	file, why := c.resolve(name)
	switch {
	case file == "" && !c.isKind(name):
		return at, false
	case file == "":
		at.Path, at.Why = name, why
		return at, true
	}
	at.Path = file
	n, err := c.count(file)
	switch last := max(at.Line, at.To); {
	case err != nil:
		at.Why = err.Error()
	case at.Line < 1 || at.To != 0 && at.To < at.Line:
		at.Why = "there are no such lines"
	case last > n:
		at.Why = fmt.Sprintf("%s has %d lines", file, n)
	default:
		at.OK = true
	}
	return at, true
}

// resolve finds the file that a name means: the file itself, or the only one whose path ends with
// the name.
func (c *citer) resolve(name string) (file, why string) {
	if _, is := slices.BinarySearch(c.files, name); is {
		return name, ""
	}
	n := 0
	for _, f := range c.files {
		if strings.HasSuffix(f, "/"+name) {
			file, n = f, n+1
		}
	}
	switch n {
	case 0:
		return "", noSuchFile
	case 1:
		return file, ""
	}
	return "", fmt.Sprintf("%d files have this name", n)
}

// isKind reports whether a name could be a file of the project.
func (c *citer) isKind(name string) bool {
	if c.kinds == nil {
		c.kinds = map[string]bool{}
		for _, f := range c.files {
			c.kinds[path.Ext(f)] = true
			c.kinds[path.Base(f)] = true
		}
	}
	if c.kinds[path.Base(name)] {
		return true
	}
	ext := path.Ext(name)
	return ext != "" && c.kinds[ext] && strings.ContainsFunc(ext, func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	})
}

// count returns the number of lines of a file.
func (c *citer) count(file string) (int, error) {
	if n, ok := c.lines[file]; ok {
		return n, nil
	}
	b, err := c.read(file)
	if err != nil {
		return 0, err
	}
	n := bytes.Count(b, []byte("\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	c.lines[file] = n
	return n, nil
}
