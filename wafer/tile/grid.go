// Package tile emulates a rectangle of tiles: cores with their SRAM, over the routers of
// package fabric.
//
// A core (the SDK's PE) has 48 KiB of SRAM, of which programs use what the layout
// allocates, and a program of tasks. A task is a list of vector instructions on operands in
// SRAM or on the fabric, like the SDK's DSDs. An instruction on the fabric moves one
// wavelet a cycle and stalls while its input is empty or its output full; as a microthread
// it runs beside the program. An instruction in SRAM takes the cycles that its kernel's
// formula gives, and nothing else happens in the core meanwhile.
//
// Every value travels: an instruction reads only this core's SRAM and queues, so a result
// is correct only if each wavelet was.
//
// Not modelled: instruction fetch and decode (machine.Timing has the cost of programs
// beyond their vector operations), bank conflicts (measured rates include them) and the 8
// input queue IDs of a WSE-3, which limit how many colors a core listens to at once.
package tile

import (
	"context"
	"fmt"
	"math/bits"

	"waferpair/wafer/clock"
	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
)

// Grid is a rectangle of tiles.
type Grid struct {
	Machine       machine.Machine
	Width, Height int
	fabric        *fabric.Fabric
	words         int // size of a core's SRAM
	stride        int // from one core's SRAM to the next
	sram          []uint16
	cores         []core
	bands         []*band
	kernels       []string
	slow          bool           // see Options
	checked       map[*Instr]int // parts of programs that were checked since the last run, and how far
	runs          int            // plus one
}

// MaxCores is the largest number of tiles of a grid: their SRAM is 768 MB of this
// computer's memory, and a kernel on more of them would not end today.
const MaxCores = 128 * 128

// New returns width x height tiles of a machine, with empty SRAM and no programs.
func New(m machine.Machine, width, height int) (*Grid, error) {
	if w, h := m.Usable(); width > w || height > h {
		return nil, fmt.Errorf("a mesh of %d x %d is larger than the fabric: %s has %d x %d for programs", width,
			height, m.Name, w, h)
	}
	if width > 0 && height > MaxCores/width {
		return nil, fmt.Errorf("a mesh of %d x %d at event level would take %d MB of this computer's memory; at most %d cores are emulated wavelet by wavelet, larger meshes are estimated",
			width, height, int64(width)*int64(height)*int64(m.SRAMBytes)>>20, MaxCores)
	}
	net, err := fabric.New(fabric.Config{Width: width, Height: height, Colors: m.Colors, Switches: m.Switches,
		Hop: m.HopCycles, Ramp: m.RampCycles, LinkDepth: m.LinkDepth, InDepth: m.InDepth, OutDepth: m.OutDepth})
	if err != nil {
		return nil, err
	}
	g := &Grid{Machine: m, Width: width, Height: height, fabric: net, words: m.SRAMBytes / 2,
		checked: map[*Instr]int{}, runs: 1}
	g.stride = g.words + apart
	g.sram = make([]uint16, width*height*g.stride)
	g.cores = make([]core, width*height)
	for i := range g.cores {
		g.cores[i] = core{id: i, task: idle, waiting: clock.Never}
	}
	return g, nil
}

func (g *Grid) id(at fabric.At) int { return at.Y*g.Width + at.X }
func (g *Grid) at(id int) fabric.At { return fabric.At{X: id % g.Width, Y: id / g.Width} }
func (g *Grid) memory(core int) sram {
	return g.sram[core*g.stride : core*g.stride+g.words]
}

// apart is the number of words between the SRAM of two cores. Cores do the same at nearly
// the same time, at the same addresses: a cache line of this computer between two of them
// keeps these addresses out of the same set of its caches.
const apart = 32

// SetRoute sets the route of a color at a tile; see fabric.Fabric.
func (g *Grid) SetRoute(at fabric.At, c fabric.Color, ring bool, positions ...fabric.Route) error {
	return g.fabric.SetRoute(at, c, ring, positions...)
}

func (g *Grid) Kernels() []string { return g.kernels }

// Kernel gives a kernel a number for Mark, under which its work is counted.
func (g *Grid) Kernel(name string) (uint8, error) {
	for i, k := range g.kernels {
		if k == name {
			return uint8(i), nil
		}
	}
	if len(g.kernels) == 256 {
		return 0, fmt.Errorf("more than 256 kernels in one program")
	}
	g.kernels = append(g.kernels, name)
	return uint8(len(g.kernels) - 1), nil
}

// Write puts numbers into a core's SRAM, as the host does before a run. It refuses NaN and
// infinity, which would spread unnoticed.
func (g *Grid) Write(at fabric.At, b Buffer, values []float32) error {
	if len(values) > b.Len {
		return fmt.Errorf("write %q at %v: %d numbers for a buffer of %d", b.Name, at, len(values), b.Len)
	}
	mem, vec := g.memory(g.id(at)), b.Vec()
	for i, v := range values {
		if v-v != 0 {
			return fmt.Errorf("write %q at %v: number %d is %v; weights and inputs must be finite", b.Name, at, i, v)
		}
		mem.store(&vec, i, v)
	}
	return nil
}

