package kernel

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

func TestAllreduce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for _, cores := range []int{1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 32, 64} {
		for _, n := range []int{1, 2, 7, 24, 64} {
			for _, group := range []int{0, 1, 4, cores} {
				if group > cores {
					continue
				}
				m := machine.Test(cores, 2)
				if r.IntN(2) == 1 {
					m.HopCycles = 2
				}
				p, err := NewPlan(m, cores, 2, tile.F32)
				if err != nil {
					t.Fatal(err)
				}
				tree, err := p.NewTree(X, group, n)
				if err != nil {
					t.Fatal(err)
				}
				buf, err := p.Mem.Alloc("x", tile.F32, n)
				if err != nil {
					t.Fatal(err)
				}
				want := make([]float64, n)
				for x := range cores {
					v := make([]float32, n)
					for i := range v {
						v[i] = float32(r.IntN(2000)-1000) / 64
						want[i] += float64(v[i])
					}
					if err := p.Grid.Write(fabric.At{X: x}, buf, v); err != nil {
						t.Fatal(err)
					}
				}
				tree.Allreduce(tile.Add, buf)
				if err := p.Load(); err != nil {
					t.Fatal(err)
				}
				cycles, err := p.Grid.Run(context.Background(), tile.Options{Workers: 1})
				if err != nil {
					t.Fatalf("%d cores, %d numbers, %d groups: %v", cores, n, group, err)
				}
				for x := range cores {
					for i, v := range p.Grid.Read(fabric.At{X: x}, buf) {
						if math.Abs(float64(v)-want[i]) > 1e-3 {
							t.Fatalf("%d cores, %d numbers, %d groups: core %d has %v for number %d, want %v", cores, n, group,
								x, v, i, want[i])
						}
					}
				}
				f := AllreduceCycles(&p.Grid.Machine, tree.shape, n, tile.F32)
				off := math.Abs(float64(f)-float64(cycles)) / math.Max(1, float64(cycles))
				worst = math.Max(worst, off)
				if off > 0.05 {
					t.Errorf("%d cores, %d numbers, %d groups (hop %d): %d cycles, formula %g", cores, n, tree.shape.Groups,
						m.HopCycles, cycles, f)
				}
			}
		}
	}
	t.Logf("worst %.3f", worst)
}

// The cut that is taken is the fastest, or nearly so, of all cuts.
func TestBestGroupsOfAll(t *testing.T) {
	for _, m := range []machine.Machine{machine.WSE2(), machine.WSE3(), machine.Test(32, 32)} {
		for cores := 1; cores <= 400; cores += 1 + cores/12 {
			for _, n := range []int{1, 24, 300} {
				least, cut := math.Inf(1), 0
				for groups := 1; groups <= cores; groups++ {
					if t := AllreduceCycles(&m, TreeShape{cores, groups}, n, tile.F16); t < least {
						least, cut = t, groups
					}
				}
				best := BestGroups(&m, cores, n, tile.F16)
				if got := AllreduceCycles(&m, TreeShape{cores, best}, n, tile.F16); got > 1.07*least {
					t.Errorf("%s, %d cores, %d numbers: %g cycles in %d groups, %g in %d", m.Name, cores, n, got, best, least, cut)
				}
			}
		}
	}
}
