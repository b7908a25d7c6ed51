package kernel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// FitError says that a core's SRAM is too small for a model on a mesh, and what
// would fit.
type FitError struct {
	Mesh        int
	Need, Limit int   // bytes of a core, with the reserve
	Largest     []Use // of what takes most, the largest first
	Fits        string
	cause       error
}

// Use is the bytes of a core that buffers of one name take, over all layers.
type Use struct {
	Name  string
	Bytes int
}

func (u Use) String() string { return fmt.Sprintf("%s (%d bytes)", u.Name, u.Bytes) }

func (e *FitError) Error() string {
	return fmt.Sprintf("a core of a mesh of %d x %d needs %d bytes of SRAM and has %d; most of it is %v and %v; %s",
		e.Mesh, e.Mesh, e.Need, e.Limit, e.Largest[0], e.Largest[1], e.Fits)
}

func (e *FitError) Unwrap() error { return e.cause }

// checkFit refuses a model that a core has no room for, before anything is made.
func checkFit(m machine.Machine, mesh int, shape transformer.Config, positions int, sums tile.Kind) error {
	room := func(mesh, positions int, shape transformer.Config) (int, error) {
		l := NewLayout(&m, mesh, &shape, LayoutOptions{Positions: positions, Sums: sums, Groups: 1})
		return l.SRAM()
	}
	_, err := room(mesh, positions, shape)
	if err == nil {
		return nil
	}
	e := &FitError{Mesh: mesh, Limit: m.SRAMBytes, cause: err}
	e.Need, e.Largest = uses(m, mesh, shape, positions, sums)
	fits := func(mesh, positions, layers int) bool {
		c := shape
		c.BlockCount = layers
		_, err := room(mesh, positions, c)
		return err == nil
	}
	e.Fits = whatFits(mesh, shape, positions, fits)
	return e
}

// uses is the bytes of a core, and what takes most of them, were its SRAM large enough.
func uses(m machine.Machine, mesh int, shape transformer.Config,
	positions int, sums tile.Kind) (need int, largest []Use) {
	m.SRAMBytes = 1 << 40
	l := NewLayout(&m, mesh, &shape, LayoutOptions{Positions: positions, Sums: sums, Groups: 1})
	mem := tile.NewLayout(m)
	l.take(&allocator{mem: mem})
	for _, b := range mem.Buffers() {
		name := b.Name
		if rest, ok := strings.CutPrefix(name, "layer "); ok {
			_, name, _ = strings.Cut(rest, " ")
		}
		i := slices.IndexFunc(largest, func(u Use) bool { return u.Name == name })
		if i < 0 {
			i, largest = len(largest), append(largest, Use{Name: name})
		}
		largest[i].Bytes += b.Bytes()
	}
	slices.SortStableFunc(largest, func(a, b Use) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return mem.Used(), largest
}

// whatFits is the nearest that a core has room for: a larger mesh, a shorter context
// on the same one, fewer layers on the largest.
func whatFits(mesh int, shape transformer.Config, positions int, fits func(mesh, positions, layers int) bool) string {
	var list []string
	for side := mesh + 1; side <= sideOfMost; side++ {
		if fits(side, positions, shape.BlockCount) {
			list = append(list, fmt.Sprintf("a mesh of %d x %d or more", side, side))
			break
		}
	}
	if context := greatest(positions, func(n int) bool { return fits(mesh, n, shape.BlockCount) }); context > 0 {
		list = append(list, fmt.Sprintf("a context of %d on this one", context))
	}
	if len(list) > 0 {
		return "what fits: " + strings.Join(list, ", ")
	}
	if layers := greatest(shape.BlockCount, func(n int) bool { return fits(sideOfMost, positions, n) }); layers > 0 {
		return fmt.Sprintf("the largest mesh, %d x %d, has room for %d of its %d layers", sideOfMost, sideOfMost, layers,
			shape.BlockCount)
	}
	return fmt.Sprintf("on the largest mesh, %d x %d, not even one of its layers fits beside its vocabulary",
		sideOfMost, sideOfMost)
}

// sideOfMost is the side of the largest square mesh that is emulated core by core.
const sideOfMost = 128

// greatest is the greatest n below a bound of which ok holds, which holds of all less
// than that; or 0.
func greatest(below int, ok func(int) bool) int {
	low, high := 0, below
	for low+1 < high {
		if middle := (low + high) / 2; ok(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
