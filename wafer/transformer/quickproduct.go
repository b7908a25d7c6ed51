package transformer

// The quick products take three rows of a matrix and two vectors at once: six sums in
// registers, for which five numbers are loaded. More sums leave the registers of amd64. Both
// operands are interleaved, as arrays in slices of equal length, so no index is checked in
// the loop.

// matrix is a matrix for products: of each three rows their first numbers, their second ones,
// and so on. What is missing to a multiple of three rows is zero.
type matrix struct {
	cols int
	data [][3]float32
}

// tripled is a number of rows, and what is missing to a multiple of three.
func tripled(rows int) int { return (rows + 2) / 3 * 3 }

// arranged returns tensors of as many columns as one matrix.
func arranged(list ...Tensor) matrix {
	rows := 0
	for _, t := range list {
		rows += t.Rows
	}
	m := matrix{cols: list[0].Cols, data: make([][3]float32, (rows+2)/3*list[0].Cols)}
	n := 0
	for _, t := range list {
		for r := range t.Rows {
			to := m.data[n/3*m.cols:][:m.cols]
			for i, v := range t.Row(r) {
				to[i][n%3] = v
			}
			n++
		}
	}
	return m
}

// times writes the products of the matrix and the vectors x.
func (m matrix) times(to *pairs, x pairs) {
	*to = to.of(len(m.data) / m.cols * 3)
	for g := 0; g < len(m.data)/m.cols; g++ {
		w := m.data[g*m.cols:][:m.cols]
		for p := range x.n {
			tile((*[3][2]float32)(to.data[p*to.width+3*g:]), w, x.data[p*m.cols:][:m.cols])
		}
	}
}

// tile writes the products of one group of rows and one pair of vectors. The race detector leaves
// its millions of accesses out; who else touches these vectors, and when, it sees in pairs' methods.
//
//go:norace
func tile(to *[3][2]float32, w [][3]float32, x [][2]float32) {
	var a0, a1, b0, b1, c0, c1 float32
	x = x[:len(w)]
	for k := range w {
		wk, xk := &w[k], &x[k]
		a0 += wk[0] * xk[0]
		b0 += wk[1] * xk[0]
		c0 += wk[2] * xk[0]
		a1 += wk[0] * xk[1]
		b1 += wk[1] * xk[1]
		c1 += wk[2] * xk[1]
	}
	to[0], to[1], to[2] = [2]float32{a0, a1}, [2]float32{b0, b1}, [2]float32{c0, c1}
}

func dotQuick(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := (*[4]float32)(a[i:]), (*[4]float32)(b[i:])
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + (s2 + s3)
}

// pairs are 2n vectors, two by two: of each two their first numbers, their second ones, and so
// on. What is beside an odd last one means nothing.
type pairs struct {
	n, width int
	data     [][2]float32
}

func newPairs(n, width int) pairs { return pairs{n, width, make([][2]float32, n*width)} }

// of returns the room for vectors of another width, at most the one of newPairs.
func (p pairs) of(width int) pairs { return pairs{p.n, width, p.data[:p.n*width]} }

// set writes vector n, which may be shorter than the width.
func (p pairs) set(n int, list []float32) {
	to := p.data[n/2*p.width:][:len(list)]
	for i, v := range list {
		to[i][n&1] = v
	}
}

// copyRow reads the beginning of vector n.
func (p pairs) copyRow(to []float32, n int) {
	from := p.data[n/2*p.width:][:len(to)]
	for i := range to {
		to[i] = from[i][n&1]
	}
}

// row returns vector n.
func (p pairs) row(n int) []float32 {
	list := make([]float32, p.width)
	p.copyRow(list, n)
	return list
}

// add adds the beginnings of other vectors.
func (p pairs) add(more pairs) {
	for at, from := 0, 0; at < len(p.data); at, from = at+p.width, from+more.width {
		to, list := p.data[at:][:p.width], more.data[from:][:p.width]
		for i, v := range list {
			to[i][0] += v[0]
			to[i][1] += v[1]
		}
	}
}

// swiGLU writes SiLU(gate) * up of vectors that have gates and then ups.
func (p pairs) swiGLU(gateUp pairs) {
	for at, from := 0, 0; at < len(p.data); at, from = at+p.width, from+gateUp.width {
		to, gate, up := p.data[at:][:p.width], gateUp.data[from:][:p.width], gateUp.data[from+p.width:][:p.width]
		for i, g := range gate {
			to[i] = [2]float32{up[i][0] * g[0] / (1 + expQuick(-g[0])), up[i][1] * g[1] / (1 + expQuick(-g[1]))}
		}
	}
}
