package golang

import (
	"sort"
	"strings"
)

// nearest returns up to five names that a mistyped one may have meant, nearest first.
func nearest(want string, names []string) []string {
	type scored struct {
		name string
		d    int
	}
	var all []scored
	limit := max(2, len(want)/3)
	lw := strings.ToLower(want)
	for _, n := range names {
		ln := strings.ToLower(n)
		d := distance(lw, ln, limit)
		if d > limit && len(lw) >= 4 && (strings.Contains(ln, lw) || len(ln) >= 4 && strings.Contains(lw, ln)) {
			d = limit
		}
		if d <= limit && n != want {
			all = append(all, scored{n, d})
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].d != all[j].d {
			return all[i].d < all[j].d
		}
		return all[i].name < all[j].name
	})
	var out []string
	for i := 0; i < len(all) && i < 5; i++ {
		out = append(out, all[i].name)
	}
	return out
}

// distance is the number of single-byte insertions, deletions, replacements and
// swaps of neighbours between a and b; anything above limit is only known to be above it.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
