package golang

import (
	"context"
	"errors"
	"fmt"
	goimporter "go/importer"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
)

// externals gives the types of what is not in the project: the standard
// library and dependencies, as the compiler exported them into the build
// cache. The go command finds those files; it is run once per module and
// operation, offline, and only when an operation needs it (more than once where
// a dependency is missing, see askGo). It compiles nothing here: that is what
// Prepare is for. Until the build cache has all, the types come from source
// (external_source.go).
type externals struct {
	p *project

	ctx context.Context // of the operation

	mu sync.Mutex
	by map[string]*extModule // by module folder

	source map[string]*sourceExternals // by module folder and configuration

	wanted []string // to ask for in the first run, besides what parsed files import
}

// want adds import paths that the next question to the go command is about.
func (e *externals) want(imports []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.wanted = append(e.wanted, imports...)
}

type extModule struct {
	exports map[string]string // import path -> export data file
	loaded  map[string]*types.Package
	failed  map[string]bool // asked the go command about; it had no answer
	cgo     map[string]bool // with C code in them or below them: known from source
	cold    bool            // the build cache lacks some: what exports lacks is known from source
	gc      types.Importer
	err     error
}

var errNoExport = errors.New("the go command has no type information for it")

func newExternals(ctx context.Context, p *project) *externals {
	return &externals{p: p, ctx: ctx, by: map[string]*extModule{}, source: map[string]*sourceExternals{}}
}

// load returns the package that imp names for files in dir.
func (e *externals) load(dir, imp string) (*types.Package, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	root := dir
	if mod := e.p.mods.of(dir); mod != nil {
		root = mod.dir
	}
	m := e.by[root]
	if m == nil {
		m = &extModule{exports: map[string]string{}, loaded: map[string]*types.Package{}, failed: map[string]bool{},
			cgo: map[string]bool{}}
		e.by[root] = m
		m.list(e.p, root, e.allImports(root))
	}
	return m.load(e.p, root, imp)
}

// allImports are the import paths of all parsed files of a module that are not
// the project's: one run of the go command answers for all of them.
func (e *externals) allImports(root string) []string {
	set := map[string]bool{}
	for _, imp := range e.wanted {
		set[imp] = true
	}
	e.p.mu.Lock()
	defer e.p.mu.Unlock()
	for _, g := range e.p.parsed {
		if g == nil || e.p.mods.of(g.dir) != e.p.mods.of(root) {
			continue
		}
		for _, s := range g.ast.Imports {
			imp := importOf(s)
			if imp == "C" || imp == "unsafe" || imp == "" {
				continue
			}
			if _, ok := e.p.mods.resolve(g.dir, imp); !ok {
				set[imp] = true
			}
		}
	}
	out := make([]string, 0, len(set))
	for s := range set {
		out = append(out, s)
	}
	sort.Strings(out)
	return out
}

func (m *extModule) load(p *project, root, imp string) (*types.Package, error) {
	if pkg := m.loaded[imp]; pkg != nil {
		return pkg, nil
	}
	_, ok := m.exports[imp]
	if !ok && !m.failed[imp] {
		m.list(p, root, []string{imp})
		_, ok = m.exports[imp]
	}
	if !ok || m.failed[imp] { // once failed, always failed: two checks of one operation must compare
		m.failed[imp] = true
		if m.err != nil {
			return nil, m.err
		}
		return nil, errNoExport
	}
	if m.gc == nil {
		m.gc = goimporter.ForCompiler(p.fset, "gc", m.open)
	}
	pkg, err := m.gc.Import(imp)
	if err != nil {
		m.failed[imp] = true
		delete(m.exports, imp)
		return nil, fmt.Errorf("read the types of %s: %w", imp, err)
	}
	m.loaded[imp] = pkg
	return pkg, nil
}

// trouble is why the go command gave no types, or nil when it did.
func (e *externals) trouble() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.by {
		if errors.Is(m.err, exec.ErrNotFound) {
			return errors.New("the go command is not installed, or not on the PATH; install Go, and start Waferpair again")
		} else if m.err != nil {
			return m.err
		}
	}
	return nil
}

// open is how the compiler's importer finds a package that another one's types mention.
func (m *extModule) open(imp string) (io.ReadCloser, error) {
	file, ok := m.exports[imp]
	if !ok {
		return nil, errNoExport
	}
	return os.Open(file)
}

