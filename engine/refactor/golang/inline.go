package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// Inlinable implements the hook of inline.
func (s syntax) Inlinable(ds []*kit.Decl) (*ops.Signature, error) {
	found := ds[0].Raw.(declared).symbol
	if len(ds) > 1 {
		return nil, s.declined("%s is declared once for each build", found)
	}
	if err := s.deletable(found); err != nil {
		return nil, err
	}
	asked := s.op.Args
	s.op.Args = maps.Clone(asked)
	s.op.Args["func"] = asked["symbol"]
	sig, err := s.Signature("func")
	s.op.Args, s.signed = asked, nil // nothing is settled as a new signature
	if err != nil {
		return nil, err
	}
	d := found.first()
	fn := d.node.(*ast.FuncDecl)
	if fn.Recv != nil {
		if err := s.newMethod(d.name.Name); err != nil {
			return nil, s.declined("%s may be there for an interface", found)
		}
	}
	return sig, s.inlinable(d.file, fn)
}

func (s syntax) inlinable(g *goFile, fn *ast.FuncDecl) error {
	_, u := s.unitOf(s.p, g)
	name := fn.Name.Name
	switch {
	case u == nil || u.info == nil:
		return s.declined("no build includes %s", g.path)
	case fn.Type.TypeParams != nil || fn.Recv != nil && generic(fn):
		return s.declined("%s is generic", name)
	case fn.Doc != nil && strings.Contains(fn.Doc.Text()+g.text(fn.Doc), "//go:"):
		return s.declined("%s has a directive", name)
	}
	if res := fn.Type.Results; res != nil && (len(res.List) > 1 || len(res.List[0].Names) > 0) {
		return s.declined("%s has several results, or named ones", name)
	}
	for _, list := range []*ast.FieldList{fn.Recv, fn.Type.Params} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			for _, id := range f.Names {
				if obj := u.info.Defs[id]; obj != nil && id.Name != "_" && s.addressOf(g, u, obj) {
					return s.declined("%s sets a part of %s, or takes its address", name, id.Name)
				}
			}
		}
	}
	var bad ast.Node
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt, *ast.LabeledStmt, *ast.FuncLit:
			bad = n
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "recover" {
				bad = n
			}
		}
		return bad == nil
	})
	if bad != nil {
		return s.declined("line %d of %s belongs to its own function", g.lineOf(bad.Pos()), name)
	}
	return nil
}

// As implements the hook of inline: what was assigned to a parameter or a result of another type is
// converted.
func (s syntax) As(value *kit.Node, f *kit.File, text string, typ *kit.Node, of *kit.File,
	_ *kit.Node) (string, error) {
	_, u := s.unitOf(s.p, f.Raw.(*goFile))
	_, w := s.unitOf(s.p, of.Raw.(*goFile))
	x, ok := value.Raw.(ast.Expr)
	if typ == nil {
		return text, nil // no result
	}
	if list, is := typ.Raw.(*ast.FieldList); is {
		typ = of.Of(list.List[0].Type)
	}
	want, is := typ.Raw.(ast.Expr)
	if !ok || !is || u == nil || w == nil {
		return "", s.declined("the type of %s is not known", text)
	}
	t, to := u.info.Types[x], w.info.TypeOf(want)
	if t.Type == nil || to == nil {
		return "", s.declined("the type of %s is not known", text)
	}
	source := of.Text(typ)
	switch {
	case t.Value != nil && plainLiteral(x, to), t.Value == nil && !t.IsNil() && types.Identical(t.Type, to):
		return text, nil
	case t.Value != nil:
		if id, ok := x.(*ast.Ident); ok && u.info.Uses[id] != nil && types.Identical(u.info.Uses[id].Type(), to) {
			return text, nil // a constant of that type
		}
	}
	if f != of && strings.Contains(source, ".") {
		return "", s.declined("%s would have to be converted to %s, which %s may not import", text, source, f.Path)
	}
	switch want.(type) {
	case *ast.StarExpr, *ast.FuncType, *ast.ChanType:
		return "", s.declined("%s would have to be converted to %s", text, source)
	}
	return source + "(" + text + ")", nil
}

// plainLiteral reports whether a literal has the type without being told.
func plainLiteral(x ast.Expr, t types.Type) bool {
	lit, ok := x.(*ast.BasicLit)
	if !ok {
		id, is := x.(*ast.Ident)
		return is && (id.Name == "true" || id.Name == "false") && t == types.Typ[types.Bool]
	}
	kind := map[token.Token]types.BasicKind{token.INT: types.Int, token.FLOAT: types.Float64, token.STRING: types.String,
		token.CHAR: types.Rune}[lit.Kind]
	return kind != types.Invalid && types.Identical(t, types.Typ[kind])
}
