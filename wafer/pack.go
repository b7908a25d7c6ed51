package wafer

// Region is a square of cores that holds consecutive layers, or a table.
type Region struct {
	Kind       RegionKind `json:"kind"`
	Wafer      int        `json:"wafer"`
	X          int        `json:"x"` // of its first column and row, halo left out
	Y          int        `json:"y"`
	P          int        `json:"p"`
	FirstLayer int        `json:"first_layer"`
	Layers     int        `json:"layers"`
}

// RegionKind is what a region holds.
type RegionKind string

// Layers may have the tables with them, when one region holds a whole model.
const (
	LayerRegion     RegionKind = "layers"
	EmbeddingRegion RegionKind = "embedding"
	HeadRegion      RegionKind = "head"
	WholeRegion     RegionKind = "layers, embedding and head"
)

// grid is how a wafer is cut: as many squares of side P as fit side by side, in
// rows that are passed in turns to the right and to the left, so that a region
// and the next are neighbours; and a strip beside or below them for tables.
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

// slot is where the i-th square begins.
func (g grid) slot(i int) (x, y int) {
	row, column := i/g.columns(), i%g.columns()
	if row%2 == 1 {
		column = g.columns() - 1 - column
	}
	return column * g.P, row * g.P
}

// tableSpot is where a wafer's regions for tables are.
type tableSpot int

const (
	inLayers    tableSpot = iota // in the one region that holds all layers
	inSlots                      // in squares like those of layers
	rightStrip                   // in smaller squares
	bottomStrip                  // in smaller squares
)

// side is that of a region for tables, and most is how many a wafer has room for.
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

// strip is where the i-th table of a strip begins.
func (g grid) strip(spot tableSpot, i int) (x, y int) {
	side, _ := g.tables(spot)
	if spot == rightStrip {
		return g.width - side, i * side
	}
	return i * side, g.height - side
}

// cut is a model cut into regions, not yet laid out.
type cut struct {
	grid
	regions         int // of layers
	spot            tableSpot
	embedding, head int // regions for the embedding table and the head
	wafers          int
}

// fit sets how many wafers the cut takes. The embedding is on the first wafer,
// the head on the last one and in one piece; a model is cut between wafers only
// at layers. It says whether there are any that fit.
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

// layOut gives every region its wafer, place and layers.
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

// ceil is a/b, rounded up: the elements of the core that has most of a when b
// cores share them.
func ceil(a, b int) int { return (a + b - 1) / b }
