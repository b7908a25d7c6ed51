package server

import (
	"encoding/json"
	"reflect"
	"time"
)

// A lane runs its commands in order, and separately from other lanes, so that a slow command
// does not delay the rest: typing continues while a revert is planned, and a stop is handled
// while a file is being opened.
type lane int

const (
	laneOpen      lane = iota // opening files
	laneTurn                  // turns
	laneState                 // what a page stores
	laneWork                  // everything that changes the history or the project
	laneProviders             // testing one takes seconds
	laneMeasure               // takes a minute
	laneCount
	inline lane = -1 // in the reader itself: quick, or ordered with typing
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

// answered queues the reply before the command ends, and returns the call's id for it.
func (c *call) answered() int64 {
	c.done = true
	return c.id
}

// run runs the command, and replies unless the command did.
func (c *call) run(do func(*call) (any, error)) {
	ok, err := do(c)
	switch {
	case c.done:
	case err != nil:
		_ = c.page.answer(c.id, nil, failure(err)) // an error ends the page, and its reader notices
	default:
		_ = c.page.answer(c.id, ok, nil) // likewise
	}
}

// on makes a command from a function of its arguments.
func on[In, Out any](l lane, do func(*call, In) (Out, error)) command {
	return command{l, reflect.TypeFor[Out](), func(c *call) (any, error) {
		var in In
		if err := json.Unmarshal(c.args, &in); err != nil {
			return nil, usage("The arguments do not fit the command: " + err.Error())
		}
		return do(c, in)
	}}
}

// inProject makes a command from a function that needs an open project, compared with the
// disk. It runs under the project's context, so that reloading the page does not interrupt a
// save or a revert.
func inProject[In, Out any](l lane, do func(*call, *opened, In) (Out, error)) command {
	return asShown(l, func(c *call, o *opened, in In) (out Out, err error) {
		if err := o.Ready(o.ctx); err != nil {
			return out, err
		}
		return do(c, o, in)
	})
}

// asShown makes a command from a function that needs an open project, compared or not.
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

// none is the type of missing arguments, null that of an empty answer.
type (
	none struct{}
	null = *none
)

// Commands lists all commands of pages, with their arguments and answers.
var commands map[string]command

func init() {
	commands = map[string]command{
		"openProject":  on(laneWork, openProject), // answered at once; a Hello brings the project
		"closeProject": on(laneWork, closeProject),
		"forgetRecent": on(laneState, forgetRecent),
		"useFolder":    asShown(laneWork, useFolder), // accepts the other folder as the project's

		"open": asShown(laneOpen, openDocument), // sends its changes from now on
		// Continues after a lost connection; page is the name it had. False: it is not
		// possible, open it. Otherwise the next frame has updates of it, including the page's
		// own update if its last push had arrived.
		"reopen": asShown(laneOpen, reopenDocument),
		"close":  on(laneOpen, closeDocument),
		"push":   asShown(inline, push), // confirmed by an own Update
		"save":   inProject(laneWork, save),
		"create": inProject(laneWork, create),
		"rename": inProject(laneWork, rename),
		// Deletes the files of the Removal with this sum. Reverting the edits restores what
		// can be restored.
		"remove": inProject(laneWork, remove),

		"edit":    inProject(laneTurn, edit),
		"steer":   inProject(laneTurn, steer),
		"stop":    inProject(laneTurn, stop),
		"pause":   inProject(laneTurn, pause),
		"resume":  inProject(laneTurn, resume),
		"approve": inProject(laneWork, approve), // the edits held because of the scope or of another turn

		"revert":     inProject(laneWork, revert),
		"resolve":    inProject(laneWork, resolve),
		"restore":    inProject(laneWork, restore),
		"fork":       inProject(laneWork, fork),
		"switchFork": inProject(laneWork, switchFork),
		"nameMoment": inProject(laneWork, nameMoment), // "" removes the name
		"capHistory": inProject(laneWork, capHistory), // 0: no limit
		"accept":     inProject(laneWork, accept),
		"unaccept":   inProject(laneWork, unaccept),
		"setFinding": inProject(laneWork, setFinding), // what the user decided about a finding

		"testProvider":   on(laneProviders, testProvider), // connects; nothing is kept
		"saveProvider":   on(laneProviders, saveProvider), // its key is kept first
		"removeProvider": on(laneProviders, removeProvider),
		// Sends a model short texts, over each protocol; one at a time. measuring says how far it
		// is, stopMeasuring ends it.
		"measureProvider": on(laneMeasure, measureProvider),
		"measuring":       on(laneState, measureStepOf),
		"stopMeasuring":   on(laneState, stopMeasuring),

		"unloadModel": asShown(laneWork, unloadModel), // a model file leaves the memory
		"removeModel": asShown(laneWork, removeModel), // the name of a model file goes, the file stays

		"newSession":    inProject(laneWork, newSession),
		"useSession":    inProject(laneWork, useSession),
		"renameSession": inProject(laneWork, renameSession),
		// Takes the summary of a session's oldest turns back: prompts have the turns themselves.
		"dropSummary": inProject(laneWork, dropSummary),

		"setUI":    asShown(laneState, setUI), // durable when answered
		"setPrefs": on(laneState, setPrefs),
	}
}
