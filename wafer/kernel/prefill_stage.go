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

// A prefill and parts of it, each run by itself on random numbers and compared
// with what the plain reference makes of the tokens one after the other. Of the
// options, M is the tokens, N the model's width and K its feed-forward width; by
// default they are small, for all of the work of P decode steps is done at once.

func init() {
	register("prefill-attention", "scores, softmax and weighted values of all tokens of a prompt", runPrefillAttention)
	register("prefill-layer", "a layer on all tokens of a prompt: norms, attention, feed-forward", runPrefillLayer)
	register("prefill", "a prompt through a model of 2 layers in one go, the logits of its last token, the greatest",
		runPrefill)
}

// prefillBench is a prefill with random weights.
type prefillBench struct {
	*Prefill
	weights transformer.Weights
	plain   plain
	r       *rand.Rand
}

// newPrefillBench settles the options for a prefill and makes one.
func newPrefillBench(o *Options, layers int) (*prefillBench, error) {
	for _, d := range []struct {
		n   *int
		def int
	}{{&o.M, 2*o.Width - 1}, {&o.N, 4 * o.Width}, {&o.K, 6 * o.Width}} {
		if *d.n == 0 {
			*d.n = d.def
		}
	}
	if err := o.settleModel(); err != nil {
		return nil, err
	}
	shape := o.shape(layers)
	f, err := NewPrefill(o.Machine, o.Width, shape, o.M, o.Sums)
	if err != nil {
		return nil, err
	}
	w := transformer.Random(shape, o.Seed)
	ref, err := newPlain(shape, w)
	if err != nil {
		return nil, err
	}
	return &prefillBench{f, w, ref, rand.New(rand.NewPCG(o.Seed, 5))}, f.Load(w)
}

// random is n numbers about 1 in size, exact in fp16.
func (b *prefillBench) random(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = round(float32(b.r.NormFloat64()))
	}
	return list
}

func runPrefill(ctx context.Context, o Options) (Outcome, error) {
	const name = "prefill"
	b, err := newPrefillBench(&o, 2)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	prompt := make([]int, o.M)
	for i := range prompt {
		prompt[i] = b.r.IntN(b.shape.VocabSize)
	}
	if err := b.prepare(prompt, b.weights["token_embd.weight"].Data); err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	var want []float32
	for _, token := range prompt {
		want = b.plain.step(token)
	}
	return b.plan.finish(ctx, o, name, b.PrefillCycles(), b.logits, want)
}

// logits are those of all rows; the cores of a row have the same.
func (f *Prefill) logits() []float32 {
	rows := tiling{rows: split{1, 1}, cols: f.vocab, block: func(at fabric.At) (int, int) { return 0, at.Y }}
	return f.plan.get(f.last.logits, rows, everywhere)
}

func runPrefillLayer(ctx context.Context, o Options) (Outcome, error) {
	const name = "prefill-layer"
	b, err := newPrefillBench(&o, 1)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	x := b.random(o.M * o.N)
	if err := b.Prefill.write(x); err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	if err := b.layer(&b.layers[0]); err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	var want []float32
	for at := 0; at < len(x); at += o.N {
		row := slices.Clone(x[at : at+o.N])
		b.plain.Layer(b.plain.state, 0, row)
		want = append(want, row...)
	}
	return b.plan.finish(ctx, o, name, b.LayerCycles(), func() []float32 {
		return b.plan.get(b.residual,
			b.stream(), everywhere)
	}, want)
}

