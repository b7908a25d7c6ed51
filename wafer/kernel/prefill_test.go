package kernel

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"waferpair/wafer/fabric"
	"waferpair/wafer/half"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// Every number that a layer stores is what the reference makes of the numbers
// that were stored before it, within a unit in the last place.
func TestPrefillStores(t *testing.T) {
	for _, c := range []struct{ mesh, tokens, width, ffn int }{{1, 5, 8, 11}, {4, 13, 32, 40}, {5, 11, 36, 23},
		{6, 17, 24, 40}} {
		shape := transformer.Defaults("llama")
		shape.BlockCount, shape.EmbeddingLength, shape.FeedForwardLength, shape.VocabSize = 1, c.width, c.ffn, 16*c.mesh
		shape.HeadCount, shape.HeadCountKV, shape.KeyLength = 4, 2, max(2, c.width/4&^1)
		f, err := NewPrefill(machine.Test(c.mesh, c.mesh), c.mesh, shape, c.tokens, tile.F32)
		if err != nil {
			t.Fatal(err)
		}
		w := transformer.Random(shape, 0)
		if err := f.Load(w); err != nil {
			t.Fatal(err)
		}
		plain, err := transformer.New(shape, w, transformer.Float16)
		if err != nil {
			t.Fatal(err)
		}
		s := &stores{t, f, plain, rand.New(rand.NewPCG(0, 5))}
		for range 2 { // weights are in place again afterwards
			s.layer(&f.layers[0], w.Block(0))
		}
	}
}

// stores runs the parts of a layer one after the other.
type stores struct {
	*testing.T
	*Prefill
	plain *transformer.Model
	r     *rand.Rand
}

func (s *stores) layer(l *prefillLayer, w transformer.Block) {
	x := make([]float32, s.tokens.total*s.width.total)
	for i := range x {
		x[i] = round(float32(s.r.NormFloat64()))
	}
	if err := s.plan.put(s.residual, s.stream(), x); err != nil {
		s.Fatal(err)
	}
	if err := s.writeTurns(); err != nil {
		s.Fatal(err)
	}
	s.run(func() { s.rmsNorm(s.attention.normed, l.attentionNorm) })
	normed := s.plan.gather(s.stream().in("", s.attention.normed.pair[0], everywhere))
	s.same("norm", normed, s.each(x, func(x []float32) []float32 { return s.plain.Norm(x, w.AttnNorm) }))
	out := s.attend(l, w, normed)
	s.run(func() { s.into(s.attention.out, l.o, s.attention.spareO, s.attention.sums) })
	x = s.added("output", x, out, w.Output)
	s.run(func() { s.rmsNorm(s.forward.normed, l.ffnNorm) })
	normed = s.plan.gather(s.stream().in("", s.forward.normed.pair[0], everywhere))
	s.same("second norm", normed, s.each(x, func(x []float32) []float32 { return s.plain.Norm(x, w.FFNNorm) }))
	s.run(func() { s.ffnIn(l); s.swiglu() })
	ffn := s.plan.gather(natural(s.tokens, s.ffn).in("", s.forward.gated.pair[0], everywhere))
	s.same("swiglu", ffn, s.each(normed, func(x []float32) []float32 {
		return s.plain.SwiGLU(transformer.Product(w.FFNGate, x), transformer.Product(w.FFNUp, x))
	}))
	s.run(func() { s.into(s.forward.gated, l.down, s.forward.spareDown, s.forward.sums) })
	s.added("down", x, ffn, w.FFNDown)
}

// attend returns the attention that the cores computed from the normed numbers.
func (s *stores) attend(l *prefillLayer, w transformer.Block, normed []float32) []float32 {
	s.run(func() { s.project(l) })
	query := s.queriesIn(s.attention.query)
	keys, values := s.Cache(0)
	for _, c := range []struct {
		name   string
		got    []float32
		matrix transformer.Tensor
	}{{"query", query, w.Q}, {"keys", keys, w.K}, {"values", values, w.V}} {
		s.same(c.name, c.got, s.each(normed, func(x []float32) []float32 { return s.plain.Project(c.matrix, nil, x) }))
	}
	s.run(func() { s.rotate(l) })
	turned, _ := s.Cache(0)
	s.same("rotated query", s.queriesIn(s.attention.query), s.rotated(query))
	s.same("rotated keys", turned, s.rotated(keys))
	query = s.queriesIn(s.attention.query)
	s.run(func() { s.score(l); s.mask(); s.softmax() })
	shares := s.shares()
	s.same("shares", shares, s.wantShares(query, turned))
	s.run(func() { s.weigh(l) })
	s.same("attention", s.queriesIn(s.attention.out.pair[0]), s.weighed(shares, values))
	return s.queriesIn(s.attention.out.pair[0])
}

