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
	in   reflect.Type // its arguments
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
		_ = c.page.answer(c.id, ok, nil)
	}
}

// on makes a command of a function that takes its arguments.
func on[In any](l lane, do func(*call, In) (any, error)) command {
	return command{l, reflect.TypeFor[In](), func(c *call) (any, error) {
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
func inProject[In any](l lane, do func(*call, *opened, In) (any, error)) command {
	return asShown(l, func(c *call, o *opened, in In) (any, error) {
		if err := o.Ready(o.ctx); err != nil {
			return nil, err
		}
		return do(c, o, in)
	})
}

// asShown makes a command of what can be done with a project before that.
func asShown[In any](l lane, do func(*call, *opened, In) (any, error)) command {
	return on(l, func(c *call, in In) (any, error) {
		o, done, err := c.page.host.use()
		if err != nil {
			return nil, err
		}
		defer done()
		return do(c, o, in)
	})
}

type none struct{}

// commands are all commands, by name.
var commands map[string]command

func init() {
	commands = map[string]command{
		"openProject":  on(laneWork, openProject),
		"closeProject": on(laneWork, closeProject),
		"forgetRecent": on(laneState, forgetRecent),
		"useFolder":    asShown(laneWork, useFolder),

		"open":   asShown(laneOpen, openDocument),
		"reopen": asShown(laneOpen, reopenDocument),
		"close":  on(laneOpen, closeDocument),
		"push":   asShown(inline, push),
		"save":   inProject(laneWork, save),
		"create": inProject(laneWork, create),
		"rename": inProject(laneWork, rename),
		"remove": inProject(laneWork, remove),

		"edit":    inProject(laneTurn, edit),
		"steer":   inProject(laneTurn, steer),
		"stop":    inProject(laneTurn, stop),
		"pause":   inProject(laneTurn, pause),
		"resume":  inProject(laneTurn, resume),
		"approve": inProject(laneWork, approve),

		"revert":     inProject(laneWork, revert),
		"resolve":    inProject(laneWork, resolve),
		"restore":    inProject(laneWork, restore),
		"fork":       inProject(laneWork, fork),
		"switchFork": inProject(laneWork, switchFork),
		"nameMoment": inProject(laneWork, nameMoment),
		"capHistory": inProject(laneWork, capHistory),
		"accept":     inProject(laneWork, accept),
		"unaccept":   inProject(laneWork, unaccept),

		"newSession":    inProject(laneWork, newSession),
		"useSession":    inProject(laneWork, useSession),
		"renameSession": inProject(laneWork, renameSession),

		"setUI":    asShown(laneState, setUI),
		"setPrefs": on(laneState, setPrefs),
	}
}
