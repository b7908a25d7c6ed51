package run

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

func TestStages(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	r := rand.New(rand.NewPCG(4, 9))
	for _, s := range stages {
		t.Run(s.Name, func(t *testing.T) {
			for _, mesh := range []int{1, 2, 3, 4, 5, 8, 11, 16} {
				m := machine.Test(mesh, mesh)
				m.HopCycles = 1 + r.IntN(2)
				o := Options{Machine: m, Width: mesh, N: 4 * (1 + r.IntN(4*mesh)), K: 1 + r.IntN(30*mesh), M: 1 + r.IntN(5*mesh),
					Sums: tile.F32, Seed: r.Uint64()}
				out, err := s.Run(context.Background(), o)
				if err != nil {
					t.Fatalf("%d x %d, %d wide, %d feed-forward, %d positions: %v", mesh, mesh, o.N, o.K, o.M, err)
				}
				off := float64(out.AnalyticCycles)/float64(out.Cycles) - 1
				t.Logf("%d x %d, %d wide, %d feed-forward, %d positions: %d cycles, formula %+.3f, %.2f ulp", mesh, mesh, o.N, o.K,
					o.M, out.Cycles, off, out.Ulps)
				if out.Ulps > 1 {
					t.Errorf("%d x %d, %d wide, %d positions: off by %v ulp (%v)", mesh, mesh, o.N, o.M, out.Ulps, out.MaxAbsError)
				}
				if math.Abs(off) > 0.05 && mesh >= 4 {
					t.Errorf("%d x %d, %d wide, %d positions: %d cycles, formula %d", mesh, mesh, o.N, o.M, out.Cycles,
						out.AnalyticCycles)
				}
			}
		})
	}
}
