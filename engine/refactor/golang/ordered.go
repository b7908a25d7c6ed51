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
