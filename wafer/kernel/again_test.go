package kernel

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
			out, err := spec.Run(context.Background(), Options{Machine: m, Width: 15, M: c.m, K: c.k, N: c.n, Sums: tile.F32, Run: tile.Options{Workers: workers}})
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
