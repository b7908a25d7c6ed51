package tile

import (
	"fmt"

	"waferpair/wafer/clock"
	"waferpair/wafer/fabric"
)

// check refuses instructions that could not run. It checks a part that several cores share
// only once: most are those of a core beside this one, loaded before it.
func (g *Grid) check(core, id int, task Task) error {
	if err := g.checkCode(task.Body, 0); err != nil {
		return err
	}
	first := len(task.Body)
	left, above := g.parts(core-1, id), g.parts(core-g.Width, id)
	for i, part := range task.Parts {
		if len(part) > 0 && !sharesPart(left, i, part) && !sharesPart(above, i, part) && g.checked[&part[0]] < len(part) {
			if err := g.checkCode(part, first); err != nil {
				return err
			}
			g.checked[&part[0]] = len(part)
		}
		first += len(part)
	}
	return nil
}

// parts returns the parts of a core's task, if it has been loaded since the last run.
func (g *Grid) parts(core, task int) [][]Instr {
	if core < 0 || g.cores[core].loaded != g.runs || task >= len(g.cores[core].program) {
		return nil
	}
	return g.cores[core].program[task].Parts
}

// sharesPart reports whether the i-th of a list of parts is this one, or begins with it.
func sharesPart(list [][]Instr, i int, part []Instr) bool {
	return i < len(list) && len(list[i]) >= len(part) && &list[i][0] == &part[0]
}

func (g *Grid) checkCode(code []Instr, first int) error {
	for i := range code {
		if err := g.checkInstr(&code[i]); err != nil {
			return fmt.Errorf("instruction %d, %v: %w", first+i, code[i].Op, err)
		}
	}
	return nil
}

func (g *Grid) checkInstr(in *Instr) error {
	switch {
	case in.N < 0 || in.K < 0 || in.M < 0 || in.Cycles < 0:
		return fmt.Errorf("a negative length or time")
	case in.Thread > Threads:
		return fmt.Errorf("microthread %d; a core has %d", in.Thread, Threads)
	case in.Task >= MaxTasks && in.Op != Mark:
		return fmt.Errorf("task %d; a core has %d", in.Task, MaxTasks)
	case in.Op >= Top && in.Op <= GEMM || in.Op == MulAdd:
		if in.onFabric() {
			return fmt.Errorf("its operands must be in SRAM")
		}
	case in.Op == ArgMax && in.N%2 != 0:
		return fmt.Errorf("%d numbers are not pairs", in.N)
	}
	dst, a, b := in.lengths()
	for i, o := range [3]Operand{in.Dst, in.A, in.B} {
		if err := g.checkOperand(in, o, [3]int{dst, a, b}[i]); err != nil {
			return err
		}
	}
	return nil
}

// lengths returns how many numbers an operation uses of each operand.
func (in *Instr) lengths() (dst, a, b int) {
	n, k, m := int(in.N), int(in.K), int(in.M)
	switch in.Op {
	case GEMV:
		return n, k, max(0, k-1)*max(n, m) + n
	case GEMM:
		return n * m, k * m, k * n
	case Top:
		return 2, n, 0
	case Gather:
		return n, 1, k * n
	}
	return n, n, n
}

func (g *Grid) checkOperand(in *Instr, o Operand, n int) error {
	switch o.where {
	case fabin, fabout:
		if int(o.Color) >= g.Machine.Colors {
			return fmt.Errorf("color %d of %d", o.Color, g.Machine.Colors)
		}
		if o.Kind != in.fabricKind() && in.Op != Switch {
			return fmt.Errorf("wavelets of %v and of %v in one operation", o.Kind, in.fabricKind())
		}
	case memory:
		first, last := int(o.Addr), int(o.Addr)+max(0, n-1)*int(o.Stride)*o.Kind.Words()
		if low, high := min(first, last), max(first, last)+o.Kind.Words(); n > 0 && (low < 0 || high > g.words) {
			return fmt.Errorf("numbers in words %d to %d of %d", low, high-1, g.words)
		}
	case none, argument:
	}
	return nil
}

