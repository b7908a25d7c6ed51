package run

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"waferpair/wafer/clock"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// Options are those of a kernel that runs by itself. Dimensions that are 0 are chosen so
// that every core has a tile of a few numbers.
type Options struct {
	Machine       machine.Machine
	Width, Height int // of the mesh; Height 0 is a square
	M, K, N       int // a product of [M,K] and [K,N]; vectors have N numbers
	Groups        int // of a Tree; 0 are the fastest
	Sums          tile.Kind
	Seed          uint64 // of the numbers that it computes with
	Run           tile.Options
	Trace         bool // record what some cores do when; see Outcome.Traces
}

// Outcome is the result of a run.
type Outcome struct {
	Kernel         string
	Width, Height  int
	M, K, N        int
	Cycles         clock.Cycle
	AnalyticCycles int
	MaxAbsError    float64 // of the result, to the plain reference
	Ulps           float64 // the same in units of the last place; see half.Ulps
	Wavelets       int64   // that came to a core
	Hops           int64   // of wavelets, from router to router
	Stalls         int64   // times that a wavelet could not go on
	Colors         []string
	SRAMBytes      int // of a core, with the reserve
	Work           map[string]tile.Work
	Traces         []Trace
}

// Kernels returns the names under which work was booked, longest first.
func (o Outcome) Kernels() []string {
	return slices.SortedFunc(maps.Keys(o.Work), func(a, b string) int {
		return cmp.Or(cmp.Compare(o.Work[b].Sum(), o.Work[a].Sum()), cmp.Compare(a, b))
	})
}

// Spec is a kernel that can run by itself.
type Spec struct {
	Name string
	Help string
	Run  func(context.Context, Options) (Outcome, error)
}

// All returns the kernels that can run by themselves.
func All() []Spec { return slices.Concat(linear, prefills, stages, steps) }

// Named returns the kernel with a name.
func Named(name string) (Spec, error) {
	names := ""
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
		names += " " + s.Name
	}
	return Spec{}, fmt.Errorf("no kernel is called %q; there are%s", name, names)
}
