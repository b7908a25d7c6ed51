package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// doc writes doc comments where there are none. It never touches an existing one.
func (j *job) doc() error {
	if j.arg("symbol") != "" {
		return j.docSymbol()
	}
	g, err := j.targetFile()
	if err != nil {
		return err
	}
	n := 0
	for _, d := range documentable(g) {
		if j.wantsDoc(g, d) && !documented(d) && j.inSelection(g, d.node) {
			if err := j.writeDoc(d, sentence(d)); err == nil {
				n++
			}
		}
	}
	if n == 0 {
		return j.already("every %s declaration of %s has a doc comment", j.which(), g.path)
	}
	j.summary = fmt.Sprintf("Documented %s in %s.", plural(n, "declaration"), g.path)
	return j.settleComments()
}

func (j *job) which() string {
	if j.arg("which") == "all" {
		return ""
	}
	return "exported"
}

func (j *job) docSymbol() error {
	s, err := j.symbol("symbol", "")
	if err != nil {
		return err
	}
	for _, d := range s.decls {
		if d.local {
			return j.declined("%s is declared inside a function; doc comments are for declarations of packages", d.name.Name)
		}
		if documented(d) {
			if len(s.decls) > 1 {
				continue
			}
			return j.declined("%s has a doc comment already (%s)", d.name.Name, d.place())
		}
		what := sentence(d)
		if text := j.arg("text"); text != "" {
			what = givenText(d, text)
		}
		if err := j.writeDoc(d, what); err != nil {
			return err
		}
	}
	if j.edits.empty() {
		return j.declined("%s has a doc comment already", s.first().name.Name)
	}
	j.summary = fmt.Sprintf("Documented %s.", s.first().name.Name)
	return j.settleComments()
}

// documentable are the declarations for which go doc wants a comment.
func documentable(g *goFile) []*decl {
	var out []*decl
	for _, d := range declsIn(g, "") {
		member := d.kind == "field" || d.kind == "method" && !isFuncDecl(d.node)
		if !member && !(d.kind == "func" && (d.name.Name == "main" || d.name.Name == "init")) {
			out = append(out, d)
		}
	}
	return out
}

func isFuncDecl(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok }

func (j *job) wantsDoc(g *goFile, d *decl) bool {
	if k := j.arg("kind"); k != "" && !kindMatches(k, d) {
		return false
	}
	if j.arg("which") == "all" {
		return true
	}
	return exported(d.name.Name) && (d.kind != "method" || exported(d.owner)) && !(g.test && testPrefix(d.name.Name) != "")
}

// documented reports whether go doc would show a comment for the declaration.
func documented(d *decl) bool {
	if d.doc != nil && d.doc.Text() != "" {
		return true
	}
	switch n := d.node.(type) {
	case *ast.ValueSpec:
		if n.Comment != nil || n.Names[0] != d.name {
			return true // a list of names has one comment
		}
	case *ast.TypeSpec:
		if n.Comment != nil {
			return true
		}
	}
	for _, x := range d.file.ast.Decls { // a group's comment speaks for its constants and variables
		if gd, ok := x.(*ast.GenDecl); ok && gd.Tok != token.TYPE && gd.Pos() <= d.name.Pos() && d.name.Pos() < gd.End() {
			return gd.Doc != nil && gd.Doc.Text() != ""
		}
	}
	return false
}

// writeDoc puts the comment above the declaration, before compiler directives.
func (j *job) writeDoc(d *decl, what string) error {
	g := d.file
	at := g.off(d.start())
	tail := ""
	if d.doc != nil { // directives only
		at, tail = g.off(d.doc.Pos()), "//\n"
	}
	ind := g.indent(at)
	if g.lineStart(at)+len(ind) != at {
		return j.declined("%s does not begin its line, so there is no place for a comment", d.place())
	}
	var b strings.Builder
	for _, l := range strings.Split(what, "\n") {
		b.WriteString(strings.TrimRight(ind+"// "+l, " ") + "\n")
	}
	if tail != "" {
		b.WriteString(ind + tail)
	}
	j.insertLines(g, g.lineStart(at), b.String())
	return nil
}

// start is where the declaration's own text begins: its keyword, or its name within a group.
func (d *decl) start() token.Pos {
	for _, x := range d.file.ast.Decls {
		gd, ok := x.(*ast.GenDecl)
		if ok && !gd.Lparen.IsValid() && gd.Pos() <= d.name.Pos() && d.name.Pos() < gd.End() {
			if _, field := d.node.(*ast.Field); !field {
				return gd.Pos()
			}
		}
	}
	if fn, ok := d.node.(*ast.FuncDecl); ok {
		return fn.Type.Pos()
	}
	return d.name.Pos()
}
