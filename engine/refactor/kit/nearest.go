package kit

import (
	"cmp"
	"slices"
	"strings"

	"waferpair/engine/refactor"
)

// Nearest are up to five names that a mistyped one may have meant, nearest first: at most a third
// of its length away, or one within the other.
func Nearest(want string, names []string) []string {
	limit, low := max(2, len(want)/3), strings.ToLower(want)
	far := map[string]int{}
	for _, name := range names {
		n := strings.ToLower(name)
		d := refactor.Distance(low, n, limit)
		if d > limit && len(low) >= 4 && (strings.Contains(n, low) || len(n) >= 4 && strings.Contains(low, n)) {
			d = limit
		}
		if d <= limit && name != want {
			far[name] = d
		}
	}
	near := make([]string, 0, len(far))
	for name := range far {
		near = append(near, name)
	}
	slices.SortFunc(near, func(a, b string) int { return cmp.Or(far[a]-far[b], strings.Compare(a, b)) })
	return near[:min(len(near), 5)]
}
