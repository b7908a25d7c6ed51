package disk

import (
	"slices"
	"testing"

	"waferpair/workspace"
)

func TestPortions(t *testing.T) {
	sizes := func(n int, size int64) []workspace.Entry {
		return slices.Repeat([]workspace.Entry{{Size: size}}, n)
	}
	for name, c := range map[string]struct {
		list []workspace.Entry
		want []int // files in each portion
	}{
		"none":       {nil, nil},
		"small ones": {sizes(130, 100), []int{64, 64, 2}},
		"large ones": {sizes(3, portionBytes), []int{1, 1, 1}},
		"huge ones":  {sizes(2, 1<<40), []int{1, 1}},
		"both":       {append(sizes(3, portionBytes/2), sizes(5, 1)...), []int{2, 6}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []int
			for part := range portions(c.list) {
				got = append(got, len(part))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
