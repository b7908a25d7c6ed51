package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"waferpair/engine"
	"waferpair/engine/model"
)

// Bounds of a turn. A steer begins counting anew.
const (
	maxRounds = 200     // answers: what they cost is seen, and budgets bound it
	maxCalls  = 100     // of one answer
	maxAnswer = 2 << 20 // bytes of one answer, about 500,000 tokens: what it takes here is some fifty times as much
)

// errTooLong ends an answer beyond maxAnswer.
var errTooLong = fmt.Errorf("the answer is longer than %d MB: %s", maxAnswer>>20, kept)

// drive is the state of one turn. Whoever holds its generation's floor owns it: the turn's
// goroutine, or the model's during a delta.
type drive struct {
	model    model.Model
	language bool // it is asked again for what its answer waits for
	host     engine.Host
	prompt   model.Prompt // of the turn
	next     int          // place of the next item in the turn
	output   model.Output // the items after those of the prompt
	ending   engine.Ending
	thinks   bool // answers begin within a thought, as one before did
	rounds   int  // generations since the last word of the user
	room     room

	resumes *engine.Broken   // the answer that the first one goes on with; nil: none
	open    []model.Item     // the prompt of the first one, whose last item it goes on with at the byte; nil: none
	steered []engine.Steered // sent, and the model has not answered them yet
	paused  bool
}

// then is what follows a generation; the zero value ends the turn.
type then struct {
	steer *engine.Steered
	more  bool // the model waits for what was added to the prompt
}

// run generates, and generates again after each steer, and while the model waits for outputs.
func (d *drive) run(ctx context.Context) error {
	defer d.failSteers()
	for {
		next, err := d.generate(ctx)
		switch {
		case err != nil:
			if next.steer != nil {
				d.steered = append(d.steered, *next.steer)
			}
			return d.unfinished(err)
		case next.steer != nil:
			if err := d.instruct(*next.steer); err != nil {
				return err
			}
		case !next.more:
			return nil
		case d.rounds >= maxRounds:
			return &engine.Unfinished{Err: fmt.Errorf("the model was asked %d times and is not done: what it made is kept; "+
				"continue, or ask for less at once", maxRounds)}
		}
	}
}

// unfinished returns the error with which the turn ends. What a language model wrote before a
// failure that is nobody's decision can be continued.
func (d *drive) unfinished(err error) error {
	var refusal *model.Refusal
	var held *engine.HeldError
	var busy *engine.Busy
	switch {
	case !d.language, len(d.output.Items()) == 0, errors.Is(err, context.Canceled), errors.As(err, &refusal),
		errors.As(err, &held), errors.As(err, &busy), errors.Is(err, model.ErrStale):
		return err
	}
	return &engine.Unfinished{Err: err}
}

// failSteers reports that the turn ended before the model answered steers, which hands their texts
// back.
func (d *drive) failSteers() {
	d.setSteers(engine.SteerFailed)
}

// applied reports that the model answers the steers: also one that the next steer cut before its
// answer began, because the model has read both.
func (d *drive) applied() {
	if len(d.steered) > 0 {
		d.setSteers(engine.SteerApplied)
	}
}

func (d *drive) setSteers(state engine.SteerState) {
	for _, s := range d.steered {
		s.State = state
		d.host.Emit(s)
	}
	d.steered = nil
}

// instruct adds a steer to the prompt of the next generation.
func (d *drive) instruct(s engine.Steered) error {
	if err := d.recordWhole(model.User(s.Text)); err != nil {
		return err
	}
	s.State = engine.SteerSent
	d.steered, d.paused, d.rounds = append(d.steered, s), false, 0
	d.host.Emit(s)
	return nil
}

// record stores a piece of an item.
func (d *drive) record(piece model.Delta) error {
	if err := d.output.Take(piece); err != nil {
		return err
	}
	return d.host.Record(d.ending.Rounds, piece)
}

