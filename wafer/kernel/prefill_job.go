package kernel

import (
	"slices"

	"waferpair/wafer/fabric"
)

// Job returns a whole prompt as a job. Output: the logits of the last token; all cores
// of a row hold the same.
func (f *Prefill) Job(prompt []int, embedding []float32) (Job, error) {
	if err := f.prepare(prompt, embedding); err != nil {
		return Job{}, err
	}
	logits := tiling{rows: split{1, 1}, cols: f.vocab, block: func(at fabric.At) (int, int) { return 0, at.Y }}
	return Job{f.plan, nil, logits.in("logits", f.last.logits, everywhere), f.Cycles()}, nil
}

// LayerJob returns the first layer on all tokens of a prompt. Input and output: x,
// [token][number].
func (f *Prefill) LayerJob() (Job, error) {
	if err := f.writeTurns(); err != nil {
		return Job{}, err
	}
	f.plan.Begin()
	if err := f.layer(&f.layers[0]); err != nil {
		return Job{}, err
	}
	x := f.stream().in("x", f.residual, everywhere)
	return Job{f.plan, []Place{x}, x, Total(f.LayerCosts())}, nil
}

// AttentionJob returns the attention of all tokens of a prompt. Inputs: queries, keys and
// values, each [token][number], where their products would leave them. Output: the same
// size as the queries.
func (f *Prefill) AttentionJob() (Job, error) {
	l, w := &f.layers[0], &f.attention
	f.plan.Begin()
	parts := attentionParts()
	if err := f.run(parts, l); err != nil {
		return Job{}, err
	}
	queries := f.shape.HeadCount * f.shape.KeyLength
	query := Place{"query", w.query, f.tokens.total * queries, f.queryPlaces}
	keys, values := f.cachePlaces(l)
	return Job{f.plan, []Place{query, keys, values}, Place{"out", w.out.pair[0], query.Len, f.queryPlaces},
		Total(f.costs(parts))}, nil
}

// attentionParts returns the parts of a layer between the queries and what they attend to.
func attentionParts() []prefillPart {
	return slices.DeleteFunc(slices.Clone(prefillParts), func(p prefillPart) bool {
		return !slices.Contains([]string{"scores", "softmax", "values"}, p.name)
	})
}

// queryPlaces returns, for [number][token] of a core, the index among all queries.
func (f *Prefill) queryPlaces(at fabric.At) []int {
	return f.byTokens(at, f.heads.queries(at.X), f.shape.HeadCount*f.shape.KeyLength)
}

// byTokens returns, for [number][token] of a core, the index among [token][number], with
// width numbers for each token.
func (f *Prefill) byTokens(at fabric.At, numbers []int, width int) []int {
	n := f.tokens.part()
	list := fill(n*len(numbers), -1)
	for i, number := range numbers {
		for token := 0; token < f.tokens.valid(at.Y) && number >= 0; token++ {
			list[i*n+token] = (at.Y*n+token)*width + number
		}
	}
	return list
}

// cachePlaces returns the places of a layer's keys and values; see prefillLayer.
func (f *Prefill) cachePlaces(l *prefillLayer) (keys, values Place) {
	n, width := f.tokens.part(), f.shape.KVWidth()
	keys = Place{"keys", l.keys, f.tokens.total * width, func(at fabric.At) []int {
		return f.byTokens(at, f.heads.keys(at.X), width)
	}}
	values = Place{"values", l.values, f.tokens.total * width, func(at fabric.At) []int {
		list, numbers := fill(n*f.heads.size(), -1), f.heads.keys(at.X)
		for _, r := range f.heads.runs(at.X) {
			for i := r.from; i < r.to; i++ {
				for token := range f.tokens.valid(at.Y) {
					list[n*r.from+token*(r.to-r.from)+i-r.from] = (at.Y*n+token)*width + numbers[i]
				}
			}
		}
		return list
	}}
	return keys, values
}

// Cache returns the keys and values of a layer after a prompt, [token][number].
func (f *Prefill) Cache(layer int) (keys, values []float32) {
	k, v := f.cachePlaces(&f.layers[layer])
	return f.plan.gather(k), f.plan.gather(v)
}
