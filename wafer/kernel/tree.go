package kernel

import (
	"fmt"

	"waferpair/wafer/fabric"
	"waferpair/wafer/tile"
)

// Tree is a network for a two-level reduction along an axis and a broadcast of the result:
// WaferLLM's K-tree allreduce with K = 2. With one group it is a chain reduction.
//
// Each line of cores is divided into groups of almost equal size. In phase 1, the cores of
// a group form two chains, from both ends of the group to its middle core, the root. In
// phase 2, the roots form two chains to the middle root. In phase 3, the middle root
// broadcasts the sum. A core of a chain adds its own numbers to those that pass through,
// one wavelet a cycle, so a chain of any length works as one pipeline.
//
//	position  0   1   2   3   4   5   6   7   8
//	group     > > o <     > > o <     ...            phase 1
//	              >-----------> o <-------           phase 2
//	          <---------------- o --------------->   phase 3
//
// A router takes a color from one source only, so neighbours on a chain must use different
// colors: two for each direction of each phase, and one for the broadcast.
//
// Colors: 9 for each axis; 5 if there is one group.
type Tree struct {
	plan  *Plan
	axis  Axis
	shape TreeShape
	up1   [2]fabric.Color // phase 1, towards greater positions: by parity of the sender
	down1 [2]fabric.Color
	up2   [2]fabric.Color // phase 2: by parity of the sender's group
	down2 [2]fabric.Color
	cast  fabric.Color
}

// TreeShape divides a line of cores into groups whose sizes differ by at most one core.
type TreeShape struct {
	Cores, Groups int
}

func (s TreeShape) start(group int) int { return s.Cores * group / s.Groups }
func (s TreeShape) size(group int) int  { return s.start(group+1) - s.start(group) }

// root returns the position of a group's root.
func (s TreeShape) root(group int) int { return s.start(group) + s.size(group)/2 }

// group returns the group of a core.
func (s TreeShape) group(core int) int { return (s.Groups*(core+1) - 1) / s.Cores }

// Root returns the position of the core that gets the sum of the line.
func (s TreeShape) Root() int { return s.root(s.Groups / 2) }

// Root returns the position of the core that gets the sum of each line.
func (t *Tree) Root() int { return t.shape.Root() }

// NewTree routes a tree along an axis. If groups is 0, it uses BestGroups for an allreduce
// of n numbers.
func (p *Plan) NewTree(axis Axis, groups, n int) (*Tree, error) {
	cores, _ := p.length(axis)
	if groups == 0 {
		groups = BestGroups(&p.Grid.Machine, cores, n, p.Sums())
	}
	if groups < 1 || groups > cores {
		return nil, fmt.Errorf("tree along %v: %d groups of %d cores", axis, groups, cores)
	}
	t := &Tree{plan: p, axis: axis, shape: TreeShape{cores, groups}}
	if err := t.takeColors(0); err != nil {
		return nil, err
	}
	return t, t.configureRoutes()
}

// NewTreeOver routes a tree whose groups use an existing line: the chains of phase 1 are
// parts of that line. The tree then takes 5 colors, or 1 if there is one group.
func (p *Plan) NewTreeOver(l *Line, groups, n int) (*Tree, error) {
	if groups == 0 {
		groups = BestGroups(&p.Grid.Machine, l.cores, n, p.Sums())
	}
	if groups < 1 || groups > l.cores {
		return nil, fmt.Errorf("tree along %v: %d groups of %d cores", l.axis, groups, l.cores)
	}
	t := &Tree{plan: p, axis: l.axis, shape: TreeShape{l.cores, groups}, up1: l.up, down1: l.down}
	if err := t.takeColors(4); err != nil {
		return nil, err
	}
	return t, t.configureRoutes()
}

// takeColors takes all colors of the tree except the first ones: it skips has of them.
func (t *Tree) takeColors(has int) error {
	want := []struct {
		color *fabric.Color
		use   string
	}{{&t.up1[0], "chain up, even"}, {&t.up1[1], "chain up, odd"}, {&t.down1[0], "chain down, even"},
		{&t.down1[1], "chain down, odd"}, {&t.cast, "broadcast"}, {&t.up2[0], "roots up, even"}, {&t.up2[1], "roots up, odd"},
		{&t.down2[0], "roots down, even"}, {&t.down2[1], "roots down, odd"}}
	if t.shape.Groups == 1 {
		want = want[:5]
	}
	for _, w := range want[has:] {
		c, err := t.plan.Color(fmt.Sprintf("%v %s", t.axis, w.use))
		if err != nil {
			return err
		}
		*w.color = c
	}
	return nil
}

