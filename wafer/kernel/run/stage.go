package run

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"waferpair/wafer/kernel"
	"waferpair/wafer/transformer"
)

// Each part of a decode layer runs by itself on a decoder of one layer, with random
// numbers where the part before it would have left its result. The plain reference
// computes the same from the same numbers.

// stages are these parts. Of the options, N is the model's width, K its feed-forward
// width, and M the positions.
var stages = []Spec{
	stage("rmsnorm", "root mean square norm of a vector over the rows", (*kernel.Decoder).NormJob,
		func(r layer, in [][]float32) []float32 { return r.Norm(in[0], r.weights.AttnNorm) }),
	stage("rotary", "rotary embedding of a query and a key", (*kernel.Decoder).RotaryJob,
		func(r layer, in [][]float32) []float32 {
			list := slices.Clone(in[0])
			r.Rotate(list, r.positions-1)
			return list
		}),
	stage("softmax", "softmax of the scores of all heads over the positions of all rows", (*kernel.Decoder).SoftmaxJob,
		func(r layer, in [][]float32) (list []float32) {
			for at := 0; at < len(in[0]); at += r.positions {
				list = append(list, r.Softmax(widen(in[0][at:at+r.positions]))...)
			}
			return list
		}),
	stage("attention", "scores, softmax and weighted values of one query, over a cache spread over rows",
		(*kernel.Decoder).AttentionJob, func(r layer, in [][]float32) []float32 {
			r.put(in[0], in[1], r.shape.KVWidth())
			return r.Attend(r.state, 0, in[2])
		}),
	stage("swiglu", "up times the SiLU of gate", (*kernel.Decoder).SwiGLUJob,
		func(r layer, in [][]float32) []float32 {
			up, gate := in[0][:r.shape.FeedForwardLength], in[0][r.shape.FeedForwardLength:]
			return r.SwiGLU(gate, up)
		}),
	stage("sample", "norm, logits and the greatest of them", (*kernel.Decoder).SampleJob,
		func(r layer, in [][]float32) []float32 {
			return []float32{float32(transformer.Argmax(r.Logits(in[0])))}
		}),
	stage("decode-layer", "a whole decode layer: norms, attention with its cache, feed-forward",
		(*kernel.Decoder).LayerJob, func(r layer, in [][]float32) []float32 {
			r.put(in[0], in[1], r.shape.KVWidth())
			x := slices.Clone(in[2])
			r.Layer(r.state, 0, x)
			return x
		}),
}

// steps is a decode step with all of them.
var steps = []Spec{
	named("decode-step", "a token from a model of 4 layers: embedding, layers, logits, the greatest", step),
}

// layer is the plain reference of a decoder's layer.
type layer struct {
	plain
	shape     transformer.Config
	weights   transformer.Block
	positions int // that are in the cache, with the one that the stage works on
}

// named returns a spec whose errors say its name.
func named(name, help string, lay func(*Options) (bench, error)) Spec {
	return spec(name, help, func(o *Options) (bench, error) {
		b, err := lay(o)
		if err != nil {
			return b, fmt.Errorf("%s: %w", name, err)
		}
		return b, nil
	})
}

func stage(name, help string, job func(*kernel.Decoder, int) (kernel.Job, error),
	want func(layer, [][]float32) []float32) Spec {
	return named(name, help, func(o *Options) (bench, error) {
		d, r, err := decoder(o, 1, 16)
		if err != nil {
			return bench{}, err
		}
		j, err := job(d, o.M)
		random := rand.New(rand.NewPCG(o.Seed, 3))
		return bench{Job: j, draw: func(_, n int) []float32 { return normal(random, n) },
			want: func(in [][]float32) []float32 { return want(r, in) }}, err
	})
}

// decoder completes the options and returns a decoder of a model with random weights,
// whose vocabulary has a number of tokens for each column, with its plain reference.
func decoder(o *Options, layers, tokens int) (*kernel.Decoder, layer, error) {
	if err := o.settleModel(); err != nil {
		return nil, layer{}, err
	}
	shape := o.shape(layers)
	shape.VocabSize = tokens * o.Width
	d, err := kernel.NewDecoder(o.Machine, o.Width, shape, o.M, o.Sums)
	if err != nil {
		return nil, layer{}, err
	}
	w := transformer.Random(shape, o.Seed)
	if err := d.Load(w); err != nil {
		return nil, layer{}, err
	}
	ref, err := newPlain(shape, w)
	return d, layer{ref, shape, w.Block(0), o.M}, err
}

// step returns the bench of the first token of a small model.
func step(o *Options) (bench, error) {
	const first = 1
	d, r, err := decoder(o, 4, 128)
	if err != nil {
		return bench{}, err
	}
	job, err := d.StepJob(first)
	return bench{Job: job, want: func([][]float32) []float32 { return r.step(first) }}, err
}

func widen(list []float32) []float64 {
	wide := make([]float64, len(list))
	for i, v := range list {
		wide[i] = float64(v)
	}
	return wide
}
