package lines

import (
	"bytes"
	"go/ast"
	"go/token"
	"strings"
)

// place is where a line may be broken: it would end at the offset at.
type place struct {
	at    int
	depth int  // brackets around it
	cost  int  // in addition to that of its depth
	block bool // opens a body: the part before it need not fill the line
	edits []edit
}

// The costs of places relative to a place after a comma.
const (
	afterOr      = 0
	afterAnd     = 4
	afterInner   = 18 // an && beside an ||
	afterSum     = 8
	afterProduct = 30
	afterCompare = 40
	afterOpen    = 25
	afterAssign  = 45
	afterDot     = 25
	aboveCode    = -1000 // a comment beside code moves above it, before anything else is broken
	openBody     = -12
	openInner    = 45 // a body that is not the last thing on its line
	inResults    = 20
)

// finder collects the places of a file.
type finder struct {
	*measured
	found []place
	depth int
	inner map[*ast.BinaryExpr]bool
}

func places(m *measured, file *ast.File) []place {
	f := &finder{measured: m, inner: map[*ast.BinaryExpr]bool{}}
	for _, group := range file.Comments {
		f.comment(group)
	}
	for _, decl := range file.Decls {
		f.visit(decl)
	}
	return f.found
}

func (f *finder) offset(pos token.Pos) int { return f.file.Offset(pos) }

// at adds a place at an offset and drops the blanks there.
func (f *finder) at(offset, cost int, more ...edit) {
	to := offset
	for to < len(f.src) && (f.src[to] == ' ' || f.src[to] == '\t') {
		to++
	}
	if to < len(f.src) && f.src[to] != '\n' {
		edits := append([]edit{{offset, to, "\n"}}, more...)
		f.found = append(f.found, place{at: offset, depth: f.depth, cost: cost, edits: edits})
	}
}

// visit finds the places within a node; the nodes in brackets are one level deeper.
func (f *finder) visit(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			f.body(n.Body, true)
		case *ast.FuncType:
			f.fields(n.Params, 0)
			f.fields(n.Results, inResults)
		case *ast.FuncLit:
			f.body(n.Body, false)
		case *ast.CaseClause:
			commas(f, n.List, 0)
		case *ast.ReturnStmt:
			commas(f, n.Results, 0)
		case *ast.ValueSpec:
			commas(f, n.Values, 0)
		case *ast.AssignStmt:
			commas(f, n.Rhs, 0)
			f.at(f.offset(n.TokPos)+len(n.Tok.String()), afterAssign)
		case *ast.SelectorExpr:
			f.chain(n)
		case *ast.BinaryExpr:
			f.operator(n)
		case *ast.CallExpr:
			f.visit(n.Fun)
			f.inside(func() { list(f, n.Lparen, n.Args, afterOpen) })
			return false
		case *ast.CompositeLit:
			if n.Type != nil {
				f.visit(n.Type)
			}
			f.inside(func() { list(f, n.Lbrace, n.Elts, -1) })
			return false
		case *ast.ParenExpr:
			f.inside(func() { f.visit(n.X) })
			return false
		}
		return true
	})
}

func (f *finder) inside(do func()) {
	f.depth++
	do()
	f.depth--
}

// list finds the places in brackets: after the opening one, unless that cost is negative,
// after the commas, and deeper.
func list(f *finder, open token.Pos, in []ast.Expr, opening int) {
	if len(in) > 0 && opening >= 0 {
		f.at(f.offset(open)+1, opening)
	}
	commas(f, in, 0)
	for _, n := range in {
		f.visit(n)
	}
}

// commas finds the places after the commas between nodes.
func commas[N ast.Node](f *finder, nodes []N, cost int) {
	for i := 1; i < len(nodes); i++ {
		from, to := f.offset(nodes[i-1].End()), f.offset(nodes[i].Pos())
		c := bytes.IndexByte(f.src[from:to], ',')
		if c < 0 {
			continue
		}
		at := cost
		if f.offset(nodes[len(nodes)-1].End())-to < shortRest {
			at += lost
		}
		f.at(from+c+1, at, refill(f, nodes[i:])...)
	}
}

// mostRest is the maximum length of a broken-off rest that joins the next line.
const mostRest = 60

// refill joins the broken-off rest with the next line of the list. Otherwise the rest would
// be a short line in the middle of the list.
func refill[N ast.Node](f *finder, rest []N) []edit {
	line := f.line(f.offset(rest[0].Pos()))
	for i := 1; i < len(rest); i++ {
		end, next := f.offset(rest[i-1].End()), f.offset(rest[i].Pos())
		if f.line(next) == line {
			continue
		}
		between := string(bytes.TrimSpace(f.src[end:next]))
		if f.line(next) != line+1 || between != "," || f.line(end) != line || len(f.free[line+1]) > 0 ||
			end-f.offset(rest[0].Pos()) > mostRest {
			return nil
		}
		return []edit{{end, next, ", "}}
	}
	return nil
}