func runPrefillAttention(ctx context.Context, o Options) (Outcome, error) {
	const name = "prefill-attention"
	b, err := newPrefillBench(&o, 1)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	queries, size := b.shape.HeadCount*b.shape.KeyLength, b.shape.HeadCountKV*b.shape.KeyLength
	query, keys, values := b.random(o.M*queries), b.random(o.M*size), b.random(o.M*size)
	if err := b.writeAttention(query, keys, values); err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	l := &b.layers[0]
	if err := b.plan.Kernel(name); err != nil {
		return Outcome{}, err
	}
	b.score(l)
	b.mask()
	b.softmax()
	b.weigh(l)
	var want []float32
	for i := range o.M {
		b.plain.put(0, keys[i*size:][:size], values[i*size:][:size])
		want = append(want, b.plain.Attend(b.plain.state, 0, query[i*queries:][:queries])...)
	}
	cycles := b.scoreCycles() + b.maskCycles() + b.softmaxCycles() + b.weighCycles()
	return b.plan.finish(ctx, o, name, cycles, b.attended, want)
}

// writeAttention puts queries, keys and values, by tokens, where their products
// would leave them.
func (b *prefillBench) writeAttention(query, keys, values []float32) error {
	n := b.tokens.part()
	rows := func(at fabric.At) []int { return b.tokens.of(at.Y) }
	if err := b.plan.writeTokens(b.attention.query, query, rows, func(at fabric.At) []int { return b.heads.queries(at.X) },
		b.shape.HeadCount*b.shape.KeyLength); err != nil {
		return err
	}
	own := func(at fabric.At) []int { return b.heads.keys(at.X) }
	size := b.shape.HeadCountKV * b.shape.KeyLength
	if err := b.plan.writeTokens(b.layers[0].keys, keys, rows, own, size); err != nil {
		return err
	}
	return b.plan.write(b.layers[0].values, func(at fabric.At) []float32 {
		part := make([]float32, n*b.heads.size())
		for _, r := range b.heads.runs(at.X) {
			for i := r.from; i < r.to; i++ {
				for token := range b.tokens.valid(at.Y) {
					part[n*r.from+token*(r.to-r.from)+i-r.from] = values[(at.Y*n+token)*size+own(at)[i]]
				}
			}
		}
		return part
	})
}

// writeTokens puts columns of a matrix [token][number] into each core, by columns.
func (p *Plan) writeTokens(b tile.Buffer, matrix []float32, rows, columns func(fabric.At) []int, width int) error {
	return p.write(b, func(at fabric.At) []float32 {
		var part []float32
		for _, c := range columns(at) {
			for _, r := range rows(at) {
				v := float32(0)
				if r >= 0 && c >= 0 {
					v = matrix[r*width+c]
				}
				part = append(part, v)
			}
		}
		return part
	})
}

// attended is the attention of all tokens and heads.
func (b *prefillBench) attended() []float32 { return b.queriesIn(b.attention.out.pair[0]) }

// queriesIn gathers the numbers of all heads of all tokens.
func (b *prefillBench) queriesIn(buf tile.Buffer) []float32 {
	n, width := b.tokens.part(), b.shape.HeadCount*b.shape.KeyLength
	list := make([]float32, b.tokens.total*width)
	b.plan.cores(func(at fabric.At) {
		part := b.plan.Grid.Read(at, buf)
		for i, number := range b.heads.queries(at.X) {
			for token := range b.tokens.valid(at.Y) {
				if number >= 0 {
					list[(at.Y*n+token)*width+number] = part[i*n+token]
				}
			}
		}
	})
	return list
}

// keysAndValues gathers those of a layer, of all tokens.
func (f *Prefill) keysAndValues(l *prefillLayer) (keys, values []float32) {
	n, width := f.tokens.part(), f.shape.HeadCountKV*f.shape.KeyLength
	keys, values = make([]float32, f.tokens.total*width), make([]float32, f.tokens.total*width)
	f.plan.cores(func(at fabric.At) {
		k, v, numbers := f.plan.Grid.Read(at, l.keys), f.plan.Grid.Read(at, l.values), f.heads.keys(at.X)
		for _, r := range f.heads.runs(at.X) {
			for i := r.from; i < r.to; i++ {
				for token := range f.tokens.valid(at.Y) {
					to := (at.Y*n+token)*width + numbers[i]
					keys[to], values[to] = k[i*n+token], v[n*r.from+token*(r.to-r.from)+i-r.from]
				}
			}
		}
	})
	return keys, values
}
