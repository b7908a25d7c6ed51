package golang

import (
	"go/ast"
	"go/token"
	"slices"

	"waferpair/engine/refactor/kit"
)

// nodesOf is the file's tree as the common operations see it.
func nodesOf(g *goFile) *kit.Node {
	root := &kit.Node{Kind: kit.Root, To: len(g.src), Raw: g.ast}
	at := root
	var outer []*kit.Node
	ast.Inspect(g.ast, func(n ast.Node) bool {
		switch n.(type) {
		case nil:
			at, outer = outer[len(outer)-1], outer[:len(outer)-1]
			return true
		case *ast.CommentGroup, *ast.Comment:
			return false
		}
		outer = append(outer, at)
		if n == g.ast {
			return true
		}
		k := &kit.Node{Kind: kindOf(n), From: g.off(n.Pos()), To: min(g.off(n.End()), len(g.src)), Parent: at, Raw: n}
		k.Field = fieldOf(at.Raw.(ast.Node), n)
		if k.Kind == kit.Members && (k.Field == "receiver" || k.Field == "parameters" || k.Field == "return_type") {
			k.Kind = kit.Params
		}
		at.Kids = append(at.Kids, k)
		at = k
		return true
	})
	for _, group := range g.ast.Comments {
		for _, c := range group.List {
			addComment(root, &kit.Node{Kind: kit.Remark, From: g.off(c.Pos()), To: commentEnd(g, c), Raw: c})
		}
	}
	return root
}

// commentEnd is the offset behind a comment, whose text lacks carriage returns, without its line break.
func commentEnd(g *goFile, c *ast.Comment) int {
	end := blockEnd(g, c)
	for end > 0 && (g.src[end-1] == '\n' || g.src[end-1] == '\r') {
		end--
	}
	return end
}

// addComment puts a comment under the innermost node around it, in the source's order.
func addComment(n, c *kit.Node) {
	i, _ := slices.BinarySearchFunc(n.Kids, c.From, func(k *kit.Node, at int) int { return k.From - at })
	if i > 0 && n.Kids[i-1].Covers(c.From, c.To) {
		addComment(n.Kids[i-1], c)
		return
	}
	c.Parent = n
	n.Kids = slices.Insert(n.Kids, i, c)
}

func kindOf(n ast.Node) kit.Kind {
	switch n := n.(type) {
	case *ast.FuncDecl, *ast.FuncLit:
		return kit.Func
	case *ast.TypeSpec:
		return kit.Class
	case *ast.FieldList:
		return kit.Members // or parameters, which their field tells
	case *ast.GenDecl:
		if n.Lparen.IsValid() {
			return kit.Group
		}
		return kit.Declare
	case *ast.BlockStmt:
		return kit.Block
	case *ast.IfStmt:
		return kit.If
	case *ast.ForStmt, *ast.RangeStmt:
		return kit.Loop
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return kit.Switch
	case *ast.CaseClause, *ast.CommClause:
		return kit.Case
	case *ast.ReturnStmt:
		return kit.Return
	case *ast.BranchStmt:
		return kit.Leave
	case *ast.ValueSpec:
		return kit.Declare
	case *ast.AssignStmt, *ast.IncDecStmt:
		return kit.Assign
	case *ast.ExprStmt:
		return kit.Expr
	}
	return exprKind(n)
}

func exprKind(n ast.Node) kit.Kind {
	switch n := n.(type) {
	case *ast.CallExpr:
		return kit.Call
	case *ast.Ident:
		return kit.Name
	case *ast.SelectorExpr:
		return kit.Member
	case *ast.BinaryExpr:
		return kit.Binary
	case *ast.UnaryExpr:
		return kit.Unary
	case *ast.CompositeLit:
		return kit.List
	case *ast.BasicLit:
		if n.Value != "" && (n.Value[0] == '"' || n.Value[0] == '`') {
			return kit.String
		}
		return kit.Number
	case *ast.Field:
		return kit.Param
	}
	return kit.Other
}

// fieldOf is what n is to its parent, in the words of kit.Node.
func fieldOf(p, n ast.Node) string {
	switch p := p.(type) {
	case *ast.FuncDecl:
		return among(n, part{"receiver", p.Recv}, part{"name", p.Name}, part{"parameters", p.Type}, part{"body", p.Body})
	case *ast.FuncLit:
		return among(n, part{"parameters", p.Type}, part{"body", p.Body})
	case *ast.FuncType:
		return among(n, part{"parameters", p.Params}, part{"return_type", p.Results})
	case *ast.TypeSpec:
		return among(n, part{"name", p.Name}, part{"body", p.Type})
	case *ast.IfStmt:
		return among(n, part{"initializer", p.Init}, part{"condition", p.Cond}, part{"consequence", p.Body},
			part{"alternative", p.Else})
	case *ast.ForStmt:
		return among(n, part{"condition", p.Cond}, part{"body", p.Body})
	case *ast.RangeStmt:
		return among(n, part{"left", p.Key}, part{"right", p.X}, part{"body", p.Body})
	case *ast.CallExpr:
		if n != p.Fun {
			return "argument"
		}
		return "function"
	case *ast.SelectorExpr:
		return among(n, part{"object", p.X}, part{"property", p.Sel})
	case *ast.BinaryExpr:
		return among(n, part{"left", p.X}, part{"right", p.Y})
	case *ast.Field:
		if n == p.Type {
			return "type"
		}
		return "name"
	case *ast.UnaryExpr:
		return "argument"
	case *ast.KeyValueExpr:
		return among(n, part{"key", p.Key}, part{"value", p.Value})
	case *ast.IncDecStmt:
		return "left"
	case *ast.AssignStmt:
		return side(n, p.TokPos)
	case *ast.ValueSpec:
		if id, ok := n.(*ast.Ident); ok && slices.Contains(p.Names, id) {
			return "name"
		}
		if n == p.Type {
			return "type"
		}
		return "value"
	}
	return ""
}

// side is the side of an operator that n is on.
func side(n ast.Node, operator token.Pos) string {
	if n.Pos() < operator {
		return "left"
	}
	return "right"
}

type part struct {
	field string
	node  ast.Node
}

func among(n ast.Node, parts ...part) string {
	for _, p := range parts {
		if p.node == n {
			return p.field
		}
	}
	return ""
}
