package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// commentOut turns a declaration with its doc comment, or the selected lines,
// into comments. What is left must still type-check.
func (j *job) commentOut() error {
	if j.arg("symbol") == "" {
		return j.commentSelection()
	}
	s, err := j.symbol("symbol", "")
	if err != nil {
		return err
	}
	if err := j.noUses(s, "commented out"); err != nil {
		return err
	}
	for _, d := range s.decls {
		from, to, err := j.declLines(d)
		if err != nil {
			return err
		}
		j.commentRange(d.file, from, to)
	}
	j.guard = []string{s.first().name.Name}
	j.dropsCode = true
	j.summary = fmt.Sprintf("Commented %s out.", s.first().name.Name)
	return j.settle(j.dirsUsing(s.first())...)
}

func (j *job) commentSelection() error {
	g, err := j.targetFile()
	if err != nil {
		return err
	}
	if j.target.From <= 0 {
		return j.declined("say which declaration, or select lines")
	}
	from, to := lineOffset(g, j.target.From), lineOffset(g, max(j.target.From, j.target.To))
	if from < 0 || to < 0 {
		return j.declined("%s has no line %d", g.path, j.target.To)
	}
	to = g.lineEnd(to)
	for _, t := range codeTokens(g.src) {
		if t.from < from && t.to > from || t.from < to && t.to > to {
			return j.declined("the selection begins or ends inside a literal (%s:%d)", g.path, g.line(t.from))
		}
	}
	for _, c := range g.ast.Comments {
		for _, c := range c.List {
			if a, b := g.off(c.Pos()), blockEnd(g, c); c.Text[1] == '*' && a < to && b > from {
				return j.declined("there is a /* comment */ in the selection (%s:%d)", g.path, g.line(a))
			}
		}
	}
	j.commentRange(g, from, to)
	j.dropsCode = true
	j.summary = fmt.Sprintf("Commented out %s:%d-%d.", g.path, j.target.From, max(j.target.From, j.target.To))
	return j.settle()
}

// blockEnd is the offset behind a comment, whose text lacks carriage returns.
func blockEnd(g *goFile, c *ast.Comment) int {
	at := g.off(c.Pos())
	if c.Text[1] != '*' {
		return g.lineEnd(at)
	}
	return at + 2 + strings.Index(string(g.src[at+2:]), "*/") + 2
}

// noUses declines when something other than the declaration itself uses it.
func (j *job) noUses(s *symbol, what string) error {
	if s.first().local {
		return nil // the checker will tell
	}
	r, uses, err := j.usesOf(s)
	if err != nil {
		return err
	}
	if s.first().kind == "method" && len(r.targets) != len(s.decls) {
		return j.declined("%s cannot be %s: an interface wants it", s, what)
	}
	var places []string
	for _, u := range uses {
		if !insideDecl(s, u) {
			places = append(places, u.place())
		}
	}
	if len(places) > 0 {
		return j.declined("%s cannot be %s: it is used at %s", s.first().name.Name, what, someOf(places))
	}
	return nil
}

func insideDecl(s *symbol, u use) bool {
	for _, d := range s.decls {
		if d.file == u.file && d.node.Pos() <= u.id.Pos() && u.id.Pos() < d.node.End() {
			return true
		}
	}
	return false
}

// declLines are the bytes of the lines of a declaration and its doc comment.
func (j *job) declLines(d *decl) (from, to int, err error) {
	g := d.file
	var n ast.Node = d.node
	if d.local || d.kind == "field" || d.kind == "method" && !isFuncDecl(d.node) {
		return 0, 0, j.declined("%s is not a declaration of its own", d.place())
	}
	start := d.start()
	if spec, ok := d.node.(*ast.ValueSpec); ok && len(spec.Names) > 1 {
		return 0, 0, j.declined("%s is declared together with others (%s)", d.name.Name, d.place())
	}
	for _, x := range g.ast.Decls {
		gd, ok := x.(*ast.GenDecl)
		if ok && gd.Pos() <= d.name.Pos() && d.name.Pos() < gd.End() {
			if gd.Tok == token.CONST && gd.Lparen.IsValid() {
				if err := j.countedGroup(d, gd); err != nil {
					return 0, 0, err
				}
			}
			if len(gd.Specs) == 1 {
				n, start = gd, gd.Pos()
				if d.doc == nil {
					d.doc = gd.Doc
				}
			}
		}
	}
	if d.doc != nil {
		start = d.doc.Pos()
	}
	if ind := g.indent(g.off(start)); g.lineStart(g.off(start))+len(ind) != g.off(start) ||
		!aloneOnLines(g, nodeFrom{n, start}) {
		return 0, 0, j.declined("%s shares its line with something else", d.place())
	}
	return g.lineStart(g.off(start)), g.lineEnd(g.off(n.End())), nil
}

// nodeFrom is a node that begins with its comment.
type nodeFrom struct {
	ast.Node
	from token.Pos
}

func (n nodeFrom) Pos() token.Pos { return n.from }

// countedGroup declines taking a line out of constants that count lines.
func (j *job) countedGroup(d *decl, gd *ast.GenDecl) error {
	for _, s := range gd.Specs {
		counted := len(s.(*ast.ValueSpec).Values) == 0
		ast.Inspect(s, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			counted = counted || ok && id.Name == "iota"
			return true
		})
		if counted {
			return j.declined("the constants around %s are counted by line (%s)", d.name.Name, d.place())
		}
	}
	return nil
}

// commentRange puts // before each line, behind the indentation they share.
func (j *job) commentRange(g *goFile, from, to int) {
	common := -1
	for at := from; at < to; at = g.lineEnd(at) {
		if !blankLineAt(g, at) {
			if n := len(g.indent(at)); common < 0 || n < common {
				common = n
			}
		}
	}
	common = max(common, 0)
	for at := from; at < to; at = g.lineEnd(at) {
		if blankLineAt(g, at) {
			j.edits.insert(g.path, at, string(g.src[from:from+min(common, len(g.indent(from)))])+"//")
		} else {
			j.edits.insert(g.path, at+common, "// ")
		}
	}
}
