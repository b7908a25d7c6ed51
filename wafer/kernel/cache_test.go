package kernel

import (
	"slices"
	"testing"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// TestRowsOfTheCacheAreFilledEqually: token by token, from any beginning, with and without
// a window, the loads of the rows never differ by more than one, and no row has more than
// its depth or uses a slot twice.
func TestRowsOfTheCacheAreFilledEqually(t *testing.T) {
	for _, count := range []int{1, 2, 3, 4, 7, 8} {
		for _, window := range []int{0, 1, 5, 8, 20} {
			for _, first := range []int{0, 1, 6, 19, 30} {
				shape := &transformer.Config{SlidingWindow: window}
				c := cache{rows: &rows{Config: shape, count: count, depth: ceil(shape.Sees(40), count)}}
				c.fill(first)
				for ; c.held < 40; c.add() {
					least, most, sum := c.depth, 0, 0
					for y, used := range c.slots {
						n := len(used)
						least, most, sum = min(least, n), max(most, n), sum+n
						if sorted := slices.Sorted(slices.Values(used)); len(slices.Compact(sorted)) < n ||
							n > 0 && sorted[n-1] >= c.depth {
							t.Fatalf("%d rows, window %d, %d of the host, %d held: row %d uses the slots %v of %d", count, window, first,
								c.held, y, used, c.depth)
						}
						if n != c.load(y, c.held) {
							t.Fatalf("%d rows, window %d, %d held: row %d has %d entries, and its load is %d", count, window, c.held, y,
								n, c.load(y, c.held))
						}
					}
					if most-least > 1 || sum != c.Sees(c.held) {
						t.Fatalf("%d rows, window %d, %d of the host, %d held: %v", count, window, first, c.held, c.slots)
					}
				}
			}
		}
	}
}

// TestLayoutsAreFree: the search for a placement makes many thousands.
func TestLayoutsAreFree(t *testing.T) {
	m, shape := machine.Test(64, 64), Small()
	var l Layout
	for _, o := range []LayoutOptions{{Positions: 64, Sums: tile.F32},
		{Positions: 64, Held: 7, Sums: tile.F16, Groups: 4}} {
		if n := testing.AllocsPerRun(100, func() { l = NewLayout(&m, 32, &shape, o) }); n > 0 {
			t.Errorf("a layout takes %v allocations", n)
		}
	}
	if l.mesh != 32 {
		t.Error(l.mesh)
	}
}
