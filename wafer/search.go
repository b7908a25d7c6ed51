package wafer

import (
	"fmt"
	"waferpair/wafer/kernel"

	"waferpair/wafer/transformer"
)

// maxWafers bounds a placement; one that needs more is refused.
const maxWafers = 4096

// candidate is one possible placement, with the values that the search compares.
type candidate struct {
	cut
	users        int
	token, stage float64 // cycles of a token of one request; of the slowest region including its transfer
}

// layersOf returns the number of layers of the fullest region.
func (c candidate) layersOf(m transformer.Config) int { return ceil(m.BlockCount, c.regions) }

// search tries every side of a region, and for each side every cut that can be the best.
type search struct {
	Request
	assume         Assumptions
	room           int     // bytes of a core for the model
	static         Machine // with static routes
	known          *times
	scratch        []Cost
	best           candidate
	found          bool
	behind         int  // positions in the cache before the prompt; see Tally
	minimizeWafers bool // fewer wafers are better than anything else
}

// times caches what searches of one model, machine and context share, by the side of a
// region; 0: not computed yet.
type times struct {
	groups []int
	layer  []float64 // decode, with static routes
	first  []float64 // the embedding
	last   []float64 // [side][regions that the head is cut into]: head and sampling
}

func newTimes(m Machine) *times {
	width, height := m.Usable()
	sides := max(width, height, 0) + 1
	return &times{make([]int, sides), make([]float64, sides), make([]float64, sides), make([]float64, sides*(maxHeads+1))}
}

func newSearch(r Request, a Assumptions, known *times) *search {
	s := &search{Request: r, assume: a, room: r.Machine.SRAMBytes - r.Machine.ReservedBytes, known: known,
		static: r.Machine}
	s.static.Timing.Reconfigure = 0
	return s
}

// mesh returns the region of side p, with its groups.
func (s *search) mesh(p int) mesh {
	if s.known.groups[p] == 0 {
		s.known.groups[p] = kernel.BestGroups(&s.static, p, ceil(s.Model.EmbeddingLength, p), s.assume.sums())
	}
	return mesh{&s.static, p, s.known.groups[p], s.assume.sums()}
}

// layerCycles returns the cycles of a decode layer in a region of side p, with the full
// cache.
func (s *search) layerCycles(p int) float64 {
	if s.known.layer[p] == 0 {
		l := s.mesh(p).layout(&s.Model, s.Context, 0)
		s.scratch = l.LayerCosts(s.scratch[:0])
		s.known.layer[p] = kernel.Total(s.scratch)
	}
	if s.assume.StaticColors {
		return s.known.layer[p]
	}
	return s.known.layer[p] + s.Machine.Timing.Reconfigure
}

// run tries the allowed sides.
func (s *search) run() (candidate, bool) {
	width, height := s.Machine.Usable()
	from, to := 1, min(width, height)
	if s.DecodeMesh > 0 {
		from, to = s.DecodeMesh, s.DecodeMesh
	}
	for p := from; p <= to; p++ {
		s.side(grid{width, height, p})
	}
	return s.best, s.found
}

// side tries the cuts with regions of one side. For latency the fewest regions are best,
// with the fewest transfers and wafers. Otherwise it tries every number of layers in a
// region.
func (s *search) side(g grid) {
	if c, ok := s.whole(g); ok {
		s.time(&c, s.layerCycles(g.P))
		s.best, s.found = c, true
		return
	}
	t := tileOf(s.Model, g.P)
	if layerBytes(s.Model, t) > s.room {
		return
	}
	last := 0
	for k := s.maxLayers(g.P, t); k >= 1; k-- {
		regions := ceil(s.Model.BlockCount, k)
		if regions == last || !s.fits(g.P, t, regions) {
			continue
		}
		last = regions
		if s.tables(g, regions, s.layerCycles(g.P)) && s.Objective == Latency {
			return
		}
	}
}

