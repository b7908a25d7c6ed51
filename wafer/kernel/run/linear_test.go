package run

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"waferpair/wafer/kernel"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// linearKernels are those of this test: whether they need a square mesh,
// whether they multiply matrices, and else the axis that they work along.
var linearKernels = []struct {
	name            string
	square, product bool
	along           kernel.Axis
}{
	{"meshgemv", false, false, kernel.Y}, {"gemv-reduce", false, false, kernel.Y},
	{"meshgemm", true, true, kernel.X}, {"meshgemm-skew", true, true, kernel.X}, {"cannon", true, true, kernel.X},
	{"summa", false, true, kernel.X}, {"dist-gemm-t", true, true, kernel.X}, {"allreduce", false, false, kernel.X},
	{"broadcast", false, false, kernel.X}, {"allreduce-pipeline", false, false, kernel.X},
	{"allreduce-ring", false, false, kernel.X}, {"reduce-star", false, false, kernel.X}, {"hop", false, false, kernel.X},
}

// machines returns the machines on which the linear kernels run: hops of one cycle and
// of two, software around the kernels or none at all, so that it hides nothing,
// wide and narrow datapaths.
func machines() []machine.Machine {
	bare := machine.Test(64, 64)
	bare.Timing.Row, bare.Timing.KOverhead, bare.Timing.StepOverhead = 0, 0, 0
	return []machine.Machine{machine.Test(64, 64), machine.WSE3(), bare, machine.WSE2()}
}

// try runs a kernel and refuses results more than a unit in the last place off.
func try(t *testing.T, name string, o Options) Outcome {
	t.Helper()
	spec, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := spec.Run(context.Background(), o)
	if err != nil {
		t.Fatalf("%s %d x %d, [%d %d %d]: %v", name, o.Width, o.Height, o.M, o.K, o.N, err)
	}
	if o.Sums == tile.F32 && out.Ulps > 1 {
		t.Errorf("%s %d x %d, [%d %d %d]: %v units in the last place off", name, o.Width, o.Height, o.M, o.K, o.N, out.Ulps)
	}
	return out
}

// Every kernel computes what its plain reference does, on random shapes and meshes.
func TestResults(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, c := range linearKernels {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, uint64(len(c.name))))
			for i := range 8 {
				o := Options{Machine: machines()[i%4], Width: 1 + r.IntN(16-i), Height: 1 + r.IntN(16-i),
					Sums: tile.F32, Seed: uint64(i)}
				if c.square {
					o.Height = o.Width
				}
				side := o.Width + o.Height
				o.M, o.K, o.N = 1+r.IntN(2*side), 1+r.IntN(2*side), 1+r.IntN(2*side)
				try(t, c.name, o)
			}
		})
	}
}

// The outcome is the same to the bit and the cycle with 2 to 8 workers as with one.
func TestWorkers(t *testing.T) {
	for i, c := range linearKernels {
		o := Options{Machine: machine.WSE3(), Width: 4, Height: 4, M: 5, K: 9, N: 7, Sums: tile.F32, Seed: uint64(i)}
		if !c.square {
			o.Height = 8
		}
		one := try(t, c.name, o)
		o.Run.Workers = 2 + i%7
		if many := try(t, c.name, o); !reflect.DeepEqual(one, many) {
			t.Errorf("%s: with %d workers %+v, with one %+v", c.name, o.Run.Workers, many, one)
		}
	}
}

// The event level and the formula of every kernel agree.
func TestFormulas(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, c := range linearKernels {
		t.Run(c.name, func(t *testing.T) {
			worst := 0.0
			for i, s := range sizes(c.product) {
				m := machines()[s.machine]
				o := Options{Machine: m, Width: s.mesh, Height: s.mesh, M: s.part * s.mesh, K: s.part * s.mesh, N: s.part * s.mesh,
					Sums: tile.Kind(i % 2)}
				if c.along == kernel.Y {
					o.Width, o.N = 1, s.part
				} else if !c.product {
					o.Height = 1
				}
				out := try(t, c.name, o)
				off := float64(out.AnalyticCycles)/float64(out.Cycles) - 1
				if worst = max(worst, math.Abs(off)); math.Abs(off) > 0.05 {
					t.Errorf("%s, mesh %d, part %d: %d cycles, formula %d (%+.1f %%)", m.Name, s.mesh, s.part, out.Cycles,
						out.AnalyticCycles, 100*off)
				}
			}
			t.Logf("at most %.2f %% off", 100*worst)
		})
	}
}

