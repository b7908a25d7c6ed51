package golang

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"path"
	"runtime"
	"slices"
	"strings"
)

// level says how much of a package's surroundings is real. What is not real is
// an empty package whose names have no type: the checker is told not to mind,
// and whatever depends on them stays unresolved, which callers must notice.
type level int

const (
	levelOwn     level = iota // one package (universe.only) is real, every other import is empty
	levelProject              // every package of the project is real
	levelAll                  // so are the standard library and the dependencies
)

// universe is a set of packages type-checked against each other under one
// build configuration. Within it each folder's importable package exists once.
type universe struct {
	p     *project
	cfg   buildConfig
	level level
	// narrow makes every package of the project but the folders in only empty,
	// at whatever level; at levelOwn it is always set.
	narrow bool
	only   map[string]bool

	// words, if not empty, leaves out the bodies of functions that hold none of
	// them: nothing in there can be a mention, and checking them is most of the work.
	words []string

	units map[unitKey]*unit
	busy  map[string]bool

	// base, if given, is the same universe before some files changed: it answers
	// for every folder but those that the changes can reach, which changed holds.
	base    *universe
	changed map[string]bool
}

type unitKey struct{ dir, name, kind string }

// same is the key by which units of two universes compare: whether a package
// was imported before it was checked in full makes no difference.
func (k unitKey) same() unitKey {
	if k.kind == "body" {
		k.kind = "lib"
	}
	return k
}

// unit is one type-checked set of files.
type unit struct {
	key   unitKey
	path  string
	files []*goFile
	pkg   *types.Package
	info  *types.Info // nil when only the API was wanted
	errs  []types.Error
}

func (p *project) universe(cfg buildConfig, l level, only ...string) *universe {
	u := &universe{p: p, cfg: cfg, level: l, narrow: l == levelOwn, only: map[string]bool{}, units: map[unitKey]*unit{},
		busy: map[string]bool{}}
	for _, d := range only {
		u.only[d] = true
	}
	return u
}

var errNotLoaded = errors.New("not loaded")

// importable is the folder's package as others import it. Bodies are checked
// only where full was asked for first.
func (u *universe) importable(dir string) (*unit, error) {
	if b := u.before(dir); b != nil {
		return b.importable(dir)
	}
	key := unitKey{dir, "", "lib"}
	if x, ok := u.units[key]; ok {
		return x, nil
	}
	if u.busy[dir] {
		return nil, errors.New("import cycle")
	}
	files := u.libFiles(dir)
	if len(files) == 0 {
		return nil, errNotLoaded
	}
	return u.check(key, files, nil, false), nil
}

// full is the same package with its function bodies checked and recorded.
// Asked for after others imported it, it is checked again beside the importable one.
func (u *universe) full(dir string) *unit {
	if b := u.before(dir); b != nil {
		return b.full(dir)
	}
	key := unitKey{dir, "", "lib"}
	if x, ok := u.units[key]; ok && x.info != nil {
		return x
	} else if ok {
		key.kind = "body"
		if x, ok := u.units[key]; ok {
			return x
		}
	}
	files := u.libFiles(dir)
	if len(files) == 0 || u.busy[dir] {
		return nil
	}
	return u.check(key, files, nil, true)
}

// libFiles are the folder's non-test files under the configuration. Where
// several packages share a folder (broken, or tools marked "ignore") the most
// frequent name wins.
func (u *universe) libFiles(dir string) []*goFile {
	count := map[string]int{}
	best := ""
	var all []*goFile
	for _, g := range u.p.files(u.p.dirs[dir]) {
		if g.test || standalone(g) || hidden(g.path) || !u.cfg.includes(g) {
			continue
		}
		all = append(all, g)
		n := g.ast.Name.Name
		count[n]++
		if best == "" || count[n] > count[best] {
			best = n
		}
	}
	return slices.DeleteFunc(all, func(g *goFile) bool { return g.ast.Name.Name != best })
}

// hidden reports whether the go command never looks at the file.
func hidden(p string) bool {
	b := path.Base(p)
	return b[0] == '_' || b[0] == '.'
}

// unitsOf are the units that together hold the given files of a folder under
// the configuration: the package with its tests when a test file is wanted.
func (u *universe) unitsOf(dir string, wanted []*goFile) []*unit {
	if b := u.before(dir); b != nil {
		return b.unitsOf(dir, wanted)
	}
	lib := u.libFiles(dir)
	name := ""
	if len(lib) > 0 {
		name = lib[0].ast.Name.Name
	}
	var inTest, xTest, single []*goFile
	plain := false
	for _, g := range wanted {
		switch {
		case standalone(g) || hidden(g.path):
			single = append(single, g)
		case !u.cfg.includes(g):
		case !g.test && g.ast.Name.Name == name:
			plain = true
		case g.test && strings.HasSuffix(g.ast.Name.Name, "_test") && g.ast.Name.Name != name:
			xTest = append(xTest, g)
		case g.test:
			inTest = append(inTest, g)
		default:
			single = append(single, g)
		}
	}
	var out []*unit
	var tested *unit
	if len(inTest) > 0 {
		tested = u.check(unitKey{dir, name, "test"}, append(lib, u.testFiles(dir, false)...), nil, true)
		out = append(out, tested)
	} else if plain {
		if x := u.full(dir); x != nil {
			out = append(out, x)
		}
	}
	if len(xTest) > 0 {
		out = append(out, u.externalTest(dir, lib, tested))
	}
	for _, g := range single {
		out = append(out, u.check(unitKey{dir, g.path, "single"}, []*goFile{g}, nil, true))
	}
	return out
}

