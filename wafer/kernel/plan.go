// Package kernel has the programs that run on a mesh: collectives, matrix products,
// the kernels of a transformer, and their composition into a decode layer, a decode
// step and a prefill.
//
// Each kernel is a file: what it does and how, its routes and program, its
// formula in cycles, its colors and SRAM. A kernel by itself is a Job, which
// package run carries out and compares with plain code.
//
//	kernel -> tile (cores, SRAM) -> fabric (routers) -> clock
//
// A decode step is composed once: layerParts, firstParts and lastParts list its
// kernels, each with its program, which a Decoder runs, and its cost, which a Layout
// of any size returns. So is a prefill: prefillParts and prefillLast, Prefill and
// PrefillLayout. Estimates are sums of these costs.
//
// A kernel is emitted into a Plan, the program under construction for all cores of a
// mesh. A network (Tree, Ring) takes its colors and routes once; its operations may then
// be emitted any number of times.
package kernel

import (
	"fmt"
	"strings"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// Plan is the program under construction for a grid. Every core runs its instructions
// one after the other. All cores share one layout of SRAM.
type Plan struct {
	Grid    *tile.Grid
	Mem     *tile.Layout
	colors  []string         // what each color is used for
	bodies  [][][]tile.Instr // of each core, in parts
	common  []tile.Instr     // what all cores do next; not yet in bodies
	launch  int32            // software of an allreduce, in cycles
	precise bool
}

// NewPlan begins a program for a mesh of a machine's cores, with the timing that
// emulated cores and routers have.
func NewPlan(m machine.Machine, width, height int, accumulate tile.Kind) (*Plan, error) {
	m = m.Emulated()
	g, err := tile.New(m, width, height)
	if err != nil {
		return nil, err
	}
	return &Plan{Grid: g, Mem: tile.NewLayout(m), bodies: make([][][]tile.Instr, width*height),
		launch: int32(m.Timing.Allreduce), precise: accumulate == tile.F32}, nil
}

// Sums returns the kind of sums until they are stored: fp16 or fp32.
func (p *Plan) Sums() tile.Kind {
	if p.precise {
		return tile.F32
	}
	return tile.F16
}

// Color takes a color that is not in use; use is its purpose, for errors and reports.
func (p *Plan) Color(use string) (fabric.Color, error) {
	if n := p.Grid.Machine.Colors; len(p.colors) >= n {
		return 0, fmt.Errorf("color for %s: %d colors of %d, in use for %s", use, len(p.colors)+1, n,
			strings.Join(p.colors, ", "))
	}
	p.colors = append(p.colors, use)
	return fabric.Color(len(p.colors) - 1), nil
}

// Colors returns the use of each color that is taken.
func (p *Plan) Colors() []string { return p.colors }

// Begin clears the programs, also those that are loaded: their memory is used again.
// Networks, buffers and the contents of SRAM stay.
func (p *Plan) Begin() {
	p.common = nil
	for i := range p.bodies {
		p.bodies[i] = p.bodies[i][:0]
	}
}

// Kernel books the work of what is emitted from now on under a kernel's name.
func (p *Plan) Kernel(name string) error {
	k, err := p.Grid.Kernel(name)
	if err != nil {
		return err
	}
	p.All(tile.Instr{Op: tile.Mark, Task: k})
	return nil
}

// Emit adds instructions to the program of a core. It does not copy the list, so cores
// that are given the same list share it.
func (p *Plan) Emit(at fabric.At, in ...tile.Instr) {
	p.flush()
	if len(in) > 0 {
		i := p.core(at)
		p.bodies[i] = append(p.bodies[i], in)
	}
}

func (p *Plan) core(at fabric.At) int { return at.Y*p.Grid.Width + at.X }

// All adds instructions to the programs of all cores.
func (p *Plan) All(in ...tile.Instr) { p.common = append(p.common, in...) }

// flush adds the common instructions to the programs, as one part that all share.
func (p *Plan) flush() {
	if len(p.common) == 0 {
		return
	}
	for i := range p.bodies {
		p.bodies[i] = append(p.bodies[i], p.common)
	}
	p.common = nil
}

// Load puts the programs into the cores.
func (p *Plan) Load() error {
	p.flush()
	for i, parts := range p.bodies {
		at := fabric.At{X: i % p.Grid.Width, Y: i / p.Grid.Width}
		if err := p.Grid.Load(at, tile.Program{{Active: true, Parts: parts}}); err != nil {
			return err
		}
	}
	return nil
}

func ceil(a, b int) int { return (a + b - 1) / b }

// wavelets returns the number of wavelets that carry n numbers.
func wavelets(n int, kind tile.Kind) float64 { return float64(ceil(n*kind.Words(), 2)) }
