package kernel

import (
	"context"
	"testing"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// BenchmarkDecodeStep makes a token of the 4-layer, 256-wide model on 32 x 32
// cores, on one host thread: 8 million wavelet-hops a second or more, on a computer
// that does nothing else; beside it the same with the way of each wavelet looked up and
// each instruction carried out number by number.
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
