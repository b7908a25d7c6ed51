package kernel

import (
	"context"
	"errors"
	"fmt"

	"waferpair/wafer/clock"
	"waferpair/wafer/fabric"
	"waferpair/wafer/half"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// Decoder is a transformer that is placed on a square mesh as WaferLLM places it, and
// makes one token after the other: a Layout with programs and SRAM.
//
// Colors: 9 for the trees of each axis, 2 for the shift of the cache: 20.
// SRAM of a core: weights and cache at fp16, once; sums at fp16 or fp32.
type Decoder struct {
	Layout
	plan  *Plan
	x, y  *Tree
	cache cache
	freqs []float32 // factors of pairs' frequencies, or nil

	buffers
}

// layerBuffers are the buffers that a layer keeps in SRAM.
type layerBuffers struct {
	attentionNorm, ffnNorm tile.Buffer
	q, k, v, o             tile.Buffer
	bias                   tile.Buffer // of q, k, v; empty where there are none
	headGains              tile.Buffer // of q and k; the same
	up, gate, down         tile.Buffer
	keys, values           tile.Buffer
}

// workBuffers are the buffers that all layers share.
type workBuffers struct {
	token         tile.Buffer // its id; later the next one's value and id
	x, normed     tile.Buffer
	square, scale tile.Buffer
	qkvSums       tile.Buffer
	qkv           tile.Buffer
	headSums      tile.Buffer // of squares, of all heads; empty where they are not normed
	cos, sin      tile.Buffer
	turned        [4]tile.Buffer
	scores, max   tile.Buffer
	probs         tile.Buffer // of the heads that the core has numbers of
	outSums, out  tile.Buffer
	sums          tile.Buffer // of width
	ffnSums       tile.Buffer
	gated         tile.Buffer
	logits        tile.Buffer
}

// NewDecoder places a model on a mesh x mesh grid, with room for the given number of
// positions. Sums are fp16 or fp32.
func NewDecoder(m machine.Machine, mesh int, shape transformer.Config,
	positions int, sums tile.Kind) (*Decoder, error) {
	if err := shape.Runnable(); err != nil {
		return nil, err
	}
	if mesh < 1 || positions < 1 {
		return nil, fmt.Errorf("a decoder on a mesh of %d x %d for %d positions", mesh, mesh, positions)
	}
	if err := checkFit(m.Emulated(), mesh, shape, positions, sums); err != nil {
		return nil, err
	}
	p, err := NewPlan(m, mesh, mesh, sums)
	if err != nil {
		return nil, err
	}
	d := &Decoder{plan: p, Layout: NewLayout(&p.Grid.Machine, mesh, &shape,
		LayoutOptions{Positions: positions, Sums: sums})}
	if err := d.configureNetworks(); err != nil {
		return nil, err
	}
	a := allocator{mem: p.Mem}
	if d.buffers = d.take(&a); a.err != nil {
		return nil, fmt.Errorf("a model of %d layers on %d x %d cores: %w", shape.BlockCount, mesh, mesh, a.err)
	}
	return d, nil
}

func (d *Decoder) configureNetworks() (err error) {
	if d.x, err = d.plan.NewTree(X, d.tree.Groups, 0); err != nil {
		return err
	}
	if d.y, err = d.plan.NewTree(Y, d.tree.Groups, 0); err != nil {
		return err
	}
	d.cache, err = d.plan.newCache(&d.rows)
	return err
}

// buffers are all buffers of a core.
type buffers struct {
	norm, embed, head tile.Buffer
	layers            []layerBuffers
	work              workBuffers
}

// SRAM returns the bytes of SRAM that the decoder needs in a core, with the reserve.
func (l *Layout) SRAM() (int, error) {
	a := allocator{mem: tile.NewLayout(*l.machine)}
	l.take(&a)
	return a.mem.Peak(), a.err
}

// take allocates the SRAM for everything.
func (l *Layout) take(a *allocator) (b buffers) {
	width, ffn, vocab := l.width.part(), l.ffn.part(), l.vocab.part()
	kv, queries := l.heads.size(), l.queries()
	biases, gains := 0, 0
	if l.shape.QKVBias {
		biases = queries + 2*kv
	}
	if l.shape.QKNorm {
		gains = l.normed()
	}
	for i := range l.shape.BlockCount {
		name := func(s string) string { return fmt.Sprintf("layer %d %s", i, s) }
		b.layers = append(b.layers, layerBuffers{
			attentionNorm: a.half(name("attention norm"), width), ffnNorm: a.half(name("feed-forward norm"), width),
			q: a.half(name("Q"), width*queries), k: a.half(name("K"), width*kv), v: a.half(name("V"), width*kv),
			o: a.half(name("O"), queries*width), up: a.half(name("up"), width*ffn), gate: a.half(name("gate"), width*ffn),
			down: a.half(name("down"), ffn*width), bias: a.half(name("biases"), biases),
			headGains: a.half(name("query, key norm"), gains), keys: a.half(name("keys"), kv*l.rows.depth),
			values: a.half(name("values"), l.rows.depth*kv)})
	}
	b.norm, b.embed, b.head = a.half("norm", width), a.half("embedding", vocab*width), a.half("head", width*vocab)
	b.work = l.takeWork(a)
	return b
}

func (l *Layout) takeWork(a *allocator) workBuffers {
	width, ffn, vocab, depth := l.width.part(), l.ffn.part(), l.vocab.part(), l.rows.depth
	kv, queries, sums := l.heads.size(), l.queries(), l.sums
	rotated := (l.shape.Group() + 1) * l.heads.pairs()
	w := workBuffers{
		token: a.take("token", tile.F32, 2), x: a.half("x", width), normed: a.half("normed", width),
		square: a.take("squares", sums, width), scale: a.take("scale", sums, 1),
		qkvSums: a.take("q, k, v sums", sums, queries+2*kv), qkv: a.half("q, k, v", queries+2*kv),
		headSums: a.take("head sums", sums, l.normedHeads()),
		cos:      a.half("cos", rotated), sin: a.half("sin", rotated),
		scores: a.take("scores", sums, l.shape.HeadCount*depth), max: a.take("greatest scores", sums, l.localHeads()),
		probs:   a.half("softmax", l.localHeads()*depth),
		outSums: a.take("attention sums", sums, queries), out: a.half("attention", queries),
		sums: a.take("sums", sums, width), ffnSums: a.take("up, gate sums", sums, 2*ffn), gated: a.half("gated", ffn),
		logits: a.take("logits", sums, vocab)}
	for i := range w.turned {
		w.turned[i] = a.half("rotation", rotated)
	}
	return w
}

// allocator allocates buffers until one does not fit; then err is set.
type allocator struct {
	mem *tile.Layout
	err error
}

func (a *allocator) half(name string, n int) tile.Buffer { return a.take(name, tile.F16, n) }

func (a *allocator) take(name string, kind tile.Kind, n int) tile.Buffer {
	if a.err != nil {
		return tile.Buffer{}
	}
	b, err := a.mem.Alloc(name, kind, n)
	a.err = err
	return b
}

func round(v float32) float32 { return half.Round(v) }

// Load writes the weights into the cores.
func (d *Decoder) Load(w transformer.Weights) error {
	if err := w.Check(*d.shape); err != nil {
		return fmt.Errorf("load weights: %w", err)
	}
	rows := func(at fabric.At) []int { return d.width.of(at.Y) }
	ffn := func(at fabric.At) []int { return d.ffn.of(at.X) }
	vocab := func(at fabric.At) []int { return d.vocab.of(at.X) }
	keys := func(at fabric.At) []int { return d.heads.keys(at.X) }
	queries := func(at fabric.At) []int { return d.heads.queries(at.X) }
	var errs []error
	put := func(name string, b tile.Buffer, from matrix, in, out func(fabric.At) []int) {
		if err := d.plan.scatter(b, from, in, out); err != nil {
			errs = append(errs, fmt.Errorf("load %s: %w", name, err))
		}
	}
	d.freqs = w["rope_freqs.weight"].Data
	for i := range d.layers {
		b, l, name := d.layers[i], w.Block(i), fmt.Sprintf("layer %d", i)
		put(name+" attention norm", b.attentionNorm, vector(l.AttnNorm), once, rows)
		put(name+" feed-forward norm", b.ffnNorm, vector(l.FFNNorm), once, rows)
		put(name+" Q", b.q, product(l.Q), rows, queries)
		put(name+" K", b.k, product(l.K), rows, keys)
		put(name+" V", b.v, product(l.V), rows, keys)
		put(name+" O", b.o, product(l.Output), queries, rows)
		if d.shape.QKVBias {
			q, kv := d.queries(), d.heads.size()
			put(name+" Q bias", b.bias.Slice(0, q), vector(l.QBias), once, queries)
			put(name+" K bias", b.bias.Slice(q, kv), vector(l.KBias), once, keys)
			put(name+" V bias", b.bias.Slice(q+kv, kv), vector(l.VBias), once, keys)
		}
		if d.shape.QKNorm {
			q, kv := d.queries(), d.heads.size()
			put(name+" query norm", b.headGains.Slice(0, q), d.headGain(l.QNorm), once, queries)
			put(name+" key norm", b.headGains.Slice(q, kv), d.headGain(l.KNorm), once, keys)
		}
		put(name+" up", b.up, product(l.FFNUp), rows, ffn)
		put(name+" gate", b.gate, product(l.FFNGate), rows, ffn)
		put(name+" down", b.down, product(l.FFNDown), ffn, rows)
	}
	put("embedding", d.embed, table(w["token_embd.weight"]), vocab, rows)
	put("norm", d.norm, vector(w["output_norm.weight"].Data), once, rows)
	put("head", d.head, product(headOf(w)), rows, vocab)
	return errors.Join(errs...)
}

// headOf returns the matrix that makes logits: the table of embeddings, when it is tied.
func headOf(w transformer.Weights) transformer.Tensor {
	if t, ok := w["output.weight"]; ok {
		return t
	}
	return w["token_embd.weight"]
}

// matrix returns the weight between an input and an output.
type matrix func(in, out int) float32

// product returns the matrix of a tensor that has a row for each output.
func product(t transformer.Tensor) matrix {
	return func(in, out int) float32 { return t.Data[out*t.Cols+in] }
}

// table returns the matrix of a tensor that has a row for each input.
func table(t transformer.Tensor) matrix {
	return func(in, out int) float32 { return t.Data[in*t.Cols+out] }
}

// vector returns the matrix of one row: the same weights for every input.
func vector(list []float32) matrix { return func(_, out int) float32 { return list[out] } }

// headGain returns the gains of a head as a matrix; all heads share them.
func (d *Decoder) headGain(list []float32) matrix {
	return func(_, out int) float32 { return list[out%d.shape.KeyLength] }
}

// scatter writes into each core the weights between the inputs and outputs that in and
// out list for it, by inputs; for an input or output of -1 it writes zeros.
func (p *Plan) scatter(b tile.Buffer, from matrix, in, out func(fabric.At) []int) error {
	return p.write(b, func(at fabric.At) []float32 {
		var part []float32
		for _, i := range in(at) {
			for _, o := range out(at) {
				v := float32(0)
				if i >= 0 && o >= 0 {
					v = from(i, o)
				}
				part = append(part, v)
			}
		}
		return part
	})
}

// Token is the result of a step of a decoder.
type Token struct {
	ID     int
	Logit  float32
	Cycles clock.Cycle
}

// Step runs the given token, at the next position, and returns the token that follows
// it. The cores hold the keys and values of the tokens before.
func (d *Decoder) Step(ctx context.Context, token int, o tile.Options) (Token, error) {
	if token < 0 || token >= d.shape.VocabSize {
		return Token{}, fmt.Errorf("token %d of a vocabulary of %d", token, d.shape.VocabSize)
	}
	if err := d.prepare(token); err != nil {
		return Token{}, err
	}
	if err := d.plan.Load(); err != nil {
		return Token{}, err
	}
	cycles, err := d.plan.Grid.Run(ctx, o)
	if err != nil {
		return Token{}, err
	}
	d.cache.add()
	best := d.plan.Grid.Read(fabric.At{}, d.work.token)
	return Token{ID: int(best[1]), Logit: best[0], Cycles: cycles}, nil
}

// prepare writes a token into the cores and emits the program of its step.
func (d *Decoder) prepare(token int) error {
	d.plan.Begin()
	if err := d.write(token); err != nil {
		return err
	}
	return d.program()
}

// write writes the token into all cores, with the rotation of each of their pairs at
// its position.
func (d *Decoder) write(token int) error {
	var failed error
	d.plan.cores(func(at fabric.At) {
		cos, sin := d.turns(at.X, d.rows.held)
		for _, err := range []error{d.plan.Grid.Write(at, d.work.token, []float32{0, float32(token)}),
			d.plan.Grid.Write(at, d.work.cos, cos), d.plan.Grid.Write(at, d.work.sin, sin)} {
			if err != nil && failed == nil {
				failed = err
			}
		}
	})
	return failed
}

// firstParts come before the layers of a step, lastParts after them.
var (
	firstParts = []part{{"embedding", (*Decoder).lookUp, (*Layout).lookUpCost}}
	lastParts  = []part{{"head", (*Decoder).makeLogits, (*Layout).headCost},
		{"sampling", (*Decoder).sample, (*Layout).sampleCost}}
)

// program emits the program of a step.
func (d *Decoder) program() error {
	if err := d.run(firstParts, nil); err != nil {
		return err
	}
	for i := range d.layers {
		if err := d.layer(i); err != nil {
			return err
		}
	}
	return d.run(lastParts, nil)
}

// StepCosts returns the costs of the kernels of a step; those of a kernel in all layers
// are added up.
func (l *Layout) StepCosts() []Cost {
	list := l.costs(nil, firstParts)
	for _, c := range l.LayerCosts(nil) {
		list = append(list, c.Times(float64(l.shape.BlockCount)))
	}
	return l.costs(list, lastParts)
}

// FirstCosts returns the costs before the layers: the embedding. LastCosts returns those
// after them: head and sampling.
func (l *Layout) FirstCosts() []Cost { return l.costs(nil, firstParts) }
func (l *Layout) LastCosts() []Cost  { return l.costs(nil, lastParts) }

// StepCycles returns the time of the next step.
func (l *Layout) StepCycles() float64 { return Total(l.StepCosts()) }
