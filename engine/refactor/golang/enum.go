package golang

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"waferpair/engine/refactor/ops"
	"waferpair/engine/refactor/words"
)

// Enum is a type with constants in one block.
func (s syntax) Enum(arg, name, value string) (*ops.Enum, error) {
	sym, err := s.symbol(arg, "type")
	if err != nil {
		return nil, err
	}
	if len(sym.decls) > 1 || !token.IsIdentifier(name) {
		return nil, s.declined("%s has several declarations, or %q is not a name in Go", sym, name)
	}
	d := sym.first()
	_, x := s.unitOf(s.p, d.file)
	if x == nil || x.pkg == nil {
		return nil, s.declined("no build includes %s", d.file.path)
	}
	e := enum{s, x, x.info.Defs[d.name], nil, nil, nil}
	if err := e.find(d.name.Name); err != nil {
		return nil, err
	}
	name = ops.Prefixed(name, d.name.Name, e.names())
	if x.pkg.Scope().Lookup(name) != nil {
		return nil, s.declined("%s is already declared in the package", name)
	}
	spec, err := e.spec(d.name.Name, name, value)
	if err != nil {
		return nil, err
	}
	g := e.file
	at := g.lineEnd(g.off(e.last.End()))
	out := &ops.Enum{Title: d.name.Name, Name: name, File: s.kitFile(g), At: at,
		Text: g.indent(g.off(e.last.Pos())) + spec + g.eol()}
	return out, e.switches(out)
}

type enum struct {
	s      syntax
	x      *unit
	typ    types.Object
	consts []*types.Const
	last   *ast.ValueSpec
	file   *goFile
}

func (e *enum) names() []string {
	var out []string
	for _, c := range e.consts {
		out = append(out, c.Name())
	}
	return out
}

// find finds the constants, and the last of them in its block.
func (e *enum) find(title string) error {
	var block *ast.GenDecl
	for _, g := range e.x.files {
		for _, d := range g.ast.Decls {
			gd, ok := d.(*ast.GenDecl)
			if !ok || gd.Tok != token.CONST {
				continue
			}
			for i, sp := range gd.Specs {
				v := sp.(*ast.ValueSpec)
				c, ok := e.x.info.Defs[v.Names[0]].(*types.Const)
				if !ok || c.Type() != e.typ.Type() {
					continue
				}
				if block != nil && block != gd || !gd.Lparen.IsValid() || len(v.Names) > 1 {
					return e.s.declined("the constants of %s are not one block with one name a line", title)
				}
				block, e.last, e.file = gd, v, g
				e.consts = append(e.consts, c)
				if i+1 < len(gd.Specs) && len(gd.Specs[i+1].(*ast.ValueSpec).Values) == 0 &&
					e.x.info.Defs[gd.Specs[i+1].(*ast.ValueSpec).Names[0]].Type() != e.typ.Type() {
					return e.s.declined("the block goes on behind the constants of %s", title)
				}
			}
		}
	}
	if e.last == nil {
		return e.s.declined("%s has no constants in this package", title)
	}
	for _, sp := range block.Specs {
		if sp.Pos() > e.last.Pos() && mentionsIota(sp) {
			return e.s.declined("constants behind those of %s count on, and would change", title)
		}
	}
	if last := e.consts[len(e.consts)-1].Name(); sentinel(last) {
		return e.s.declined("%s (%s) seems to say how many there are: the new one goes before it", last,
			e.file.path+":"+strconv.Itoa(e.file.lineOf(e.last.Pos())))
	}
	return nil
}

// sentinel reports whether a constant only counts the others.
func sentinel(name string) bool {
	ws := words.Of(name)
	if len(ws) == 0 {
		return false
	}
	switch strings.ToLower(ws[0]) {
	case "num", "number", "max", "last", "end":
		return true
	}
	switch strings.ToLower(ws[len(ws)-1]) {
	case "count", "end", "max", "last":
		return true
	}
	return false
}

func mentionsIota(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == "iota"
		return !found
	})
	return found
}

