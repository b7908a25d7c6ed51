package wafer

import (
	"testing"

	"waferpair/wafer/machine"
)

// BenchmarkEstimate estimates every preset on a WSE-3. Each estimate should take less than
// 25 ms.
func BenchmarkEstimate(b *testing.B) {
	for _, m := range Presets() {
		b.Run(m.Name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Estimate(Request{Machine: machine.WSE3(), Model: m}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