// externalTest checks package foo_test, which sees what foo's own test files export.
func (u *universe) externalTest(dir string, lib []*goFile, tested *unit) *unit {
	if in := u.testFiles(dir, false); tested == nil && len(in) > 0 && len(lib) > 0 {
		tested = u.check(unitKey{dir, "", "test"}, append(lib, in...), nil, false)
	}
	return u.check(unitKey{dir, "", "xtest"}, u.testFiles(dir, true), tested, true)
}

func (u *universe) testFiles(dir string, external bool) []*goFile {
	var out []*goFile
	for _, g := range u.p.files(u.p.dirs[dir]) {
		if g.test && u.cfg.includes(g) && !standalone(g) && !hidden(g.path) &&
			strings.HasSuffix(g.ast.Name.Name, "_test") == external {
			out = append(out, g)
		}
	}
	return out
}

// check type-checks files as one package. self, if given, stands for the
// folder's own package when the files import it.
func (u *universe) check(key unitKey, files []*goFile, self *unit, bodies bool) *unit {
	if x, ok := u.units[key]; ok {
		return x
	}
	x := &unit{key: key, files: files, path: u.p.mods.importPath(key.dir)}
	if key.kind == "xtest" {
		x.path += "_test"
	}
	if bodies {
		x.info = &types.Info{
			Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
			Types: map[ast.Expr]types.TypeAndValue{}, Scopes: map[ast.Node]*types.Scope{},
			Instances: map[*ast.Ident]types.Instance{},
		}
	}
	if key.kind == "lib" {
		u.busy[key.dir] = true
		defer delete(u.busy, key.dir)
	}
	conf := &types.Config{
		Importer: importer{u, key.dir, self}, IgnoreFuncBodies: !bodies, FakeImportC: true,
		GoVersion: u.goVersion(key.dir), Sizes: types.SizesFor("gc", u.cfg.goarch),
		Error: func(err error) {
			var te types.Error
			if errors.As(err, &te) {
				x.errs = append(x.errs, te)
			}
		},
	}
	trees := make([]*ast.File, len(files))
	for i, g := range files {
		trees[i] = g.ast
		if bodies && len(u.words) > 0 {
			trees[i] = g.without(u.words)
		}
	}
	x.pkg, _ = conf.Check(x.path, u.p.fset, trees, x.info)
	u.units[key] = x
	return x
}

// after makes u the universe of a changed project on top of the one before.
// Checking what the changes cannot reach would give the same again.
func (u *universe) after(base *universe, changed map[string]bool) {
	u.base, u.changed = base, changed
}

// before is the universe to ask about a folder that no change reaches, or nil.
func (u *universe) before(dir string) *universe {
	if u.base == nil || u.changed[dir] {
		return nil
	}
	return u.base
}

// goVersion is the language version of the folder's module, where this program's checker knows it.
func (u *universe) goVersion(dir string) string {
	mod := u.p.mods.of(dir)
	if mod == nil || mod.version == "" {
		return ""
	}
	v := "go" + mod.version
	if !version.IsValid(v) || version.Compare(v, runtime.Version()) > 0 {
		return ""
	}
	return version.Lang(v)
}

type importer struct {
	u    *universe
	dir  string
	self *unit
}

func (i importer) Import(imp string) (*types.Package, error) { return i.ImportFrom(imp, "", 0) }

func (i importer) ImportFrom(imp, _ string, _ types.ImportMode) (*types.Package, error) {
	if imp == "unsafe" {
		return types.Unsafe, nil
	}
	dir, ok := i.u.p.mods.resolve(i.dir, imp)
	if !ok {
		if i.u.level < levelAll {
			return nil, errNotLoaded
		}
		if i.u.cfg.String() != hostConfig().String() {
			return i.u.p.ext.loadSource(i.u.cfg, i.dir, imp)
		}
		return i.u.p.ext.host(i.dir, imp)
	}
	if i.u.narrow && !i.u.only[dir] {
		return nil, errNotLoaded
	}
	if i.self != nil && dir == i.dir {
		return i.self.pkg, nil
	}
	x, err := i.u.importable(dir)
	if err != nil {
		return nil, err
	}
	return x.pkg, nil
}

// unitHolding finds the unit among us whose files include the position.
func unitHolding(us []*unit, pos token.Pos) *unit {
	for _, x := range us {
		for _, g := range x.files {
			if g.contains(pos) {
				return x
			}
		}
	}
	return nil
}
