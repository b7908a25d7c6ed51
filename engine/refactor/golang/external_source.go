package golang

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// sourceExternals gives the types of packages outside the project under another
// system or other tags than this computer builds for, and of those that are not
// in the build cache. Nothing is compiled: the go command says which files make
// up each package, and their declarations are checked without function bodies,
// and with those imports alone that the declarations need.
type sourceExternals struct {
	p      *project
	root   string
	cfg    buildConfig
	listed map[string]*sourcePackage
	asked  map[string]bool
}

type sourcePackage struct {
	name    string
	dir     string
	files   []string
	renamed map[string]string // import path as written -> package, for vendored ones
	pkg     *types.Package
	err     error
	busy    bool
}

var errCycle = errors.New("import cycle")

// loadSource is load for a configuration that is not the host's.
func (e *externals) loadSource(cfg buildConfig, dir, imp string) (*types.Package, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	root := dir
	if mod := e.p.mods.of(dir); mod != nil {
		root = mod.dir
	}
	s := e.sourceOf(cfg, root)
	if s.listed[imp] == nil && !s.asked[imp] {
		s.list([]string{imp})
	}
	return s.load(imp)
}

func (e *externals) sourceOf(cfg buildConfig, root string) *sourceExternals {
	key := root + "\x00" + cfg.String()
	s := e.source[key]
	if s == nil {
		s = &sourceExternals{p: e.p, root: root, cfg: cfg, listed: map[string]*sourcePackage{}, asked: map[string]bool{}}
		e.source[key] = s
		s.list(e.allImports(root))
	}
	return s
}

// String identifies the configuration.
func (c buildConfig) String() string {
	return fmt.Sprint(c.goos, "/", c.goarch, " ", c.cgo, c.oldGo, c.setTags())
}

func (c buildConfig) setTags() []string {
	on := map[string]bool{}
	for t, v := range c.tags {
		if v {
			on[t] = true
		}
	}
	return keys(on)
}

func (e *externals) sourceClosure(cfg buildConfig) []*types.Package {
	var out []*types.Package
	for _, key := range sortedKeys(e.source) {
		s := e.source[key]
		if s.cfg.String() != cfg.String() {
			continue
		}
		for _, imp := range sortedKeys(s.listed) {
			if pkg, err := s.load(imp); err == nil && nameable(imp) {
				out = append(out, pkg)
			}
		}
	}
	return out
}

const listFormat = "{{.ImportPath}}\t{{.Dir}}\t{{.Name}}\t{{range .GoFiles}}{{.}} {{end}}{{range .CgoFiles}}{{.}} {{end}}\t{{range $k, $v := .ImportMap}}{{$k}}={{$v}} {{end}}"

func (s *sourceExternals) list(imports []string) {
	for _, imp := range imports {
		s.asked[imp] = true
	}
	if len(imports) == 0 {
		return
	}
	dir := filepath.Join(s.p.src.Root(), filepath.FromSlash(s.root))
	cgo := "0"
	if s.cfg.cgo {
		cgo = "1"
	}
	args := []string{"list", "-e", "-deps", "-f", listFormat}
	if tags := s.cfg.setTags(); len(tags) > 0 {
		args = append(args, "-tags", strings.Join(tags, ","))
	}
	args = append(args, "--")
	env := []string{"GOOS=" + s.cfg.goos, "GOARCH=" + s.cfg.goarch, "CGO_ENABLED=" + cgo}
	// what it could not find is missing from its answer
	out, _ := askGo(goRun{ctx: s.p.ext.ctx, dir: dir, env: env, says: reading}, args, imports)
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(f) != 5 || f[3] == "" || s.listed[f[0]] != nil {
			continue
		}
		pkg := &sourcePackage{dir: f[1], name: f[2], files: strings.Fields(f[3]), renamed: map[string]string{}}
		for _, r := range strings.Fields(f[4]) {
			if from, to, ok := strings.Cut(r, "="); ok {
				pkg.renamed[from] = to
			}
		}
		s.listed[f[0]] = pkg
	}
}

func (s *sourceExternals) load(imp string) (*types.Package, error) {
	if imp == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := s.p.ext.shared(s, imp); pkg != nil {
		return pkg, nil
	}
	sp := s.listed[imp]
	switch {
	case sp == nil:
		return nil, errNoExport
	case sp.pkg != nil || sp.err != nil:
		return sp.pkg, sp.err
	case sp.busy:
		return nil, errCycle
	}
	sp.busy = true
	trees := make([]*ast.File, len(sp.files))
	errs := make([]error, len(sp.files))
	inParallel(len(sp.files), func(i int) { trees[i], errs[i] = s.parse(sp, sp.files[i]) })
	if sp.err = errors.Join(errs...); sp.err != nil {
		return nil, fmt.Errorf("read the source of %s: %w", imp, sp.err)
	}
	conf := &types.Config{
		Importer: sourceImporter{s, sp}, IgnoreFuncBodies: true, FakeImportC: true,
		Sizes: types.SizesFor("gc", s.cfg.goarch), Error: func(error) {},
	}
	sp.pkg, _ = conf.Check(imp, s.p.fset, trees, nil)
	return sp.pkg, nil
}

// parse reads a file of the package as far as its declarations go. It fails
// where nothing can be read.
func (s *sourceExternals) parse(sp *sourcePackage, file string) (*ast.File, error) {
	tree, err := parser.ParseFile(s.p.fset, filepath.Join(sp.dir, file), nil, parser.SkipObjectResolution)
	if tree == nil {
		return nil, err
	}
	s.dropImports(sp, tree, outsideBodies(tree))
	return tree, nil
}

func (s *sourceExternals) dropImports(sp *sourcePackage, tree *ast.File, used map[string]bool) {
	tree.Decls = slices.DeleteFunc(tree.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			return false
		}
		g.Specs = slices.DeleteFunc(g.Specs, func(spec ast.Spec) bool {
			name := s.nameOf(sp, spec.(*ast.ImportSpec))
			return name != "" && name != "." && !used[name]
		})
		return len(g.Specs) == 0
	})
}

// nameOf is the name that an import has in its file, "" where that is not known.
func (s *sourceExternals) nameOf(sp *sourcePackage, spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	imp := importOf(spec)
	if to, ok := sp.renamed[imp]; ok {
		imp = to
	}
	if x := s.listed[imp]; x != nil {
		return x.name
	}
	return ""
}

// outsideBodies are the names in a file's declarations, as others see them:
// without function bodies, and without the values of variables whose type is
// written, which it takes out.
func outsideBodies(tree *ast.File) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.BlockStmt:
			return false
		case *ast.GenDecl:
			if n.Tok == token.VAR {
				withoutValues(n.Specs)
			}
		case *ast.Ident:
			used[n.Name] = true
		}
		return true
	})
	return used
}

func withoutValues(vars []ast.Spec) {
	for _, spec := range vars {
		if v, ok := spec.(*ast.ValueSpec); ok && v.Type != nil {
			v.Values = nil
		}
	}
}

type sourceImporter struct {
	s  *sourceExternals
	in *sourcePackage
}

func (i sourceImporter) Import(imp string) (*types.Package, error) {
	if to, ok := i.in.renamed[imp]; ok {
		imp = to
	}
	return i.s.load(imp)
}
