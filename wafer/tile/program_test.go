package tile

import (
	"context"
	"errors"
	"strings"
	"testing"

	"waferpair/wafer/clock"
	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
)

// pair is two cores side by side: color 0 leads from the first to the second, color 1 back.
type pair struct {
	*testing.T
	g   *Grid
	mem *Layout
}

func newPair(t *testing.T) pair {
	t.Helper()
	g, err := New(machine.Test(2, 1), 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	ramp := fabric.Of(fabric.Ramp)
	east, west := fabric.Of(fabric.East), fabric.Of(fabric.West)
	for _, r := range []struct {
		x     int
		color fabric.Color
		route fabric.Route
	}{{0, 0, fabric.Route{Rx: ramp, Tx: east}}, {1, 0, fabric.Route{Rx: west, Tx: ramp}},
		{1, 1, fabric.Route{Rx: ramp, Tx: west}}, {0, 1, fabric.Route{Rx: east, Tx: ramp}}} {
		if err := g.SetRoute(fabric.At{X: r.x}, r.color, false, r.route); err != nil {
			t.Fatal(err)
		}
	}
	return pair{t, g, NewLayout(g.Machine)}
}

func (p pair) buffer(name string, kind Kind, n int) Buffer {
	p.Helper()
	b, err := p.mem.Alloc(name, kind, n)
	if err != nil {
		p.Fatal(err)
	}
	return b
}

func (p pair) write(x int, b Buffer, v ...float32) {
	p.Helper()
	if err := p.g.Write(fabric.At{X: x}, b, v); err != nil {
		p.Fatal(err)
	}
}

func (p pair) load(x int, program Program) {
	p.Helper()
	if err := p.g.Load(fabric.At{X: x}, program); err != nil {
		p.Fatal(err)
	}
}

func (p pair) run() clock.Cycle {
	p.Helper()
	n, err := p.g.Run(context.Background(), Options{})
	if err != nil {
		p.Fatal(err)
	}
	return n
}

func (p pair) expect(x int, b Buffer, want ...float32) {
	p.Helper()
	for i, v := range p.g.Read(fabric.At{X: x}, b) {
		if v != want[i] {
			p.Errorf("core %d, %s: %v, want %v", x, b.Name, p.g.Read(fabric.At{X: x}, b), want)
			return
		}
	}
}

func body(in ...Instr) Program { return Program{{Active: true, Body: in}} }

func TestVectorOperations(t *testing.T) {
	p := newPair(t)
	a, b := p.buffer("a", F16, 4), p.buffer("b", F16, 4)
	p.write(0, a, 1, -2, 3, 0.5)
	p.write(0, b, 4, 5, -6, 2)
	var program []Instr
	cases := []struct {
		op   Op
		imm  float32
		want []float32
	}{
		{Mov, 0, []float32{1, -2, 3, 0.5}}, {Add, 0, []float32{5, 3, -3, 2.5}}, {Sub, 0, []float32{-3, -7, 9, -1.5}},
		{Mul, 0, []float32{4, -10, -18, 1}}, {Max, 0, []float32{4, 5, 3, 2}}, {Scale, 2, []float32{2, -4, 6, 1}},
		{MulAdd, 0, []float32{4, -10, -18, 1}}, {ArgMax, 0, []float32{4, 5, 3, 0.5}},
	}
	out := make([]Buffer, len(cases))
	for i, c := range cases {
		out[i] = p.buffer(c.op.String(), F32, 4)
		program = append(program, Instr{Op: c.op, N: 4, Imm: c.imm, Dst: out[i].Vec(), A: a.Vec(), B: b.Vec(), Cycles: 3})
	}
	p.load(0, body(program...))
	if n := p.run(); n != clock.Cycle(3*len(cases)) {
		t.Errorf("%d operations of 3 cycles took %d", len(cases), n)
	}
	for i, c := range cases {
		p.expect(0, out[i], c.want...)
	}
}

// TestGEMVRoundsAsItsSumsAre checks that a product with fp16 sums rounds after each
// addition, and one with fp32 sums does not.
func TestGEMVRoundsAsItsSumsAre(t *testing.T) {
	p := newPair(t)
	x, w := p.buffer("x", F16, 3), p.buffer("w", F16, 3)
	half, full := p.buffer("half", F16, 1), p.buffer("full", F32, 1)
	p.write(0, x, 1, 1, 1)
	p.write(0, w, 2048, 1, 1)
	p.load(0, body(
		Instr{Op: GEMV, K: 3, N: 1, Dst: half.Vec(), A: x.Vec(), B: w.Vec(), Cycles: 1},
		Instr{Op: GEMV, K: 3, N: 1, Dst: full.Vec(), A: x.Vec(), B: w.Vec(), Cycles: 1}))
	p.run()
	p.expect(0, half, 2048) // 2049 is between two halves, and 2048 the even one: twice
	p.expect(0, full, 2050)
}

func TestGEMM(t *testing.T) {
	p := newPair(t)
	a, b, c := p.buffer("a", F16, 6), p.buffer("b", F16, 3), p.buffer("c", F16, 2)
	p.write(0, a, 1, 4, 2, 5, 3, 6) // 2 x 3, by columns
	p.write(0, b, 1, 10, 100)       // 3 x 1
	p.load(0, body(Instr{Op: GEMM, M: 2, K: 3, N: 1, Dst: c.Vec(), A: a.Vec(), B: b.Vec(), Cycles: 7}))
	p.run()
	p.expect(0, c, 321, 654)
}

// TestMicrothreads checks that a microthread goes on while the program waits for something
// else, and that its end activates a task.
func TestMicrothreads(t *testing.T) {
	p := newPair(t)
	a, b := p.buffer("a", F16, 8), p.buffer("b", F16, 8)
	done := p.buffer("done", F16, 1)
	p.write(0, a, 1, 2, 3, 4, 5, 6, 7, 8)
	p.write(0, done, 0)
	p.load(0, Program{
		{Active: true, Body: []Instr{
			{Op: Mov, Thread: 1, Then: 2, N: 8, Dst: Out(0, F16), A: a.Vec()},
			{Op: Mov, N: 8, Dst: b.Vec(), A: In(1, F16)}, // waits for the results of core 1
		}},
		{Body: []Instr{{Op: Mov, N: 1, Dst: done.Vec(), A: b.Each(7), Cycles: 1}}},
	})
	p.load(1, body(Instr{Op: Add, N: 8, Dst: Out(1, F16), A: In(0, F16), B: a.Vec()}))
	p.write(1, a, 10, 10, 10, 10, 10, 10, 10, 10)
	p.run()
	p.expect(0, b, 11, 12, 13, 14, 15, 16, 17, 18)
	p.expect(0, done, 18)
}

// TestTasks checks that a data task runs for each wavelet of its color, a control task for
// a control wavelet, and a blocked task only after it is unblocked.
func TestTasks(t *testing.T) {
	p := newPair(t)
	a, sum, ends := p.buffer("a", F32, 3), p.buffer("sum", F32, 1), p.buffer("ends", F32, 1)
	p.write(0, a, 1, 2, 3)
	p.write(1, sum, 0)
	p.write(1, ends, 0)
	p.load(0, body(Instr{Op: Mov, N: 3, Dst: Out(0, F32), A: a.Vec()}, Instr{Op: Switch, N: 1, Dst: Out(0, F32)}))
	p.load(1, Program{
		{Kind: Data, Color: 0, Blocked: true,
			Body: []Instr{{Op: Add, N: 1, Dst: sum.Vec(), A: sum.Vec(), B: Arg(F32), Cycles: 2}}},
		{Kind: Control, Color: 0, Body: []Instr{{Op: Mov, N: 1, Dst: ends.Vec(), A: sum.Vec(), Cycles: 1}}},
		{Active: true, Body: []Instr{{Op: Busy, N: 1, Cycles: 100}, {Op: Unblock, Task: 0}}},
	})
	if n := p.run(); n != 100+3*2+1 {
		t.Errorf("%d cycles", n)
	}
	p.expect(1, sum, 6)
	p.expect(1, ends, 6)
}

// TestDeadlockIsExplained has two cores that wait for each other.
func TestDeadlockIsExplained(t *testing.T) {
	p := newPair(t)
	a := p.buffer("a", F16, 2)
	for x := range 2 {
		p.load(x, body(
			Instr{Op: Mov, N: 2, Dst: a.Vec(), A: In(fabric.Color(1-x), F16)},
			Instr{Op: Mov, N: 2, Dst: Out(fabric.Color(x), F16), A: a.Vec()}))
	}
	_, err := p.g.Run(context.Background(), Options{})
	var dead *DeadlockError
	if !errors.As(err, &dead) || len(dead.Cores) != 2 {
		t.Fatalf("two cores that wait for each other: %v", err)
	}
	for _, want := range []string{"core (0,0), task 0, instruction 0, mov waits for wavelets of color 1",
		"core (1,0), task 0, instruction 0, mov waits for wavelets of color 0"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %q", want, err)
		}
	}
}

