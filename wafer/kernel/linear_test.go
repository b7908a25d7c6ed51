package kernel

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// linearKernels are those of this test, and whether they need a square mesh.
var linearKernels = []struct {
	name   string
	square bool
}{{"meshgemv", false}, {"gemv-reduce", false}, {"meshgemm", true}, {"meshgemm-skew", true}, {"cannon", true}, {"summa", false}, {"dist-gemm-t", true}, {"hop", false},
	{"allreduce", false}, {"broadcast", false}, {"allreduce-pipeline", false}, {"allreduce-ring", false}, {"reduce-star", false}}

// machines are those that the linear kernels are run on: hops of one cycle and
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

// Every kernel computes what its plain reference does, on random shapes and
// meshes, and the same to the bit and the cycle with any number of workers.
func TestResults(t *testing.T) {
	for _, c := range linearKernels {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, uint64(len(c.name))))
			for i := range 12 {
				o := Options{Machine: machines()[i%4], Width: 1 + r.IntN(12+i%5), Height: 1 + r.IntN(12+i%5), Sums: tile.F32, Seed: uint64(i)}
				if c.square {
					o.Height = o.Width
				}
				side := o.Width + o.Height
				o.M, o.K, o.N = 1+r.IntN(3*side), 1+r.IntN(3*side), 1+r.IntN(3*side)
				one := try(t, c.name, o)
				if i%4 == 0 {
					o.Run.Workers = 2 + i/2
					if many := try(t, c.name, o); !reflect.DeepEqual(one, many) {
						t.Errorf("%s %d x %d: with %d workers %+v, with one %+v", c.name, o.Width, o.Height, o.Run.Workers, many, one)
					}
				}
			}
		})
	}
}

// The event level and the formula of every kernel agree.
func TestFormulas(t *testing.T) {
	for _, c := range linearKernels {
		t.Run(c.name, func(t *testing.T) {
			worst := 0.0
			for _, p := range []int{4, 5, 8, 16, 31, 64} {
				for i, m := range machines()[:3] {
					for j, part := range []int{1, 3, 14} {
						if part*p > 70 || p == 64 && i != 1 || i == 2 && part == 1 {
							continue // big ones are slow; of one number and nothing else, a cycle is much
						}
						out := try(t, c.name, Options{Machine: m, Width: p, M: part * p, K: part * p, N: part * p, Sums: tile.Kind((i + j + p) % 2)})
						off := float64(out.AnalyticCycles)/float64(out.Cycles) - 1
						if worst = max(worst, math.Abs(off)); math.Abs(off) > 0.05 {
							t.Errorf("%s, mesh %d, part %d: %d cycles, formula %d (%+.1f %%)", m.Name, p, part, out.Cycles, out.AnalyticCycles, 100*off)
						}
					}
				}
			}
			t.Logf("worst %.2f %%", 100*worst)
		})
	}
}
