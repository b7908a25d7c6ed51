package golang

import (
	"go/ast"
	"go/types"

	"waferpair/engine/refactor/kit"
)

// Ordered reports whether both sides of a comparison are integers or strings.
func (s syntax) Ordered(f *kit.File, n *kit.Node) bool {
	b, ok := n.Raw.(*ast.BinaryExpr)
	_, x := s.unitOf(s.p, f.Raw.(*goFile))
	if !ok || x == nil || x.info == nil || x.info.TypeOf(b.X) == nil {
		return false
	}
	t, ok := x.info.TypeOf(b.X).Underlying().(*types.Basic)
	return ok && t.Info()&(types.IsInteger|types.IsString) != 0
}

// SameType reports whether what a := declares has the type of the variable that it hides.
func (s syntax) SameType(f *kit.File, name *kit.Node) bool {
	id, ok := name.Raw.(*ast.Ident)
	_, x := s.unitOf(s.p, f.Raw.(*goFile))
	if !ok || x == nil || x.info == nil {
		return false
	}
	obj := x.info.Defs[id]
	if obj == nil {
		return x.info.Uses[id] != nil // declared in the same block already
	}
	if obj.Parent() == nil || obj.Parent().Parent() == nil {
		return false
	}
	_, hidden := obj.Parent().Parent().LookupParent(obj.Name(), id.Pos())
	v, ok := hidden.(*types.Var)
	return ok && types.Identical(v.Type(), obj.Type()) && !s.addressOf(f.Raw.(*goFile), x, v) &&
		!s.addressOf(f.Raw.(*goFile), x, obj)
}

// addressOf reports whether something has the address of a variable: what is set later is seen there.
func (s syntax) addressOf(g *goFile, x *unit, obj types.Object) bool {
	decl := enclosingFunc(g, &ast.Ident{NamePos: obj.Pos()})
	if decl == nil {
		return true
	}
	v := &variables{syntax: s, x: &kit.Extraction{}, g: g, info: x.info, decl: decl}
	found := false
	var stack []ast.Node
	ast.Inspect(decl, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && (x.info.Uses[id] == obj) {
			found = found || v.addressed(id, stack)
		}
		stack = append(stack, n)
		return true
	})
	return found
}
