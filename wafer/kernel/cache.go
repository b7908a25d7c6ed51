package kernel

import (
	"fmt"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// cache is which row of a mesh holds which position's keys and values.
//
// A new entry comes to the last row, and rows with equal load pass their oldest
// entry one row up, so that loads never differ by more than one (WaferLLM's
// shift-based KV cache; without it all new entries pile up in the last row, and
// the context is as many times shorter as there are rows). Every row shifts at
// once, by one hop.
//
// The slots of a row are used in turn: the oldest entry's slot is the one that
// the next entry from below goes to. Attention does not care for the order.
//
// Colors: 2 on the way up, by parity of the sender's row.
type cache struct {
	rows, depth int // entries of a row at most
	held        int // entries of all rows
	oldest      []int
	up          [2]fabric.Color
}

func (p *Plan) newCache(positions int) (cache, error) {
	c := cache{rows: p.Grid.Height, depth: ceil(positions, p.Grid.Height), oldest: make([]int, p.Grid.Height)}
	if c.rows == 1 {
		return c, nil
	}
	for i, parity := range []string{"even", "odd"} {
		color, err := p.Color("y cache shift, " + parity)
		if err != nil {
			return c, err
		}
		c.up[i] = color
	}
	for y := 1; y < c.rows; y++ {
		if err := p.lay(Y, y, c.up[y&1], fabric.Of(fabric.Ramp), fabric.Of(fabric.North)); err != nil {
			return c, err
		}
		if err := p.lay(Y, y-1, c.up[y&1], fabric.Of(fabric.South), fabric.Of(fabric.Ramp)); err != nil {
			return c, err
		}
	}
	return c, nil
}

// load is how many entries a row has when n are held: those above have the
// remainder.
func (c *cache) load(y, n int) int {
	if y < n%c.rows {
		return n/c.rows + 1
	}
	return n / c.rows
}

// last is the row whose load grows with the next entry; those below shift.
func (c *cache) last() int { return c.held % c.rows }

// slot is where a row puts the entry that comes next.
func (c *cache) slot(y int) int {
	if y == c.last() {
		return c.load(y, c.held)
	}
	return c.oldest[y]
}

// add is what the host remembers of an entry that was added.
func (c *cache) add() {
	for y := c.last() + 1; y < c.rows; y++ {
		if n := c.load(y, c.held); n > 0 {
			c.oldest[y] = (c.oldest[y] + 1) % n
		}
	}
	c.held++
}

// full reports whether the next entry has no place.
func (c *cache) full() error {
	if c.held >= c.rows*c.depth {
		return fmt.Errorf("position %d of a cache with %d: %d rows of %d", c.held, c.rows*c.depth, c.rows, c.depth)
	}
	return nil
}

// shiftCache adds the key and value of size numbers, which all rows have in k and v,
// to the cache: column slot of keys, row slot of values.
func (p *Plan) shiftCache(c *cache, keys, values, k, v tile.Buffer) {
	size := k.Len
	p.cores(func(at fabric.At) {
		y, slot := at.Y, c.slot(at.Y)
		if y < c.last() {
			return
		}
		key, value := keys.Strided(slot, c.depth), values.Strided(slot*size, 1)
		send, receive := y > c.last(), y < c.rows-1
		empty := c.load(y, c.held) == 0 && y != c.last()
		for _, e := range []struct{ place, new tile.Operand }{{key, k.Vec()}, {value, v.Vec()}} {
			p.Emit(at, p.shiftInstrs(c, y, size, e.place, e.new, send, receive, empty)...)
		}
	})
}

// shiftInstrs sends the old entry of a row up and takes the new one.
func (p *Plan) shiftInstrs(c *cache, y, size int, place, new tile.Operand, send, receive, empty bool) []tile.Instr {
	up, below := tile.Out(c.up[y&1], tile.F16), tile.In(c.up[(y+1)&1], tile.F16)
	move := func(dst, from tile.Operand) tile.Instr {
		return tile.Instr{Op: tile.Mov, N: int32(size), Dst: dst, A: from, Cycles: int32(VectorCycles(p.Grid.Machine, size, tile.F16))}
	}
	from := new
	if receive {
		from = below
	}
	switch {
	case empty:
		return []tile.Instr{move(up, from)} // it only passes through
	case send:
		return []tile.Instr{move(up, place), move(place, from)}
	}
	return []tile.Instr{move(place, from)}
}

// shiftCycles is the time of a shift when every row has entries: a row sends
// W wavelets and then takes W, of the key and of the value.
func shiftCycles(m machine.Machine, c *cache, size int) int {
	w := wavelets(size, tile.F16)
	if c.last() == c.rows-1 {
		return 2 * VectorCycles(m, size, tile.F16)
	}
	through := 0 // rows that an entry passes through
	for y := c.last() + 1; y < c.rows; y++ {
		if c.load(y, c.held) == 0 {
			through++
		}
	}
	return max(w, step(m, 1)) + w + max(0, through-1)*step(m, 1) + 2*w
}
