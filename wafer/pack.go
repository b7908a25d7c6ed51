package wafer

// Region is a square of cores that holds consecutive layers, or a table.
type Region struct {
	Kind       RegionKind `json:"kind"`
	Wafer      int        `json:"wafer"`
	X          int        `json:"x"` // its first column and row, without the halo
	Y          int        `json:"y"`
	P          int        `json:"p"`
	FirstLayer int        `json:"first_layer"`
	Layers     int        `json:"layers"`
}

// RegionKind is the content of a region.
type RegionKind string

// If one region holds a whole model, its layers have the tables with them.
const (
	LayerRegion     RegionKind = "layers"
	EmbeddingRegion RegionKind = "embedding"
	HeadRegion      RegionKind = "head"
	WholeRegion     RegionKind = "layers, embedding and head"
)

// grid is the division of a wafer: as many squares of side P as fit side by side, in rows
// that run alternately to the right and to the left, so that consecutive regions are
// neighbours; and a strip beside or below them for tables.
//
//	+---+---+---+--+
//	| 0 | 1 | 2 |t |
//	+---+---+---+--+   right strip: side W - columns*P
//	| 5 | 4 | 3 |t |
//	+---+---+---+--+
type grid struct {
	width, height int // usable
	P             int
}

func (g grid) columns() int { return g.width / g.P }
func (g grid) slots() int   { return g.columns() * (g.height / g.P) }

// slot returns the first column and row of the i-th square.
func (g grid) slot(i int) (x, y int) {
	row, column := i/g.columns(), i%g.columns()
	if row%2 == 1 {
		column = g.columns() - 1 - column
	}
	return column * g.P, row * g.P
}

// tableSpot is the place of a wafer's regions for tables.
type tableSpot int

const (
	inLayers    tableSpot = iota // in the one region that holds all layers
	inSlots                      // in squares like those of layers
	rightStrip                   // in smaller squares
	bottomStrip                  // in smaller squares
)

// tables returns the side of a region for tables, and how many a wafer has room for.
func (g grid) tables(spot tableSpot) (side, most int) {
	switch spot {
	case rightStrip:
		if side = g.width - g.columns()*g.P; side > 0 {
			most = g.height / side
		}
	case bottomStrip:
		if side = g.height - g.height/g.P*g.P; side > 0 {
			most = g.width / side
		}
	default:
		side, most = g.P, g.slots()
	}
	return side, most
}

// strip returns the first column and row of the i-th table of a strip.
func (g grid) strip(spot tableSpot, i int) (x, y int) {
	side, _ := g.tables(spot)
	if spot == rightStrip {
		return g.width - side, i * side
	}
	return i * side, g.height - side
}

// cut is a model cut into regions that are not placed yet.
type cut struct {
	grid
	regions         int // of layers
	spot            tableSpot
	embedding, head int // regions for the embedding table and the head
	wafers          int
}

// fit sets how many wafers the cut takes. The embedding is on the first wafer, the head on
// the last one and in one piece; a model is cut between wafers only at layers. It returns
// false if the cut does not fit.
func (c *cut) fit() bool {
	slots := c.slots()
	if c.spot == inSlots {
		used := c.embedding + c.regions
		c.wafers = ceil(used, slots)
		if c.head > c.wafers*slots-used {
			c.wafers++
		}
		return c.embedding <= slots && c.head <= slots
	}
	c.wafers = ceil(c.regions, slots)
	_, most := c.tables(c.spot)
	if c.spot == inLayers {
		return c.regions == 1
	}
	if c.wafers == 1 && c.embedding+c.head > most {
		c.wafers = 2
	}
	return max(c.embedding, c.head) <= most
}

// layOut assigns every region its wafer, place and layers.
func (c cut) layOut(layers int) []Region {
	var list []Region
	if c.spot == inLayers {
		return []Region{{Kind: WholeRegion, P: c.P, Layers: layers}}
	}
	next := 0 // slot, counted over all wafers
	inSlot := func(r Region) {
		r.Wafer, r.P = next/c.slots(), c.P
		r.X, r.Y = c.slot(next % c.slots())
		list, next = append(list, r), next+1
	}
	for i := range c.embedding {
		c.table(Region{Kind: EmbeddingRegion}, i, inSlot, &list)
	}
	for i := range c.regions {
		first, end := layers*i/c.regions, layers*(i+1)/c.regions
		inSlot(Region{Kind: LayerRegion, FirstLayer: first, Layers: end - first})
	}
	next = max(next, (c.wafers-1)*c.slots()) // the head is on the last wafer
	offset := 0
	if c.wafers == 1 {
		offset = c.embedding
	}
	for i := range c.head {
		c.table(Region{Kind: HeadRegion, Wafer: c.wafers - 1}, offset+i, inSlot, &list)
	}
	return list
}

func (c cut) table(r Region, i int, inSlot func(Region), list *[]Region) {
	if c.spot == inSlots {
		inSlot(r)
		return
	}
	r.P, _ = c.tables(c.spot)
	r.X, r.Y = c.strip(c.spot, i)
	*list = append(*list, r)
}

// ceil returns a/b, rounded up: the elements of the core with the most, if b cores share a.
func ceil(a, b int) int { return (a + b - 1) / b }
