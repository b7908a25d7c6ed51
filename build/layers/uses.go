package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// pkg is a package with the uses between its files.
type pkg struct {
	path    string
	files   []file // by name
	uses    []use  // by user, then used
	methods map[string]int
}

type file struct {
	name  string
	lines int
}

// use is one file that names declarations of another one; files by their index.
type use struct {
	from, to int
	names    []string // sorted, methods and fields with their type in front
}

// load loads packages from their sources and counts their uses. Their imports come from the
// compiler's export data.
func load(ctx context.Context, dir string, patterns []string) ([]*pkg, error) {
	found, err := packages.Load(&packages.Config{Context: ctx, Dir: dir, Mode: packages.NeedName | packages.NeedFiles |
		packages.NeedCompiledGoFiles |
		packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", strings.Join(patterns, " "), err)
	}
	var out []*pkg
	for _, p := range found {
		for _, e := range p.Errors {
			err = errors.Join(err, fmt.Errorf("load %s: %w", p.PkgPath, e))
		}
		if err == nil {
			out = append(out, count(p))
		}
	}
	return out, err
}

func count(p *packages.Package) *pkg {
	c := counter{fset: p.Fset, info: p.TypesInfo, index: map[string]int{}, owner: map[types.Object]string{}}
	out := &pkg{path: p.PkgPath, methods: map[string]int{}}
	for _, f := range p.Syntax {
		out.files = append(out.files, file{c.nameAt(f.Package), p.Fset.File(f.Package).LineCount()})
	}
	slices.SortFunc(out.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	for i, f := range out.files {
		c.index[f.name] = i
	}
	c.declared(p.Types.Scope(), out.methods)
	names := map[[2]int]map[string]bool{}
	for _, f := range p.Syntax {
		c.uses(f, names)
	}
	for at, set := range names {
		u := use{from: at[0], to: at[1]}
		for n := range set {
			u.names = append(u.names, n)
		}
		slices.Sort(u.names)
		out.uses = append(out.uses, u)
	}
	slices.SortFunc(out.uses, func(a, b use) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	return out
}

// counter knows the file and the name of each declaration.
type counter struct {
	fset  *token.FileSet
	info  *types.Info
	index map[string]int // of a file
	owner map[types.Object]string
}

// declared names the package's declarations and counts the methods of its types.
func (c *counter) declared(scope *types.Scope, methods map[string]int) {
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		c.owner[obj] = name
		t, ok := obj.Type().(*types.Named)
		if _, isType := obj.(*types.TypeName); !isType || !ok || t.Obj() != obj {
			continue
		}
		for m := range t.Methods() {
			c.owner[m] = name + "." + m.Name()
		}
		if n := t.NumMethods(); n > 0 {
			methods[name] = n
		}
		c.members(name, t.Underlying())
	}
}

// members names the fields of a structure, including those of nested structures, and the
// methods of an interface.
func (c *counter) members(owner string, t types.Type) {
	switch t := t.(type) {
	case *types.Struct:
		for f := range t.Fields() {
			c.owner[f] = owner + "." + f.Name()
			c.members(owner+"."+f.Name(), f.Type())
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			c.owner[m] = owner + "." + m.Name()
		}
	}
}

// uses collects the names that a file uses of others.
func (c *counter) uses(f *ast.File, names map[[2]int]map[string]bool) {
	from := c.index[c.nameAt(f.Package)]
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		obj := origin(c.info.Uses[id])
		name, declared := c.owner[obj]
		if !declared {
			return true
		}
		if to := c.index[c.nameAt(obj.Pos())]; to != from {
			at := [2]int{from, to}
			if names[at] == nil {
				names[at] = map[string]bool{}
			}
			names[at][name] = true
		}
		return true
	})
}

// nameAt returns the name of the file at a position.
func (c *counter) nameAt(p token.Pos) string { return filepath.Base(c.fset.Position(p).Filename) }

// origin returns the generic declaration of an instance.
func origin(obj types.Object) types.Object {
	switch obj := obj.(type) {
	case *types.Func:
		return obj.Origin()
	case *types.Var:
		return obj.Origin()
	}
	return obj
}
