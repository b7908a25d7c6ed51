package run

import (
	"slices"
	"strings"
	"testing"

	"waferpair/wafer/fabric"
	"waferpair/wafer/kernel"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// What is put somewhere is read from there, padding is zero, and a number that two
// cores hold is refused, with its place, when they differ.
func TestPlacesOfNumbers(t *testing.T) {
	p, err := kernel.NewPlan(machine.Test(2, 1), 2, 1, tile.F32)
	if err != nil {
		t.Fatal(err)
	}
	buf, err := p.Mem.Alloc("sums", tile.F32, 2)
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string, n int, left, right []int) kernel.Place {
		return kernel.Place{Name: name, Buffer: buf, Len: n, Of: func(at fabric.At) []int {
			return [][]int{left, right}[at.X]
		}}
	}
	own := at("own", 4, []int{0, 1}, []int{2, 3})
	if err := put(p, at("padded", 2, []int{1, -1}, []int{1, 0}), []float32{5, 7}); err != nil {
		t.Fatal(err)
	}
	if got, err := get(p, own); err != nil || !slices.Equal(got, []float32{7, 0, 7, 5}) {
		t.Errorf("%v (%v), want 7 and padding in one core, 7 and 5 in the other", got, err)
	}
	if got, err := get(p, at("shared", 2, []int{0, -1}, []int{0, 1})); err != nil || !slices.Equal(got, []float32{7, 5}) {
		t.Errorf("%v (%v), want 7, which both cores have, and 5", got, err)
	}
	_, err = get(p, at("shared", 2, []int{0, 1}, []int{0, 1}))
	if err == nil || !strings.Contains(err.Error(), "shared: number 1 is 0 in one core and 5 at (1,0)") {
		t.Errorf("cores that do not agree: %v", err)
	}
}
