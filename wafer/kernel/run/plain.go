package run

import (
	"math"

	"waferpair/wafer/half"
	"waferpair/wafer/transformer"
)

// plain is a model and a sequence without a mesh, in the numbers that a core stores. The
// kernels are compared with it. Its sums are exact; a mesh may add in another order.
type plain struct {
	*transformer.Model
	state *transformer.State
}

func newPlain(c transformer.Config, w transformer.Weights) (plain, error) {
	m, err := transformer.New(c, w, transformer.Float16)
	if err != nil {
		return plain{}, err
	}
	return plain{m, m.NewState()}, nil
}

// step returns the logits after one more token of the vocabulary.
func (p plain) step(token int) []float32 {
	logits, err := p.Step(p.state, token)
	if err != nil {
		panic("kernel/run: " + err.Error())
	}
	return logits
}

// put appends positions to the keys and values of the first layer.
func (p plain) put(keys, values []float32, width int) {
	s := p.state
	for at := 0; at < len(keys); at += width {
		s.Keys[0], s.Values[0] = append(s.Keys[0], keys[at:at+width]), append(s.Values[0], values[at:at+width])
	}
}

// product is the plain reference of a matrix product: [m,k] x [k,n] by rows,
// summed in float64 and rounded to fp16 once.
func product(a, b []float32, m, k, n int) []float32 {
	out := make([]float32, m*n)
	for i := range m {
		for j := range n {
			sum := 0.0
			for l := range k {
				sum += float64(a[i*k+l]) * float64(b[l*n+j])
			}
			out[i*n+j] = half.Round(float32(sum))
		}
	}
	return out
}

// transpose returns the columns of an n x k matrix as rows.
func transpose(b []float32, n, k int) []float32 {
	t := make([]float32, len(b))
	for i := range n {
		for j := range k {
			t[j*n+i] = b[i*k+j]
		}
	}
	return t
}

// lines is the plain reference of a collective on vectors of n numbers, one in each core.
// For every row it sums the vectors of the columns for which counts is true, in float64,
// rounds once, and repeats the sum for each of the cores that hold it.
func lines(vectors []float32, width, n, copies int, counts func(x int) bool) []float32 {
	var list []float32
	for row := 0; row < len(vectors); row += width * n {
		line := make([]float32, n)
		for i := range line {
			sum := 0.0
			for x := range width {
				if counts(x) {
					sum += float64(vectors[row+x*n+i])
				}
			}
			line[i] = half.Round(float32(sum))
		}
		for range copies {
			list = append(list, line...)
		}
	}
	return list
}

// maxDifference returns the largest difference between two vectors; infinity when their
// lengths differ or a difference is not a number.
func maxDifference(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	most := 0.0
	for i := range a {
		d := math.Abs(float64(a[i]) - float64(b[i]))
		if d != d {
			return math.Inf(1)
		}
		most = max(most, d)
	}
	return most
}
