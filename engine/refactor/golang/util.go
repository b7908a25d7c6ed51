package golang

import (
	"go/types"
	"slices"
)

func keys(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func dirsOf(files []*goFile) []string {
	set := map[string]bool{}
	for _, g := range files {
		set[g.dir] = true
	}
	return keys(set)
}

func predeclared(name string) bool { return types.Universe.Lookup(name) != nil }
