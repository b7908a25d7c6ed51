package golang

import "strings"

// linked reports whether a type and an interface, declared at these places, can
// be parts of one program. What a test file declares is in the test program of
// its package alone, with what that imports. A place outside the project is "".
func (r *renaming) linked(a, b loc) bool {
	if a.path == "" || b.path == "" || dirOf(a.path) == dirOf(b.path) {
		return true
	}
	inTestA, inTestB := strings.HasSuffix(a.path, "_test.go"), strings.HasSuffix(b.path, "_test.go")
	switch {
	case inTestA && inTestB:
		return false
	case inTestA:
		return r.needs(dirOf(a.path))[dirOf(b.path)]
	case inTestB:
		return r.needs(dirOf(b.path))[dirOf(a.path)]
	}
	return true // any program may import both
}

// needs are the project's packages that the folder's and its tests import, directly or not.
func (r *renaming) needs(dir string) map[string]bool {
	if r.deps[dir] != nil {
		return r.deps[dir]
	}
	if r.j.p.comesBack() {
		return r.j.p.everyDir() // a dependency may import what no import here tells of
	}
	graph, out := r.j.p.importGraph(), map[string]bool{dir: true}
	for todo := []string{dir}; len(todo) > 0; {
		for _, d := range graph[todo[0]] {
			if !out[d] {
				out[d] = true
				todo = append(todo, d)
			}
		}
		todo = todo[1:]
	}
	if r.deps == nil {
		r.deps = map[string]map[string]bool{}
	}
	r.deps[dir] = out
	return out
}

func (p *project) everyDir() map[string]bool {
	out := map[string]bool{}
	for d := range p.dirs {
		out[d] = true
	}
	return out
}
