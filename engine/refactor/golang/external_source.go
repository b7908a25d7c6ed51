package golang

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"path/filepath"
	"strings"
)

// sourceExternals gives the types of packages outside the project under another
// system or other tags than this computer builds for. Nothing is compiled: the
// go command says which files make up each package, and their declarations are
// checked without function bodies.
type sourceExternals struct {
	p      *project
	root   string
	cfg    buildConfig
	listed map[string]*sourcePackage
	asked  map[string]bool
}

type sourcePackage struct {
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

const listFormat = "{{.ImportPath}}\t{{.Dir}}\t{{range .GoFiles}}{{.}} {{end}}{{range .CgoFiles}}{{.}} {{end}}\t{{range $k, $v := .ImportMap}}{{$k}}={{$v}} {{end}}"

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
	args := []string{"list", "-e", "-deps", "-f", listFormat, "-tags", strings.Join(s.cfg.setTags(), ","), "--"}
	env := []string{"GOOS=" + s.cfg.goos, "GOARCH=" + s.cfg.goarch, "CGO_ENABLED=" + cgo}
	// what it could not find is missing from its answer
	out, _ := askGo(goRun{ctx: s.p.ext.ctx, dir: dir, env: env}, args, imports)
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(f) != 4 || f[2] == "" || s.listed[f[0]] != nil {
			continue
		}
		pkg := &sourcePackage{dir: f[1], files: strings.Fields(f[2]), renamed: map[string]string{}}
		for _, r := range strings.Fields(f[3]) {
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
	var trees []*ast.File
	for _, f := range sp.files {
		tree, err := parser.ParseFile(s.p.fset, filepath.Join(sp.dir, f), nil, parser.SkipObjectResolution)
		if tree == nil {
			sp.err = fmt.Errorf("read the source of %s: %w", imp, err)
			return nil, sp.err
		}
		trees = append(trees, tree)
	}
	conf := &types.Config{
		Importer: sourceImporter{s, sp}, IgnoreFuncBodies: true, FakeImportC: true,
		Sizes: types.SizesFor("gc", s.cfg.goarch), Error: func(error) {},
	}
	sp.pkg, _ = conf.Check(imp, s.p.fset, trees, nil)
	return sp.pkg, nil
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