func (f *finder) fields(list *ast.FieldList, cost int) {
	if list != nil {
		f.inside(func() { commas(f, list.List, cost) })
	}
}

func (f *finder) operator(n *ast.BinaryExpr) {
	cost := afterCompare
	switch n.Op.Precedence() {
	case 1:
		cost = afterOr
		f.beside(n.X)
		f.beside(n.Y)
	case 2:
		cost = afterAnd
		if f.inner[n] {
			cost = afterInner
		}
	case 4:
		cost = afterSum
	case 5:
		cost = afterProduct
	}
	f.at(f.offset(n.OpPos)+len(n.Op.String()), cost)
}

// beside marks an && that is an operand of an ||.
func (f *finder) beside(x ast.Expr) {
	for {
		n, ok := x.(*ast.BinaryExpr)
		if !ok || n.Op != token.LAND {
			return
		}
		f.inner[n] = true
		x = n.X
	}
}

// chain finds the place between two calls of a chain.
func (f *finder) chain(n *ast.SelectorExpr) {
	if _, ok := n.X.(*ast.CallExpr); !ok {
		return
	}
	from := f.offset(n.X.End())
	if dot := bytes.IndexByte(f.src[from:f.offset(n.Sel.Pos())], '.'); dot >= 0 {
		f.at(from+dot+1, afterDot)
	}
}

// body opens a body that is on one line: each of its statements gets a line.
func (f *finder) body(b *ast.BlockStmt, declared bool) {
	if b == nil || len(b.List) == 0 {
		return
	}
	open, end := f.offset(b.Lbrace), f.offset(b.Rbrace)
	line := f.line(open)
	if f.line(end) != line {
		return
	}
	cost := openBody
	if !declared && strings.Trim(string(f.src[end+1:f.end(line)]), ")},;") != "" {
		cost = openInner
	}
	edits := []edit{{open + 1, f.offset(b.List[0].Pos()), "\n"}}
	for i, s := range b.List {
		next := end
		if i+1 < len(b.List) {
			next = f.offset(b.List[i+1].Pos())
		}
		edits = append(edits, edit{f.offset(s.End()), next, "\n"})
	}
	f.found = append(f.found, place{at: open + 1, depth: f.depth, cost: cost, block: true, edits: edits})
}

// comment finds the breaks of a comment: a comment beside code moves above it; a comment on
// lines of its own moves its last words to the next line.
func (f *finder) comment(group *ast.CommentGroup) {
	for _, c := range group.List {
		from, to := f.offset(c.Pos()), f.offset(c.End())
		line := f.line(from)
		if !f.long[line] || !strings.HasPrefix(c.Text, "// ") {
			continue
		}
		begin := f.begin(line)
		code := string(bytes.TrimSpace(f.src[begin:from]))
		switch {
		case code == "":
			f.rewrap(line, from, to)
		case !strings.HasPrefix(code, "}") && !strings.HasPrefix(code, ")"):
			indent := begin + f.indent(line)
			f.found = append(f.found, place{at: indent, cost: aboveCode, block: true, edits: []edit{
				{indent, indent, c.Text + "\n"},
				{begin + len(bytes.TrimRight(f.src[begin:from], " \t")), to, ""},
			}})
		}
	}
}

// rewrap moves the words of a comment line that do not fit to the next line of the same
// comment, or to a new one.
func (f *finder) rewrap(line, from, to int) {
	text := []rune(string(f.src[from:to]))
	fits := Width - f.indent(line)
	cut := len(text) - 1
	for cut > 0 && (cut > fits || text[cut] != ' ') {
		cut--
	}
	if cut <= len("// ") {
		return // one word
	}
	kept, rest := string(text[:cut]), strings.TrimSpace(string(text[cut:]))
	e := edit{from, to, kept + "\n// " + rest}
	if line < f.file.LineCount() {
		begin, end := f.begin(line+1), f.end(line+1)
		next := bytes.TrimLeft(f.src[begin:end], "\t")
		if f.indent(line+1) == f.indent(line) && bytes.HasPrefix(next, []byte("// ")) {
			e = edit{from, end, kept + "\n// " + rest + " " + string(next[len("// "):])}
		}
	}
	f.found = append(f.found, place{at: from, cost: aboveCode, block: true, edits: []edit{e}})
}
