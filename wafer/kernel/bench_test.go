package kernel

import (
	"context"
	"testing"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// BenchmarkDecodeStep is a token of the 4-layer, 256-wide model on 32 x 32
// cores, on one host thread: 20 s or less, 5 million wavelet-hops a second or more.
func BenchmarkDecodeStep(b *testing.B) {
	hops := 0.0
	for b.Loop() {
		b.StopTimer()
		d, err := NewDecoder(machine.Test(32, 32), 32, Small(), 64, tile.F32)
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Load(transformer.Random(Small(), 5)); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := d.Step(context.Background(), 1, tile.Options{Workers: 1}); err != nil {
			b.Fatal(err)
		}
		hops += float64(d.Total().Net.Hops())
	}
	b.ReportMetric(hops/b.Elapsed().Seconds(), "hops/s")
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
		out, err := spec.Run(context.Background(), Options{Machine: machine.Test(64, 64), Width: 64, N: 2000, Sums: tile.F16, Run: tile.Options{Workers: 1}})
		if err != nil {
			b.Fatal(err)
		}
		hops += float64(out.Hops)
	}
	b.ReportMetric(hops/b.Elapsed().Seconds(), "hops/s")
}
