package infer

import (
	"math"
	"sync"

	"waferpair/engine/quant"
)

// matrix is a matrix as the file has it.
type matrix struct {
	format     quant.Format
	rows, cols int
	row        int // bytes of a row
	raw        []byte
	threads    int
}

// numbers returns a row as floats.
func (m *matrix) numbers(r int) []float32 {
	list := make([]float32, m.cols)
	m.format.Decode(list, m.raw[r*m.row:(r+1)*m.row])
	return list
}

// times returns the matrix times each token's inputs. Integer matrices multiply inputs that
// are rounded to eight bits.
func (m *matrix) times(in [][]float32) [][]float32 {
	out := make([][]float32, len(in))
	for t := range out {
		out[t] = make([]float32, m.rows)
	}
	if !m.format.HasIntegers() {
		shared(m.rows, 1, m.threads, func(from, to int) { m.floats(from, to, in, out) })
		return out
	}
	rounded := make([]bytes8, len(in))
	for t := range in {
		rounded[t] = rounding(in[t])
	}
	shared(m.rows, 4, m.threads, func(from, to int) { m.integers(from, to, rounded, out) })
	return out
}

// shared cuts n things into contiguous shares, multiples of unit, one for each thread, and
// waits for all.
func shared(n, unit, threads int, do func(from, to int)) {
	units := (n + unit - 1) / unit
	if threads = min(threads, units); threads <= 1 {
		do(0, n)
		return
	}
	var wait sync.WaitGroup
	for i := range threads {
		wait.Go(func() { do(units*i/threads*unit, min(n, units*(i+1)/threads*unit)) })
	}
	wait.Wait()
}

func (m *matrix) floats(from, to int, in, out [][]float32) {
	row := make([]float32, m.cols)
	for r := from; r < to; r++ {
		m.format.Decode(row, m.raw[r*m.row:(r+1)*m.row])
		for t, x := range in {
			out[t][r] = dot(row, x)
		}
	}
}

// dot has four sums, so that additions need not wait for each other.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

// bytes8 are a token's inputs as signed bytes with a scale for each 32.
type bytes8 struct {
	q     []int8
	scale []float32
	sum   []float32 // of a block: the scale times the sum of its bytes
}

func rounding(x []float32) bytes8 {
	b := bytes8{make([]int8, len(x)), make([]float32, len(x)/32), make([]float32, len(x)/32)}
	for i := range b.scale {
		most := float32(0)
		for _, v := range x[32*i : 32*i+32] {
			most = max(most, float32(math.Abs(float64(v))))
		}
		if most == 0 {
			continue
		}
		sum, inverse := int32(0), 127/most
		for j, v := range x[32*i : 32*i+32] {
			q := int8(math.RoundToEven(float64(v * inverse)))
			b.q[32*i+j] = q
			sum += int32(q)
		}
		b.scale[i], b.sum[i] = most/127, most/127*float32(sum)
	}
	return b
}

// integers computes rows, four at a time, each expanded once for all tokens.
func (m *matrix) integers(from, to int, in []bytes8, out [][]float32) {
	var rows [4]quant.Integers
	for i := range rows {
		rows[i] = quant.MakeIntegers(m.cols)
	}
	for r := from; r < to; r += 4 {
		n := min(4, to-r)
		for i := range n {
			m.format.Integers(rows[i], m.raw[(r+i)*m.row:(r+i+1)*m.row])
		}
		for t, x := range in {
			sums := fourRows(&rows, x)
			copy(out[t][r:r+n], sums[:n])
		}
	}
}

// fourRows multiplies four rows by a token's inputs: exact sums of 16 products, then floats.
func fourRows(rows *[4]quant.Integers, x bytes8) (sums [4]float32) {
	q0, q1, q2, q3 := rows[0].Q, rows[1].Q, rows[2].Q, rows[3].Q
	for i := 0; i < len(x.q); i += 16 {
		s := [4]int32{}
		a := x.q[i : i+16]
		b0, b1, b2, b3 := q0[i:i+16], q1[i:i+16], q2[i:i+16], q3[i:i+16]
		for j, v := range a {
			w := int32(v)
			s[0] += w * int32(b0[j])
			s[1] += w * int32(b1[j])
			s[2] += w * int32(b2[j])
			s[3] += w * int32(b3[j])
		}
		scale := x.scale[i/32]
		for k := range sums {
			sums[k] += scale * rows[k].Scale[i/16] * float32(s[k])
		}
	}
	for i, sum := range x.sum {
		for k := range sums {
			sums[k] -= rows[k].Min[i] * sum
		}
	}
	return sums
}
