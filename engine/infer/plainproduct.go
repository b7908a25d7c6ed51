package infer

import (
	"math"
	"sync"

	"waferpair/engine/quant"
	"waferpair/wafer/half"
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
		if m.format.Name == "Q8_0" && n == 4 {
			for t := range in {
				sums := fourRowsOfBytes(m.raw[r*m.row:(r+4)*m.row], m.row, &in[t])
				copy(out[t][r:r+4], sums[:])
			}
			continue
		}
		for i := range n {
			m.format.Integers(rows[i], m.raw[(r+i)*m.row:(r+i+1)*m.row])
		}
		for t := range in {
			sums := fourRows(&rows, &in[t])
			copy(out[t][r:r+n], sums[:n])
		}
	}
}

// fourRows multiplies four rows by a token's inputs: exact sums of 16 products, then floats.
func fourRows(rows *[4]quant.Integers, x *bytes8) (sums [4]float32) {
	a, b, c, d := &rows[0], &rows[1], &rows[2], &rows[3]
	for i := 0; i < len(x.q); i += 16 {
		s0, s1, s2, s3 := sixteen((*[16]int8)(x.q[i:]), (*[16]int8)(a.Q[i:]), (*[16]int8)(b.Q[i:]), (*[16]int8)(c.Q[i:]),
			(*[16]int8)(d.Q[i:]))
		scale, k := x.scale[i/32], i/16
		sums[0] += scale * a.Scale[k] * float32(s0)
		sums[1] += scale * b.Scale[k] * float32(s1)
		sums[2] += scale * c.Scale[k] * float32(s2)
		sums[3] += scale * d.Scale[k] * float32(s3)
	}
	for k := range sums {
		for i, sum := range x.sum {
			sums[k] -= rows[k].Min[i] * sum
		}
	}
	return sums
}

// fourRowsOfBytes is fourRows of blocks of Q8_0 as they are, which need not be expanded: a
// scale, and 32 bytes. The race detector leaves it out, as it does the kernels in C: both only
// read, and whoever calls them stores the sums.
//
//go:norace
func fourRowsOfBytes(raw []byte, row int, x *bytes8) (sums [4]float32) {
	a, b, c, d := raw[:row], raw[row:2*row], raw[2*row:3*row], raw[3*row:4*row]
	for i, scale := range x.scale {
		q := (*[32]int8)(x.q[32*i:])
		w0, w1, w2, w3 := (*block8)(a[34*i:]), (*block8)(b[34*i:]), (*block8)(c[34*i:]), (*block8)(d[34*i:])
		s0, s1, s2, s3 := thirtyTwo(q, w0, w1, w2, w3)
		sums[0] += scale * w0.scale() * float32(s0)
		sums[1] += scale * w1.scale() * float32(s1)
		sums[2] += scale * w2.scale() * float32(s2)
		sums[3] += scale * w3.scale() * float32(s3)
	}
	return sums
}

type block8 [34]byte

func (b *block8) scale() float32 { return half.Table[uint16(b[0])|uint16(b[1])<<8] }

// thirtyTwo returns the products of 32 inputs and four rows. One load of an input serves all
// of them; eight steps in a turn of the loop have constant addresses.
func thirtyTwo(in *[32]int8, a, b, c, d *block8) (s0, s1, s2, s3 int) {
	for i := 0; i < 32; i += 8 {
		q := (*[8]int8)(in[i:])
		w, x, y, z := (*[8]byte)(a[i+2:]), (*[8]byte)(b[i+2:]), (*[8]byte)(c[i+2:]), (*[8]byte)(d[i+2:])
		v := int(q[0])
		s0, s1, s2, s3 = s0+v*int(int8(w[0])), s1+v*int(int8(x[0])), s2+v*int(int8(y[0])), s3+v*int(int8(z[0]))
		v = int(q[1])
		s0, s1, s2, s3 = s0+v*int(int8(w[1])), s1+v*int(int8(x[1])), s2+v*int(int8(y[1])), s3+v*int(int8(z[1]))
		v = int(q[2])
		s0, s1, s2, s3 = s0+v*int(int8(w[2])), s1+v*int(int8(x[2])), s2+v*int(int8(y[2])), s3+v*int(int8(z[2]))
		v = int(q[3])
		s0, s1, s2, s3 = s0+v*int(int8(w[3])), s1+v*int(int8(x[3])), s2+v*int(int8(y[3])), s3+v*int(int8(z[3]))
		v = int(q[4])
		s0, s1, s2, s3 = s0+v*int(int8(w[4])), s1+v*int(int8(x[4])), s2+v*int(int8(y[4])), s3+v*int(int8(z[4]))
		v = int(q[5])
		s0, s1, s2, s3 = s0+v*int(int8(w[5])), s1+v*int(int8(x[5])), s2+v*int(int8(y[5])), s3+v*int(int8(z[5]))
		v = int(q[6])
		s0, s1, s2, s3 = s0+v*int(int8(w[6])), s1+v*int(int8(x[6])), s2+v*int(int8(y[6])), s3+v*int(int8(z[6]))
		v = int(q[7])
		s0, s1, s2, s3 = s0+v*int(int8(w[7])), s1+v*int(int8(x[7])), s2+v*int(int8(y[7])), s3+v*int(int8(z[7]))
	}
	return s0, s1, s2, s3
}

// sixteen is the same of 16 inputs and expanded rows.
func sixteen(in, a, b, c, d *[16]int8) (s0, s1, s2, s3 int) {
	for i := 0; i < 16; i += 8 {
		q := (*[8]int8)(in[i:])
		w, x, y, z := (*[8]int8)(a[i:]), (*[8]int8)(b[i:]), (*[8]int8)(c[i:]), (*[8]int8)(d[i:])
		v := int(q[0])
		s0, s1, s2, s3 = s0+v*int(w[0]), s1+v*int(x[0]), s2+v*int(y[0]), s3+v*int(z[0])
		v = int(q[1])
		s0, s1, s2, s3 = s0+v*int(w[1]), s1+v*int(x[1]), s2+v*int(y[1]), s3+v*int(z[1])
		v = int(q[2])
		s0, s1, s2, s3 = s0+v*int(w[2]), s1+v*int(x[2]), s2+v*int(y[2]), s3+v*int(z[2])
		v = int(q[3])
		s0, s1, s2, s3 = s0+v*int(w[3]), s1+v*int(x[3]), s2+v*int(y[3]), s3+v*int(z[3])
		v = int(q[4])
		s0, s1, s2, s3 = s0+v*int(w[4]), s1+v*int(x[4]), s2+v*int(y[4]), s3+v*int(z[4])
		v = int(q[5])
		s0, s1, s2, s3 = s0+v*int(w[5]), s1+v*int(x[5]), s2+v*int(y[5]), s3+v*int(z[5])
		v = int(q[6])
		s0, s1, s2, s3 = s0+v*int(w[6]), s1+v*int(x[6]), s2+v*int(y[6]), s3+v*int(z[6])
		v = int(q[7])
		s0, s1, s2, s3 = s0+v*int(w[7]), s1+v*int(x[7]), s2+v*int(y[7]), s3+v*int(z[7])
	}
	return s0, s1, s2, s3
}
