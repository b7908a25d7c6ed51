package golang

import (
	"path/filepath"
	"strings"
)

// comesBack reports whether a dependency imports packages of the project, as
// modules that need each other do. The go command knows; it is asked once.
func (p *project) comesBack() bool {
	p.backOnce.Do(func() {
		for root, imports := range p.foreignByModule() {
			dir := filepath.Join(p.src.Root(), filepath.FromSlash(root))
			out, _ := askGo(goRun{ctx: p.ext.ctx, dir: dir},
				[]string{"list", "-e", "-deps", "-f", "{{.ImportPath}}", "--"}, imports)
			for imp := range strings.Lines(out) {
				if _, ours := p.mods.resolve(root, strings.TrimSpace(imp)); ours {
					p.back = true
				}
			}
		}
	})
	return p.back
}

// foreignByModule are the imports of dependencies, by the folder of the importing module.
func (p *project) foreignByModule() map[string][]string {
	set := map[string]map[string]bool{}
	for f, imps := range p.allImports() {
		if strings.Contains("/"+f, "/testdata/") {
			continue
		}
		root := dirOf(f)
		if mod := p.mods.of(root); mod != nil {
			root = mod.dir
		}
		for _, imp := range imps {
			first, _, _ := strings.Cut(imp, "/")
			if _, ours := p.mods.resolve(dirOf(f), imp); ours || !strings.Contains(first, ".") {
				continue // the standard library imports no project
			}
			if set[root] == nil {
				set[root] = map[string]bool{}
			}
			set[root][imp] = true
		}
	}
	out := map[string][]string{}
	for root, imports := range set {
		out[root] = keys(imports)
	}
	return out
}
