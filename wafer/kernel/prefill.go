package kernel

import (
	"context"
	"fmt"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// Prefill is a transformer on a square mesh that takes a whole prompt at once, placed as
// WaferLLM places it: activations are cut with the tokens over the
// rows and the width over the columns, weights along both axes.
//
//	x [tokens y, width x] -> norm, align -> Q | K | V            MeshGEMM
//	Q, K [tokens y, heads x] -> rotary -> scores = Q K^T         dist-GEMM-T
//	scores [queries y, positions x] -> mask, softmax along x
//	shares, V aligned -> shares V [tokens y, heads x]            MeshGEMM
//	align -> O -> + x -> norm, align -> up | gate -> SwiGLU -> align -> down -> + x
//
// A MeshGEMM leaves its result as its left operand was before the alignment, so
// nothing is ever transposed: there is one skew along the row before each
// product with weights, and one of V along the column. The scores need none:
// the core of a row where a tile of them is summed can be any, so they are
// summed where the next product wants them. See prefill_attention.go.
//
// The embeddings of the prompt come in from the edge of the wafer; they are
// there when it begins.
//
// Colors: 4 each for the rings along X and Y and the ring back along X, 4 for
// the line along X, and 5 for the tree over it (1 with one group): 21. SRAM of
// a core: the weights of all layers, keys and values, and what the largest of
// the phases needs; they use the same room one after the other.
type Prefill struct {
	PrefillLayout
	plan       *Plan
	x, y, back *Ring
	line       *Line
	row        *Tree
	freqs      []float32 // factors of pairs' frequencies, or nil

	prefillBuffers
}

// prefillLayer are the buffers that a layer keeps in SRAM.
type prefillLayer struct {
	attentionNorm, ffnNorm tile.Buffer
	qkv, o, upGate, down   tile.Buffer // tiles by rows, aligned
	keys, values           tile.Buffer // keys [number][token]; values by heads, see narrowValues
}

// NewPrefill places a model on a mesh x mesh grid for prompts of exactly tokens tokens.
// Sums are fp16 or fp32.
func NewPrefill(m machine.Machine, mesh int, shape transformer.Config, tokens int, sums tile.Kind) (*Prefill, error) {
	if err := Prefillable(shape); err != nil {
		return nil, err
	}
	if mesh < 1 || tokens < 1 {
		return nil, fmt.Errorf("a prefill on a mesh of %d x %d for %d tokens", mesh, mesh, tokens)
	}
	p, err := NewPlan(m, mesh, mesh, sums)
	if err != nil {
		return nil, err
	}
	f := &Prefill{plan: p, PrefillLayout: NewPrefillLayout(&p.Grid.Machine, mesh, &shape,
		PrefillOptions{Tokens: tokens, Sums: sums})}
	if err := f.configureNetworks(); err != nil {
		return nil, err
	}
	a := allocator{mem: p.Mem}
	if f.prefillBuffers = f.take(&a); a.err != nil {
		return nil, fmt.Errorf("a prefill of %d tokens and %d layers on %d x %d cores: %w", tokens,
			shape.BlockCount, mesh, mesh, a.err)
	}
	return f, nil
}

// configureNetworks routes the networks that all products share.
func (f *Prefill) configureNetworks() (err error) {
	if f.x, err = f.plan.NewRing(X); err != nil {
		return err
	}
	if f.back, err = f.plan.NewRingBack(X); err != nil {
		return err
	}
	if f.y, err = f.plan.NewRing(Y); err != nil {
		return err
	}
	if f.line, err = f.plan.NewLine(X, false); err != nil {
		return err
	}
	f.row, err = f.plan.NewTreeOver(f.line, f.tree.Groups, f.tokens.part())
	return err
}

// meet returns the part of a width, or of the positions, that a core holds once they are
// aligned.
func (f *Prefill) meet(at fabric.At) int { return f.x.ahead(at.X, f.y.label[at.Y]) }

// Run runs a prompt and returns the token that follows it.
func (f *Prefill) Run(ctx context.Context, prompt []int, embedding []float32, o tile.Options) (Token, error) {
	if err := f.prepare(prompt, embedding); err != nil {
		return Token{}, err
	}
	if err := f.plan.Load(); err != nil {
		return Token{}, err
	}
	cycles, err := f.plan.Grid.Run(ctx, o)
	if err != nil {
		return Token{}, err
	}
	best := f.plan.Grid.Read(fabric.At{}, f.last.best)
	return Token{ID: int(best[1]), Logit: best[0], Cycles: cycles}, nil
}

// prepare writes the prompt into the cores and emits the program.
func (f *Prefill) prepare(prompt []int, embedding []float32) error {
	if len(prompt) != f.tokens.total {
		return fmt.Errorf("a prompt of %d tokens: the prefill was placed for %d", len(prompt), f.tokens.total)
	}
	var x []float32
	for i, token := range prompt {
		if token < 0 || token >= f.shape.VocabSize {
			return fmt.Errorf("token %d of the prompt is %d of a vocabulary of %d", i, token, f.shape.VocabSize)
		}
		x = append(x, embedding[token*f.shape.EmbeddingLength:][:f.shape.EmbeddingLength]...)
	}
	if err := f.plan.put(f.residual, f.stream(), x); err != nil {
		return err
	}
	if err := f.writeTurns(); err != nil {
		return err
	}
	f.plan.Begin()
	for i := range f.layers {
		if err := f.layer(&f.layers[i]); err != nil {
			return err
		}
	}
	return f.run(prefillLast, nil)
}

// layer emits the program of a layer.
func (f *Prefill) layer(l *prefillLayer) error { return f.run(prefillParts, l) }

// run emits parts, each booked on its name.
func (f *Prefill) run(parts []prefillPart, l *prefillLayer) error {
	for _, p := range parts {
		if p.emit == nil {
			continue
		}
		if err := f.plan.Kernel(p.name); err != nil {
			return err
		}
		p.emit(f, l)
	}
	return nil
}
