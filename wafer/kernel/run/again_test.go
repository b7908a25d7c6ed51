package run

import (
	"context"
	"reflect"
	"testing"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// Everything that is counted, stalls too, is the same for any number of
// threads: hops of two cycles and much waiting, so that wavelets that cross from
// one thread's rows to another's are on their way when others are looked at.
func TestCountsDoNotDependOnWorkers(t *testing.T) {
	m := machine.Test(15, 15)
	m.HopCycles = 2
	for _, c := range []struct {
		name    string
		m, k, n int
	}{{"dist-gemm-t", 6, 271, 196}} {
		spec, err := Named(c.name)
		if err != nil {
			t.Fatal(err)
		}
		run := func(workers int) Outcome {
			out, err := spec.Run(context.Background(), Options{Machine: m, Width: 15, M: c.m, K: c.k, N: c.n, Sums: tile.F32,
				Run: tile.Options{Workers: workers}})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		one := run(1)
		for workers := 2; workers <= 3; workers++ {
			if many := run(workers); !reflect.DeepEqual(one, many) {
				t.Errorf("%s: with %d workers %+v, with one %+v", c.name, workers, many, one)
			}
		}
	}
}

// Instructions that are carried out number by number give the same, to the bit and
// the cycle, as the quick ways do.
func TestSlowIsTheSame(t *testing.T) {
	for _, name := range []string{"allreduce", "broadcast", "allreduce-ring", "meshgemv", "meshgemm", "dist-gemm-t",
		"decode-step", "prefill-layer"} {
		spec, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, sums := range []tile.Kind{tile.F16, tile.F32} {
			o := Options{Machine: machine.Test(6, 6), Width: 6, M: 7, K: 20, N: 24, Sums: sums, Seed: 9}
			fast, err := spec.Run(context.Background(), o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			o.Run.Slow = true
			if slow, err := spec.Run(context.Background(), o); err != nil || !reflect.DeepEqual(fast, slow) {
				t.Errorf("%s, sums in %v: slow %+v, fast %+v (%v)", name, sums, slow, fast, err)
			}
		}
	}
}
