package kernel

import (
	"fmt"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// Layout is the placement of a decoder on a square mesh: everything on which the cycles
// of a token depend. It has no cores. A Decoder is a Layout whose kernels have programs;
// the analytic level asks Layouts of any size for costs.
//
// The residual stream is cut over the rows: every core of row y has part y.
// A product with weights takes its input cut over one axis and sums along it,
// so its output is cut over the other axis and the same along the first:
//
//	x (y) -> Q,K,V (x) -> scores (y: positions) -> A V (x) -> O (y) -> + x
//	x (y) -> up, gate (x) -> SwiGLU -> down (y) -> + x
//	x (y) -> logits (x) -> the maximum (all)
//
// So there is no transposition, and each layer has ten allreduces. Keys and
// values are cut over the columns by number and over the rows by position; see
// cache.go for how rows share positions.
type Layout struct {
	machine *machine.Machine
	shape   *transformer.Config
	mesh    int
	sums    tile.Kind
	tree    TreeShape // of both axes
	heads   heads
	width   split // of the residual stream, over rows
	ffn     split // over columns; of one expert
	vocab   split // over columns
	rows    rows
	silu    int // numbers of a core that SiLU runs over
}

// LayoutOptions are the choices that a model's shape leaves open. A zero value means what
// the event level has.
type LayoutOptions struct {
	Positions int       // that the cache has room for
	Held      int       // that it has before the token
	Sums      tile.Kind // how sums are kept until they are stored
	Groups    int       // of the trees; 0 is BestGroups
	Silu      int       // numbers of a core that SiLU runs over; 0 is the feed-forward width's
}

// NewLayout places a model on mesh x mesh cores. It allocates nothing.
func NewLayout(m *machine.Machine, mesh int, shape *transformer.Config, o LayoutOptions) Layout {
	l := Layout{machine: m, shape: shape, mesh: mesh, sums: o.Sums, heads: heads{shape, mesh},
		width: split{shape.EmbeddingLength, mesh}, ffn: split{shape.FeedForwardLength, mesh},
		vocab: split{shape.VocabSize, mesh},
		rows:  rows{Config: shape, count: mesh, depth: ceil(shape.Sees(o.Positions), mesh), held: o.Held}, silu: o.Silu}
	l.tree = TreeShape{mesh, o.Groups}
	if o.Groups == 0 {
		l.tree.Groups = BestGroups(m, mesh, l.width.part(), o.Sums)
	}
	return l
}

// queries returns the number of a core's numbers of queries.
func (l *Layout) queries() int { return l.shape.Group() * l.heads.size() }

// localHeads returns the number of heads whose softmax a core computes: the maximum over
// all cores.
func (l *Layout) localHeads() int { return l.heads.max() * l.shape.Group() }

// rows records how the rows of a mesh share the positions of a cache. With a sliding
// window they hold the positions that the next token can see.
type rows struct {
	*transformer.Config
	count int // of rows
	depth int // entries of a row at most
	held  int // positions of the sequence
}

// load returns the number of entries that a row holds of a sequence of n positions: the
// first rows hold one more where n does not divide.
func (c *rows) load(y, n int) int {
	kept := c.Sees(n)
	if y < kept%c.count {
		return kept/c.count + 1
	}
	return kept / c.count
}

// slides reports whether the oldest entry of all leaves the window as the next comes.
func (c *rows) slides() bool { return c.Sees(c.held+1) == c.Sees(c.held) }

// last returns the row that passes no entry up when the next one comes, while those below
// it do: the row whose load grows, or the first row, which drops its oldest entry.
func (c *rows) last() int {
	if c.slides() {
		return 0
	}
	return c.held % c.count
}

// full returns an error when there is no room for the next entry.
func (c *rows) full() error {
	if c.Sees(c.held+1) > c.count*c.depth {
		return fmt.Errorf("position %d of a cache with %d: %d rows of %d", c.held, c.count*c.depth, c.count, c.depth)
	}
	return nil
}

// max returns the number of entries in the fullest row once the next entry is stored.
func (c *rows) max() int { return ceil(c.Sees(c.held+1), c.count) }

// starts returns when rows begin a reduction, before which each row works on all its
// positions for the time that each returns.
func (c *rows) starts(each func(positions int) float64) starts {
	n := c.Sees(c.held + 1)
	var s starts
	if rest := n % c.count; rest > 0 {
		s.add(0, each(n/c.count+1))
		s.add(rest, each(n/c.count))
		return s
	}
	s.add(0, each(n/c.count))
	return s
}
