package tile

import (
	"waferpair/wafer/clock"
	"waferpair/wafer/fabric"
)

// core is the compute element of a tile: it runs one task at a time and, beside it,
// microthreads. Its datapath does one thing per cycle: a step of the task's instruction if
// that can continue, otherwise a step of a microthread.
//
// What most steps touch comes first: it shares cache lines of this computer.
type core struct {
	main    thread
	free    clock.Cycle
	waiting clock.Cycle // since when the program has been waiting; Never if it is not
	spent   Work        // in the present kernel, not yet in work
	id      int
	running uint16 // running microthreads; bit 0 is the first
	turn    uint8  // the microthread to try first
	kernel  uint8
	trace   *[]Span
	since   clock.Cycle // when the current span began
	program Program
	loaded  int // Grid.runs when it was
	tasks   taskState
	task    int       // the running task, or -1
	code    []Instr   // the current part of the task
	parts   [][]Instr // of the task
	part    int       // the index of the next one
	pc      int       // in code
	arg     fabric.Wavelet
	work    []Work // by kernel
	beside  [Threads]thread
}

// thread is an instruction in progress.
type thread struct {
	in    *Instr
	done  int32 // numbers
	quick bool  // see fast.go; then these are its ends in the fabric
	from  fabric.Inbox
	to    fabric.Outbox
}

const idle = -1

// step lets the core do what it can in cycle b.now. Before c.free it does nothing; a
// wake-up for that cycle is queued.
func (c *core) step(g *Grid, b *band) {
	if c.main.quick && c.main.in != nil && c.running == 0 { // nearly every step
		if b.now >= c.free {
			c.stepQuick(g, b)
		} else {
			b.cores.Wake(c.free, c.id-b.from)
		}
		return
	}
	for b.now >= c.free && (c.stepProgram(g, b) || c.stepBeside(g, b)) {
	}
}

// stepProgram reports whether the program continued.
func (c *core) stepProgram(g *Grid, b *band) bool {
	if !c.fetch(g, b) {
		return false
	}
	cycles, ok := c.advance(g, b, &c.main)
	if !ok {
		c.wait(b.now)
		return false
	}
	c.spend(b, c.main.in, cycles)
	if c.main.finished() {
		c.main.in = nil
		c.runAhead(g, b)
	}
	c.sleep(b)
	return true
}

func (c *core) wait(now clock.Cycle) {
	if c.waiting == clock.Never {
		c.waiting = now
	}
}

func (t *thread) finished() bool { return t.done >= t.in.N }

// fetch advances the program to an instruction that takes time. It reports whether there is
// one now.
func (c *core) fetch(g *Grid, b *band) bool {
	for c.main.in == nil {
		if c.task == idle && !c.pick(g, b) {
			return false
		}
		if c.pc == len(c.code) {
			if !c.more() {
				c.task = idle
			}
			continue
		}
		in := &c.code[c.pc]
		if in.Op == Wait && c.running&uint16(in.Imm) != 0 {
			c.wait(b.now)
			return false
		}
		c.pc++
		c.start(g, b, in)
	}
	return true
}

// start carries out instructions that take no time, and makes any other one the current
// instruction of the program or of a microthread.
func (c *core) start(g *Grid, b *band, in *Instr) {
	if in.instant() {
		c.control(b.now, in)
		return
	}
	if in.Thread == 0 {
		c.main = c.thread(g, in)
		return
	}
	c.beside[in.Thread-1] = c.thread(g, in)
	c.running |= 1 << (in.Thread - 1)
}

// instant reports whether an instruction takes no time.
func (in *Instr) instant() bool {
	switch in.Op {
	case Wait, Activate, Block, Unblock, Mark:
		return true
	case Busy, Switch, GEMV, GEMM:
		return false
	default:
		return in.N == 0
	}
}

// control carries out an instruction that takes no time.
func (c *core) control(now clock.Cycle, in *Instr) {
	switch in.Op {
	case Activate:
		c.tasks.active |= 1 << in.Task
	case Block:
		c.tasks.blocked |= 1 << in.Task
	case Unblock:
		c.tasks.blocked &^= 1 << in.Task
	case Mark:
		c.mark(now, in.Task)
	default: // a Wait that is over, or nothing to do
	}
}

// stepBeside lets one microthread continue; they take turns.
func (c *core) stepBeside(g *Grid, b *band) bool {
	for i := range uint8(Threads) {
		n := (c.turn + i) % Threads
		if c.running&(1<<n) == 0 {
			continue
		}
		t := &c.beside[n]
		cycles, ok := c.advance(g, b, t)
		if !ok {
			continue
		}
		c.turn = (n + 1) % Threads
		c.spend(b, t.in, cycles)
		c.sleep(b)
		if t.finished() {
			c.running &^= 1 << n
			if t.in.Then > 0 {
				c.tasks.active |= 1 << (t.in.Then - 1)
			}
		}
		return true
	}
	return false
}

