package golang

import (
	"go/ast"
	"go/token"
	"strings"
)

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
	field, _ := d.node.(*ast.Field)
	if d.kind == "field" && field != nil && len(field.Names) > 1 {
		return 0, 0, j.declined("%s is declared together with others (%s)", d.name.Name, d.place())
	}
	if d.local || d.kind == "method" && !isFuncDecl(d.node) {
		return 0, 0, j.declined("%s is not a declaration of its own", d.place())
	}
	start := d.start()
	if spec, ok := d.node.(*ast.ValueSpec); ok && len(spec.Names) > 1 {
		return 0, 0, j.declined("%s is declared together with others (%s)", d.name.Name, d.place())
	}
	for _, x := range g.ast.Decls {
		gd, ok := x.(*ast.GenDecl)
		if ok && d.kind != "field" && gd.Pos() <= d.name.Pos() && d.name.Pos() < gd.End() {
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
