package golang

import (
	"go/ast"
	"go/token"
	"go/types"

	"waferpair/engine/refactor/kit"
)

// Names implements kit.Binder by the type checker.
func (s syntax) Names(f *kit.File) (kit.Names, error) {
	g := f.Raw.(*goFile)
	_, x := s.unitOf(s.p, g)
	if x == nil || x.info == nil {
		return nil, s.declined("the names of %s cannot be resolved: no build includes it", g.path)
	}
	writes, names := written(g.ast), kit.Names{}
	byPos, byObject := map[token.Pos]*kit.Var{}, map[types.Object]*kit.Var{}
	f.Root().Walk(func(n *kit.Node) bool {
		id, ok := n.Raw.(*ast.Ident)
		if !ok || id.Name == "_" || n.Field == "property" {
			return true
		}
		obj, declares := x.info.Defs[id], true
		if obj == nil && x.info.Uses[id] != nil {
			obj, declares = x.info.Uses[id], false
		}
		pos := id.Pos() // of the variable of a type switch, which is one object in each case
		if obj != nil {
			pos = obj.Pos()
		}
		if isMember(obj) || obj == nil && !symbolic(n) {
			return true
		}
		v := byPos[pos]
		if !g.contains(pos) {
			v = byObject[obj]
		}
		if v == nil {
			v = &kit.Var{Name: id.Name, Kind: "outside"}
			if g.contains(pos) {
				v.Kind, v.Scope, byPos[pos] = varKind(obj), n.Up(kit.Switch), v
				if obj != nil {
					v.Scope = scopeOf(f, g, obj)
				}
			} else {
				byObject[obj] = v
			}
		}
		v.Refs, names[n] = append(v.Refs, n), v
		if declares {
			v.Decls = append(v.Decls, n)
		}
		if writes[id] {
			v.Writes = append(v.Writes, n)
		}
		return true
	})
	return names, nil
}

// isMember reports whether an object is a field or a method, which no scope holds.
func isMember(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.IsField()
	case *types.Func:
		return obj.Signature().Recv() != nil
	}
	return false
}

// symbolic reports whether a name is the variable that a type switch declares.
func symbolic(n *kit.Node) bool {
	return n.Parent.Is(kit.Assign) && n.Field == "left" && n.Parent.Parent.Is(kit.Switch)
}

func varKind(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.Const:
		return "const"
	case *types.TypeName:
		return "type"
	case *types.Func:
		return "func"
	case *types.PkgName:
		return "import"
	case *types.Label:
		return "label"
	case *types.Var:
		switch obj.Kind() {
		case types.ParamVar, types.RecvVar, types.ResultVar:
			return "param"
		case types.PackageVar, types.LocalVar, types.FieldVar:
		}
	}
	return "var"
}

// scopeOf is the node of the scope that holds a declaration of the file.
func scopeOf(f *kit.File, g *goFile, obj types.Object) *kit.Node {
	if obj.Parent() == nil || !g.contains(obj.Parent().Pos()) || !obj.Parent().Pos().IsValid() {
		return f.Root()
	}
	return f.Around(g.off(obj.Parent().Pos()), min(g.off(obj.Parent().End()), len(g.src)))
}

// written are the identifiers that get a value, or whose address is taken.
func written(file *ast.File) map[*ast.Ident]bool {
	out := map[*ast.Ident]bool{}
	add := func(es ...ast.Expr) {
		for _, e := range es {
			if id, ok := e.(*ast.Ident); ok {
				out[id] = true
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			add(n.Lhs...)
		case *ast.IncDecStmt:
			add(n.X)
		case *ast.RangeStmt:
			add(n.Key, n.Value)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				add(ast.Unparen(n.X))
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				add(id)
			}
		}
		return true
	})
	return out
}

// Uses implements kit.Finder.
func (s syntax) Uses(ds []*kit.Decl) ([]kit.Use, error) {
	_, uses, err := s.usesOf(ds[0].Raw.(declared).symbol)
	if err != nil {
		return nil, err
	}
	var out []kit.Use
	for _, u := range uses {
		f := s.kitFile(u.file)
		use := kit.Use{File: f, Node: f.Of(u.id)}
		if c := u.call(); c != nil {
			use.Call = f.Of(c)
		}
		out = append(out, use)
	}
	kit.SortUses(out)
	return out, nil
}