// Read returns the numbers of a buffer in a core's SRAM.
func (g *Grid) Read(at fabric.At, b Buffer) []float32 {
	mem, vec := g.memory(g.id(at)), b.Vec()
	values := make([]float32, b.Len)
	for i := range values {
		values[i] = mem.load(&vec, i)
	}
	return values
}

// Load gives a core its program.
func (g *Grid) Load(at fabric.At, p Program) error {
	if len(p) > MaxTasks {
		return fmt.Errorf("program at %v: %d tasks; a core has %d", at, len(p), MaxTasks)
	}
	c := &g.cores[g.id(at)]
	*c = core{id: c.id, program: p, loaded: g.runs, task: idle, waiting: clock.Never, trace: c.trace}
	for id, task := range p {
		if err := g.check(c.id, id, task); err != nil {
			c.loaded = 0
			return fmt.Errorf("program at %v, task %d: %w", at, id, err)
		}
		if task.Active {
			c.tasks.active |= 1 << id
		}
		if task.Blocked {
			c.tasks.blocked |= 1 << id
		}
	}
	return nil
}

// Trace records the spans of a core for Spans.
func (g *Grid) Trace(at fabric.At) { g.cores[g.id(at)].trace = &[]Span{} }

// Options configure a run.
type Options struct {
	Workers int                         // host threads; 0 is one
	Slow    bool                        // carries out each instruction number by number; nothing else differs
	Limit   clock.Cycle                 // an error if the run takes longer; 0 is the most that the fabric can count
	Watch   func(now clock.Cycle) error // called now and then; an error ends the run
}

const maxCycles = 1<<31 - 1 // a wavelet in flight has 31 bits for its cycle

// Run runs the programs until nothing happens any more, and returns how many cycles that
// took. Anything that is then stuck is a DeadlockError. After a run that ended well, cores
// can be loaded and run again; SRAM stays as it is.
func (g *Grid) Run(ctx context.Context, o Options) (clock.Cycle, error) {
	g.slow = o.Slow
	bands, err := g.start(o.Workers)
	if err != nil {
		return 0, err
	}
	limits := clock.Limits{Workers: o.Workers, Cycles: o.Limit, Every: 4096, Watch: func(now clock.Cycle) error {
		return g.watch(now, o.Watch)
	}}
	if limits.Cycles == 0 {
		limits.Cycles = maxCycles
	}
	_, err = clock.Run(ctx, bands, limits)
	for i := range g.cores {
		g.cores[i].book()
	}
	if err != nil {
		return 0, err
	}
	return g.lastWork(), g.deadlock()
}

// lastWork returns the end of the last work of any core.
func (g *Grid) lastWork() clock.Cycle {
	last := clock.Cycle(0)
	for _, b := range g.bands {
		last = max(last, b.last)
	}
	return last
}

// watch detects, between two cycles, wavelets that circulate for ever: a circle of routes
// that a switch closed cannot be seen before the run (see fabric.Fabric.Start), and never
// becomes idle. No path over the mesh takes as long as 64 times around its edge.
func (g *Grid) watch(now clock.Cycle, more func(clock.Cycle) error) error {
	longest := clock.Cycle(64 * 2 * (g.Width + g.Height) * g.Machine.HopCycles)
	if since := g.lastWork(); now-since > longest {
		return &EndlessError{Since: since, Now: now, Fabric: g.fabric.Stuck()}
	}
	if more == nil {
		return nil
	}
	return more(now)
}

func (g *Grid) start(workers int) ([]clock.Band, error) {
	g.bands = nil
	clear(g.checked)
	g.runs++
	nets, err := g.fabric.Start(workers, g.slow)
	if err != nil {
		return nil, err
	}
	bands := make([]clock.Band, len(nets))
	for i, net := range nets {
		from, to := net.Range()
		b := &band{grid: g, net: net, from: from, to: to, cores: net.Cores}
		net.Handed = func(core int, at clock.Cycle, data uint32) bool { return g.cores[core].handed(g, b, at, data) }
		for id := from; id < to; id++ {
			g.cores[id].work = make([]Work, max(1, len(g.kernels)))
			b.cores.Wake(0, id-from)
		}
		g.bands = append(g.bands, b)
		bands[i] = b
	}
	return bands, nil
}

// band is the tiles of some rows.
type band struct {
	grid     *Grid
	net      *fabric.Band
	from, to int
	cores    *clock.Wheel
	now      clock.Cycle
	last     clock.Cycle // end of the last work of a core
}

// Step steps the routers, then the cores. Neither sees in this cycle what the other does in
// it.
func (b *band) Step(t clock.Cycle) {
	b.now = t
	b.net.Step(t)
	b.cores.Advance(t)
	for i, due := range b.cores.Due() {
		for ; due != 0; due &= due - 1 {
			b.grid.cores[b.from+i<<6+bits.TrailingZeros64(due)].step(b.grid, b)
		}
	}
}

func (b *band) Collect(t clock.Cycle) clock.Cycle {
	b.net.Collect(t)
	return min(b.net.Next(), b.cores.Next())
}

// Net returns the routers below the tiles.
func (g *Grid) Net() *fabric.Fabric { return g.fabric }
