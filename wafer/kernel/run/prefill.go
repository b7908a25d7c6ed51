package run

import (
	"math/rand/v2"
	"slices"

	"waferpair/wafer/kernel"
	"waferpair/wafer/transformer"
)

// prefills are a prefill and parts of it, each run by itself on random numbers and
// compared with the plain reference, which takes one token after the other. Of the
// options, M is the number of tokens, N the model's width and K its feed-forward width.
// Their defaults are small, since a prefill does the work of M decode steps at once.
var prefills = []Spec{
	named("prefill-attention", "scores, softmax and weighted values of all tokens of a prompt", prefillAttention),
	named("prefill-layer", "a layer on all tokens of a prompt: norms, attention, feed-forward", prefillLayer),
	named("prefill", "a prompt through a model of 2 layers in one go, the logits of its last token, the greatest",
		prefill),
}

// prompted is a prefill with random weights, and its plain reference.
type prompted struct {
	*kernel.Prefill
	plain   plain
	shape   transformer.Config
	weights transformer.Weights
	r       *rand.Rand
}

// newPrompted completes the options for a prefill and makes one.
func newPrompted(o *Options, layers int) (prompted, error) {
	for _, d := range []struct {
		n   *int
		def int
	}{{&o.M, 2*o.Width - 1}, {&o.N, 4 * o.Width}, {&o.K, 6 * o.Width}} {
		if *d.n == 0 {
			*d.n = d.def
		}
	}
	if err := o.settleModel(); err != nil {
		return prompted{}, err
	}
	shape := o.shape(layers)
	f, err := kernel.NewPrefill(o.Machine, o.Width, shape, o.M, o.Sums)
	if err != nil {
		return prompted{}, err
	}
	w := transformer.Random(shape, o.Seed)
	ref, err := newPlain(shape, w)
	if err != nil {
		return prompted{}, err
	}
	return prompted{f, ref, shape, w, rand.New(rand.NewPCG(o.Seed, 5))}, f.Load(w)
}

// draw returns n random numbers, different ones for each input.
func (p prompted) draw(_, n int) []float32 { return normal(p.r, n) }

func prefill(o *Options) (bench, error) {
	p, err := newPrompted(o, 2)
	if err != nil {
		return bench{}, err
	}
	prompt := make([]int, o.M)
	for i := range prompt {
		prompt[i] = p.r.IntN(p.shape.VocabSize)
	}
	job, err := p.Job(prompt, p.weights["token_embd.weight"].Data)
	return bench{Job: job, want: func([][]float32) (logits []float32) {
		for _, token := range prompt {
			logits = p.plain.step(token)
		}
		return logits
	}}, err
}

func prefillLayer(o *Options) (bench, error) {
	p, err := newPrompted(o, 1)
	if err != nil {
		return bench{}, err
	}
	job, err := p.LayerJob()
	return bench{Job: job, draw: p.draw, want: func(in [][]float32) (want []float32) {
		for at := 0; at < len(in[0]); at += o.N {
			row := slices.Clone(in[0][at : at+o.N])
			p.plain.Layer(p.plain.state, 0, row)
			want = append(want, row...)
		}
		return want
	}}, err
}

func prefillAttention(o *Options) (bench, error) {
	p, err := newPrompted(o, 1)
	if err != nil {
		return bench{}, err
	}
	job, err := p.AttentionJob()
	return bench{Job: job, draw: p.draw, want: func(in [][]float32) (want []float32) {
		queries, size := p.shape.HeadCount*p.shape.KeyLength, p.shape.KVWidth()
		for i := range o.M {
			p.plain.put(in[1][i*size:][:size], in[2][i*size:][:size], size)
			want = append(want, p.plain.Attend(p.plain.state, 0, in[0][i*queries:][:queries])...)
		}
		return want
	}}, err
}