// exportArgs ask for export data. The go command makes what is not in the build
// cache, or, with -n, leaves it out.
func exportArgs(more ...string) []string {
	args := append([]string{"list", "-e", "-export", "-deps", "-buildvcs=false"}, more...)
	return append(args, "-f", answerFormat, "--")
}

func (m *extModule) list(p *project, root string, imports []string) {
	dir := filepath.Join(p.src.Root(), filepath.FromSlash(root))
	out, err := askGo(goRun{ctx: p.ext.ctx, dir: dir, env: []string{"CGO_ENABLED=0"}, says: reading},
		exportArgs("-n"), imports)
	if err != nil {
		m.err = err
	}
	var list []answer
	for line := range strings.Lines(out) {
		if x, ok := readAnswer(line); ok {
			list = append(list, x)
			m.cold = m.cold || x.cold
		}
	}
	if !m.cold { // two packages never know a third from different places
		m.keep(list)
	}
	for _, imp := range imports {
		if m.exports[imp] == "" {
			m.failed[imp] = true
		}
	}
}

// askGo runs the go command, offline, about some imports. Where a module that
// one of them comes from is missing, the command answers for none; it is asked
// again then, about the standard library and about each dependency by itself.
func askGo(r goRun, args, imports []string) (string, error) {
	if len(imports) == 0 {
		return "", nil
	}
	out, err := r.run(append(slices.Clone(args), imports...))
	if err == nil || out != "" {
		return out, nil
	}
	if r.ctx.Err() != nil {
		return "", err
	}
	groups := bySource(imports)
	if len(groups) == 1 {
		return "", err
	}
	outs, errs := make([]string, len(groups)), make([]error, len(groups))
	inParallel(len(groups), func(i int) {
		outs[i], errs[i] = r.run(append(slices.Clone(args), groups[i]...))
	})
	return strings.Join(outs, ""), errors.Join(errs...)
}

// bySource groups import paths: the standard library's, and the others by
// their first elements, which tell most modules apart.
func bySource(imports []string) [][]string {
	groups := map[string][]string{}
	for _, imp := range imports {
		parts := strings.SplitN(imp, "/", 4)
		key := ""
		if strings.Contains(parts[0], ".") {
			key = strings.Join(parts[:min(3, len(parts))], "/")
		}
		groups[key] = append(groups[key], imp)
	}
	var out [][]string
	for _, key := range sortedKeys(groups) {
		out = append(out, groups[key])
	}
	return out
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// closure loads every external package known so far under the configuration,
// for questions about all of them.
func (e *externals) closure(cfg buildConfig) []*types.Package {
	e.mu.Lock()
	defer e.mu.Unlock()
	if cfg.String() != hostConfig().String() {
		return e.sourceClosure(cfg)
	}
	var out []*types.Package
	for root, m := range e.by {
		paths := make([]string, 0, len(m.exports))
		for imp := range m.exports {
			paths = append(paths, imp)
		}
		sort.Strings(paths)
		for _, imp := range paths {
			if !nameable(imp) {
				continue
			}
			if pkg, err := m.load(e.p, root, imp); err == nil {
				out = append(out, pkg)
			}
		}
		if m.cold {
			out = append(out, e.fromSource(root)...)
		}
		if s := e.cgoPackages(root); s != nil {
			for _, imp := range keys(m.cgo) {
				if pkg, err := s.load(imp); err == nil && nameable(imp) {
					out = append(out, pkg)
				}
			}
		}
	}
	return out
}

// fromSource are the module's packages that have no export data yet. e.mu is held.
func (e *externals) fromSource(root string) []*types.Package {
	var out []*types.Package
	s := e.sourceOf(hostConfig(), root)
	for _, imp := range sortedKeys(s.listed) {
		if e.by[root].exports[imp] != "" || !nameable(imp) {
			continue
		}
		if pkg, err := s.load(imp); err == nil {
			out = append(out, pkg)
		}
	}
	return out
}

// nameable reports whether code outside the standard library can import it.
func nameable(imp string) bool {
	return !strings.HasPrefix(imp, "vendor/") && !strings.Contains(imp, "internal/")
}
