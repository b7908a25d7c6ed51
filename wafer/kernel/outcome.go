package kernel

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"waferpair/wafer/clock"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// Options of a kernel that is run by itself. Dimensions that are 0 are chosen
// to give every core a tile of a few numbers.
type Options struct {
	Machine       machine.Machine
	Width, Height int // of the mesh; Height 0 is a square
	M, K, N       int // a product of [M,K] and [K,N]; vectors have N numbers
	Groups        int // of a Tree; 0 are the fastest
	Sums          tile.Kind
	Seed          uint64 // of the numbers that it computes with
	Run           tile.Options
	Trace         bool // keep what some cores did when; see Outcome.Traces
}

// Outcome is what running a kernel showed.
type Outcome struct {
	Kernel         string
	Width, Height  int
	M, K, N        int
	Cycles         clock.Cycle
	AnalyticCycles int
	MaxAbsError    float64 // of the result, to the plain reference
	Ulps           float64 // the same in units of the last place of fp16; see ulps
	Wavelets       int64   // that came to a core
	Hops           int64   // of wavelets, from router to router
	Stalls         int64   // times that a wavelet could not go on
	Colors         []string
	SRAMBytes      int // of a core, with the reserve
	Work           map[string]tile.Work
	Traces         []Trace
}

// Kernels is the names by which work was booked, those first that took longest.
func (o Outcome) Kernels() []string {
	return slices.SortedFunc(maps.Keys(o.Work), func(a, b string) int {
		return cmp.Or(cmp.Compare(o.Work[b].Sum(), o.Work[a].Sum()), cmp.Compare(a, b))
	})
}

// Spec is a kernel that can be run by itself.
type Spec struct {
	Name string
	Help string
	Run  func(context.Context, Options) (Outcome, error)
}

var specs = linear()

// register adds kernels.
func register(name, help string, run func(context.Context, Options) (Outcome, error)) {
	specs = append(specs, Spec{name, help, run})
}

// All is the kernels that can be run by themselves.
func All() []Spec { return slices.Clone(specs) }

// linear is the collectives and the products.
func linear() []Spec {
	return []Spec{
		{"allreduce", "the sum of vectors along rows, by a tree of two levels", runCollective("allreduce", allreduceKernel)},
		{"broadcast", "a vector to all of its row", runCollective("broadcast", broadcastKernel)},
		{"allreduce-pipeline", "baseline: a chain over the whole row and a broadcast back",
			runCollective("allreduce-pipeline", pipelineKernel)},
		{"allreduce-ring", "baseline: reduce-scatter and allgather around a ring",
			runCollective("allreduce-ring", ringKernel)},
		{"reduce-star", "baseline: every core of a row sends to the first", runCollective("reduce-star", starKernel)},
		{"meshgemv", "[1,K] x [K,N]; the result everywhere along its axis", runGEMV("meshgemv", true)},
		{"gemv-reduce", "[1,K] x [K,N]; the result at the root of each line", runGEMV("gemv-reduce", false)},
		{"meshgemm", "[M,K] x [K,N] by shifts around interleaved rings, at most two hops each",
			runGEMM("meshgemm", (*Plan).NewGEMM, false)},
		{"meshgemm-skew", "the same, after aligning the left matrix on the mesh",
			runGEMM("meshgemm-skew", (*Plan).NewGEMM, true)},
		{"cannon", "baseline: the same around plain rings", runGEMM("cannon", (*Plan).NewCannon, false)},
		{"summa", "baseline: [M,K] x [K,N], parts of K broadcast along rows and columns one after the other", runSUMMA},
		{"dist-gemm-t", "[M,K] x [N,K] transposed, without a transposition", runGEMMT},
		{"hop", "wavelets from end to end of a row", runHop},
	}
}

// Named is the kernel of a name.
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

// settle puts in what was left open, and refuses what cannot be.
func (o *Options) settle() error {
	o.Machine = o.Machine.Emulated()
	if o.Height == 0 {
		o.Height = o.Width
	}
	if o.Width < 1 || o.Height < 1 {
		return fmt.Errorf("a mesh of %d x %d; it has at least one row and one column", o.Width, o.Height)
	}
	for _, d := range [3]*int{&o.M, &o.K, &o.N} {
		if *d < 0 {
			return fmt.Errorf("dimensions %d, %d, %d; none can be negative", o.M, o.K, o.N)
		}
		if *d == 0 {
			*d = 8 * max(o.Width, o.Height)
		}
	}
	return nil
}

// plan settles the options and begins a program.
func (o *Options) plan() (*Plan, error) {
	if err := o.settle(); err != nil {
		return nil, err
	}
	return NewPlan(o.Machine, o.Width, o.Height, o.Sums)
}

// squarePlan does it for kernels that need a square mesh.
func (o *Options) squarePlan(kernel string) (*Plan, error) {
	if err := o.settle(); err != nil {
		return nil, err
	}
	if err := o.square(kernel); err != nil {
		return nil, err
	}
	return o.plan()
}

func (o Options) square(kernel string) error {
	if o.Width != o.Height {
		return fmt.Errorf("%s on a mesh of %d x %d: it needs a square mesh", kernel, o.Width, o.Height)
	}
	return nil
}

// numbers is n random numbers about 1 in size, exact in fp16; another salt
// gives others.
func (o Options) numbers(n int, salt uint64) []float32 {
	r := rand.New(rand.NewPCG(o.Seed, salt))
	list := make([]float32, n)
	for i := range list {
		list[i] = round(float32(r.NormFloat64()))
	}
	return list
}

// finish runs the program and compares what came out of it.
func (p *Plan) finish(ctx context.Context, o Options, name string, analytic float64,
	got func() []float32, want []float32) (Outcome, error) {
	if err := p.Load(); err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	if o.Trace {
		for _, at := range p.traced() {
			p.Grid.Trace(at)
		}
	}
	cycles, err := p.Grid.Run(ctx, o.Run)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	var traces []Trace
	if o.Trace {
		traces = p.traces()
	}
	total, result := p.Grid.Total(), got()
	return Outcome{Traces: traces, Kernel: name, Width: o.Width, Height: o.Height, M: o.M, K: o.K, N: o.N,
		Cycles: cycles, AnalyticCycles: int(math.Round(analytic)), MaxAbsError: maxDifference(result, want),
		Ulps: ulps(result, want), Wavelets: total.Net.Delivered(), Hops: total.Net.Hops(), Stalls: total.Net.Stalls(),
		Colors: p.Colors(), SRAMBytes: p.Mem.Peak(), Work: total.Work}, nil
}

// maxDifference is the greatest difference of two vectors; infinite when they are not alike.
func maxDifference(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	most := 0.0
	for i := range a {
		d := math.Abs(float64(a[i]) - float64(b[i]))
		if d != d {
			return math.Inf(1)
		}
		most = max(most, d)
	}
	return most
}

// ulps is the greatest difference in units of the last place of the number
// wanted, of one not below 1/16: where terms about 1 cancel, fp32 sums are no
// more exact than that.
func ulps(got, want []float32) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	most := 0.0
	for i := range got {
		_, exp := math.Frexp(max(1.0/16, math.Abs(float64(want[i]))))
		d := math.Abs(float64(got[i])-float64(want[i])) / math.Ldexp(1, exp-11)
		if d != d {
			return math.Inf(1)
		}
		most = max(most, d)
	}
	return most
}