// maxLayers returns how many layers a core has room for with one user's KV cache.
func (s *search) maxLayers(p int, t tile) int {
	pos := positions(s.Model.Sees(s.Context), p)
	room := s.room - decodeBuffers(s.Model, t, pos)
	return min(s.Model.BlockCount, max(0, room)/(layerBytes(s.Model, t)+entryBytes(t)*pos))
}

// users returns how many requests have KV caches: in a full pipeline one for every region.
func (s *search) users(regions int) int {
	switch {
	case s.Users > 0:
		return s.Users
	case s.Objective == Throughput:
		return regions
	}
	return 1
}

// fits reports whether the fullest region's layers and KV caches fit into a core.
func (s *search) fits(p int, t tile, regions int) bool {
	return s.use(p, t, regions).Free >= 0
}

// use returns the SRAM of a core of the fullest region.
func (s *search) use(p int, t tile, regions int) SRAM {
	layers, pos := ceil(s.Model.BlockCount, regions), positions(s.Model.Sees(s.Context), p)
	u := SRAM{
		Reserved: s.Machine.ReservedBytes,
		Weights:  layers * layerBytes(s.Model, t),
		KV:       layers * entryBytes(t) * pos * s.users(regions),
		Buffers:  decodeBuffers(s.Model, t, pos),
	}
	u.Free = s.Machine.SRAMBytes - u.Used()
	return u
}

// tables tries every place for the embedding table and the head, and keeps the cut if it is
// the best so far. It reports whether any fits.
func (s *search) tables(g grid, regions int, layer float64) bool {
	any := false
	for _, spot := range []tableSpot{inLayers, inSlots, rightStrip, bottomStrip} {
		c := candidate{cut: cut{grid: g, regions: regions, spot: spot}, users: s.users(regions)}
		for more := s.cutTables(&c); more && c.fit() && c.wafers <= s.limit(); more = s.cutHead(&c) {
			any = true
			if s.floor(&c, layer); s.found && !s.better(c) {
				break
			}
			if s.time(&c, layer); !s.found || s.better(c) {
				s.best, s.found = c, true
			}
		}
	}
	return any
}

// maxHeads is the largest number of regions that the head is cut into.
const maxHeads = 8

// cutHead cuts the head into one more region, up to eight: with more regions, the product
// with the vocabulary is shorter, and the way of the winner longer.
func (s *search) cutHead(c *candidate) bool {
	c.head++
	return c.spot != inLayers && c.head <= maxHeads
}

func (s *search) limit() int {
	if s.Wafers > 0 {
		return s.Wafers
	}
	return maxWafers
}

// cutTables sets how many regions the tables take.
func (s *search) cutTables(c *candidate) bool {
	if c.spot == inLayers {
		if c.regions != 1 {
			return false
		}
		return s.wholeTables(c.P) <= s.use(c.P, tileOf(s.Model, c.P), 1).Free
	}
	side, most := c.tables(c.spot)
	if most == 0 {
		return false
	}
	c.head = tableSlices(s.Model, side, most, s.room)
	if !s.Model.TieWordEmbeddings {
		c.embedding = c.head
	}
	return c.head > 0
}

// price returns what the objective minimizes: the cycles of a token, of a request whose
// prompt passes through the regions token by token, or of a full pipeline's token on one
// wafer.
func (s *search) price(c candidate) float64 {
	switch s.Objective {
	case WholeRequest:
		return float64(s.Input-1)*c.stage + float64(s.Output)*c.token
	case Throughput:
		return c.stage * float64(c.wafers)
	}
	return c.token
}

// better compares a candidate with the best so far; of equal ones the smaller mesh stays.
func (s *search) better(c candidate) bool {
	if s.minimizeWafers && c.wafers != s.best.wafers {
		return c.wafers < s.best.wafers
	}
	if a, b := s.price(c), s.price(s.best); a != b {
		return a < b
	}
	if c.token != s.best.token {
		return c.token < s.best.token
	}
	return c.wafers < s.best.wafers
}

// describe describes a candidate in a few words.
func (s *search) describe(c candidate) string {
	return fmt.Sprintf("%s of %d x %d cores on %s", count(c.regions, "region"), c.P, c.P, count(c.wafers, "wafer"))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
