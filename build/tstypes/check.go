package main

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// check checks the strings that the package writes itself: a constant of an enumerated
// string type must be one of its values, and a literal must set a field that always has one
// value. Strings that are converted from elsewhere are up to the package's tests.
func (w *writer) check() error {
	for e, tv := range w.root.TypesInfo.Types {
		if tv.Value != nil && tv.Value.Kind() == constant.String {
			w.word(e, tv)
		}
		if lit, ok := e.(*ast.CompositeLit); ok {
			w.literal(lit, tv.Type)
		}
	}
	slices.SortFunc(w.errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(w.errs...)
}

func (w *writer) word(e ast.Expr, tv types.TypeAndValue) {
	n, ok := tv.Type.(*types.Named)
	if !ok {
		return
	}
	words, known := w.words[n.Obj()]
	if word := constant.StringVal(tv.Value); known && !slices.Contains(words, word) {
		w.fail(e.Pos(), "%q is no %s: that is one of %q", word, n.Obj().Name(), words)
	}
}

func (w *writer) literal(lit *ast.CompositeLit, t types.Type) {
	n, ok := t.(*types.Named)
	if !ok {
		return
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for field, word := range w.fixed[n.Obj()] {
		v := given(lit, s, field)
		if v == nil || w.root.TypesInfo.Types[v].Value == nil || constant.StringVal(w.root.TypesInfo.Types[v].Value) != word {
			w.fail(lit.Pos(), "%s of this %s must be %q", field, n.Obj().Name(), word)
		}
	}
}

// given returns the value of a field in a literal, or nil.
func given(lit *ast.CompositeLit, s *types.Struct, name string) ast.Expr {
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if kv.Key.(*ast.Ident).Name == name {
				return kv.Value
			}
		} else if s.Field(i).Name() == name {
			return e
		}
	}
	return nil
}
