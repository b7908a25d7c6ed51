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
	soon, ok := c.quick(g, b, t)
	if !ok {
		c.wait(b.now)
		return
	}
	if t.finished() {
		t.in, soon = nil, true
	}
	c.resume(b.now)
	c.spent.Fabric++
	c.free = b.now + 1
	b.last = max(b.last, c.free)
	if soon {
		b.cores.Wake(c.free, c.id-b.from)
	}
}

// quick moves one wavelet, if it can. soon is false when no other one will be there in the
// next cycle; one that comes later wakes the core.
func (c *core) quick(g *Grid, b *band, t *thread) (soon, ok bool) {
	in := t.in
	if in.Dst.where == fabout && !b.net.Open(c.id, t.to) {
		return false, false
	}
	mem, i := g.memory(c.id), t.done
	var v float32
	if in.A.where == fabin {
		var data uint32
		if data, soon, ok = b.net.Pull(b.now, t.from); !ok {
			return false, false
		}
		v = math.Float32frombits(data)
	} else {
		v, soon = mem.wide(&in.A, i), true
	}
	switch in.Op {
	case Add:
		v += mem.wide(&in.B, i)
	case Max:
		v = max(v, mem.wide(&in.B, i))
	default: // Mov; isQuick allows no other
	}
	if in.Dst.where == fabout {
		b.net.Push(b.now+1, c.id, t.to, math.Float32bits(v))
	} else {
		at, bits := in.Dst.Addr+2*i*in.Dst.Stride, math.Float32bits(v)
		mem[at], mem[at+1] = uint16(bits), uint16(bits>>16)
	}
	t.done++
	return soon, true
}

// wide returns an fp32 number.
func (s sram) wide(o *Operand, i int32) float32 {
	at := o.Addr + 2*i*o.Stride
	return math.Float32frombits(uint32(s[at]) | uint32(s[at+1])<<16)
}

// vector carries out an elementwise operation whose operands are all in SRAM, and checks
// the operands only once. It returns false for operations that it does not know.
func (s sram) vector(in *Instr) bool {
	if in.A.where != memory || in.Op > Max {
		return false
	}
	if in.Op == Mov {
		for i := range int(in.N) {
			s.store(&in.Dst, i, s.load(&in.A, i))
		}
		return true
	}
	if in.B.where != memory {
		return false
	}
	for i := range int(in.N) {
		x, y := s.load(&in.A, i), s.load(&in.B, i)
		switch in.Op {
		case Add:
			x += y
		case Sub:
			x -= y
		case Mul:
			x *= y
		case Max:
			x = max(x, y)
		default: // returned above
		}
		s.store(&in.Dst, i, x)
	}
	return true
}