// DeadlockError means that programs wait for wavelets that will not come.
type DeadlockError struct {
	Cores  []Waiting
	Fabric []fabric.Stuck
	Left   []Left
}

// Left is the wavelets that a core has not taken.
type Left struct {
	At     fabric.At
	Colors map[fabric.Color]int
}

func (l Left) String() string { return fmt.Sprintf("untaken at core %v: %v", l.At, l.Colors) }

// EndlessError means that wavelets circulate for ever and reach no core.
type EndlessError struct {
	Since, Now clock.Cycle // no core has done anything in between
	Fabric     []fabric.Stuck
}

func (e *EndlessError) Error() string {
	text := fmt.Sprintf(
		"wavelets go round and round: no core has done anything from cycle %d to %d; a switch has closed a circle of routes",
		e.Since, e.Now)
	for i, s := range e.Fabric {
		if i == shown {
			break
		}
		text += "\n  on its way: " + s.String()
	}
	return text
}

// Waiting is a core that cannot continue.
type Waiting struct {
	At     fabric.At
	Task   int
	Instr  int
	Reason string
}

func (w Waiting) String() string {
	return fmt.Sprintf("core %v, task %d, instruction %d, %s", w.At, w.Task, w.Instr, w.Reason)
}

const shown = 8 // how many cores and wavelets an error's text lists

func (e *DeadlockError) Error() string {
	text := fmt.Sprintf("deadlock: %d cores wait", len(e.Cores))
	for i, w := range e.Cores {
		if i == shown {
			text += fmt.Sprintf("\n  and %d more", len(e.Cores)-shown)
			break
		}
		text += "\n  " + w.String()
	}
	for i, s := range e.Fabric {
		if i == shown {
			text += fmt.Sprintf("\n  and wavelets in %d more queues", len(e.Fabric)-shown)
			break
		}
		text += "\n  stuck: " + s.String()
	}
	for _, l := range e.Left[:min(1, len(e.Left))] {
		text += "\n  " + l.String()
	}
	return text
}

// deadlock returns what is not finished when nothing happens any more.
func (g *Grid) deadlock() error {
	e := &DeadlockError{Fabric: g.fabric.Stuck()}
	for i := range g.cores {
		c := &g.cores[i]
		e.Cores = append(e.Cores, g.waitingFor(c)...)
		if left := g.fabric.Undelivered(g.at(i)); len(left) > 0 {
			e.Left = append(e.Left, Left{g.at(i), left})
		}
	}
	if len(e.Cores) == 0 && len(e.Fabric) == 0 && len(e.Left) == 0 {
		return nil
	}
	return e
}

func (g *Grid) waitingFor(c *core) []Waiting {
	var list []Waiting
	say := func(in *Instr, reason string) {
		list = append(list, Waiting{g.at(c.id), c.task, c.before() + c.pc - 1, in.Op.String() + " " + reason})
	}
	if c.main.in != nil {
		say(c.main.in, g.lacks(c, c.main.in))
	} else if c.task != idle && c.pc < len(c.code) {
		say(&c.code[c.pc], "waits for its microthreads")
	}
	for n := range c.beside {
		if c.running&(1<<n) != 0 {
			say(c.beside[n].in, fmt.Sprintf("in microthread %d %s", n+1, g.lacks(c, c.beside[n].in)))
		}
	}
	return list
}

// before returns how many instructions of the task come before its current part.
func (c *core) before() int {
	if c.task == idle || c.part == 0 {
		return 0
	}
	n := len(c.program[c.task].Body)
	for _, part := range c.program[c.task].Parts[:c.part-1] {
		n += len(part)
	}
	return n
}

// lacks returns what an instruction waits for.
func (g *Grid) lacks(c *core, in *Instr) string {
	for _, o := range [2]Operand{in.A, in.B} {
		if o.where == fabin && g.fabric.Ready(maxCycles, c.id, o.Color, 1) == 0 {
			return fmt.Sprintf("waits for wavelets of color %d", o.Color)
		}
	}
	if in.Dst.where == fabout || in.Op == Switch {
		return fmt.Sprintf("waits for room in color %d", in.Dst.Color)
	}
	return "waits for a second wavelet"
}
