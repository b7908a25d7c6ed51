package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// tiling is the placement of a matrix on the mesh. The matrix is cut into blocks of
// equal size, with zeros at the far ends; block returns the one that a core holds.
// Several cores may hold the same block. A tile is stored by rows or by columns.
type tiling struct {
	rows, cols split
	block      func(fabric.At) (row, col int)
	byColumns  bool
}

// numbers returns the size of a tile.
func (t tiling) numbers() int { return t.rows.part() * t.cols.part() }

// each calls do for each number of a core's tile, with its index in the tile and in the
// matrix, which is by rows; the latter is -1 for padding.
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

// gather reads the numbers at a place. Where several cores hold a number, the last core
// counts.
func (p *Plan) gather(from Place) []float32 {
	list := make([]float32, from.Len)
	p.cores(func(at fabric.At) {
		places := from.Of(at)
		if len(places) == 0 {
			return
		}
		part := p.Grid.Read(at, from.Buffer)
		for i, to := range places {
			if to >= 0 {
				list[to] = part[i]
			}
		}
	})
	return list
}

// natural returns the tiling with block (y, x) in core (x, y), stored by columns.
// Products take their left matrix and leave their result that way.
func natural(rows, cols split) tiling {
	return tiling{rows: rows, cols: cols, byColumns: true, block: func(at fabric.At) (int, int) { return at.Y, at.X }}
}

func everywhere(fabric.At) bool { return true }

// once returns the only index: of a single number, or of the input of a one-row matrix.
func once(fabric.At) []int { return []int{0} }

// write writes into each core's buffer what part returns for it.
func (p *Plan) write(b tile.Buffer, part func(fabric.At) []float32) error {
	var failed error
	p.cores(func(at fabric.At) {
		if err := p.Grid.Write(at, b, part(at)); err != nil && failed == nil {
			failed = err
		}
	})
	return failed
}
