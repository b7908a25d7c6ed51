package kernel

import "waferpair/wafer/tile"

// Total returns the work of all cores and the wavelets of the decoder's steps.
func (d *Decoder) Total() tile.Total { return d.plan.Grid.Total() }