// advance carries out a step of an instruction and returns how long the datapath is busy,
// or false if it cannot continue yet.
func (c *core) advance(g *Grid, b *band, t *thread) (cycles int32, ok bool) {
	in := t.in
	switch {
	case in.Op == Busy:
		t.done = in.N
		return in.Cycles, true
	case in.Op == Switch:
		if !g.fabric.HasRoom(c.id, in.Dst.Color, 1) {
			return 0, false
		}
		b.net.Put(b.now+1, c.id, in.Dst.Color, fabric.Wavelet{Control: true})
		t.done = in.N
		return 1, true
	case !in.onFabric():
		c.compute(g, in)
		t.done = in.N
		return in.Cycles, true
	}
	return 1, c.stream(g, b, t)
}

// compute carries out an instruction in SRAM.
func (c *core) compute(g *Grid, in *Instr) {
	if mem := g.memory(c.id); g.slow || !mem.vector(in) {
		mem.run(in, c.arg)
	}
}

// stream moves one wavelet, or two, from and to the fabric.
func (c *core) stream(g *Grid, b *band, t *thread) bool {
	in := t.in
	if t.quick {
		return c.quick(g, b, t)
	}
	kind := in.fabricKind()
	per := 2 / int32(kind.Words())
	if in.Op == ArgMax {
		per = 2 // a pair is two wavelets
	}
	left := (in.N - t.done + per - 1) / per
	count := min(left, in.width())
	wavelets := count
	if in.Op == ArgMax {
		wavelets = 2 * count
	}
	if !c.canStream(g, b, in, int(wavelets)) {
		return false
	}
	for range count {
		c.exchange(g, b, t, kind, min(per, in.N-t.done))
	}
	return true
}

func (in *Instr) width() int32 {
	if in.Wide {
		return 2
	}
	return 1
}

func (in *Instr) fabricKind() Kind {
	switch {
	case in.Dst.where == fabout:
		return in.Dst.Kind
	case in.A.where == fabin:
		return in.A.Kind
	}
	return in.B.Kind
}

func (c *core) canStream(g *Grid, b *band, in *Instr, wavelets int) bool {
	for _, o := range [2]Operand{in.A, in.B} {
		if o.where == fabin && g.fabric.Ready(b.now, c.id, o.Color, wavelets) < wavelets {
			return false
		}
	}
	return in.Dst.where != fabout || g.fabric.HasRoom(c.id, in.Dst.Color, wavelets)
}

// exchange takes a wavelet from each operand on the fabric, computes its n numbers, and
// sends the result if it goes to the fabric.
func (c *core) exchange(g *Grid, b *band, t *thread, kind Kind, n int32) {
	in, mem := t.in, g.memory(c.id)
	if in.Op == ArgMax {
		c.exchangePair(g, b, t)
		return
	}
	av, bv := c.incoming(b, in.A), c.incoming(b, in.B)
	out := uint32(0)
	for i := range int(n) {
		at := int(t.done) + i
		x, y := c.number(mem, &in.A, av, at, i), c.number(mem, &in.B, bv, at, i)
		if in.Dst.where == fabout {
			out = pack(out, kind, i, in.scalar(x, y))
		} else {
			mem.element(in, at, x, y)
		}
	}
	t.done += n
	if in.Dst.where == fabout {
		b.net.Put(b.now+1, c.id, in.Dst.Color, fabric.Wavelet{Data: out})
	}
}

func (c *core) incoming(b *band, o Operand) uint32 {
	if o.where == fabin {
		return b.net.Take(c.id, o.Color).Data
	}
	return 0
}

func (c *core) number(mem sram, o *Operand, data uint32, at, i int) float32 {
	if o.where == fabin {
		return unpack(data, o.Kind, i)
	}
	return mem.operand(o, at, c.arg)
}

// exchangePair is a step of ArgMax: value and index are one wavelet each.
func (c *core) exchangePair(g *Grid, b *band, t *thread) {
	in, mem := t.in, g.memory(c.id)
	pair := func(o *Operand) (float32, float32) {
		if o.where == fabin {
			return unpack(b.net.Take(c.id, o.Color).Data, F32, 0), unpack(b.net.Take(c.id, o.Color).Data, F32, 0)
		}
		return mem.operand(o, int(t.done), c.arg), mem.operand(o, int(t.done)+1, c.arg)
	}
	av, ai := pair(&in.A)
	bv, bi := pair(&in.B)
	if in.Dst.where == memory {
		mem.greater(in, int(t.done), av, ai, bv, bi)
	} else {
		if bv > av || bv == av && bi < ai {
			av, ai = bv, bi
		}
		b.net.Put(b.now+1, c.id, in.Dst.Color, fabric.Wavelet{Data: pack(0, F32, 0, av)})
		b.net.Put(b.now+1, c.id, in.Dst.Color, fabric.Wavelet{Data: pack(0, F32, 0, ai)})
	}
	t.done += 2
}
