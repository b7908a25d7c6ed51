package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// calls writes a table of calls: an interface with the argument and the result of each, in
// the order and the groups of the Go source.
func (w *writer) calls(table *types.Var) {
	list, file := w.tableOf(table)
	if list == nil {
		w.fail(table.Pos(), "nothing with entries is assigned to %s", table.Name())
		return
	}
	name := strings.ToUpper(table.Name()[:1]) + table.Name()[1:]
	w.out.WriteString("\n" + above("", w.docsOf(table).above) + "export interface " + name + " {\n")
	last := w.line(list.Lbrace)
	for _, e := range list.Elts {
		entry := e.(*ast.KeyValueExpr)
		top, end := w.around(file, entry, last)
		first := w.line(entry.Pos())
		if top != nil {
			first = w.line(top.Pos())
		}
		if first > last+1 && last != w.line(list.Lbrace) {
			w.out.WriteString("\n")
		}
		last = w.line(entry.End())
		doc := parseDocs(top, end)
		w.out.WriteString(above("  ", doc.above) + "  " + w.call(entry) + behind(doc.behind) + "\n")
	}
	w.out.WriteString("}\n")
}

func (w *writer) line(p token.Pos) int { return w.root.Fset.Position(p).Line }

// tableOf returns the literal that is assigned to a variable.
func (w *writer) tableOf(v *types.Var) (list *ast.CompositeLit, in *ast.File) {
	for _, f := range w.root.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			var left []ast.Expr
			var right []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				left, right = n.Lhs, n.Rhs
			case *ast.ValueSpec:
				right = n.Values
				for _, id := range n.Names {
					left = append(left, id)
				}
			}
			for i, r := range right {
				id, ok := left[min(i, len(left)-1)].(*ast.Ident)
				lit, is := r.(*ast.CompositeLit)
				if ok && is && w.root.TypesInfo.ObjectOf(id) == v {
					list, in = lit, f
				}
			}
			return true
		})
	}
	return list, in
}

// around returns the comments above an entry and behind it; last is the line where the
// entry before ended.
func (w *writer) around(f *ast.File, entry *ast.KeyValueExpr, last int) (top, end *ast.CommentGroup) {
	for _, g := range f.Comments {
		switch {
		case w.line(g.End()) == w.line(entry.Pos())-1 && w.line(g.Pos()) > last:
			top = g
		case w.line(g.Pos()) == w.line(entry.End()) && g.Pos() > entry.End():
			end = g
		}
	}
	return top, end
}

// call returns one entry.
func (w *writer) call(entry *ast.KeyValueExpr) string {
	name := strings.Trim(entry.Key.(*ast.BasicLit).Value, `"`)
	in, out := w.takesAndAnswers(entry.Value)
	if in == nil || out == nil {
		w.fail(entry.Pos(), "%s is not made by a generic function of In and Out", name)
		return ""
	}
	takes, answers := w.plain(in, true), w.plain(out, false)
	if strings.Contains(takes+answers, "\n") {
		return name + ": {\n    in: " + takes + "\n    out: " + answers + "\n  }"
	}
	return name + ": { in: " + takes + "; out: " + answers + " }"
}

// plain returns the text of a type in a table: an unnamed type has no `readonly`, which
// means nothing for an argument.
func (w *writer) plain(t types.Type, fromPage bool) string {
	n, ok := t.(*types.Named)
	if s, isStruct := t.Underlying().(*types.Struct); ok && isStruct && !n.Obj().Exported() {
		return w.fields(n.Obj(), s, fromPage).inline("    ", "")
	}
	return w.expr(t, fromPage).text
}

// takesAndAnswers returns the types In and Out of the function that makes an entry.
func (w *writer) takesAndAnswers(e ast.Expr) (in, out types.Type) {
	made, ok := e.(*ast.CallExpr)
	if !ok {
		return nil, nil
	}
	id, ok := made.Fun.(*ast.Ident)
	if !ok {
		return nil, nil
	}
	f, ok := w.root.TypesInfo.Uses[id].(*types.Func)
	if !ok {
		return nil, nil
	}
	params, args := f.Signature().TypeParams(), w.root.TypesInfo.Instances[id].TypeArgs
	for i := range args.Len() {
		switch params.At(i).Obj().Name() {
		case "In":
			in = args.At(i)
		case "Out":
			out = args.At(i)
		}
	}
	return in, out
}
