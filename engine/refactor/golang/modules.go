package golang

import (
	"path"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/mod/modfile"
)

// module is one go.mod of the project.
type module struct {
	dir     string // of its go.mod, slash-separated, "." for the project folder
	path    string
	version string            // the go directive: "1.21"
	local   map[string]string // replaced module path -> folder in the project
}

// modules maps import paths to the project's folders and back. Where a folder
// is in no module it falls back on GOPATH: the path on disk must end in the
// import path.
type modules struct {
	p    *project
	list []*module // longest folder first
	work map[string]bool
}

func readModules(p *project) *modules {
	m := &modules{p: p, work: map[string]bool{}}
	for _, f := range p.all {
		b, ok := p.bytes[f]
		if !ok {
			continue
		}
		switch path.Base(f) {
		case "go.mod":
			m.addModule(f, b)
		case "go.work":
			m.addWork(f, b)
		}
	}
	sort.SliceStable(m.list, func(i, j int) bool { return len(m.list[i].dir) > len(m.list[j].dir) })
	return m
}

func (m *modules) addModule(file string, b []byte) {
	f, err := modfile.ParseLax(file, b, nil)
	if err != nil || f.Module == nil {
		return
	}
	mod := &module{dir: path.Dir(file), path: f.Module.Mod.Path, local: map[string]string{}}
	if f.Go != nil {
		mod.version = f.Go.Version
	}
	// ParseLax drops replace directives (they do not concern dependencies): read them strictly.
	if strict, err := modfile.Parse(file, b, nil); err == nil {
		for _, r := range strict.Replace {
			if modfile.IsDirectoryPath(r.New.Path) && !path.IsAbs(r.New.Path) {
				mod.local[r.Old.Path] = path.Join(mod.dir, r.New.Path)
			}
		}
	}
	m.list = append(m.list, mod)
}

func (m *modules) addWork(file string, b []byte) {
	w, err := modfile.ParseWork(file, b, nil)
	if err != nil {
		return
	}
	for _, u := range w.Use {
		m.work[path.Join(path.Dir(file), u.Path)] = true
	}
}

// of is the module that a folder belongs to, or nil.
func (m *modules) of(dir string) *module {
	for _, mod := range m.list {
		if within(dir, mod.dir) {
			return mod
		}
	}
	return nil
}

func within(dir, root string) bool {
	return root == "." || dir == root || strings.HasPrefix(dir, root+"/")
}

// importPath is the path under which the folder's package is imported.
func (m *modules) importPath(dir string) string {
	mod := m.of(dir)
	if mod == nil {
		return m.gopathPath(dir)
	}
	rel := strings.TrimPrefix(strings.TrimPrefix(dir, mod.dir), "/")
	if mod.dir == "." {
		rel = strings.TrimPrefix(dir, ".")
	}
	if rest, ok := strings.CutPrefix(rel, "vendor/"); ok {
		return rest
	}
	if mod.path == "std" {
		return rel
	}
	return path.Join(mod.path, rel)
}

func (m *modules) gopathPath(dir string) string {
	abs := filepath.ToSlash(filepath.Join(m.p.src.Root(), filepath.FromSlash(dir)))
	if i := strings.LastIndex(abs, "/src/"); i >= 0 {
		return abs[i+len("/src/"):]
	}
	return ""
}

// resolve finds the project's folder that an import names, as seen from a folder.
func (m *modules) resolve(from, imp string) (dir string, ok bool) {
	mod := m.of(from)
	if mod == nil {
		return m.resolveGopath(imp)
	}
	if d, ok := m.inModule(mod, imp); ok {
		return d, true
	}
	for _, other := range m.list {
		if other == mod || !m.visible(mod, other) {
			continue
		}
		if d, ok := m.inModule(other, imp); ok {
			return d, true
		}
	}
	d := path.Join(mod.dir, "vendor", imp)
	return d, len(m.p.dirs[d]) > 0
}

func (m *modules) inModule(mod *module, imp string) (string, bool) {
	rest, ok := strings.CutPrefix(imp, mod.path)
	switch {
	case mod.path == "std":
		rest = imp
	case !ok || rest != "" && rest[0] != '/':
		return "", false
	}
	d := path.Join(mod.dir, rest)
	return d, len(m.p.dirs[d]) > 0 && m.of(d) == mod
}

// visible reports whether code of mod sees other as it is in the project,
// through go.work or a replace directive. Otherwise it sees a published version.
func (m *modules) visible(mod, other *module) bool {
	if m.work[mod.dir] && m.work[other.dir] {
		return true
	}
	return mod.local[other.path] == other.dir && mod.local[other.path] != ""
}

func (m *modules) resolveGopath(imp string) (string, bool) {
	for d := range m.p.dirs {
		if m.of(d) == nil && m.gopathPath(d) == imp {
			return d, true
		}
	}
	return "", false
}
