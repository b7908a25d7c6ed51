package run

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// Everything that is counted, stalls too, is the same for any number of
// threads: hops of two cycles and much waiting, so that wavelets that cross from
// one thread's rows to another's are on their way when others are looked at. With
// -short, the matrices are smaller, of the same machine and threads.
func TestCountsDoNotDependOnWorkers(t *testing.T) {
	m := machine.Test(15, 15)
	m.HopCycles = 2
	rows, columns := 271, 196
	if testing.Short() {
		rows, columns = 91, 61
	}
	spec, err := Named("dist-gemm-t")
	if err != nil {
		t.Fatal(err)
	}
	run := func(workers int) Outcome {
		out, err := spec.Run(context.Background(), Options{Machine: m, Width: 15, M: 6, K: rows, N: columns,
			Sums: tile.F32, Run: tile.Options{Workers: workers}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	one := run(1)
	for workers := 2; workers <= 3; workers++ {
		if many := run(workers); !reflect.DeepEqual(one, many) {
			t.Errorf("with %d workers %+v, with one %+v", workers, many, one)
		}
	}
}

// TestSlowIsTheSame checks that a run that looks up the way of each wavelet and carries out
// instructions number by number gives the same as the fast ways, to the bit, the cycle and
// the count of every stall: on random shapes, with short queues that block.
func TestSlowIsTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for _, name := range []string{"allreduce", "broadcast", "allreduce-ring", "reduce-star", "meshgemv", "meshgemm",
		"dist-gemm-t", "decode-step", "prefill-layer"} {
		spec, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			m := machine.Test(6, 6)
			m.HopCycles, m.RampCycles = 1+r.IntN(3), 1+r.IntN(3)
			m.LinkDepth, m.InDepth, m.OutDepth = 1+r.IntN(4), 2+r.IntN(4), 2+r.IntN(4)
			width := 2 + r.IntN(5)
			o := Options{Machine: m, Width: width, M: 1 + r.IntN(9), K: 20, N: 4 * width * (1 + r.IntN(3)),
				Sums: tile.Kind(i % 2), Seed: r.Uint64(), Trace: true, Run: tile.Options{Workers: 1}}
			fast, err := spec.Run(context.Background(), o)
			if err != nil {
				t.Fatalf("%s on %d x %d: %v", name, width, width, err)
			}
			o.Run = tile.Options{Workers: 1, Slow: true}
			if slow, err := spec.Run(context.Background(), o); err != nil || !reflect.DeepEqual(fast, slow) {
				t.Errorf("%s on %+v: slow %+v, fast %+v (%v)", name, o, slow, fast, err)
			}
		}
	}
}
