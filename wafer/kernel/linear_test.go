package kernel

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// machines are those that the linear kernels are run on: hops of one cycle and
// of two, no software around the kernels and some.
func machines() []machine.Machine {
	wse3 := machine.WSE3()
	wse2 := machine.WSE2()
	return []machine.Machine{machine.Test(64, 64), wse3, wse2}
}

// TestOutcomes runs every linear kernel on random shapes and meshes and holds
// its result against the plain reference.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name   string
		square bool
	}{{"meshgemv", false}, {"gemv-reduce", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7, uint64(len(c.name))))
			for i := range 24 {
				o := Options{Machine: machines()[i%3], Width: 1 + r.IntN(16), Height: 1 + r.IntN(16),
					M: 1 + r.IntN(40), K: 1 + r.IntN(90), N: 1 + r.IntN(90), Sums: tile.F32, Seed: uint64(i)}
				if c.square {
					o.Height = o.Width
				}
				try(t, c.name, o)
			}
		})
	}
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

// TestFormulas holds the event level against the formulas.
func TestFormulas(t *testing.T) {
	for _, name := range []string{"meshgemv", "gemv-reduce"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			worst := 0.0
			for _, p := range []int{4, 5, 8, 16, 31, 64} {
				for i, m := range machines()[:2] {
					for j, part := range []int{1, 8, 14} {
						o := Options{Machine: m, Width: p, M: part * p, K: part * p, N: part * p, Sums: tile.Kind((i + j + p) % 2)}
						out := try(t, name, o)
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
