package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// tiling is how a matrix lies on the mesh: cut into blocks of equal size, with
// zeros at the far ends, each core holding the block that its place says.
// Several cores may hold the same one. A tile is stored by rows or by columns.
type tiling struct {
	rows, cols split
	block      func(fabric.At) (row, col int)
	byColumns  bool
}

// numbers is the size of a tile.
func (t tiling) numbers() int { return t.rows.part() * t.cols.part() }

// each calls do with a place in a core's tile and in the matrix, which is by
// rows; that in the matrix is -1 for padding.
func (t tiling) each(at fabric.At, do func(inTile, inMatrix int)) {
	row, col := t.block(at)
	rows, cols := t.rows.of(row), t.cols.of(col)
	for i, r := range rows {
		for j, c := range cols {
			from, to := i*len(cols)+j, r*t.cols.total+c
			if t.byColumns {
				from = j*len(rows) + i
			}
			if r < 0 || c < 0 {
				to = -1
			}
			do(from, to)
		}
	}
}

// put scatters a matrix over the cores.
func (p *Plan) put(b tile.Buffer, t tiling, matrix []float32) error {
	var failed error
	part := make([]float32, t.numbers())
	p.cores(func(at fabric.At) {
		clear(part)
		t.each(at, func(inTile, inMatrix int) {
			if inMatrix >= 0 {
				part[inTile] = matrix[inMatrix]
			}
		})
		if err := p.Grid.Write(at, b, part); err != nil && failed == nil {
			failed = err
		}
	})
	return failed
}

// get gathers a matrix from the cores that hold say names.
func (p *Plan) get(b tile.Buffer, t tiling, holds func(fabric.At) bool) []float32 {
	matrix := make([]float32, t.rows.total*t.cols.total)
	p.cores(func(at fabric.At) {
		if !holds(at) {
			return
		}
		part := p.Grid.Read(at, b)
		t.each(at, func(inTile, inMatrix int) {
			if inMatrix >= 0 {
				matrix[inMatrix] = part[inTile]
			}
		})
	})
	return matrix
}

// natural is the tiling of a matrix whose block (y, x) is in core (x, y), stored
// by columns, as products take their left matrix and leave their result.
func natural(rows, cols split) tiling {
	return tiling{rows: rows, cols: cols, byColumns: true, block: func(at fabric.At) (int, int) { return at.Y, at.X }}
}

func everywhere(fabric.At) bool { return true }

// Product is the plain reference of a matrix product: [m,k] x [k,n] by rows,
// summed in float64 and rounded to fp16 once.
func Product(a, b []float32, m, k, n int) []float32 {
	out := make([]float32, m*n)
	for i := range m {
		for j := range n {
			sum := 0.0
			for l := range k {
				sum += float64(a[i*k+l]) * float64(b[l*n+j])
			}
			out[i*n+j] = round(float32(sum))
		}
	}
	return out
}
