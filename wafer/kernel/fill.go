package kernel

import (
	"fmt"

	"waferpair/wafer/clock"
	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// Fill writes the keys and values of the first positions of a sequence into the rows
// that share them: [layer][position][number], keys rotated. Call it before the first
// step.
func (d *Decoder) Fill(keys, values [][][]float32) error {
	if len(keys) != len(d.layers) || len(values) != len(d.layers) {
		return fmt.Errorf("keys of %d layers and values of %d for a model of %d", len(keys), len(values), len(d.layers))
	}
	n := len(keys[0])
	for i, b := range d.layers {
		if len(keys[i]) != n || len(values[i]) != n || d.shape.Sees(n) > d.rows.count*d.rows.depth {
			return fmt.Errorf("layer %d: keys of %d positions and values of %d, beside %d; the cache has room for %d", i,
				len(keys[i]), len(values[i]), n, d.rows.count*d.rows.depth)
		}
		if err := d.fill(b.keys, n, keys[i], func(slot, i int) int { return i*d.rows.depth + slot }); err != nil {
			return fmt.Errorf("layer %d, keys: %w", i, err)
		}
		if err := d.fill(b.values, n, values[i], func(slot, i int) int { return slot*d.heads.size() + i }); err != nil {
			return fmt.Errorf("layer %d, values: %w", i, err)
		}
	}
	d.cache.fill(n)
	return nil
}

// fill scatters n positions; at returns the index in a core's buffer of number i of a
// slot.
func (d *Decoder) fill(b tile.Buffer, n int, list [][]float32, at func(slot, i int) int) error {
	part := make([]float32, b.Len)
	return d.plan.write(b, func(core fabric.At) []float32 {
		clear(part)
		first, held := d.rows.first(core.Y, n), d.rows.load(core.Y, n)
		for i, number := range d.heads.keys(core.X) {
			for slot := 0; slot < held && number >= 0; slot++ {
				part[at(slot, i)] = list[first+slot][number]
			}
		}
		return part
	})
}

// first returns the first position that a row holds when Fill has written n.
func (c *rows) first(row, n int) int {
	kept := c.Sees(n)
	return n - kept + row*(kept/c.count) + min(row, kept%c.count)
}

// Logits returns the logits of the last step.
func (d *Decoder) Logits() []float32 { return d.plan.gather(d.logits()) }

// Colors returns the use of each color that is taken. SRAMBytes returns the bytes of
// SRAM that a core needs, with the reserve.
func (d *Decoder) Colors() []string { return d.plan.Colors() }
func (d *Decoder) SRAMBytes() int   { return d.plan.Mem.Peak() }

// Kernels returns the cycles of the last step by kernel, in the core that ended last:
// its time is the time of the step.
func (d *Decoder) Kernels() map[string]clock.Cycle {
	list := map[string]clock.Cycle{}
	for name, w := range d.plan.Grid.Last() {
		list[name] = w.Sum()
	}
	return list
}