// recordWhole stores a complete item.
func (d *drive) recordWhole(i model.Item) error {
	at := d.next
	d.next++
	if err := d.record(model.Begin{At: at, Item: i}); err != nil {
		return err
	}
	return d.record(model.End{At: at})
}

// nextPrompt returns the prompt with all items so far.
func (d *drive) nextPrompt() model.Prompt {
	p := d.prompt
	if d.open != nil {
		p.Items = d.open
		return p
	}
	p.Items = append(p.Items[:len(p.Items):len(p.Items)], d.output.Items()...)
	if d.room.fit(p.Items) {
		p.After = ""
	}
	return p
}

// generated is the result of a generation.
type generated struct {
	model.Result
	err error
}

// generate runs the model once, until it ends, stops or is steered.
func (d *drive) generate(ctx context.Context) (next then, err error) {
	gctx, cut := context.WithCancel(ctx)
	defer cut()
	g, prompt := newGeneration(d, cut), d.nextPrompt()
	g.rejoins, d.open = d.open != nil, nil
	result := make(chan generated, 1)
	go func() {
		r, err := g.ask(gctx, prompt)
		result <- generated{r, err}
	}()
	defer func() { d.ending.Rounds++; d.rounds++ }()
	for {
		steer, end, err := g.wait(gctx, result)
		next := then{steer: steer}
		switch {
		case errors.Is(err, errCut):
			cut()
			g.addResult(drain(result), model.StopCut)
			if g.crowded && steer == nil && ctx.Err() == nil {
				return g.crowd()
			}
			return next, g.cut("cut by the user")
		case err != nil:
			cut()
			if end == nil {
				end = &generated{Result: drain(result)}
			}
			g.addResult(end.Result, model.StopCut)
			return next, errors.Join(err, g.cut("cut by a failure"))
		case end == nil:
		case g.crowded:
			g.addResult(end.Result, model.StopCut)
			return g.crowd()
		case end.err != nil && g.withoutTools(end.err):
			return then{more: true}, nil
		case end.err != nil:
			g.addResult(end.Result, model.StopCut)
			return next, errors.Join(end.err, g.cut("cut by a failure"))
		default:
			g.addResult(end.Result, end.Stop)
			return g.over(end.Stop)
		}
	}
}

// errCut is the error of wait when the user stops or steers.
var errCut = errors.New("cut by the user")

// handleCommand carries out a command of the user.
func (d *drive) handleCommand(c engine.Command) (steer *engine.Steered, err error) {
	switch c.Kind {
	case engine.CommandStop:
		return nil, errCut
	case engine.CommandSteer:
		steer = &engine.Steered{Text: c.Text, Steer: c.Steer, State: engine.SteerQueued}
		d.host.Emit(*steer)
		return steer, errCut
	case engine.CommandPause:
		d.paused = true
	case engine.CommandResume:
		d.paused = false
	}
	return nil, nil
}

// drainTimeout is how long a turn waits for a model that was cut off. A model that takes
// longer, such as one that waits for a compiler, is abandoned: its deltas are dropped and
// the user does not wait for it.
const drainTimeout = 100 * time.Millisecond

func drain(result <-chan generated) model.Result {
	select {
	case r := <-result:
		return r.Result
	case <-time.After(drainTimeout):
		return model.Result{}
	}
}

// addResult adds a generation, which ended because of stop, to the turn's ending.
func (g *generation) addResult(r model.Result, stop model.Stop) {
	d := g.drive
	d.ending.Usage = d.ending.Usage.Add(r.Usage)
	d.room.learn(r.Usage)
	d.ending.Stop, d.ending.Cursor, d.prompt.After = stop, r.Cursor, r.Cursor
	if one, ok := g.clock.generation(r.Usage); ok {
		d.ending.Each = engine.LastGenerations(append(d.ending.Each, one))
	}
	for phase, took := range g.clock.fill(r.Timing) {
		if d.ending.Timing == nil {
			d.ending.Timing = map[model.Phase]time.Duration{}
		}
		d.ending.Timing[phase] += took
	}
}
