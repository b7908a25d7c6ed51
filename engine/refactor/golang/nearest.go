package golang

import (
	"sort"
	"strings"

	"waferpair/engine/refactor"
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
		d := refactor.Distance(lw, ln, limit)
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
