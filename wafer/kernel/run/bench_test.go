package run

import (
	"context"
	"testing"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// BenchmarkFabric sends wavelets through routers and does little else: long vectors from
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
