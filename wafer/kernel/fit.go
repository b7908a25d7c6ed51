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

// FitError reports that a core's SRAM is too small for a model on a mesh, and names
// what would fit.
type FitError struct {
	Mesh        int
	Need, Limit int   // bytes of a core, with the reserve
	Largest     []Use // of what takes most, the largest first
	Fits        string
	cause       error
}

// Use is the number of bytes in a core that buffers of one name take, in all layers.
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

// checkFit refuses a model that does not fit into a core, before anything is allocated.
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

// uses returns the bytes that a core would need and the buffers that need them, largest
// first.
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

// whatFits describes the nearest placements that fit: a larger mesh, a shorter context
// on the same mesh, fewer layers on the largest mesh.
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

// sideOfMost is the side of the largest square mesh that can be emulated core by core.
const sideOfMost = 128

// greatest returns the largest n below a bound for which ok is true, or 0. If ok is true
// for n, it must be true for all smaller numbers.
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
