package golang

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// goFile is one parsed file. Positions of its tree are in the project's file set;
// offsets are byte offsets into src, whatever its line endings.
type goFile struct {
	path, dir string
	src       []byte
	ast       *ast.File
	tok       *token.File
	err       error // of the parser
	test      bool
	cgo       bool
	expr      constraint.Expr // of //go:build, or nil
}

// file parses a file once. It returns nil for a file that has no package clause.
func (p *project) file(name string) *goFile {
	if p.base != nil && !p.changed[name] {
		return p.base.file(name)
	}
	p.mu.Lock()
	g, ok := p.parsed[name]
	p.mu.Unlock()
	if ok {
		return g
	}
	g = p.parse(name)
	p.mu.Lock()
	defer p.mu.Unlock()
	if other, ok := p.parsed[name]; ok {
		return other // positions must not depend on who came first
	}
	p.parsed[name] = g
	return g
}

func (p *project) parse(name string) *goFile {
	src, ok := p.bytes[name]
	if !ok {
		return nil
	}
	tree, err := parser.ParseFile(p.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if tree == nil || tree.Name == nil || !tree.Package.IsValid() {
		return nil
	}
	g := &goFile{
		path: name, dir: path.Dir(name), src: src, ast: tree, err: err,
		tok: p.fset.File(tree.Package), test: strings.HasSuffix(name, "_test.go"),
		expr: buildExpr(tree),
	}
	for _, s := range tree.Imports {
		g.cgo = g.cgo || s.Path.Value == `"C"`
	}
	return g
}

// files parses several files at once and leaves out those without a package clause.
func (p *project) files(names []string) []*goFile {
	got := make([]*goFile, len(names))
	inParallel(len(names), func(i int) { got[i] = p.file(names[i]) })
	out := got[:0]
	for _, g := range got {
		if g != nil {
			out = append(out, g)
		}
	}
	return out
}

func buildExpr(f *ast.File) constraint.Expr {
	for _, g := range f.Comments {
		if g.Pos() > f.Package {
			break
		}
		for _, c := range g.List {
			if constraint.IsGoBuild(c.Text) {
				if x, err := constraint.Parse(c.Text); err == nil {
					return x
				}
			}
		}
	}
	return nil
}

var generatedLine = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.\r?$`)

func (g *goFile) generated() bool {
	head := g.src
	if off := g.off(g.ast.Package); off < len(head) {
		head = head[:off]
	}
	return generatedLine.Match(head)
}

func (g *goFile) off(pos token.Pos) int { return g.tok.Offset(pos) }

func (g *goFile) text(n ast.Node) string { return string(g.src[g.off(n.Pos()):g.off(n.End())]) }

// line is the number of the line that holds the offset, from 1, ignoring //line directives.
func (g *goFile) line(off int) int { return bytes.Count(g.src[:off], []byte("\n")) + 1 }

func (g *goFile) lineOf(pos token.Pos) int { return g.line(g.off(pos)) }

// eol is the line ending that new lines of the file get: that of its first line.
func (g *goFile) eol() string {
	if i := bytes.IndexByte(g.src, '\n'); i > 0 && g.src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineStart is the offset of the first byte of the line holding off.
func (g *goFile) lineStart(off int) int { return bytes.LastIndexByte(g.src[:off], '\n') + 1 }

// lineEnd is the offset just behind the line break of the line holding off.
func (g *goFile) lineEnd(off int) int {
	if i := bytes.IndexByte(g.src[off:], '\n'); i >= 0 {
		return off + i + 1
	}
	return len(g.src)
}

// indent is the white space at the start of the line holding off.
func (g *goFile) indent(off int) string {
	s := g.lineStart(off)
	e := s
	for e < len(g.src) && (g.src[e] == ' ' || g.src[e] == '\t') {
		e++
	}
	return string(g.src[s:e])
}

func (g *goFile) contains(pos token.Pos) bool {
	return int(pos) >= g.tok.Base() && int(pos) <= g.tok.Base()+g.tok.Size()
}

// without is the tree without the bodies of the functions that hold none of the
// words. It shares every other node with the file's own tree.
func (g *goFile) without(words []string) *ast.File {
	f := *g.ast
	f.Decls = make([]ast.Decl, len(g.ast.Decls))
	for i, d := range g.ast.Decls {
		f.Decls[i] = d
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		body := g.src[g.off(fn.Body.Pos()):g.off(fn.Body.End())]
		if !slices.ContainsFunc(words, func(w string) bool { return hasWord(body, w) }) {
			bare := *fn
			bare.Body = nil
			f.Decls[i] = &bare
		}
	}
	return &f
}

// statementAt is the start of the innermost statement around a position.
func statementAt(g *goFile, pos token.Pos) token.Pos {
	at := pos
	ast.Inspect(g.ast, func(n ast.Node) bool {
		if n == nil || n.Pos() > pos || pos >= n.End() {
			return n == nil || false
		}
		switch n := n.(type) {
		case *ast.BlockStmt:
		case *ast.FuncDecl:
			at = n.Type.Pos()
		case ast.Stmt:
			at = n.Pos()
		}
		return true
	})
	return at
}

// codeToken is a token of a file, with its bytes; comments are left out.
type codeToken struct {
	from, to int
	text     string
}

func codeTokens(src []byte) []codeToken {
	var s scanner.Scanner
	f := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(f, src, nil, 0)
	var out []codeToken
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return out
		}
		if tok == token.SEMICOLON && lit == "\n" {
			lit = ";"
		}
		if lit == "" {
			lit = tok.String()
		}
		from := f.Offset(pos)
		out = append(out, codeToken{from, min(from+len(lit), len(src)), lit})
	}
}
