package golang

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// Enclosing names the smallest declaration that encloses the selected lines or,
// failing that, the only one that they cover. It looks at the one file alone:
// the file is the target, and narrows what the name means.
func (language) Enclosing(ctx context.Context, src refactor.Source,
	target refactor.Target, kind string) (string, string, bool, error) {
	b, err := src.Read(target.File)
	if err != nil {
		return "", "", false, fmt.Errorf("read %s: %w", target.File, err)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, target.File, b, parser.ParseComments|parser.SkipObjectResolution)
	if tree == nil || err != nil {
		return "", "", false, &refactor.Declined{Reason: "what is selected in " + target.File +
			" cannot be told, because the file does not parse"}
	}
	return kit.Enclosing(b, spans(fset.File(tree.FileStart), tree), target, kind)
}

// spans lists the declarations of the file that have a name of their own, outer
// ones before the ones that they hold.
func spans(f *token.File, tree *ast.File) []kit.Span {
	var out []kit.Span
	add := func(symbol, kind string, names int, n ast.Node, doc *ast.CommentGroup) {
		s := kit.Span{Symbol: symbol, Kind: kind, Names: names, From: f.Line(n.Pos()), To: f.Line(n.End())}
		if doc != nil {
			s.From = min(s.From, f.Line(doc.Pos()))
		}
		out = append(out, s)
	}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			symbol, kind := d.Name.Name, "func"
			if d.Recv != nil {
				symbol, kind = receiverName(d)+"."+symbol, "method"
			}
			add(symbol, kind, 1, d, d.Doc)
		case *ast.GenDecl:
			specSpans(d, add)
		}
	}
	return out
}

type addSpan func(symbol, kind string, names int, n ast.Node, doc *ast.CommentGroup)

func specSpans(d *ast.GenDecl, add addSpan) {
	for _, s := range d.Specs {
		var whole ast.Node = s
		if !d.Lparen.IsValid() {
			whole = d
		}
		switch s := s.(type) {
		case *ast.TypeSpec:
			add(s.Name.Name, "type", 1, whole, specDoc(d, s.Doc))
			memberSpans(s.Name.Name, s.Type, add)
		case *ast.ValueSpec:
			add(s.Names[0].Name, d.Tok.String(), len(s.Names), whole, specDoc(d, s.Doc))
		}
	}
}

// memberSpans adds the fields and the methods that the type's own text declares.
func memberSpans(owner string, t ast.Expr, add addSpan) {
	list, kind := (*ast.FieldList)(nil), "field"
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list, kind = t.Methods, "method"
	}
	if list == nil {
		return
	}
	for _, m := range list.List {
		if len(m.Names) > 0 {
			add(owner+"."+m.Names[0].Name, kind, len(m.Names), m, m.Doc)
		}
	}
}
