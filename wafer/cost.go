package wafer

import (
	"waferpair/wafer/kernel"
	"waferpair/wafer/machine"
	numbers "waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// Cost is the cost of a kernel on one region for one token, or for one chunk of a prompt.
// Package kernel has the formulas of the cycles; this package composes them.
type Cost = kernel.Cost

// mesh is a region of P x P cores, with the same number of groups in every allreduce:
// routes are static, so one division of the lines serves all allreduces of a region.
type mesh struct {
	*machine.Machine
	P, Groups int
	sums      numbers.Kind
}

// layout returns the layout of a decoder on the mesh that attends to context positions.
func (m mesh) layout(model *transformer.Config, context, silu int) kernel.Layout {
	return kernel.NewLayout(m.Machine, m.P, model, kernel.LayoutOptions{Positions: context, Held: context - 1,
		Sums: m.sums, Groups: m.Groups, Silu: silu})
}

func (m mesh) allreduce(n int) Cost {
	return kernel.AllreduceCost(m.Machine, kernel.TreeShape{Cores: m.P, Groups: m.Groups}, n, m.sums)
}

// prefillLayout returns the layout of a prompt's tokens, or of a chunk of them, with so many
// positions in each core; 0: those of the tokens. Published timings, which have sums in fp16,
// are of programs that multiply by each matrix of weights by itself.
func (m mesh) prefillLayout(model *transformer.Config, tokens, positions, silu int) kernel.PrefillLayout {
	return kernel.NewPrefillLayout(m.Machine, m.P, model, kernel.PrefillOptions{Tokens: tokens, Positions: positions,
		Sums: m.sums, Groups: m.Groups, Silu: silu, Apart: m.sums == numbers.F16})
}

// hand returns the cost of passing n elements per core to the next region, P hops away:
//
//	xfer = c_ar + hop*P + n/2 (+ software)
//
// The event level has one region, and no such kernel.
func (m mesh) hand(n int, software float64) Cost {
	w := float64(n) / 2
	p := float64(m.P)
	return Cost{Launch: m.Timing.Allreduce + software, Communication: m.Timing.Hop*p + w, Hops: p * p * w}
}

// divisorGroups returns the division in WaferLLM's configurations: the greatest divisor of
// P that is not above its square root.
func divisorGroups(p int) int {
	best := 1
	for g := 1; g*g <= p; g++ {
		if p%g == 0 {
			best = g
		}
	}
	return best
}
