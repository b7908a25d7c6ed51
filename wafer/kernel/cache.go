package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// cache records which row of a mesh holds the keys and values of which position.
//
// A new entry comes to the last row, and rows with equal load pass their oldest
// entry one row up, so that loads never differ by more than one (WaferLLM's
// shift-based KV cache; without it all new entries pile up in the last row, and
// the context is as many times shorter as there are rows). Every row shifts at
// once, by one hop.
//
// The next entry from below goes to the slot of the oldest, which has gone up.
// Attention does not depend on the order, but the shift does, so the host records it.
// With a sliding window, once as many entries are there as a token sees, every row
// passes its oldest up and the first row's leaves the cache.
//
// Colors: 2 on the way up, by parity of the sender's row.
type cache struct {
	*rows
	slots [][]int // of each row: its slots, the oldest entry's first
	up    [2]fabric.Color
}

func (p *Plan) newCache(r *rows) (cache, error) {
	c := cache{rows: r}
	c.fill(0)
	if r.count == 1 {
		return c, nil
	}
	for i, parity := range []string{"even", "odd"} {
		color, err := p.Color("y cache shift, " + parity)
		if err != nil {
			return c, err
		}
		c.up[i] = color
	}
	for y := 1; y < r.count; y++ {
		if err := p.configure(Y, y, c.up[y&1], fabric.Of(fabric.Ramp), fabric.Of(fabric.North)); err != nil {
			return c, err
		}
		if err := p.configure(Y, y-1, c.up[y&1], fabric.Of(fabric.South), fabric.Of(fabric.Ramp)); err != nil {
			return c, err
		}
	}
	return c, nil
}

// fill records that the host has put a sequence of n positions into the cores.
func (c *cache) fill(n int) {
	c.held, c.slots = n, make([][]int, c.count)
	for y := range c.slots {
		for slot := range c.load(y, n) {
			c.slots[y] = append(c.slots[y], slot)
		}
	}
}

// slot returns the slot in which a row stores the next entry.
func (c *cache) slot(y int) int {
	if used := c.slots[y]; c.reuses(y) {
		return used[0]
	}
	return len(c.slots[y])
}

// reuses reports whether a row stores the next entry in the slot of its oldest one.
func (c *cache) reuses(y int) bool {
	return len(c.slots[y]) > 0 && (y > c.last() || c.slides())
}

// add records that a step has added an entry.
func (c *cache) add() {
	last := c.last()
	for y := last; y < c.count; y++ {
		switch used := c.slots[y]; {
		case c.reuses(y):
			c.slots[y] = append(used[1:], used[0])
		case y == last:
			c.slots[y] = append(used, len(used))
		}
	}
	c.held++
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
		send, receive := y > c.last(), y < c.count-1
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
		return tile.Instr{Op: tile.Mov, N: int32(size), Dst: dst, A: from,
			Cycles: int32(VectorCycles(&p.Grid.Machine, size, tile.F16))}
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

// shiftCost returns the cost of a shift when every row has entries: a row sends W
// wavelets and then receives W, for the key and for the value.
func (l *Layout) shiftCost() Cost {
	m, c, size := l.machine, &l.rows, l.heads.size()
	if c.last() == c.count-1 {
		return l.halves(2, size)
	}
	if l.lumped() {
		return Cost{}
	}
	first := c.last() + 1
	through := c.count - max(first, c.Sees(c.held)) // rows without entries, which one passes through
	w, links := wavelets(size, tile.F16), float64(c.count-first)
	return Cost{Communication: max(w, step(m, 1)) + w + float64(max(0, through-1))*step(m, 1) + 2*w,
		Hops: 2 * w * links * float64(l.mesh)}
}
