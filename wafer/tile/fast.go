package tile

import (
	"math"

	"waferpair/wafer/clock"
)

// Most steps of most cores pass on one fp32 number: a chain of a reduction adds its own
// number, or takes the greater one; a broadcast stores it. quick does such a step without
// checking each operand again. Options.Slow uses the general way, and tests compare the
// two.

// isQuick reports whether an instruction on the fabric is such a step.
func (in *Instr) isQuick() bool {
	if in.Wide || in.Op > Max || in.Op == Sub || in.Op == Mul {
		return false
	}
	plain := func(o *Operand) bool { return o.Kind == F32 && (o.where == memory || o.where == fabin) }
	return plain(&in.A) && (in.Op == Mov || in.B.Kind == F32 && in.B.where == memory) &&
		in.Dst.Kind == F32 && (in.Dst.where == memory || in.Dst.where == fabout)
}

// thread returns an instruction that begins.
func (c *core) thread(g *Grid, in *Instr) thread {
	t := thread{in: in, quick: !g.slow && in.onFabric() && in.isQuick()}
	if t.quick && in.A.where == fabin {
		t.from = g.fabric.Inbox(c.id, in.A.Color)
	}
	if t.quick && in.Dst.where == fabout {
		t.to = g.fabric.Outbox(c.id, in.Dst.Color)
	}
	return t
}

// stepQuick is step for a program that is in such an instruction, without microthreads. It
// does not wake the core before there is a wavelet for it: then the core has waited since
// it was free.
func (c *core) stepQuick(g *Grid, b *band) {
	if c.waiting == clock.Never && b.now > c.free {
		c.waiting = c.free
	}
	t := &c.main
	in := t.in
	if in.Dst.where == fabout && !b.net.Open(c.id, t.to) {
		c.wait(b.now)
		return
	}
	var data uint32
	soon := true
	if in.A.where == fabin {
		var ok bool
		if data, soon, ok = b.net.Pull(b.now, t.from); !ok {
			c.wait(b.now)
			b.net.Listen(c.id, t.from)
			return
		}
	}
	c.move(g, b, t, b.now, data)
	c.resume(b.now)
	c.passed(g, b, b.now, soon)
}

// handed takes a wavelet that will arrive in a cycle to come, in which the core has nothing
// else to do: what it does then with that wavelet is settled.
func (c *core) handed(g *Grid, b *band, at clock.Cycle, data uint32) bool {
	t := &c.main
	if at < c.free || t.in.Dst.where == fabout && !b.net.Free(t.to) {
		return false
	}
	if c.waiting == clock.Never && at > c.free {
		c.waiting = c.free
	}
	c.move(g, b, t, at, data)
	c.resume(at)
	c.passed(g, b, at, false)
	return true
}

// passed ends a step of the program in cycle at. soon says that it can continue right after.
func (c *core) passed(g *Grid, b *band, at clock.Cycle, soon bool) {
	c.spent.Fabric++
	c.free = at + 1
	b.last = max(b.last, c.free)
	t := &c.main
	if t.finished() {
		if t.from != 0 {
			b.net.Listen(c.id, 0)
		}
		t.in = nil
		c.runAhead(g, b)
		soon = t.in == nil || !t.quick || t.from == 0 || !b.net.Listen(c.id, t.from)
	}
	if soon {
		b.cores.Wake(c.free, c.id-b.from)
	}
}

// quick moves one wavelet, if it can.
func (c *core) quick(g *Grid, b *band, t *thread) bool {
	in := t.in
	if in.Dst.where == fabout && !b.net.Open(c.id, t.to) {
		return false
	}
	var data uint32
	if in.A.where == fabin {
		var ok bool
		if data, _, ok = b.net.Pull(b.now, t.from); !ok {
			return false
		}
	}
	c.move(g, b, t, b.now, data)
	return true
}

// move carries out a step of such an instruction in cycle at, with the data of a wavelet.
func (c *core) move(g *Grid, b *band, t *thread, at clock.Cycle, data uint32) {
	in, mem, i := t.in, g.memory(c.id), t.done
	v := math.Float32frombits(data)
	if in.A.where != fabin {
		v = mem.wide(&in.A, i)
	}
	switch in.Op {
	case Add:
		v += mem.wide(&in.B, i)
	case Max:
		v = max(v, mem.wide(&in.B, i))
	default: // Mov; isQuick allows no other
	}
	if in.Dst.where == fabout {
		b.net.Push(at+1, c.id, t.to, math.Float32bits(v))
	} else {
		to, bits := in.Dst.Addr+2*i*in.Dst.Stride, math.Float32bits(v)
		mem[to], mem[to+1] = uint16(bits), uint16(bits>>16)
	}
	t.done++
}

// runAhead carries out the instructions in SRAM that follow, at the times at which the core
// will come to them, and begins the one after them that needs the fabric. Nobody else sees its SRAM, and
// without microthreads nothing that arrives meanwhile changes what the program does next.
func (c *core) runAhead(g *Grid, b *band) {
	if g.slow || c.running != 0 {
		return
	}
	for c.pc < len(c.code) || c.more() {
		if c.pc == len(c.code) {
			continue // an empty part
		}
		in := &c.code[c.pc]
		switch {
		case in.instant():
			c.control(c.free, in)
		case in.Thread != 0 || in.Op == Switch:
			return
		case in.onFabric():
			c.main = c.thread(g, in)
			c.pc++
			return
		case in.Op == Busy:
			c.spent.Launch += clock.Cycle(in.Cycles)
			c.free += clock.Cycle(in.Cycles)
		default:
			c.compute(g, in)
			c.spent.Compute += clock.Cycle(in.Cycles)
			c.free += clock.Cycle(in.Cycles)
		}
		c.pc++
		b.last = max(b.last, c.free)
	}
}

// wide returns an fp32 number.
func (s sram) wide(o *Operand, i int32) float32 {
	at := o.Addr + 2*i*o.Stride
	return math.Float32frombits(uint32(s[at]) | uint32(s[at+1])<<16)
}

// vector carries out an elementwise operation whose operands are all in SRAM, and checks
// the operands only once. It returns false for operations that it does not know.
func (s sram) vector(in *Instr) bool {
	if in.A.where != memory || in.Op > Max || in.Op != Mov && in.B.where != memory {
		return false
	}
	a, b, dst := s.cursor(&in.A), s.cursor(&in.B), in.Dst
	for i := range int(in.N) {
		x := a.next(s)
		switch in.Op {
		case Add:
			x += b.next(s)
		case Sub:
			x -= b.next(s)
		case Mul:
			x *= b.next(s)
		case Max:
			x = max(x, b.next(s))
		default: // Mov
		}
		s.store(&dst, i, x)
	}
	return true
}

// cursor walks over the numbers of an operand in SRAM.
type cursor struct {
	at, step int
	wide     bool
}

func (s sram) cursor(o *Operand) cursor {
	return cursor{int(o.Addr), int(o.Stride) * o.Kind.Words(), o.Kind == F32}
}

func (c *cursor) next(s sram) float32 {
	at := c.at
	c.at += c.step
	if c.wide {
		return math.Float32frombits(uint32(s[at]) | uint32(s[at+1])<<16)
	}
	return halves[s[at]]
}
