package kernel

import (
	"context"
	"testing"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// BenchmarkDecodeStep is a token of the 4-layer, 256-wide model on 32 x 32
// cores, on one host thread: 10 million wavelet-hops a second or more, on a computer
// that does nothing else; beside it the same with each instruction carried out
// number by number.
func BenchmarkDecodeStep(b *testing.B) {
	weights := transformer.Random(Small(), 5)
	for _, c := range []struct {
		name string
		slow bool
	}{{"fast", false}, {"slow", true}} {
		b.Run(c.name, func(b *testing.B) {
			hops := 0.0
			d, err := NewDecoder(machine.Test(32, 32), 32, Small(), 64, tile.F32)
			if err != nil {
				b.Fatal(err)
			}
			if err := d.Load(weights); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				d.cache.fill(0) // always the first token
				if _, err := d.Step(context.Background(), 1, tile.Options{Workers: 1, Slow: c.slow}); err != nil {
					b.Fatal(err)
				}
				hops += float64(d.Total().Net.Hops())
			}
			b.ReportMetric(hops/b.Elapsed().Seconds(), "hops/s")
		})
	}
}

// BenchmarkFabric is wavelets through routers and little else: long vectors from
// one end of each row to the other.
func BenchmarkFabric(b *testing.B) {
	spec, err := Named("hop")
	if err != nil {
		b.Fatal(err)
	}
	hops := 0.0
	for b.Loop() {
		out, err := spec.Run(context.Background(), Options{Machine: machine.Test(64, 64), Width: 64, N: 2000, Sums: tile.F16,
			Run: tile.Options{Workers: 1}})
		if err != nil {
			b.Fatal(err)
		}
		hops += float64(out.Hops)
	}
	b.ReportMetric(hops/b.Elapsed().Seconds(), "hops/s")
}
