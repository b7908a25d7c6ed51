package kernel

import (
	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// Each part of a decode step can be run as a job by itself. Its inputs lie where the
// part before it would have left its result. Parts of a layer use the decoder's first
// layer. positions counts those in the cache, including the one that the part works on.

// NormJob returns the norm before attention. Input: x. Output: x, normed.
func (d *Decoder) NormJob(positions int) (Job, error) {
	return d.job("rmsnorm", positions, func() error { d.rmsNorm(d.layers[0].attentionNorm); return nil },
		[]Place{d.stream()}, d.spread("norm", d.work.normed, d.width, d.widthRows), func() float64 {
			return d.normCost().Cycles()
		})
}

// RotaryJob returns the rotary embedding. Input and output: the queries of all heads.
func (d *Decoder) RotaryJob(positions int) (Job, error) {
	return d.job("rotary", positions, func() error { return d.rotate(nil) }, []Place{d.queryPlace("q, k", d.work.qkv)},
		d.queryPlace("query", d.work.qkv), func() float64 { return d.rotateCost().Cycles() })
}

// SoftmaxJob returns the softmax of scores. Input and output: [head][position].
func (d *Decoder) SoftmaxJob(positions int) (Job, error) {
	n := d.shape.HeadCount * positions
	return d.job("softmax", positions, func() error { return d.softmax(nil) },
		[]Place{{"scores", d.work.scores, n, func(at fabric.At) []int { return d.scorePlaces(at, positions) }}},
		Place{"shares", d.work.probs, n, func(at fabric.At) []int { return d.probPlaces(at, positions) }},
		func() float64 { return d.softmaxCost().Cycles() })
}

// AttentionJob returns the attention of one token. Inputs: keys and values, each
// [position][number], and the queries of all heads. Output: the same size as the queries.
func (d *Decoder) AttentionJob(positions int) (Job, error) {
	keys, values := d.cachePlaces(positions)
	parts := partsNamed("scores", "softmax", "values")
	return d.job("attention", positions, func() error { return d.run(parts, &d.layers[0]) },
		[]Place{keys, values, d.queryPlace("query", d.work.qkv)}, d.queryPlace("out", d.work.out),
		func() float64 { return Sum("", d.attendCost(), d.softmaxCost(), d.weighCost()).Cycles() })
}

// SwiGLUJob returns up times the SiLU of gate. Input: up, then gate. Output: gated.
func (d *Decoder) SwiGLUJob(positions int) (Job, error) {
	return d.job("swiglu", positions, func() error { return d.swiglu(nil) },
		[]Place{{"up, gate", d.work.ffnSums, 2 * d.shape.FeedForwardLength, d.ffnColumns}},
		d.spread("gated", d.work.gated, d.ffn, d.columns(d.ffn)), func() float64 { return d.swigluCost().Cycles() })
}

// SampleJob returns the parts after the layers. Input: x. Output: the id of the largest
// logit.
func (d *Decoder) SampleJob(positions int) (Job, error) {
	token := Place{"token", d.work.token.Slice(1, 1), 1, once}
	return d.job("sample", positions, func() error { return d.run(lastParts, nil) }, []Place{d.stream()}, token,
		func() float64 { return Total(d.LastCosts()) })
}

// LayerJob returns a whole layer. Inputs: keys and values of the positions before, and
// x. Output: x.
func (d *Decoder) LayerJob(positions int) (Job, error) {
	keys, values := d.cachePlaces(positions - 1)
	return d.job("decode-layer", positions, func() error { return d.layer(0) }, []Place{keys, values, d.stream()},
		d.stream(), func() float64 { return Total(d.LayerCosts(nil)) })
}

// job returns a part as a job, with its work booked on its name.
func (d *Decoder) job(name string, positions int, emit func() error, in []Place, out Place,
	cycles func() float64) (Job, error) {
	d.cache.fill(positions - 1)
	if err := d.write(0); err != nil { // the turns of all pairs at the present position
		return Job{}, err
	}
	d.plan.Begin()
	if err := d.plan.Kernel(name); err != nil {
		return Job{}, err
	}
	if err := emit(); err != nil {
		return Job{}, err
	}
	return Job{d.plan, in, out, cycles()}, nil
}

// StepJob returns the next step, after the given token. Output: the logits.
func (d *Decoder) StepJob(token int) (Job, error) {
	if err := d.prepare(token); err != nil {
		return Job{}, err
	}
	return Job{d.plan, nil, d.logits(), d.StepCycles()}, nil
}

func (d *Decoder) logits() Place {
	return d.spread("logits", d.work.logits, d.vocab, d.columns(d.vocab))
}

// spread returns the place of numbers that are split over rows or columns.
func (d *Decoder) spread(name string, b tile.Buffer, s split, of func(fabric.At) []int) Place {
	return Place{name, b, s.total, of}
}

// stream returns the place of the residual stream.
func (d *Decoder) stream() Place { return d.spread("x", d.work.x, d.width, d.widthRows) }

func (d *Decoder) widthRows(at fabric.At) []int { return d.width.of(at.Y) }

func (d *Decoder) queryPlace(name string, b tile.Buffer) Place {
	return Place{name, b, d.shape.HeadCount * d.shape.KeyLength, func(at fabric.At) []int { return d.heads.queries(at.X) }}
}

func (d *Decoder) columns(s split) func(fabric.At) []int {
	return func(at fabric.At) []int { return s.of(at.X) }
}

// ffnColumns returns a core's indexes of up, then those of gate.
func (d *Decoder) ffnColumns(at fabric.At) []int {
	up := d.ffn.of(at.X)
	return append(up, moved(up, d.shape.FeedForwardLength)...)
}

// scorePlaces returns, for [head][slot] of a core, the index among [head][position].
func (d *Decoder) scorePlaces(at fabric.At, positions int) []int {
	depth := d.cache.depth
	list := fill(d.shape.HeadCount*depth, -1)
	for head := range d.shape.HeadCount {
		for slot := range d.cache.load(at.Y, positions) {
			list[head*depth+slot] = head*positions + d.rows.first(at.Y, positions) + slot
		}
	}
	return list
}

// probPlaces returns the same, for those heads only of which the column has numbers.
func (d *Decoder) probPlaces(at fabric.At, positions int) []int {
	depth := d.cache.depth
	list, all := fill(d.localHeads()*depth, -1), d.scorePlaces(at, positions)
	local := 0
	d.eachHead(at.X, func(head, _ int, _ run) {
		copy(list[local*depth:], all[head*depth:][:depth])
		local++
	})
	return list
}

// cachePlaces returns the places of the first layer's keys, by number and slot, and
// values, by slot and number, when rows share n positions.
func (d *Decoder) cachePlaces(n int) (keys, values Place) {
	width, depth, size := d.shape.KVWidth(), d.cache.depth, d.heads.size()
	places := func(at fabric.At, index func(slot, i int) int) []int {
		list := fill(size*depth, -1)
		for i, number := range d.heads.keys(at.X) {
			for slot := 0; slot < d.cache.load(at.Y, n) && number >= 0; slot++ {
				list[index(slot, i)] = (d.rows.first(at.Y, n)+slot)*width + number
			}
		}
		return list
	}
	keys = Place{"keys", d.layers[0].keys, n * width, func(at fabric.At) []int {
		return places(at, func(slot, i int) int { return i*depth + slot })
	}}
	values = Place{"values", d.layers[0].values, n * width, func(at fabric.At) []int {
		return places(at, func(slot, i int) int { return slot*size + i })
	}}
	return keys, values
}
