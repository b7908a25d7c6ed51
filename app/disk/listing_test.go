package disk

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/history"
)

// TestListingIsASet checks that after any additions and removals the list has the names of
// a plain set, sorted, and that Below finds those that begin with a path.
func TestListingIsASet(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "a/b", "a/b/c", "a-b", "ab", "b", "b/a"})
	rapid.Check(t, func(t *rapid.T) {
		var l Listing
		want, known := map[string]bool{}, map[string]history.Hash{}
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			name := names.Draw(t, "name")
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				l.Add(name)
				want[name] = true
			case 1:
				l.Drop(name)
				delete(want, name)
			case 2:
				more := rapid.SliceOfN(names, 0, 3).Draw(t, "more")
				l.Drop(more...)
				for _, n := range more {
					delete(want, n)
				}
			case 3:
				h := history.HashBytes([]byte(name))
				l.Know(name, h)
				known[name] = h
			case 4: // only of listed files of which nothing is known
				h := history.HashBytes([]byte("learned " + name))
				l.Learn(map[string]history.FileState{name: {Head: h, Disk: h}})
				if _, is := known[name]; !is && want[name] {
					known[name] = h
				}
			}
			if got := l.All(); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
				t.Fatalf("%q, not %q", got, slices.Sorted(maps.Keys(want)))
			}
			if _, ok := known[name]; l.Has(name) != (ok && want[name]) || l.Head(name) != known[name] ||
				l.Disk(name) != known[name] {
				t.Fatalf("what is known of %s is wrong", name)
			}
			below := slices.DeleteFunc(l.Below([]string{name})[1:], func(n string) bool {
				return strings.HasPrefix(n, name+"/") && want[n]
			})
			if len(below) > 0 {
				t.Fatalf("%q are below %s", below, name)
			}
		}
	})
}
