package kernel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// The parts of a decode layer, each run by itself: on a decoder of one layer,
// with random numbers where the part before it would have left its result, and
// compared with what the plain reference makes of the same numbers.

// stage is such a part.
type stage struct {
	name, help string
	prepare    func(*bench) // writes the input
	emit       func(*bench)
	cycles     func(*bench) float64
	got        func(*bench) []float32
	want       func(*bench) []float32
}

// bench is a decoder with the input of one stage.
type bench struct {
	*Decoder
	weights   transformer.Weights
	plain     plain
	positions int // that are in the cache, with the one that the stage works on
	r         *rand.Rand
	in        []float32 // what prepare wrote, as the whole model has it
	keys      []float32 // [position][number]
	values    []float32
	err       error
}

var stages = []stage{
	{"rmsnorm", "root mean square norm of a vector over the rows",
		func(b *bench) { b.in = b.write("x", b.work.x, b.shape.EmbeddingLength, b.rows) },
		func(b *bench) { b.rmsNorm(b.layers[0].attentionNorm) },
		func(b *bench) float64 { return b.normCost().Cycles() },
		func(b *bench) []float32 { return b.read("norm", b.work.normed, b.shape.EmbeddingLength, b.rows) },
		func(b *bench) []float32 {
			return b.plain.Norm(b.in, b.weights.Block(0).AttnNorm)
		}},
	{"rotary", "rotary embedding of a query and a key",
		func(b *bench) { b.in = b.write("q, k", b.work.qkv, b.queriesTotal(), b.queryColumns) },
		func(b *bench) { b.fail(b.Decoder.rotate(nil)) },
		func(b *bench) float64 { return b.rotateCost().Cycles() },
		func(b *bench) []float32 { return b.read("query", b.work.qkv, b.queriesTotal(), b.queryColumns) },
		func(b *bench) []float32 {
			list := slices.Clone(b.in)
			b.plain.Rotate(list, b.positions-1)
			return list
		}},
	{"softmax", "softmax of the scores of all heads over the positions of all rows",
		func(b *bench) { b.in = b.write("scores", b.work.scores, b.shape.HeadCount*b.positions, b.scorePlaces) },
		func(b *bench) { b.fail(b.Decoder.softmax(nil)) },
		func(b *bench) float64 { return b.softmaxCost().Cycles() },
		func(b *bench) []float32 {
			return b.read("shares", b.work.probs, b.shape.HeadCount*b.positions, b.probPlaces)
		},
		func(b *bench) []float32 { return b.softmaxReference() }},
	{"attention", "scores, softmax and weighted values of one query, over a cache spread over rows",
		func(b *bench) {
			b.fillCache(b.positions)
			b.in = b.write("query", b.work.qkv, b.queriesTotal(), b.queryColumns)
		},
		func(b *bench) { b.fail(b.run(partsNamed("scores", "softmax", "values"), &b.layers[0])) },
		func(b *bench) float64 { return Sum("", b.attendCost(), b.softmaxCost(), b.weighCost()).Cycles() },
		func(b *bench) []float32 { return b.read("out", b.work.out, b.queriesTotal(), b.queryColumns) },
		func(b *bench) []float32 { return b.attentionReference() }},
	{"swiglu", "up times the SiLU of gate",
		func(b *bench) {
			b.in = b.write("up, gate", b.work.ffnSums, 2*b.shape.FeedForwardLength, b.ffnColumns)
		},
		func(b *bench) { b.fail(b.Decoder.swiglu(nil)) },
		func(b *bench) float64 { return b.swigluCost().Cycles() },
		func(b *bench) []float32 {
			return b.read("gated", b.work.gated, b.shape.FeedForwardLength, b.columnsOf(b.ffn))
		},
		func(b *bench) []float32 {
			return b.plain.SwiGLU(b.in[b.shape.FeedForwardLength:], b.in[:b.shape.FeedForwardLength])
		}},
	{"sample", "norm, logits and the greatest of them",
		func(b *bench) { b.in = b.write("x", b.work.x, b.shape.EmbeddingLength, b.rows) },
		func(b *bench) { b.fail(b.run(lastParts, nil)) },
		func(b *bench) float64 { return Total(b.LastCosts()) },
		func(b *bench) []float32 { return b.read("token", b.work.token.Slice(1, 1), 1, once) },
		func(b *bench) []float32 {
			return []float32{float32(transformer.Argmax(b.plain.Logits(b.in)))}
		}},
	{"decode-layer", "a whole decode layer: norms, attention with its cache, feed-forward",
		func(b *bench) {
			b.fillCache(b.positions - 1)
			b.in = b.write("x", b.work.x, b.shape.EmbeddingLength, b.rows)
		},
		func(b *bench) { b.fail(b.layer(0)) },
		func(b *bench) float64 { return Total(b.LayerCosts(nil)) },
		func(b *bench) []float32 { return b.read("x", b.work.x, b.shape.EmbeddingLength, b.rows) },
		func(b *bench) []float32 { return b.layerReference() }},
}