// configureRoutes configures every hop of the three phases.
func (t *Tree) configureRoutes() error {
	s := t.shape
	for g := range s.Groups {
		from, root := s.start(g), s.root(g)
		for i := from; i < root; i++ {
			if err := t.plan.link(t.axis, t.up1[i&1], i, i+1); err != nil {
				return err
			}
		}
		for i := from + s.size(g) - 1; i > root; i-- {
			if err := t.plan.link(t.axis, t.down1[i&1], i, i-1); err != nil {
				return err
			}
		}
	}
	for g := range s.Groups / 2 {
		if err := t.plan.link(t.axis, t.up2[g&1], s.root(g), s.root(g+1)); err != nil {
			return err
		}
	}
	for g := s.Groups - 1; g > s.Groups/2; g-- {
		if err := t.plan.link(t.axis, t.down2[g&1], s.root(g), s.root(g-1)); err != nil {
			return err
		}
	}
	return t.plan.configureBroadcast(t.axis, t.cast, t.shape.Root())
}

// Allreduce replaces buf in every core by the sum (tile.Add), maximum (tile.Max) or largest
// pair (tile.ArgMax) of the buffers of its line. Numbers are added in the tree's order.
func (t *Tree) Allreduce(op tile.Op, buf tile.Buffer) {
	t.each(func(i int) []tile.Instr { return t.program(op, buf, i) })
}

// Reduce is like Allreduce, but changes the buffer of each line's root only.
func (t *Tree) Reduce(op tile.Op, buf tile.Buffer) {
	t.each(func(i int) []tile.Instr { return t.reduce(op, buf, i) })
}

// Broadcast copies buf of the line's root to every core.
func (t *Tree) Broadcast(buf tile.Buffer) {
	t.each(func(i int) []tile.Instr { return t.broadcast(buf, i) })
}

// each emits the same instructions into the i-th core of every line.
func (t *Tree) each(program func(i int) []tile.Instr) {
	_, lines := t.plan.length(t.axis)
	for i := range t.shape.Cores {
		list := program(i)
		for line := range lines {
			t.plan.Emit(t.axis.place(line, i), list...)
		}
	}
}

// program returns the instructions of the i-th core of a line.
func (t *Tree) program(op tile.Op, buf tile.Buffer, i int) []tile.Instr {
	return append(t.reduce(op, buf, i), t.broadcast(buf, i)...)
}

// reduce returns the instructions of the i-th core for phases 1 and 2.
func (t *Tree) reduce(op tile.Op, buf tile.Buffer, i int) []tile.Instr {
	s := t.shape
	list := []tile.Instr{{Op: tile.Busy, N: 1, Cycles: t.plan.launch}}
	g := s.group(i)
	from, size, root := s.start(g), s.size(g), s.root(g)
	list = append(list, chain(op, buf, t.up1, t.down1, i, from, root, from+size-1)...)
	if i == root && s.Groups > 1 {
		list = append(list, chain(op, buf, t.up2, t.down2, g, 0, s.Groups/2, s.Groups-1)...)
	}
	return list
}

// chain returns the instructions of core i in the chains from first up to root and from
// last down to it. A hop uses the color of its sender's parity.
func chain(op tile.Op, buf tile.Buffer, up, down [2]fabric.Color, i, first, root, last int) []tile.Instr {
	n, vec := int32(buf.Len), buf.Vec()
	in := func(c fabric.Color, dst tile.Operand) tile.Instr {
		return tile.Instr{Op: op, N: n, Dst: dst, A: tile.In(c, buf.Kind), B: vec}
	}
	out := func(c fabric.Color) tile.Operand { return tile.Out(c, buf.Kind) }
	switch {
	case i == root:
		var list []tile.Instr
		if last > root { // the shorter side first
			list = append(list, in(down[(i+1)&1], vec))
		}
		if first < root {
			list = append(list, in(up[(i-1)&1], vec))
		}
		return list
	case i == first:
		return []tile.Instr{{Op: tile.Mov, N: n, Dst: out(up[i&1]), A: vec}}
	case i == last:
		return []tile.Instr{{Op: tile.Mov, N: n, Dst: out(down[i&1]), A: vec}}
	case i < root:
		return []tile.Instr{in(up[(i-1)&1], out(up[i&1]))}
	}
	return []tile.Instr{in(down[(i+1)&1], out(down[i&1]))}
}

func (t *Tree) broadcast(buf tile.Buffer, i int) []tile.Instr {
	switch {
	case t.shape.Cores == 1:
		return nil
	case i == t.shape.Root():
		return []tile.Instr{{Op: tile.Mov, N: int32(buf.Len), Dst: tile.Out(t.cast, buf.Kind), A: buf.Vec()}}
	}
	return []tile.Instr{{Op: tile.Mov, N: int32(buf.Len), Dst: buf.Vec(), A: tile.In(t.cast, buf.Kind)}}
}
