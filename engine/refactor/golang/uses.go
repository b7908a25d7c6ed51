package golang

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/astutil"
)

// use is one reference to a symbol, with the syntax around it.
type use struct {
	*mention
	path []ast.Node // the identifier first, the file last
}

// usesOf finds every reference to the symbol, with all types loaded. It declines
// where a mention is not certain.
func (j *job) usesOf(s *symbol) (*renaming, []use, error) {
	r := newRenaming(j, s.first().name.Name, "", []*symbol{s})
	sv, err := r.survey(j.p, r.concerned(j.p), levelAll)
	if err != nil {
		return nil, nil, err
	}
	if err := r.grow(sv); err != nil {
		return nil, nil, err
	}
	d, far := r.doubts(sv)
	if far && j.p.comesBack() {
		d = append(d, "packages that use it through a dependency")
	}
	if len(d) > 0 {
		return nil, nil, j.declined("it is not certain what %s means at %s: the types there could not be loaded",
			r.from, someOf(d))
	}
	seen := map[loc]bool{}
	for _, d := range s.decls {
		seen[d.loc()] = true // a declaration is not a use; embedding is one
	}
	var out []use
	for _, m := range sv.mentions {
		if !r.isTarget(m) || seen[m.at] {
			continue
		}
		seen[m.at] = true
		path, _ := astutil.PathEnclosingInterval(m.file.ast, m.id.Pos(), m.id.End())
		out = append(out, use{m, path})
	}
	return r, out, nil
}

// call is the call whose function the use is, or nil: the use is a value.
func (u use) call() *ast.CallExpr {
	for i := 1; i < len(u.path); i++ {
		child := u.path[i-1]
		switch n := u.path[i].(type) {
		case *ast.SelectorExpr:
			if n.Sel != u.id {
				return nil
			}
			if s := u.unit.info.Selections[n]; s != nil && s.Kind() == types.MethodExpr {
				return nil
			}
		case *ast.ParenExpr:
		case *ast.IndexExpr:
			if n.X != child {
				return nil
			}
		case *ast.IndexListExpr:
			if n.X != child {
				return nil
			}
		case *ast.CallExpr:
			if n.Fun == child {
				return n
			}
			return nil
		default:
			return nil
		}
	}
	return nil
}

func (u use) place() string { return fmt.Sprintf("%s:%d", u.file.path, u.file.line(u.at.off)) }
