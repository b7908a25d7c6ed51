package run

import (
	"context"
	"fmt"
	"math/rand/v2"

	"waferpair/wafer/clock"
	"waferpair/wafer/half"
	"waferpair/wafer/kernel"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// Model describes a decode step to run: the last token of a sequence.
type Model struct {
	Machine machine.Machine
	Mesh    int // cores along each side
	Config  transformer.Config
	Weights transformer.Weights // nil are random ones, and a random cache
	Context int                 // positions that the token attends to, with its own
	Tokens  []int               // of the sequence, repeated up to the context; nil are random ones
	Sums    tile.Kind
	Seed    uint64
	Run     tile.Options
	Say     func(progress string)
}

// Step is the result of a decode step.
type Step struct {
	Cycles    clock.Cycle
	Analytic  float64 // of the formulas that estimates are made of
	Kernels   []Cycles
	Token     int // of the greatest logit
	Plain     int // the same of the plain pass
	Apart     float64
	Total     tile.Total
	Colors    []string
	SRAMBytes int // of a core, with the reserve
}

// Cycles are those of one kernel of a step, over all layers: counted in the core that
// ended last, and by formula.
type Cycles struct {
	Kernel   string
	Cycles   clock.Cycle
	Analytic float64
}

// Step places the model on the mesh, fills its cache, and runs the step on the mesh and
// with the plain pass.
func (m Model) Step(ctx context.Context) (Step, error) {
	if m.Context < 1 {
		return Step{}, fmt.Errorf("a context of %d; a token attends to one position at least", m.Context)
	}
	d, err := kernel.NewDecoder(m.Machine, m.Mesh, m.Config, m.Context, m.Sums)
	if err != nil {
		return Step{}, err
	}
	random := m.Weights == nil
	if random {
		m.Weights = transformer.Random(m.Config, m.Seed)
	}
	plain, err := transformer.New(m.Config, m.Weights, transformer.Float16)
	if err != nil {
		return Step{}, err
	}
	if err := d.Load(m.Weights); err != nil {
		return Step{}, err
	}
	token := m.token(m.Context - 1)
	state := plain.NewState()
	if random {
		m.fill(state)
	} else if err := m.pass(ctx, plain, state); err != nil {
		return Step{}, err
	}
	if err := d.Fill(state.Keys, state.Values); err != nil {
		return Step{}, err
	}
	return m.step(ctx, d, plain, state, token)
}

func (m Model) step(ctx context.Context, d *kernel.Decoder, plain *transformer.Model,
	state *transformer.State, token int) (Step, error) {
	costs := d.StepCosts()
	got, err := d.Step(ctx, token, m.Run)
	if err != nil {
		return Step{}, err
	}
	want, err := plain.Step(state, token)
	if err != nil {
		return Step{}, err
	}
	s := Step{Cycles: got.Cycles, Analytic: kernel.Total(costs), Token: got.ID, Plain: transformer.Argmax(want),
		Apart: maxDifference(d.Logits(), want), Total: d.Total(), Colors: d.Colors(), SRAMBytes: d.SRAMBytes()}
	counted := d.Kernels()
	for _, c := range costs {
		s.Kernels = append(s.Kernels, Cycles{c.Kernel, counted[c.Kernel], c.Cycles()})
	}
	return s, nil
}

// token returns the token at a position of the sequence.
func (m Model) token(position int) int {
	if len(m.Tokens) > 0 {
		return m.Tokens[position%len(m.Tokens)]
	}
	return rand.New(rand.NewPCG(m.Seed, uint64(position))).IntN(m.Config.VocabSize)
}

// pass runs all tokens but the last through the plain pass.
func (m Model) pass(ctx context.Context, plain *transformer.Model, state *transformer.State) error {
	for i := range m.Context - 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if m.Say != nil && i%64 == 0 {
			m.Say(fmt.Sprintf("plain pass, position %d of %d", i, m.Context))
		}
		if _, err := plain.Step(state, m.token(i)); err != nil {
			return err
		}
	}
	return nil
}

// fill fills a cache with random numbers: no cycle depends on them.
func (m Model) fill(state *transformer.State) {
	r := rand.New(rand.NewPCG(m.Seed, 1<<32))
	list := func() []float32 {
		list := make([]float32, m.Config.KVWidth())
		for i := range list {
			list[i] = half.Round(float32(r.NormFloat64()))
		}
		return list
	}
	for i := range state.Keys {
		for range m.Context - 1 {
			state.Keys[i], state.Values[i] = append(state.Keys[i], list()), append(state.Values[i], list())
		}
	}
}