func init() {
	for _, s := range stages {
		register(s.name, s.help, s.run)
	}
	register("decode-step", "a token from a model of 4 layers: embedding, layers, logits, the greatest", runStep)
}

// runStep makes the first token of a small model. Of the options, N is the
// model's width and K its feed-forward width.
func runStep(ctx context.Context, o Options) (Outcome, error) {
	const name, first = "decode-step", 1
	if err := o.settleModel(); err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	shape := o.shape(4)
	shape.VocabSize = 128 * o.Width
	d, err := NewDecoder(o.Machine, o.Width, shape, o.M, o.Sums)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	b := &bench{Decoder: d, weights: transformer.Random(shape, o.Seed)}
	if err := d.Load(b.weights); err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	d.plan.Begin()
	b.fail(d.write(first))
	b.fail(d.program())
	if b.err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, b.err)
	}
	ref, err := newPlain(shape, b.weights)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	want := ref.step(first)
	out, err := d.plan.finish(ctx, o, name, d.StepCycles(), func() []float32 {
		return b.read("logits", d.work.logits, shape.VocabSize, b.columnsOf(d.vocab))
	}, want)
	if err == nil {
		err = b.err
	}
	return out, err
}

// run carries out a stage by itself. Of the options, N is the model's width, K
// its feed-forward width, and M the positions.
func (s stage) run(ctx context.Context, o Options) (Outcome, error) {
	b, err := newBench(&o)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", s.name, err)
	}
	s.prepare(b)
	b.plan.Begin()
	b.fail(b.plan.Kernel(s.name))
	s.emit(b)
	if b.err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", s.name, b.err)
	}
	out, err := b.plan.finish(ctx, o, s.name, s.cycles(b), func() []float32 { return s.got(b) }, s.want(b))
	if err == nil {
		err = b.err
	}
	return out, err
}

// newBench settles the options for a decoder and makes one of one layer.
func newBench(o *Options) (*bench, error) {
	if err := o.settleModel(); err != nil {
		return nil, err
	}
	shape := o.shape(1)
	d, err := NewDecoder(o.Machine, o.Width, shape, o.M, o.Sums)
	if err != nil {
		return nil, err
	}
	b := &bench{Decoder: d, weights: transformer.Random(shape, o.Seed), positions: o.M,
		r: rand.New(rand.NewPCG(o.Seed, 3))}
	d.cache.fill(o.M - 1)
	if err := d.Load(b.weights); err != nil {
		return nil, err
	}
	if b.plain, err = newPlain(shape, b.weights); err != nil {
		return nil, err
	}
	return b, d.write(0) // the turns of all pairs at the present position
}

// settleModel puts in the dimensions of a model that were left open.
func (o *Options) settleModel() error {
	if o.Height == 0 {
		o.Height = o.Width
	}
	if err := o.square("a decoder"); err != nil {
		return err
	}
	if o.N == 0 {
		o.N = 8 * o.Width
	}
	if o.K == 0 {
		o.K = 22 * o.Width
	}
	if o.M == 0 {
		o.M = 4*o.Width - 1
	}
	return o.settle()
}

// shape is a model of the options' dimensions, with heads of a quarter of its width.
func (o *Options) shape(layers int) transformer.Config {
	c := transformer.Defaults("llama")
	c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = layers, o.N, o.K, 16*o.Width
	if c.HeadCount = 4; o.N < 8 {
		c.HeadCount = 1
	}
	c.HeadCountKV, c.KeyLength = max(1, c.HeadCount/2), max(2, o.N/c.HeadCount&^1)
	return c
}

func (b *bench) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// write puts random numbers into a buffer, each where places says; a place is
// the index among the whole of each number of the buffer, -1 for padding.
func (b *bench) write(name string, buf tile.Buffer, n int, places func(fabric.At) []int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = round(float32(b.r.NormFloat64()))
	}
	b.writeThese(name, buf, list, places)
	return list
}

func (b *bench) writeThese(name string, buf tile.Buffer, list []float32, places func(fabric.At) []int) {
	err := b.plan.write(buf, func(at fabric.At) []float32 {
		part := make([]float32, len(places(at)))
		for i, place := range places(at) {
			if place >= 0 {
				part[i] = list[place]
			}
		}
		return part
	})
	if err != nil {
		b.fail(fmt.Errorf("%s: %w", name, err))
	}
}

