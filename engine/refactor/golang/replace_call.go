package golang

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
)

// callSite is a call of the function to be replaced.
type callSite struct {
	g    *goFile
	x    *unit
	fun  ast.Expr // what is called, without type arguments
	call *ast.CallExpr
}

// replaceCall makes calls of one function calls of another, in the named file
// or selection, else in the whole project. Both are functions of packages; the
// checker decides whether the arguments fit.
func (j *job) replaceCall() error {
	from, to := j.arg("from"), strings.TrimSuffix(j.arg("to"), "()")
	if from == "" || to == "" {
		return j.declined("say which calls to replace, and by what")
	}
	if from == to {
		return j.declined("it is the same function")
	}
	sites, err := j.callSites()
	if err != nil {
		return err
	}
	if len(sites) == 0 {
		return nearer(j.declined("there are no calls of %s%s", from, in(j.target.File)), j.nearest(from)...)
	}
	for _, c := range sites {
		if err := j.replaceOne(c, to); err != nil {
			return err
		}
	}
	j.dropsCode = true
	j.summary = fmt.Sprintf("Replaced %s of %s by %s.", plural(len(sites), "call"), from, to)
	return j.settle()
}

func (j *job) countCalls() (int, error) {
	sites, err := j.callSites()
	return min(len(sites), 1), err // they are all one function's
}

// callSites finds the calls; a function that is only looked like is none.
func (j *job) callSites() ([]callSite, error) {
	q := parseQuery(j.arg("from"), "")
	var out []callSite
	meant := map[string]bool{}
	files := j.p.files(j.p.mentioning(q.name))
	cfgs, _ := configsFor(files)
	seen := map[*ast.CallExpr]bool{}
	for _, cfg := range cfgs {
		u := j.p.universe(cfg, levelAll)
		u.words = []string{q.name}
		for _, dir := range dirsOf(files) {
			for _, x := range u.unitsOf(dir, slices.DeleteFunc(slices.Clone(files),
				func(g *goFile) bool { return g.dir != dir })) {
				for _, g := range x.files {
					if vendored(g.path) || j.target.File != "" && g.path != j.target.File {
						continue
					}
					for _, c := range j.callsIn(g, x, q) {
						if !seen[c.call] {
							seen[c.call] = true
							out = append(out, c)
							meant[calleeOf(c).FullName()] = true
						}
					}
				}
			}
		}
	}
	if len(meant) > 1 {
		return nil, nearer(j.declined("%s may be any of %s", j.arg("from"), list(keys(meant), "and")), keys(meant)...)
	}
	return out, nil
}

func (j *job) callsIn(g *goFile, x *unit, q query) []callSite {
	var out []callSite
	ast.Inspect(g.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !j.inSelection(g, call) {
			return true
		}
		c := callSite{g, x, callee(call), call}
		fn := calleeOf(c)
		if fn == nil || fn.Name() != q.name || fn.Signature().Recv() != nil {
			return true
		}
		if len(q.qualifiers) > 0 {
			want, pkg := q.qualifiers[0], fn.Pkg()
			if len(q.qualifiers) > 1 || pkg == nil || pkg.Name() != want && pkg.Path() != want {
				return true
			}
		}
		out = append(out, c)
		return true
	})
	return out
}

// callee is the function expression without parentheses and type arguments.
func callee(call *ast.CallExpr) ast.Expr {
	f := ast.Unparen(call.Fun)
	switch x := f.(type) {
	case *ast.IndexExpr:
		return ast.Unparen(x.X)
	case *ast.IndexListExpr:
		return ast.Unparen(x.X)
	}
	return f
}

func calleeOf(c callSite) *types.Func {
	var id *ast.Ident
	switch f := c.fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	fn, _ := c.x.info.Uses[id].(*types.Func)
	return fn
}

func (j *job) replaceOne(c callSite, to string) error {
	fn := enclosingFunc(c.g, c.call)
	if fn != nil && fn.Recv == nil && fn.Name.Name == to && calleeOf(c).Pkg() == c.x.pkg {
		j.note("%s:%d: %s itself still calls %s.", c.g.path, c.g.lineOf(c.call.Pos()), to, calleeOf(c).Name())
		return nil
	}
	text, err := j.nameAt(c, to)
	if err != nil {
		return err
	}
	j.edits.replace(c.g.path, c.g.off(c.fun.Pos()), c.g.off(c.fun.End()), text)
	return nil
}

// nameAt writes the new function as the calling file must: under the name by
// which it imports the package, importing it if need be.
func (j *job) nameAt(c callSite, to string) (string, error) {
	i := strings.LastIndexByte(to, '.')
	if i < 0 {
		return j.plainName(c, to)
	}
	pkg, name := to[:i], to[i+1:]
	imp := pkg
	if !strings.Contains(pkg, "/") {
		if imp = j.pathNamed(c.g, pkg); imp == "" {
			return "", j.declined("which package %s is, is not certain; give its import path", pkg)
		}
	}
	if imp == j.p.mods.importPath(c.g.dir) && c.x.key.kind != "xtest" {
		return name, nil
	}
	local := j.useImport(c.g, imp)
	scope := c.x.pkg.Scope().Innermost(c.call.Pos())
	if scope != nil {
		if _, o := scope.LookupParent(local, c.call.Pos()); o != nil {
			if pn, ok := o.(*types.PkgName); !ok || pn.Imported().Path() != imp {
				return "", j.declined("%s:%d: %s means something else there", c.g.path, c.g.lineOf(c.call.Pos()), local)
			}
		}
	}
	return local + "." + name, nil
}

// plainName is a function of the called one's own package.
func (j *job) plainName(c callSite, to string) (string, error) {
	fn := calleeOf(c)
	if sel, ok := c.fun.(*ast.SelectorExpr); ok && fn.Pkg() != nil && fn.Pkg().Scope().Lookup(to) != nil {
		return c.g.text(sel.X) + "." + to, nil
	}
	scope := c.x.pkg.Scope().Innermost(c.call.Pos())
	if scope == nil {
		scope = c.x.pkg.Scope()
	}
	_, o := scope.LookupParent(to, c.call.Pos())
	if f, ok := o.(*types.Func); ok && f.Signature().Recv() == nil {
		return to, nil
	}
	if o != nil {
		return "", j.declined("%s:%d: %s is not a function there", c.g.path, c.g.lineOf(c.call.Pos()), to)
	}
	return "", nearer(j.declined("there is no function %s at %s:%d", to, c.g.path, c.g.lineOf(c.call.Pos())),
		kit.Nearest(to, j.p.names(func(d *decl) bool { return d.kind == "func" }))...)
}

// pathNamed is the import path that a package name means in the file: what it
// imports, what the rest of the project imports or declares under that name if
// that is one package, the standard library's.
func (j *job) pathNamed(g *goFile, name string) string {
	for _, s := range g.ast.Imports {
		if j.p.localName(g, importOf(s)) == name {
			return importOf(s)
		}
	}
	paths := map[string]bool{}
	for _, f := range j.p.mentioning(name) {
		o := j.p.file(f)
		if o == nil || vendored(f) {
			continue
		}
		if o.ast.Name.Name == name && !o.test {
			paths[j.p.mods.importPath(o.dir)] = true
		}
		for _, s := range o.ast.Imports {
			if assumedName(importOf(s)) == name && (s.Name == nil || s.Name.Name == name) {
				paths[importOf(s)] = true
			}
		}
	}
	switch {
	case len(paths) == 1:
		return keys(paths)[0]
	case len(paths) == 0:
		return stdByName[name]
	}
	return ""
}
