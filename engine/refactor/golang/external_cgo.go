package golang

import (
	"bytes"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

// Types of packages outside the project come without running any code of it:
// the go command is asked with CGO_ENABLED=0, so that it calls neither a C
// compiler nor pkg-config, of which the project's files say how. What files with
// C code declare is then missing from the export data of their packages, and may
// be from that of the packages that import those. These are checked from source
// instead, where "C" is a package of which nothing is known (external_source.go);
// they share the types of all other packages. The standard library declares the
// same with C code and without.

// answer is a line of the go command's answer.
type answer struct {
	imp, file string
	cold      bool     // there is no export data of it yet, and the compiler could make it
	dir       string   // of packages outside the standard library
	ignored   []string // files that it does not build
	imports   []string
}

const answerFormat = "{{.ImportPath}}\t{{.Export}}\t{{if and .GoFiles (not .Export) (not .Incomplete)}}cold{{end}}\t{{if not .Standard}}{{.Dir}}\t{{range .IgnoredGoFiles}}{{.}}|{{end}}\t{{range .Imports}}{{.}}|{{end}}{{end}}"

func readAnswer(line string) (answer, bool) {
	f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
	if len(f) < 3 {
		return answer{}, false
	}
	x := answer{imp: f[0], file: f[1], cold: f[2] != "" && f[0] != "unsafe"}
	if len(f) == 6 {
		x.dir, x.ignored, x.imports = f[3], strings.Split(f[4], "|"), strings.Split(f[5], "|")
	}
	return x, true
}

// keep takes the export data of an answer over, but for the packages that C code
// is part of. They come after what they import.
func (m *extModule) keep(list []answer) {
	for _, x := range list {
		if m.cgo[x.imp] || m.reachesCgo(x) || x.needsCgo() {
			m.cgo[x.imp] = true
			delete(m.exports, x.imp)
		} else if x.file != "" {
			m.exports[x.imp] = x.file
		}
	}
}

func (m *extModule) reachesCgo(x answer) bool {
	for _, imp := range x.imports {
		if m.cgo[imp] {
			return true
		}
	}
	return false
}

// needsCgo reports whether the package has a file that is built only with cgo.
func (x answer) needsCgo() bool {
	with, without := hostConfig(), hostConfig()
	without.cgo = false
	for _, name := range x.ignored {
		src, err := os.ReadFile(filepath.Join(x.dir, name))
		if err != nil || !bytes.Contains(src, []byte(`"C"`)) && !hasWord(src, "cgo") {
			continue
		}
		tree, _ := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly|parser.ParseComments)
		if tree == nil {
			continue
		}
		g := &goFile{path: name, ast: tree, expr: buildExpr(tree)}
		for _, s := range tree.Imports {
			g.cgo = g.cgo || s.Path.Value == `"C"`
		}
		if with.includes(g) && !without.includes(g) {
			return true
		}
	}
	return false
}

// host is what an import means on this computer.
func (e *externals) host(dir, imp string) (*types.Package, error) {
	if pkg, err := e.load(dir, imp); err == nil {
		return pkg, nil
	}
	return e.loadSource(hostConfig(), dir, imp) // it has C code, or does not compile
}

// cgoPackages lists the packages with C code that the go command told of, for
// questions about all packages. e.mu is held.
func (e *externals) cgoPackages(root string) *sourceExternals {
	m := e.by[root]
	if len(m.cgo) == 0 {
		return nil
	}
	s := e.sourceOf(hostConfig(), root)
	var more []string
	for _, imp := range keys(m.cgo) {
		if s.listed[imp] == nil && !s.asked[imp] {
			more = append(more, imp)
		}
	}
	s.list(more)
	return s
}

// shared is a package whose types come from export data, also for those that
// are checked from source on this computer's behalf. e.mu is held.
func (e *externals) shared(s *sourceExternals, imp string) *types.Package {
	m := e.by[s.root]
	if m == nil || m.exports[imp] == "" || s.cfg.String() != hostConfig().String() {
		return nil
	}
	pkg, err := m.load(e.p, s.root, imp)
	if err != nil {
		return nil
	}
	return pkg
}
