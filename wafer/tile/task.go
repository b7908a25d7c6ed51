package tile

import "waferpair/wafer/fabric"

// TaskKind is what makes a task run.
type TaskKind uint8

// The kinds of tasks. Of those that may run, the picker prefers control tasks to data tasks
// to local tasks, and of equal ones the lower number.
const (
	Local   TaskKind = iota // when it is activated
	Data                    // when a wavelet of its color has arrived, which is its argument
	Control                 // when a control wavelet of its color has arrived
)

// Task is a part of a core's program. It runs to its end once it is picked.
type Task struct {
	Kind    TaskKind
	Color   fabric.Color // of data and control tasks
	Active  bool         // local tasks: active from the start
	Blocked bool         // from the start
	Body    []Instr
	Parts   [][]Instr // follow Body; cores with the same work can share a part
}

// Program is the tasks of a core; their indexes are their IDs.
type Program []Task

// MaxTasks is how many tasks a program may have.
const MaxTasks = 64

type taskState struct {
	active, blocked uint64 // sets of ids
}

// pick begins the next task that may run.
func (c *core) pick(g *Grid, b *band) bool {
	for kind := Control; ; kind-- {
		for id := range c.program {
			if task := &c.program[id]; task.Kind == kind && c.mayRun(g, b, id, task) {
				c.begin(b, id, task)
				return true
			}
		}
		if kind == Local {
			return false
		}
	}
}

func (c *core) mayRun(g *Grid, b *band, id int, task *Task) bool {
	bit := uint64(1) << id
	if c.tasks.blocked&bit != 0 {
		return false
	}
	if task.Kind == Local {
		return c.tasks.active&bit != 0
	}
	return g.fabric.Ready(b.now, c.id, task.Color, 1) == 1 &&
		g.fabric.Peek(c.id, task.Color).Control == (task.Kind == Control)
}

func (c *core) begin(b *band, id int, task *Task) {
	if task.Kind == Local {
		c.tasks.active &^= 1 << id
	} else {
		c.arg = b.net.Take(c.id, task.Color)
	}
	c.task, c.pc, c.part, c.code, c.parts = id, 0, 0, task.Body, task.Parts
}

// more continues with the next part of the task, if there is one.
func (c *core) more() bool {
	if c.part == len(c.parts) {
		return false
	}
	c.code, c.pc = c.parts[c.part], 0
	c.part++
	return true
}
