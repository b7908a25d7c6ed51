package wafer

import (
	"fmt"
	"math"
	"slices"
)

// broken returns what is wrong with a placement. It checks all rules the slow, obvious way,
// core by core.
func broken(r Request, a Assumptions, p Placement) error {
	for _, rule := range []func(Request, Assumptions, Placement) error{
		squaresApart, layersInOrder, tablesAtTheEnds, coresHaveRoom, cacheInBalance, enoughColors, wafersAllowed,
	} {
		if err := rule(r, a, p); err != nil {
			return err
		}
	}
	return nil
}

// squaresApart marks every core of every region.
func squaresApart(r Request, _ Assumptions, p Placement) error {
	width, height := r.Machine.Width-r.Machine.HaloColumns, r.Machine.Height-r.Machine.HaloRows
	taken := make([][]bool, p.Wafers)
	for i := range taken {
		taken[i] = make([]bool, width*height)
	}
	for _, region := range p.Regions {
		for y := region.Y; y < region.Y+region.P; y++ {
			for x := region.X; x < region.X+region.P; x++ {
				if x < 0 || y < 0 || x >= width || y >= height {
					return fmt.Errorf("core %d,%d of %+v is not on the wafer", x, y, region)
				}
				if taken[region.Wafer][y*width+x] {
					return fmt.Errorf("core %d,%d of %+v is taken", x, y, region)
				}
				taken[region.Wafer][y*width+x] = true
			}
		}
	}
	for i, cores := range taken {
		if !slices.Contains(cores, true) {
			return fmt.Errorf("wafer %d of %d is empty", i, p.Wafers)
		}
	}
	return nil
}

// layersInOrder checks that every layer is in one region, on wafers in order.
func layersInOrder(r Request, _ Assumptions, p Placement) error {
	next, wafer, most := 0, 0, 0
	for _, region := range p.Regions {
		if region.Kind != LayerRegion && region.Kind != WholeRegion {
			continue
		}
		if region.FirstLayer != next || region.Layers < 1 || region.Wafer < wafer || region.P != p.Mesh {
			return fmt.Errorf("region %+v does not begin at layer %d", region, next)
		}
		next, wafer, most = next+region.Layers, region.Wafer, max(most, region.Layers)
	}
	if next != r.Model.BlockCount || most != p.LayersPerRegion {
		return fmt.Errorf("%d layers of %d are placed, %d at most in a region, not %d", next, r.Model.BlockCount, most,
			p.LayersPerRegion)
	}
	return nil
}

// tablesAtTheEnds checks that the embedding is on the first wafer and the head on the last.
func tablesAtTheEnds(r Request, _ Assumptions, p Placement) error {
	found := map[RegionKind]int{}
	for _, region := range p.Regions {
		found[region.Kind]++
		if region.Kind == EmbeddingRegion && region.Wafer != 0 || region.Kind == HeadRegion && region.Wafer != p.Wafers-1 {
			return fmt.Errorf("%s is on wafer %d of %d", region.Kind, region.Wafer, p.Wafers)
		}
	}
	whole := found[WholeRegion] == 1 && len(p.Regions) == 1
	apart := found[WholeRegion] == 0 && found[HeadRegion] > 0 && (found[EmbeddingRegion] > 0) != r.Model.TieWordEmbeddings
	if !whole && !apart {
		return fmt.Errorf("embedding, head and layers: %v", found)
	}
	return nil
}

// share0 returns how many of n things core 0 gets when p cores share them.
func share0(n, p int) int {
	mine := 0
	for i := range n {
		if i%p == 0 {
			mine++
		}
	}
	return mine
}

// coresHaveRoom adds up everything in the fullest core of each region.
func coresHaveRoom(r Request, _ Assumptions, p Placement) error {
	for _, region := range p.Regions {
		used := float64(r.Machine.ReservedBytes)
		if region.Kind == LayerRegion || region.Kind == WholeRegion {
			used += layersIn(r, p, region)
		}
		if region.Kind != LayerRegion {
			used += tableIn(r, p, region)
		}
		if used > float64(r.Machine.SRAMBytes) {
			return fmt.Errorf("a core of %+v needs %g bytes of %d", region, used, r.Machine.SRAMBytes)
		}
		if used > float64(p.SRAM.Used()) && region.Layers == p.LayersPerRegion {
			return fmt.Errorf("a core of %+v needs %g bytes, the placement says %d", region, used, p.SRAM.Used())
		}
	}
	return nil
}

func layersIn(r Request, p Placement, region Region) float64 {
	m := r.Model
	// pairs are rotated together
	d, kv := share0(m.EmbeddingLength, region.P), 2*share0(m.HeadCountKV*m.KeyLength/2, region.P)
	q := kv * m.HeadCount / m.HeadCountKV
	f, s := share0(m.FeedForwardLength, region.P), share0(r.Context, region.P)
	bits, expertBits := m.BitsPerWeight, m.ExpertBits
	if expertBits == 0 {
		expertBits = bits
	}
	blocks, active := max(1, m.ExpertCount), max(1, m.ExpertUsedCount)
	dense, norms := d*q+d*kv+d*kv+q*d+d*share0(m.ExpertCount, region.P), 2*2*d
	weights := math.Ceil(float64(dense)*bits/8) + math.Ceil(float64(3*d*f*blocks)*expertBits/8) + float64(norms)
	cache := float64(2 * 2 * kv * s * p.Users)
	activations := float64(2 * (d + d + d + q + kv + kv + m.HeadCount*s + 2*f*active))
	return float64(region.Layers)*(weights+cache) + activations
}

func tableIn(r Request, p Placement, region Region) float64 {
	slices, tables := 0, 1
	for _, other := range p.Regions {
		if other.Kind == region.Kind {
			slices++
		}
	}
	if region.Kind == WholeRegion && !r.Model.TieWordEmbeddings {
		tables = 2
	}
	d, v := share0(r.Model.EmbeddingLength, region.P), share0(r.Model.VocabSize, region.P*slices)
	return float64(tables) * (math.Ceil(float64(d*v)*r.Model.BitsPerWeight/8) + float64(2*(2*d+v)))
}

// cacheInBalance lets a cache grow entry by entry: a new entry enters the last row, and a
// row with more entries than the row above passes its oldest one on to it.
func cacheInBalance(r Request, _ Assumptions, p Placement) error {
	rows := make([]int, p.Mesh)
	for range r.Context {
		rows[len(rows)-1]++
		for i := len(rows) - 1; i > 0 && rows[i] > rows[i-1]; i-- {
			rows[i], rows[i-1] = rows[i]-1, rows[i-1]+1
		}
	}
	if most, least := slices.Max(rows), slices.Min(rows); most-least > 1 || most != p.KVPositions {
		return fmt.Errorf("rows hold %d to %d entries, the placement says %d", least, most, p.KVPositions)
	}
	return nil
}

func enoughColors(r Request, _ Assumptions, p Placement) error {
	n := 0
	for _, use := range p.Colors {
		n += use.Colors
	}
	if n > r.Machine.Colors {
		return fmt.Errorf("%d colors of %d: %v", n, r.Machine.Colors, p.Colors)
	}
	return nil
}

func wafersAllowed(r Request, _ Assumptions, p Placement) error {
	if r.Wafers > 0 && p.Wafers > r.Wafers {
		return fmt.Errorf("%d wafers, %d allowed", p.Wafers, r.Wafers)
	}
	return nil
}