// TestUntakenWaveletsAreExplained checks that wavelets that no core receives are a deadlock
// too, of their sender.
func TestUntakenWaveletsAreExplained(t *testing.T) {
	p := newPair(t)
	a := p.buffer("a", F16, 200)
	p.load(0, body(Instr{Op: Mov, N: 200, Dst: Out(0, F16), A: a.Vec()}))
	_, err := p.g.Run(context.Background(), Options{})
	for _, want := range []string{"core (0,0), task 0, instruction 0, mov waits for room in color 0",
		"at (1,0) from W: the core does not take it", "untaken at core (1,0)"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %q", want, err)
		}
	}
}

func TestProgramsThatCannotRun(t *testing.T) {
	p := newPair(t)
	a, b := p.buffer("a", F16, 2), p.buffer("b", F32, 2)
	for _, c := range []struct {
		says string
		in   Instr
	}{
		{"negative length", Instr{Op: Mov, N: -1}},
		{"microthread 9", Instr{Op: Mov, Thread: 9}},
		{"color 24 of 24", Instr{Op: Mov, N: 1, Dst: a.Vec(), A: In(24, F16)}},
		{"must be in SRAM", Instr{Op: GEMV, K: 1, N: 1, Dst: Out(0, F16), A: a.Vec(), B: a.Vec()}},
		{"fp16 and of fp32", Instr{Op: Add, N: 1, Dst: a.Vec(), A: In(0, F32), B: In(1, F16)}},
		{"not pairs", Instr{Op: ArgMax, N: 3, Dst: a.Vec()}},
		{"words", Instr{Op: Mov, N: 1 << 20, Dst: a.Vec(), A: a.Vec()}},
		{"words", Instr{Op: Mov, N: 1, Dst: a.Vec(), A: b.Strided(1<<14, 1)}},
		{"words", Instr{Op: GEMM, M: 200, K: 200, N: 1, Dst: a.Vec(), A: a.Vec(), B: a.Vec()}},
	} {
		err := p.g.Load(fabric.At{}, body(c.in))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want an error about %q", c.in, err, c.says)
		}
	}
}

