package golang

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"strings"
)

// todo puts a TODO comment above a declaration (as the end of its doc comment,
// if it has one) or above the selected lines.
func (j *job) todo() error {
	text := strings.TrimSpace(j.arg("text"))
	for _, p := range []string{"//", "TODO:", "TODO"} {
		text = strings.TrimSpace(strings.TrimPrefix(text, p))
	}
	if text == "" {
		return j.declined("say what is to be done")
	}
	lines := strings.Split("TODO: "+strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if j.arg("symbol") == "" {
		return j.todoSelection(lines)
	}
	s, err := j.symbol("symbol", "")
	if err != nil {
		return err
	}
	for _, d := range s.decls {
		if err := j.todoAbove(d, lines); err != nil {
			return err
		}
	}
	j.summary = fmt.Sprintf("Added a TODO to %s.", s.first().name.Name)
	return j.settleComments()
}

func (j *job) todoSelection(lines []string) error {
	g, err := j.targetFile()
	if err != nil {
		return err
	}
	if j.target.From <= 0 {
		return j.declined("say above which declaration, or select a line")
	}
	at := lineOffset(g, j.target.From)
	if at < 0 {
		return j.declined("%s has no line %d", g.path, j.target.From)
	}
	j.commentLines(g, at, g.indent(at), lines)
	j.summary = fmt.Sprintf("Added a TODO to %s:%d.", g.path, j.target.From)
	return j.settleComments()
}

func (j *job) todoAbove(d *decl, lines []string) error {
	g := d.file
	start := d.start()
	if d.local {
		start = statementAt(g, d.name.Pos())
	}
	at := g.off(start)
	ind := g.indent(at)
	if g.lineStart(at)+len(ind) != at {
		return j.declined("%s does not begin its line, so there is no place for a comment", d.place())
	}
	at = g.lineStart(at)
	if d.doc != nil && d.doc.Text() != "" && !d.local {
		lines = append([]string{""}, lines...)
		at = g.lineStart(g.off(d.doc.Pos()))
		for _, c := range d.doc.List {
			if !directive(c.Text) {
				at = g.lineEnd(g.off(c.Slash) + len(strings.TrimRight(c.Text, "\r")))
			}
		}
		if d.doc.List[0].Text[1] == '*' {
			lines = lines[1:]
		}
	}
	j.commentLines(g, at, ind, lines)
	return nil
}

func directive(c string) bool {
	rest, ok := strings.CutPrefix(c, "//")
	return ok && rest != "" && rest[0] != ' ' && rest[0] != '\t' && strings.Contains(rest, ":")
}

func (j *job) commentLines(g *goFile, at int, indent string, lines []string) {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(indent+"// "+strings.TrimSpace(l), " ") + "\n")
	}
	j.insertLines(g, at, b.String())
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

// lineOffset is the offset of the first byte of a line, counted from 1, or -1.
func lineOffset(g *goFile, line int) int {
	if line < 1 || line > g.tok.LineCount() {
		return -1
	}
	at := 0
	for range line - 1 {
		at = g.lineEnd(at)
	}
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