// spec writes the new constant as the last one is written.
func (e *enum) spec(typ, name, value string) (string, error) {
	if value == "" && (len(e.last.Values) == 0 || mentionsIota(e.last)) {
		if n := len(e.consts); n > 1 && len(e.last.Values) > 0 {
			return "", e.s.declined("which value has %s? The last one is %s", name, e.file.text(e.last))
		}
		return name, nil
	}
	last := e.consts[len(e.consts)-1]
	if value == "" {
		switch v := last.Val(); {
		case v.Kind() == constant.String:
			made, ok := textOf(e.consts, typ, name)
			if !ok {
				return "", e.s.declined("which value has %s? those of the others do not follow from their names", name)
			}
			value = strconv.Quote(made)
		case v.Kind() == constant.Int && isLiteral(e.last.Values[0]):
			for _, c := range e.consts {
				if constant.Compare(c.Val(), token.GTR, v) {
					v = c.Val()
				}
			}
			value = constant.BinaryOp(v, token.ADD, constant.MakeInt64(1)).ExactString()
		default:
			return "", e.s.declined("which value has %s? the last one is %s", name, v)
		}
	}
	if e.last.Type != nil {
		return name + " " + e.file.text(e.last.Type) + " = " + value, nil
	}
	if len(e.last.Values) > 0 && !isLiteral(e.last.Values[0]) { // T("x")
		return name + " = " + typ + "(" + value + ")", nil
	}
	return name + " " + typ + " = " + value, nil
}

func isLiteral(x ast.Expr) bool { _, ok := x.(*ast.BasicLit); return ok }

// textOf makes a string of a name as the others were made of theirs.
func textOf(all []*types.Const, typ, name string) (string, bool) {
	var names, values []string
	for _, c := range all {
		names, values = append(names, c.Name()), append(values, constant.StringVal(c.Val()))
	}
	return ops.MadeOf(names, values, typ, name)
}

// switches finds those that have a case for each constant.
func (e *enum) switches(out *ops.Enum) error {
	for _, g := range e.s.p.files(e.s.p.mentioning(e.consts[0].Name())) {
		_, x := e.s.unitOf(e.s.p, g)
		if x == nil || x.info == nil {
			continue
		}
		ast.Inspect(g.ast, func(n ast.Node) bool {
			sw, ok := n.(*ast.SwitchStmt)
			if !ok || sw.Tag == nil || x.info.TypeOf(sw.Tag) == nil ||
				types.TypeString(x.info.TypeOf(sw.Tag), nil) != types.TypeString(e.typ.Type(), nil) {
				return true
			}
			if s, ok := e.selection(g, x, sw, out.Name); ok {
				out.Select = append(out.Select, s)
			}
			return true
		})
	}
	return nil
}

func (e *enum) selection(g *goFile, x *unit, sw *ast.SwitchStmt, name string) (ops.Selection, bool) {
	seen := map[string]bool{}
	var other *ast.CaseClause
	qualifier := ""
	for _, st := range sw.Body.List {
		c := st.(*ast.CaseClause)
		if c.List == nil {
			other = c
		}
		for _, v := range c.List {
			if tv := x.info.Types[v]; tv.Value != nil {
				seen[tv.Value.ExactString()] = true
			}
			if sel, ok := v.(*ast.SelectorExpr); ok {
				qualifier = g.text(sel.X) + "."
			}
		}
	}
	for _, c := range e.consts {
		if !seen[c.Val().ExactString()] {
			return ops.Selection{}, false
		}
	}
	s := ops.Selection{File: e.s.kitFile(g), On: g.off(sw.Pos())}
	if other == nil || len(other.Body) != 1 || !givesUp(g, other.Body[0]) || sw.Body.List[len(sw.Body.List)-1] != other {
		return s, true
	}
	body := other.Body[0]
	s.At = g.lineStart(g.off(other.Pos()))
	s.Text = g.indent(g.off(other.Pos())) + "case " + qualifier + name + ":" + g.eol() + g.indent(g.off(body.Pos())) +
		g.text(body) + g.eol()
	return s, true
}

// givesUp reports whether a statement panics, or returns an error.
func givesUp(g *goFile, n ast.Stmt) bool {
	text := g.text(n)
	_, returns := n.(*ast.ReturnStmt)
	return !strings.Contains(text, "\n") && (strings.HasPrefix(text, "panic(") ||
		returns && (strings.Contains(text, "rror") || strings.Contains(text, "err")))
}
