package infer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"waferpair/engine/infer/kernel"
	"waferpair/engine/quant"
)

// TestTiles compares the kernels' products with those of plain Go, number by number, for
// each format, width, remainder of rows and count of tokens.
func TestTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, kind := range append(floatTypes, integerTypes...) {
		format, _ := quant.ByNumber(uint32(kind))
		for _, rows := range []int{1, 31, 32, 33, 77} {
			cols := (1 + r.IntN(3)) * max(format.Numbers, 32)
			if format.Numbers == 1 {
				cols -= r.IntN(32)
			}
			raw, err := format.Append(nil, normal(r, rows*cols))
			if err != nil {
				t.Fatal(err)
			}
			for n := 1; n <= 9; n++ {
				tokens := make([][]float32, n)
				for i := range tokens {
					tokens[i] = normal(r, cols)
				}
				w := kernel.Matrix{Type: uint32(kind), Rows: rows, Cols: cols}
				m := newMatrix(w, 1)
				m.raw = raw
				want := m.times(tokens)
				for _, level := range kernel.Levels() {
					name := fmt.Sprintf("%s %s, %d x %d, %d tokens", level, kind, rows, cols, n)
					sameNumbers(t, name, kernel.Product(level, w, raw, tokens), want, cols,
						kind >= quant.Q4_K && kind != quant.BF16)
				}
			}
		}
	}
}

func normal(r *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(r.NormFloat64())
	}
	return list
}

// sameNumbers allows for the order of float32 sums, and for scales and minimums of
// sub-blocks that are rounded to binary16: relative to a sum of so many products of size 1.
func sameNumbers(t *testing.T, name string, got, want [][]float32, cols int, rounded bool) {
	t.Helper()
	most := 2e-6
	if rounded {
		most = 5e-3
	}
	for i := range want {
		for j, v := range want[i] {
			if off := math.Abs(float64(got[i][j] - v)); !(off <= most*math.Sqrt(float64(cols))) {
				t.Fatalf("%s: row %d of token %d is %v, want %v", name, j, i, got[i][j], v)
			}
		}
	}
}
