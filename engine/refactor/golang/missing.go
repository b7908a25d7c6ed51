package golang

import (
	"slices"
	"strings"
)

// missing deals with dependencies that do not load. One of their interfaces may
// ask for the method that is renamed. That matters where a file hands a value of
// the type to such a dependency: the operation declines there. Elsewhere it is
// unlikely, and noted.
func (r *renaming) missing() error {
	if !r.methods() || !exported(r.from) {
		return nil
	}
	absent := r.j.p.ext.missing()
	if len(absent) == 0 {
		return nil
	}
	see := r.j.p.dependents(r.dirs)
	imports := r.j.p.allImports()
	for _, f := range sortedKeys(imports) {
		if !see[dirOf(f)] && !r.dirs[dirOf(f)] || strings.Contains("/"+f, "/testdata/") {
			continue
		}
		for _, imp := range imports[f] {
			if !absent[imp] {
				continue
			}
			if slices.ContainsFunc(r.symbols, func(s *symbol) bool { return hasWord(r.j.p.bytes[f], s.first().owner) }) {
				return r.j.declined("%s uses %s together with %s, which could not be loaded and may ask for the method %s; fetch it first (go mod download)",
					f, r.symbols[0].first().owner, imp, r.from)
			}
			r.j.note("%s could not be loaded: whether it asks for a method %s is not known.", imp, r.from)
		}
	}
	return nil
}

// missing are the import paths of which the go command knew neither types nor source.
func (e *externals) missing() map[string]bool {
	e.mu.Lock()
	roots := map[string][]string{}
	for root, m := range e.by {
		if len(m.failed) > 0 {
			roots[root] = keys(m.failed)
		}
	}
	e.mu.Unlock()
	out := map[string]bool{}
	for root, failed := range roots {
		for _, imp := range failed {
			if imp == "C" {
				continue
			}
			if _, err := e.loadSource(hostConfig(), root, imp); err != nil {
				out[imp] = true
			}
		}
	}
	return out
}