// queriesIn gathers the numbers of all heads of all tokens.
func (s *stores) queriesIn(b tile.Buffer) []float32 {
	return s.plan.gather(Place{"query", b, s.tokens.total * s.shape.HeadCount * s.shape.KeyLength, s.queryPlaces})
}

// shares gathers [token][head][position].
func (s *stores) shares() []float32 {
	n, heads, tokens := s.tokens.part(), s.shape.HeadCount, s.tokens.total
	list := make([]float32, tokens*heads*tokens)
	s.plan.cores(func(at fabric.At) {
		part := s.plan.Grid.Read(at, s.attention.probs.pair[0])
		for i, v := range part {
			head, position, token := i/(n*n), s.meet(at)*n+i/n%n, at.Y*n+i%n
			if position < tokens && token < tokens {
				list[(token*heads+head)*tokens+position] = v
			}
		}
	})
	return list
}

func (s *stores) run(emit func()) {
	s.Helper()
	s.plan.Begin()
	emit()
	if err := s.plan.Load(); err != nil {
		s.Fatal(err)
	}
	if _, err := s.plan.Grid.Run(context.Background(), tile.Options{}); err != nil {
		s.Fatal(err)
	}
}

func (s *stores) same(name string, got, want []float32) {
	s.Helper()
	if off := half.Ulps(got, want); off > 1 {
		s.Errorf("%s, %d x %d cores, %d tokens, %d wide, %d feed-forward: %v ulp off", name, s.plan.Grid.Width,
			s.plan.Grid.Height, s.tokens.total, s.width.total, s.ffn.total, off)
	}
}

// each does it for the numbers of every token.
func (s *stores) each(list []float32, do func([]float32) []float32) (out []float32) {
	n := len(list) / s.tokens.total
	for i := range s.tokens.total {
		out = append(out, do(slices.Clone(list[i*n:i*n+n]))...)
	}
	return out
}

// rotated turns the numbers of every token by its position.
func (s *stores) rotated(list []float32) []float32 {
	position := -1
	return s.each(list, func(x []float32) []float32 {
		position++
		s.plain.Rotate(x, position)
		return x
	})
}

// added compares the residual stream after a product with the reference, and returns it.
func (s *stores) added(name string, x, a []float32, matrix transformer.Tensor) []float32 {
	i, n := -1, s.width.total
	want := s.each(a, func(a []float32) []float32 {
		i++
		row := slices.Clone(x[i*n : i*n+n])
		s.plain.Add(row, transformer.Product(matrix, a))
		return row
	})
	got := s.plan.gather(s.stream().in("", s.residual, everywhere))
	s.same(name, got, want)
	return got
}

// wantShares returns the shares that the reference computes, zero for later positions.
func (s *stores) wantShares(query, keys []float32) []float32 {
	state := s.plain.NewState()
	size, width := s.shape.KVWidth(), s.shape.KeyLength
	var list []float32
	for i := range s.tokens.total {
		state.Keys[0] = append(state.Keys[0], keys[i*size:][:size])
		for head := range s.shape.HeadCount {
			at := (i*s.shape.HeadCount + head) * width
			row := make([]float32, s.tokens.total)
			copy(row, s.plain.Softmax(s.plain.Scores(state, 0, head/s.shape.Group(), query[at:at+width])))
			list = append(list, row...)
		}
	}
	return list
}

// weighed returns the values, each times its share, of every token and head.
func (s *stores) weighed(shares, values []float32) (list []float32) {
	n, size, width := s.tokens.total, s.shape.HeadCountKV*s.shape.KeyLength, s.shape.KeyLength
	for row := 0; row < len(shares); row += n {
		from := row / n % s.shape.HeadCount / s.shape.Group() * width
		for i := range width {
			sum := 0.0
			for p, share := range shares[row : row+n] {
				sum += float64(share) * float64(values[p*size+from+i])
			}
			list = append(list, round(float32(sum)))
		}
	}
	return list
}