// size is a mesh, numbers of a core in each dimension, and which of machines.
type size struct{ mesh, part, machine int }

// sizes returns the sizes at which cycles are compared with formulas. Products on large meshes
// take long; where nothing but a number or two is moved, a cycle is much.
func sizes(product bool) []size {
	if product {
		return []size{{4, 1, 0}, {4, 14, 1}, {4, 5, 2}, {5, 3, 0}, {5, 6, 1}, {7, 6, 2}, {8, 3, 1}, {9, 3, 3},
			{12, 2, 0}, {16, 1, 1}}
	}
	return []size{{4, 1, 0}, {4, 14, 1}, {4, 5, 2}, {5, 3, 0}, {8, 6, 2}, {16, 4, 1}, {17, 20, 0}, {31, 3, 2},
		{64, 5, 1}, {64, 2, 3}}
}

// Cycles that users of the vendor's fabric simulator have published for
// WaferLLM's MeshGEMM on a WSE-3, with tiles of m x 8 and 8 x 8 numbers. The
// constants of a step were fitted to them.
func TestMeshGEMMTakesThePublishedCycles(t *testing.T) {
	for _, c := range []struct{ mesh, m, cycles int }{{3, 1, 2096}, {3, 8, 2212}, {3, 16, 2801},
		{9, 1, 6173}, {9, 8, 6559}} {
		out := try(t, "meshgemm", Options{Machine: machine.WSE3(), Width: c.mesh, M: c.m * c.mesh, K: 8 * c.mesh,
			N: 8 * c.mesh, Sums: tile.F16})
		off := float64(out.Cycles)/float64(c.cycles) - 1
		if math.Abs(off) > 0.1 {
			t.Errorf("mesh %d, tiles of %d rows: %d cycles, published %d (%+.1f %%)", c.mesh, c.m, out.Cycles, c.cycles, 100*off)
		}
		t.Logf("mesh %d, tiles of %d rows: %d cycles, published %d (%+.1f %%)", c.mesh, c.m, out.Cycles, c.cycles, 100*off)
	}
}

// What cannot be run is refused with a reason.
func TestBadOptions(t *testing.T) {
	m := machine.Test(8, 8)
	for _, c := range []struct {
		kernel string
		o      Options
		says   string
	}{
		{"meshgemm", Options{Machine: m, Width: 4, Height: 5}, "square mesh"},
		{"dist-gemm-t", Options{Machine: m, Width: 5, Height: 4}, "square mesh"},
		{"meshgemv", Options{Machine: m, Width: 9}, "larger than the fabric"},
		{"meshgemv", Options{Machine: m, Width: 0}, "at least one row"},
		{"meshgemv", Options{Machine: m, Width: -3, Height: 2}, "at least one row"},
		{"allreduce", Options{Machine: m, Width: 4, N: -1}, "negative"},
		{"allreduce", Options{Machine: m, Width: 4, Groups: 5}, "5 groups of 4 cores"},
		{"meshgemm", Options{Machine: m, Width: 2, M: 400, K: 400, N: 400}, "bytes short"},
		{"nothing", Options{Machine: m, Width: 2}, "no kernel is called"},
	} {
		spec, err := Named(c.kernel)
		if err == nil {
			_, err = spec.Run(context.Background(), c.o)
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %+v: %v, want an error about %q", c.kernel, c.o, err, c.says)
		}
	}
}

// A NaN among weights does not get into a core.
func TestNaNIsRefused(t *testing.T) {
	p, err := kernel.NewPlan(machine.Test(2, 2), 2, 2, tile.F32)
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.NewGEMV(kernel.Y, 4, 4, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float32, 16)
	w[9] = float32(math.NaN())
	if err := put(p, g.Job(true).Inputs[1], w); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("a NaN among the weights: %v", err)
	}
}

// The slope of cycles over distance is what a hop takes.
func TestHopSlope(t *testing.T) {
	for _, m := range machines() {
		samples, slope, err := MeasureHop(context.Background(), m, 12, 6)
		if err != nil {
			t.Fatal(err)
		}
		if len(samples) != 12 || slope != float64(m.HopCycles) {
			t.Errorf("%s: %v cycles a hop over %d distances, want %d", m.Name, slope, len(samples), m.HopCycles)
		}
	}
}