// TestACircleThatASwitchCloses has routes that form a circle only after a control wavelet
// has switched the corner that it comes from.
func TestACircleThatASwitchCloses(t *testing.T) {
	g, err := New(machine.Test(2, 2), 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	lay := func(x, y int, positions ...fabric.Route) {
		if err := g.SetRoute(fabric.At{X: x, Y: y}, 5, false, positions...); err != nil {
			t.Fatal(err)
		}
	}
	way := func(rx, tx fabric.Port) fabric.Route { return fabric.Route{Rx: fabric.Of(rx), Tx: fabric.Of(tx)} }
	lay(0, 0, way(fabric.Ramp, fabric.East), way(fabric.South, fabric.East))
	lay(1, 0, way(fabric.West, fabric.South))
	lay(1, 1, way(fabric.North, fabric.West))
	lay(0, 1, way(fabric.East, fabric.North))
	if err := g.Load(fabric.At{}, Program{{Active: true, Body: []Instr{{Op: Switch, N: 1, Dst: Out(5, F16)}}}}); err !=
		nil {
		t.Fatal(err)
	}
	_, err = g.Run(t.Context(), Options{})
	var endless *EndlessError
	if !errors.As(err, &endless) || len(endless.Fabric) != 1 || endless.Fabric[0].Color != 5 {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), "round and round") || !strings.Contains(err.Error(), "of color 5") {
		t.Errorf("not explained: %v", err)
	}
}
