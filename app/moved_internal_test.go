package app

import (
	"maps"
	"strings"
	"testing"
)

func TestRenamedPairs(t *testing.T) {
	for _, c := range []struct {
		gone, fresh string
		want        map[string]string
	}{
		{"a", "b", map[string]string{"a": "b"}},
		{"a", "d/a", map[string]string{"a": "d/a"}},
		{"a b", "d/a d/b", map[string]string{"a": "d/a", "b": "d/b"}},
		{"a b", "d/a c", map[string]string{"a": "d/a", "b": "c"}},
		{"a b", "c d", nil},                           // ambiguous
		{"a", "b c", nil},                             // copies
		{"a", "d/a e/a", nil},                         // copies with its name
		{"d/a e/a", "a", nil},                         // one of two
		{"a b", "c", nil},                             // one of two
		{"a", "b d/a", map[string]string{"a": "d/a"}}, // moved, and copied
		{"a", "", nil},
		{"", "a", nil},
	} {
		if got := renamedPairs(strings.Fields(c.gone), strings.Fields(c.fresh)); !maps.Equal(got, c.want) {
			t.Errorf("%s to %s: %v, want %v", c.gone, c.fresh, got, c.want)
		}
	}
}