// read gathers numbers; what several cores have must be the same in all.
func (b *bench) read(name string, buf tile.Buffer, n int, places func(fabric.At) []int) []float32 {
	list, known := make([]float32, n), make([]bool, n)
	b.plan.cores(func(at fabric.At) {
		part := b.plan.Grid.Read(at, buf)
		for i, place := range places(at) {
			switch {
			case place < 0:
			case known[place] && list[place] != part[i]:
				b.fail(fmt.Errorf("%s: number %d is %v in one core and %v at %v", name, place, list[place], part[i], at))
			default:
				list[place], known[place] = part[i], true
			}
		}
	})
	return list
}

// Places of the numbers of a buffer.

func (b *bench) rows(at fabric.At) []int         { return b.width.of(at.Y) }
func (b *bench) queryColumns(at fabric.At) []int { return b.heads.queries(at.X) }
func (b *bench) queriesTotal() int               { return b.shape.HeadCount * b.shape.KeyLength }
func once(fabric.At) []int                       { return []int{0} }

func (b *bench) columnsOf(s split) func(fabric.At) []int {
	return func(at fabric.At) []int { return s.of(at.X) }
}

// ffnColumns is those of up, then of gate.
func (b *bench) ffnColumns(at fabric.At) []int {
	up := b.ffn.of(at.X)
	list := append([]int(nil), up...)
	for _, i := range up {
		if i >= 0 {
			i += b.shape.FeedForwardLength
		}
		list = append(list, i)
	}
	return list
}

// scorePlaces is [head][slot]: which positions the slots of a row are.
func (b *bench) scorePlaces(at fabric.At) []int {
	list := fill(b.shape.HeadCount*b.cache.depth, -1)
	for head := range b.shape.HeadCount {
		for slot := range b.cache.load(at.Y, b.positions) {
			list[head*b.cache.depth+slot] = head*b.positions + b.first(at.Y, b.positions) + slot
		}
	}
	return list
}

// probPlaces is the same for the heads that a column has numbers of.
func (b *bench) probPlaces(at fabric.At) []int {
	list, all := fill(b.localHeads()*b.cache.depth, -1), b.scorePlaces(at)
	local := 0
	b.eachHead(at.X, func(head, _ int, _ run) {
		copy(list[local*b.cache.depth:], all[head*b.cache.depth:][:b.cache.depth])
		local++
	})
	return list
}

// fillCache puts random keys and values of n positions into the cores, as rows
// share them.
func (b *bench) fillCache(n int) {
	size := b.shape.HeadCountKV * b.shape.KeyLength
	l := b.layers[0]
	random := func() []float32 {
		list := make([]float32, n*size)
		for i := range list {
			list[i] = round(float32(b.r.NormFloat64()))
		}
		return list
	}
	b.keys, b.values = random(), random()
	place := func(at fabric.At, slot, i int) int {
		if number := b.heads.keys(at.X)[i]; slot < b.cache.load(at.Y, n) && number >= 0 {
			return (b.first(at.Y, n)+slot)*size + number
		}
		return -1
	}
	b.writeThese("keys", l.keys, b.keys, func(at fabric.At) []int {
		var list []int
		for i := range b.heads.size() {
			for slot := range b.cache.depth {
				list = append(list, place(at, slot, i))
			}
		}
		return list
	})
	b.writeThese("values", l.values, b.values, func(at fabric.At) []int {
		var list []int
		for slot := range b.cache.depth {
			for i := range b.heads.size() {
				list = append(list, place(at, slot, i))
			}
		}
		return list
	})
}

// first is the first position of a row when n are held, as fillCache has them.
func (b *bench) first(row, n int) int {
	sum := 0
	for y := range row {
		sum += b.cache.load(y, n)
	}
	return sum
}

// reference has the same cache.
func (b *bench) reference() plain {
	size := b.shape.KVWidth()
	for at := 0; at < len(b.keys); at += size {
		b.plain.put(0, b.keys[at:at+size], b.values[at:at+size])
	}
	return b.plain
}

func (b *bench) layerReference() []float32 {
	x, r := slices.Clone(b.in), b.reference()
	r.Layer(r.state, 0, x)
	return x
}

func (b *bench) attentionReference() []float32 {
	r := b.reference()
	return r.Attend(r.state, 0, b.in)
}

func (b *bench) softmaxReference() []float32 {
	var list []float32
	for head := range b.shape.HeadCount {
		list = append(list, b.plain.Softmax(widen(b.in[head*b.positions:][:b.positions]))...)
	}
	return list
}

func widen(list []float32) []float64 {
	wide := make([]float64, len(list))
	for i, v := range list {
		wide[i] = float64(v)
	}
	return wide
}
