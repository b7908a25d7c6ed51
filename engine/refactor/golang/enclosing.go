package golang

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"waferpair/engine/refactor"
)

// spanned is a declaration with the lines that it covers, its comment included.
type spanned struct {
	symbol, kind string
	names        int // names declared by the same lines: a, b = 1, 2
	from, to     int
}

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
	from, to := trimLines(b, target.From, max(target.From, target.To))
	found, err := pickSpan(spans(fset.File(tree.FileStart), tree), from, to, kind)
	if found == nil || err != nil {
		return "", "", false, err
	}
	return found.symbol, found.kind, true, nil
}

// trimLines leaves the blank lines at both ends of a selection out.
func trimLines(src []byte, from, to int) (int, int) {
	lines := bytes.Split(src, []byte("\n"))
	blank := func(n int) bool {
		return n >= 1 && n <= len(lines) && len(bytes.TrimSpace(lines[n-1])) == 0
	}
	for from < to && blank(from) {
		from++
	}
	for from < to && blank(to) {
		to--
	}
	return from, to
}

func pickSpan(all []spanned, from, to int, kind string) (*spanned, error) {
	all = slices.DeleteFunc(all, func(s spanned) bool { return kind != "" && !spanKind(kind, s.kind) })
	var best *spanned
	for i, s := range all {
		if s.from <= from && to <= s.to && (best == nil || s.to-s.from < best.to-best.from) {
			best = &all[i]
		}
	}
	if best == nil {
		touched := slices.DeleteFunc(all, func(s spanned) bool { return s.to < from || s.from > to })
		covered := slices.DeleteFunc(slices.Clone(touched), func(s spanned) bool { return inside(s, touched) })
		if len(covered) > 1 {
			return nil, several(covered)
		}
		if len(covered) == 1 && from <= covered[0].from && covered[0].to <= to {
			best = &covered[0]
		}
	}
	if best != nil && best.names != 1 {
		return nil, &refactor.Declined{Code: refactor.Ambiguous,
			Reason: fmt.Sprintf("the selected line declares %d names; say which one is meant", best.names)}
	}
	return best, nil
}

// inside reports whether another of them holds s.
func inside(s spanned, all []spanned) bool {
	return slices.ContainsFunc(all, func(o spanned) bool {
		return o != s && o.from <= s.from && s.to <= o.to && strings.HasPrefix(s.symbol, o.symbol+".")
	})
}

func several(all []spanned) error {
	var names []string
	for _, s := range all[:min(len(all), 5)] {
		names = append(names, s.symbol)
	}
	return &refactor.Declined{Code: refactor.Ambiguous,
		Reason: fmt.Sprintf("%d declarations are selected (%s); say which one is meant", len(all),
			strings.Join(names, ", ")),
		Nearest: names}
}

func spanKind(want, is string) bool {
	return want == is || want == "func" && is == "method" || want == "var" && is == "field"
}

// spans lists the declarations of the file that have a name of their own, outer
// ones before the ones that they hold.
func spans(f *token.File, tree *ast.File) []spanned {
	var out []spanned
	add := func(symbol, kind string, names int, n ast.Node, doc *ast.CommentGroup) {
		s := spanned{symbol, kind, names, f.Line(n.Pos()), f.Line(n.End())}
		if doc != nil {
			s.from = min(s.from, f.Line(doc.Pos()))
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
