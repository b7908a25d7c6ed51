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

// gather reads numbers; of those that several cores have, it answers the last one's.
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

// natural is the tiling of a matrix whose block (y, x) is in core (x, y), stored
// by columns, as products take their left matrix and leave their result.
func natural(rows, cols split) tiling {
	return tiling{rows: rows, cols: cols, byColumns: true, block: func(at fabric.At) (int, int) { return at.Y, at.X }}
}

func everywhere(fabric.At) bool { return true }

// once is for what all cores have: one number, or all of a vector's inputs.
func once(fabric.At) []int { return []int{0} }

// write puts a part of its own into every core.
func (p *Plan) write(b tile.Buffer, part func(fabric.At) []float32) error {
	var failed error
	p.cores(func(at fabric.At) {
		if err := p.Grid.Write(at, b, part(at)); err != nil && failed == nil {
			failed = err
		}
	})
	return failed
}
