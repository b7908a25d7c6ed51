package server

import (
	"encoding/json"
	"reflect"
	"time"
)

// A command is refused when its arguments do not fit its type. The lanes keep
// the order of commands that depend on each other, and keep a slow one from
// holding up the others: typing goes on while a revert is planned, and a stop
// goes through while a file is opened.
type lane int

const (
	laneOpen  lane = iota // opening files
	laneTurn              // turns
	laneState             // what a page writes down
	laneWork              // everything that changes the history or the project
	laneCount
	inline lane = -1 // in the reader itself: quick, or in order with typing
)

type command struct {
	lane lane
	out  reflect.Type // its answer
	run  func(*call) (any, error)
}

// call is one command of a page.
type call struct {
	page    *page
	id      int64
	args    []byte
	arrived time.Time
	done    bool // the reply is queued
}

// answered says that the command queues its reply itself.
func (c *call) answered() int64 {
	c.done = true
	return c.id
}

// run runs the command and replies, unless it has done so.
func (c *call) run(do func(*call) (any, error)) {
	ok, err := do(c)
	switch {
	case c.done:
	case err != nil:
		_ = c.page.answer(c.id, nil, failure(err)) // an error ends the page, which its reader sees
	default:
		_ = c.page.answer(c.id, ok, nil) // likewise
	}
}

// on makes a command of a function that takes its arguments.
func on[In, Out any](l lane, do func(*call, In) (Out, error)) command {
	return command{l, reflect.TypeFor[Out](), func(c *call) (any, error) {
		var in In
		if err := json.Unmarshal(c.args, &in); err != nil {
			return nil, usage("The arguments do not fit the command: " + err.Error())
		}
		return do(c, in)
	}}
}

// inProject makes a command of a function that needs an open project of which
// the history has what is on disk. What it does there runs under the project's
// context: a page that is reloaded does not cut a save or a revert short.
func inProject[In, Out any](l lane, do func(*call, *opened, In) (Out, error)) command {
	return asShown(l, func(c *call, o *opened, in In) (out Out, err error) {
		if err := o.Ready(o.ctx); err != nil {
			return out, err
		}
		return do(c, o, in)
	})
}

// asShown makes a command of what can be done with a project before that.
func asShown[In, Out any](l lane, do func(*call, *opened, In) (Out, error)) command {
	return on(l, func(c *call, in In) (out Out, err error) {
		o, done, err := c.page.host.use()
		if err != nil {
			return out, err
		}
		defer done()
		return do(c, o, in)
	})
}

// none is what a command takes that needs nothing to be told, and null what one
// answers that has nothing to tell but that it is done.
type (
	none struct{}
	null = *none
)

// Commands are all that a page can send, with what each takes and answers.
var commands map[string]command

func init() {
	commands = map[string]command{
		"openProject":  on(laneWork, openProject), // answered at once; a Hello brings the project
		"closeProject": on(laneWork, closeProject),
		"forgetRecent": on(laneState, forgetRecent),
		"useFolder":    asShown(laneWork, useFolder), // the other folder is the project's from now on

		"open": asShown(laneOpen, openDocument), // and its news from now on
		// Goes on where the connection was lost; page is the name it had. False: it cannot
		// be done, open it. Else the next frame has news of it, with the page's own update
		// if its last push had arrived.
		"reopen": asShown(laneOpen, reopenDocument),
		"close":  on(laneOpen, closeDocument),
		"push":   asShown(inline, push), // confirmed by an own Update
		"save":   inProject(laneWork, save),
		"create": inProject(laneWork, create),
		"rename": inProject(laneWork, rename),
		// Deletes what the Removal with this sum listed. Reverting the edits brings back what can be.
		"remove": inProject(laneWork, remove),

		"edit":    inProject(laneTurn, edit),
		"steer":   inProject(laneTurn, steer),
		"stop":    inProject(laneTurn, stop),
		"pause":   inProject(laneTurn, pause),
		"resume":  inProject(laneTurn, resume),
		"approve": inProject(laneWork, approve), // of what was held because of the scope or of another turn

		"revert":     inProject(laneWork, revert),
		"resolve":    inProject(laneWork, resolve),
		"restore":    inProject(laneWork, restore),
		"fork":       inProject(laneWork, fork),
		"switchFork": inProject(laneWork, switchFork),
		"nameMoment": inProject(laneWork, nameMoment), // "" takes the name away
		"capHistory": inProject(laneWork, capHistory), // 0: no limit
		"accept":     inProject(laneWork, accept),
		"unaccept":   inProject(laneWork, unaccept),

		"newSession":    inProject(laneWork, newSession),
		"useSession":    inProject(laneWork, useSession),
		"renameSession": inProject(laneWork, renameSession),

		"setUI":    asShown(laneState, setUI), // durable when answered
		"setPrefs": on(laneState, setPrefs),
	}
}
