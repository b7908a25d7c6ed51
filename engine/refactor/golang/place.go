package golang

import (
	"go/ast"
	"strings"
)

// targetFile is the file the user pointed at, parsed without errors.
func (j *job) targetFile() (*goFile, error) {
	f := j.target.File
	if f == "" {
		return nil, j.declined("it is not clear in which file; name one")
	}
	return j.fileOf(f)
}

// fileOf is a Go file, parsed without errors.
func (j *job) fileOf(f string) (*goFile, error) {
	if !isGo(f) {
		return nil, j.declined("%s is not a Go file", f)
	}
	g := j.p.file(f)
	if g == nil {
		return nil, j.declined("%s cannot be read as Go", f)
	}
	if g.err != nil {
		return nil, j.declined("%s does not parse: %v", f, g.err)
	}
	return g, nil
}

// inSelection reports whether the node touches the selected lines; everything
// does when nothing is selected.
func (j *job) inSelection(g *goFile, n ast.Node) bool {
	if j.target.From <= 0 || j.target.File != g.path {
		return true
	}
	return g.lineOf(n.End()) >= j.target.From && g.lineOf(n.Pos()) <= j.target.To
}

// insertLines inserts text made with \n line ends in the file's own way.
func (j *job) insertLines(g *goFile, off int, s string) {
	j.edits.insert(g.path, off, withEOL(g, s))
}

func (j *job) replaceLines(g *goFile, from, to int, s string) {
	j.edits.replace(g.path, from, to, withEOL(g, s))
}

func withEOL(g *goFile, s string) string {
	if eol := g.eol(); eol != "\n" {
		return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", eol)
	}
	return s
}

// sourcePlace is where an operation looks: a function, or a file.
type sourcePlace struct {
	g    *goFile
	node ast.Node
}
