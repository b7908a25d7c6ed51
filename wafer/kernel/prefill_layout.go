package kernel

import (
	"fmt"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// PrefillLayout is the placement of a prompt, or of a chunk of one, on a square mesh:
// everything on which its cycles depend. It has no cores. A Prefill is a PrefillLayout whose
// kernels have programs; the analytic level asks layouts of any size for costs.
type PrefillLayout struct {
	machine                   *machine.Machine
	shape                     *transformer.Config
	mesh                      int
	sums                      tile.Kind
	tree                      TreeShape // along rows
	circle                    circle    // of the rings of both axes
	heads                     heads
	tokens, width, ffn, vocab split // ffn: of one expert
	positions                 int   // of the keys and values in a core that its tokens attend to
	silu                      int   // numbers of a token in a core that SiLU runs over
	apart                     bool
}

// PrefillOptions are the choices that a model's shape leaves open. A zero value means what
// the event level has.
type PrefillOptions struct {
	Tokens    int       // of the prompt, or of the chunk
	Positions int       // in each core, earlier ones and those of the tokens; 0: those of the tokens
	Sums      tile.Kind // how sums are kept until they are stored
	Groups    int       // of the tree; 0 is BestGroups
	Silu      int       // numbers of a token in a core that SiLU runs over; 0 is the feed-forward width's
	Apart     bool      // Q, K and V, and up and gate, are products of their own, as in WaferLLM's programs
}

// NewPrefillLayout places a prompt on mesh x mesh cores.
func NewPrefillLayout(m *machine.Machine, mesh int, shape *transformer.Config, o PrefillOptions) PrefillLayout {
	l := PrefillLayout{machine: m, shape: shape, mesh: mesh, sums: o.Sums, heads: heads{shape, mesh},
		tokens: split{o.Tokens, mesh}, width: split{shape.EmbeddingLength, mesh},
		ffn: split{shape.FeedForwardLength, mesh}, vocab: split{shape.VocabSize, mesh}, positions: o.Positions,
		silu: o.Silu, apart: o.Apart, tree: TreeShape{mesh, o.Groups}, circle: newCircle(interleaved(mesh))}
	if o.Positions == 0 {
		l.positions = l.tokens.part()
	}
	if o.Silu == 0 {
		l.silu = l.ffn.part()
	}
	if o.Groups == 0 {
		l.tree.Groups = BestGroups(m, mesh, l.tokens.part(), o.Sums)
	}
	return l
}

// prefillPart is a kernel of a prefill: its program, and its cost by formula.
type prefillPart struct {
	name string
	emit func(f *Prefill, b *prefillLayer)
	cost func(l *PrefillLayout) Cost
}

// prefillParts is what a prompt goes through in a layer, composed once as layerParts is. The
// event level has no experts and no norms of heads.
var prefillParts = []prefillPart{
	{"attention norm", func(f *Prefill, b *prefillLayer) { f.rmsNorm(f.attention.normed, b.attentionNorm) },
		(*PrefillLayout).normCost},
	{"query, key, value", (*Prefill).project, (*PrefillLayout).projectCost},
	{"query, key norm", nil, (*PrefillLayout).normHeadsCost},
	{"rotary", (*Prefill).rotate, (*PrefillLayout).rotateCost},
	{"scores", (*Prefill).score, (*PrefillLayout).scoreCost},
	{"softmax", func(f *Prefill, _ *prefillLayer) { f.mask(); f.softmax() }, (*PrefillLayout).softmaxCost},
	{"values", (*Prefill).weigh, (*PrefillLayout).weighCost},
	{"output", (*Prefill).putOut, (*PrefillLayout).outCost},
	{"feed-forward norm", func(f *Prefill, b *prefillLayer) { f.rmsNorm(f.forward.normed, b.ffnNorm) },
		(*PrefillLayout).normCost},
	{"router", nil, (*PrefillLayout).routeCost},
	{"up, gate", (*Prefill).ffnIn, (*PrefillLayout).ffnInCost},
	{"silu", func(f *Prefill, _ *prefillLayer) { f.swiglu() }, (*PrefillLayout).swigluCost},
	{"down", (*Prefill).ffnOut, (*PrefillLayout).ffnOutCost},
}

// LayerCosts returns the costs of a layer's kernels. Kernels that a layout does not have are
// left out.
func (l *PrefillLayout) LayerCosts() []Cost { return l.costs(prefillParts) }

// LastCosts returns the costs of the last token's logits and of the greedy choice.
func (l *PrefillLayout) LastCosts() []Cost { return l.costs(prefillLast) }

func (l *PrefillLayout) costs(parts []prefillPart) (list []Cost) {
	for _, p := range parts {
		if c := p.cost(l); c.Cycles() > 0 {
			c.Kernel = p.name
			list = append(list, c)
		}
	}
	return list
}

// Cycles returns the time of a prompt: all layers, and the choice of the token that follows.
func (l *PrefillLayout) Cycles() float64 {
	return float64(l.shape.BlockCount)*Total(l.LayerCosts()) + Total(l.LastCosts())
}

// queries returns the number of a core's numbers of the queries of a token.
func (l *PrefillLayout) queries() int { return l.shape.Group() * l.heads.size() }

// projected returns the number of a core's numbers of queries, key and value.
func (l *PrefillLayout) projected() int { return l.queries() + 2*l.heads.size() }

// tiles returns the number of a core's scores, of all heads.
func (l *PrefillLayout) tiles() int { return l.shape.HeadCount * l.tokens.part() * l.positions }

// Published timings of prefills have no term for vector operations beside the products, and
// none for the alignment of activations: the fitted overhead of a product's step has both
// (machine.Timing.StepOverhead). Emulated ones count them one by one.
func (l *PrefillLayout) lumped() bool { return l.machine.Timing.LayerOperations > 0 }

// vectors returns the cost of vector operations on n sums; halves, on n fp16 numbers.
func (l *PrefillLayout) vectors(times, n int) Cost { return l.vectorsOf(times, n, l.sums) }
func (l *PrefillLayout) halves(times, n int) Cost  { return l.vectorsOf(times, n, tile.F16) }

func (l *PrefillLayout) vectorsOf(times, n int, kind tile.Kind) Cost {
	if l.lumped() {
		return Cost{}
	}
	return Cost{Compute: float64(times) * VectorCycles(l.machine, n, kind)}
}

func (l *PrefillLayout) allreduce(n int) Cost { return AllreduceCost(l.machine, l.tree, n, l.sums) }

// slowest returns the time of the slowest column: the sum of each over its heads, with how
// many numbers of a head's keys the column has.
func (l *PrefillLayout) slowest(each func(numbers int) float64) float64 {
	return float64(l.shape.Group()) * l.heads.longest(each)
}

// experts returns how many experts a chunk passes through, one after the other, and how many
// rows of tokens a core has for each: tokens spread evenly over as many as they can reach.
func (l *PrefillLayout) experts() (count, rows int) {
	if l.shape.ExpertCount == 0 {
		return 1, l.tokens.part()
	}
	passes := l.tokens.part() * l.mesh * l.shape.ExpertUsedCount
	count = min(l.shape.ExpertCount, passes)
	return count, ceil(ceil(passes, count), l.mesh)
}

// prefillBuffers are all buffers of a core.
type prefillBuffers struct {
	norm, head         tile.Buffer
	layers             []prefillLayer
	residual, cos, sin tile.Buffer // [number][token], [pair][token]
	total, column      tile.Buffer // a sum for each token, a column of numbers
	attention          attentionWork
	forward            forwardWork
	last               lastWork
}

// SRAM returns the bytes of SRAM that the prefill needs in a core, with the reserve.
func (l *PrefillLayout) SRAM() (int, error) {
	a := allocator{mem: tile.NewLayout(*l.machine)}
	l.take(&a)
	return a.mem.Peak(), a.err
}

// take allocates the SRAM for everything; phases reuse the same SRAM.
func (l *PrefillLayout) take(a *allocator) (b prefillBuffers) {
	rows, width, ffn := l.tokens.part(), l.width.part(), l.ffn.part()
	for i := range l.shape.BlockCount {
		name := func(s string) string { return fmt.Sprintf("layer %d %s", i, s) }
		b.layers = append(b.layers, prefillLayer{
			attentionNorm: a.half(name("attention norm"), width), ffnNorm: a.half(name("feed-forward norm"), width),
			qkv: a.half(name("Q, K, V"), width*l.projected()), o: a.half(name("O"), l.queries()*width),
			upGate: a.half(name("up, gate"), 2*width*ffn), down: a.half(name("down"), ffn*width),
			keys: a.half(name("keys"), l.heads.size()*rows), values: a.half(name("values"), rows*l.heads.size())})
	}
	b.norm, b.head = a.half("norm", width), a.half("head", width*l.vocab.part())
	b.residual = a.half("x", width*rows)
	b.cos, b.sin = a.half("cos", l.heads.pairs()*rows), a.half("sin", l.heads.pairs()*rows)
	b.total, b.column = a.take("totals", l.sums, rows), a.take("column", l.sums, rows)
	for _, phase := range []func(){
		func() { b.attention = l.takeAttention(a) }, func() { b.forward = l.takeForward(a) },
		func() { b.last = l.takeLast(a) },
	} {
		mark := a.mem.Mark()
		phase()
		a.mem.Release(mark)
	}
	return b
}

// rotor allocates both buffers of a rotor.
func (a *allocator) rotor(name string, n, cores int) *Rotor {
	return &Rotor{pair: [2]tile.Buffer{a.half(name, n), a.half(name+", next", n)}, now: make([]uint8, cores)}
}
