package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"waferpair/engine/editstream"
	"waferpair/engine/model"
)

// Bounds of a turn's queues: how far the model may run ahead of the edits, the
// edits ahead of the watcher, and the edits ahead of the disk.
const (
	chunkQueue = 64
	eventQueue = 256
	ackQueue   = 1024
)

// Turn is one answer of a model, from the request to one ending. Its methods
// may be called from any goroutine.
type Turn struct {
	id      int64
	tokens  atomic.Int64 // that the model said
	events  chan Event
	control chan command
	ended   chan struct{}
	outcome Outcome // set before ended is closed
}

// command is what the user tells a running turn.
type command struct {
	kind  commandKind
	steer string
}

type commandKind int

const (
	cmdStop commandKind = iota
	cmdPause
	cmdResume
	cmdSteer
)

// ID is the turn's number in the history; 0 when nothing is recorded.
func (t *Turn) ID() int64 { return t.id }

// Tokens is how much the model has said so far, as it counts.
func (t *Turn) Tokens() int64 { return t.tokens.Load() }

// Events is the stream of what happens, closed after Ended.
func (t *Turn) Events() <-chan Event { return t.events }

// Stop ends the turn at the next token. The partial edit stays and is recorded.
func (t *Turn) Stop() { t.tell(command{kind: cmdStop}) }

// Pause freezes the turn before the next token, until Resume.
func (t *Turn) Pause() { t.tell(command{kind: cmdPause}) }

// Resume goes on after Pause.
func (t *Turn) Resume() { t.tell(command{kind: cmdResume}) }

// Steer cuts the model off at the next token, keeps what it wrote, and has it
// go on with the instruction added. The receipt comes as Steered events. It
// returns false when the turn had ended already: the text was not sent.
func (t *Turn) Steer(text string) bool { return t.tell(command{kind: cmdSteer, steer: text}) }

// Wait returns the outcome once the turn has ended.
func (t *Turn) Wait() Outcome {
	<-t.ended
	return t.outcome
}

func (t *Turn) tell(c command) bool {
	select {
	case t.control <- c:
		return true
	case <-t.ended:
		return false
	}
}

// runner is the state of a running turn; only the turn's goroutine touches it.
type runner struct {
	*Turn
	project Project
	req     Request
	parser  editstream.Parser
	placer  *editstream.Placer
	acks    *acker

	started, firstText time.Time
	lastText           time.Time
	partial            []byte       // what the model has said so far
	items              []model.Item // of the turn, after its request
	out                model.Output // of the generation that runs
	text               span         // of the parser and the placer at work
	pendingSteer       string       // sent, and not yet followed by any text
	hunk               int
	cutting            bool // the user's stop or steer is closing the hunk
	tally              tally
	timing             Timing
}

func newTurn(id int64) *Turn {
	return &Turn{
		id:      id,
		events:  make(chan Event, eventQueue),
		control: make(chan command),
		ended:   make(chan struct{}),
	}
}

// run is the turn from start to its one ending.
func (t *Turn) run(ctx context.Context, p Project, req Request) {
	r := &runner{Turn: t, project: p, req: req, started: time.Now()}
	r.acks = startAcker(r.events)
	why := r.converse(ctx)
	r.settle(why)
	r.finish(why)
}

// ending is why the model's text stopped coming.
type ending struct {
	status Status
	err    error
}

// converse generates, and generates again after each steer.
func (r *runner) converse(ctx context.Context) ending {
	for {
		r.openText()
		r.out = model.Output{}
		steer, end := r.generate(ctx)
		r.closeText(end.status != Completed || steer != "")
		for _, at := range r.out.Open() {
			r.out.Cut(at)
		}
		r.items = append(r.items, r.out.Items()...)
		if steer == "" {
			return end
		}
		r.items = append(r.items, model.User(steer))
		r.pendingSteer = steer
		r.emit(Steered{Text: steer, State: SteerSent})
	}
}

// generate runs the model once, until its end, a stop or a steer.
func (r *runner) generate(ctx context.Context) (steer string, end ending) {
	gctx, cut := context.WithCancel(ctx)
	defer cut()
	deltas := make(chan offer, chunkQueue)
	result := make(chan error, 1)
	prompt := r.req.Prompt
	prompt.Items = append(slices.Clone(prompt.Items), r.items...)
	modelStart := time.Now()
	if r.timing.Context == 0 {
		r.timing.Context = modelStart.Sub(r.started)
	}
	go func() {
		defer close(deltas)
		result <- ask(gctx, r.req.Model, prompt, deltas)
	}()
	steer, end, cutShort := r.consume(gctx, deltas, modelStart)
	cut()
	if cutShort {
		letGo(deltas)
		return steer, end
	}
	return "", endingOf(ctx, <-result)
}

// ask has the model answer. One that panics has failed: its turn ends, and others go on.
func ask(ctx context.Context, m model.Model, p model.Prompt, deltas chan<- offer) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s broke: %v; the edits made until then are kept\n%s", m.Info().Name, v, debug.Stack())
		}
	}()
	_, err = m.Generate(ctx, p, func(d model.Delta) error { return offerTo(ctx, deltas, d) })
	return err
}

// offer is a delta on its way from the model to the turn.
type offer struct {
	delta   model.Delta
	verdict chan error // of exact edits, for which the model waits
}

func offerTo(ctx context.Context, to chan<- offer, d model.Delta) error {
	o := offer{delta: d}
	if _, exact := d.(model.Edits); exact {
		o.verdict = make(chan error, 1)
	}
	select {
	case to <- o:
	case <-ctx.Done():
		return ctx.Err()
	}
	if o.verdict == nil {
		return nil
	}
	select {
	case err := <-o.verdict:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// letGoWithin is how long a turn waits for a model that was cut off.
const letGoWithin = 100 * time.Millisecond

// letGo drops what a model that was cut off had still said, until it has
// stopped. One that is deep in work of its own, such as waiting for a compiler,
// is left behind: its text goes nowhere, and the user does not wait for it.
func letGo(deltas <-chan offer) {
	timeout := time.After(letGoWithin)
	for {
		select {
		case _, ok := <-deltas:
			if !ok {
				return
			}
		case <-timeout:
			return
		}
	}
}

// consume takes deltas until the model ends (cutShort false) or the user cuts in.
// What the user says goes before the next delta.
func (r *runner) consume(ctx context.Context, deltas <-chan offer, modelStart time.Time) (steer string, end ending, cutShort bool) {
	paused := false
	for {
		in := deltas
		if paused {
			in = nil
		}
		select {
		case c := <-r.control:
			steer, end, cutShort = r.obey(c, &paused)
			if cutShort {
				return steer, end, true
			}
			continue
		case <-ctx.Done():
			return "", ending{status: Stopped}, true
		default:
		}
		select {
		case c := <-r.control:
			steer, end, cutShort = r.obey(c, &paused)
			if cutShort {
				return steer, end, true
			}
		case <-ctx.Done():
			return "", ending{status: Stopped}, true
		case o, ok := <-in:
			if !ok {
				return "", ending{}, false
			}
			if err := r.take(ctx, o, modelStart); err != nil {
				return "", ending{Failed, err}, true
			}
		}
	}
}

// obey carries out what the user said.
func (r *runner) obey(c command, paused *bool) (steer string, end ending, cutShort bool) {
	switch c.kind {
	case cmdStop:
		return "", ending{status: Stopped}, true
	case cmdSteer:
		r.emit(Steered{Text: c.steer, State: SteerQueued})
		return c.steer, ending{}, true
	case cmdPause:
		*paused = true
	case cmdResume:
		*paused = false
	}
	return "", ending{}, false
}

// endingOf says how a model that was not cut short ended.
func endingOf(ctx context.Context, err error) ending {
	var refusal *model.Refusal
	var held *HeldError
	var busy *Busy
	switch {
	case err == nil:
		return ending{status: Completed}
	case errors.As(err, &refusal):
		return ending{Declined, err}
	case errors.As(err, &held), errors.As(err, &busy):
		return ending{Held, err}
	case errors.Is(err, model.ErrStale):
		return ending{Conflict, err}
	case ctx.Err() != nil:
		return ending{status: Stopped}
	}
	return ending{Failed, err}
}

// take is the way of one delta. The error ends the turn.
func (r *runner) take(ctx context.Context, o offer, modelStart time.Time) (err error) {
	if r.req.Heard != nil {
		r.req.Heard(o.delta)
	}
	switch o.delta.(type) {
	case model.Begin, model.Progress:
		return r.out.Take(o.delta)
	}
	now := time.Now()
	if r.firstText.IsZero() {
		r.firstText = now
		r.timing.TTFT = now.Sub(modelStart)
	}
	if r.pendingSteer != "" {
		r.emit(Steered{Text: r.pendingSteer, State: SteerApplied, Hunk: r.hunk})
		r.pendingSteer = ""
	}
	switch d := o.delta.(type) {
	case model.Text:
		err = r.takeText(ctx, d)
	case model.End:
		err = r.takeEnd(d)
	case model.Edits:
		o.verdict <- r.takeEdits(ctx, d.Of)
	}
	r.lastText = time.Now()
	r.timing.Apply += r.lastText.Sub(now)
	return err
}

// takeText is the way of one chunk: parsed, placed, changed, recorded. Only what is
// said to the user is: not a thought, nor what is for a tool.
func (r *runner) takeText(ctx context.Context, d model.Text) (err error) {
	if err := r.out.Take(d); err != nil {
		return err
	}
	r.tokens.Add(int64(d.Tokens))
	if r.out.Kind(d.At) != model.Message {
		return nil
	}
	r.partial = append(r.partial, d.Text...)
	r.parser.Push([]byte(d.Text), func(ev editstream.Event) {
		if err == nil {
			err = r.handle(ctx, ev)
		}
	})
	return err
}

// takeEnd ends an item: a patch does not go on in the next message.
func (r *runner) takeEnd(d model.End) error {
	if err := r.out.Take(d); err != nil || r.out.Kind(d.At) != model.Message {
		return err
	}
	r.closeText(false)
	r.openText()
	return nil
}

func (r *runner) emit(e Event) {
	if r.req.Seen != nil {
		r.req.Seen(e)
	}
	r.events <- e
}

// finish sends the one ending.
func (r *runner) finish(end ending) {
	if r.pendingSteer != "" {
		r.emit(Steered{Text: r.pendingSteer, State: SteerFailed})
	}
	r.timing.Total = time.Since(r.started)
	if !r.firstText.IsZero() {
		r.timing.Decode = max(0, r.lastText.Sub(r.firstText)-r.timing.Apply)
	}
	r.timing.Tokens = int(r.Tokens())
	r.outcome = r.tally.outcome(end, r.req.Model.Info().Name, r.acks.ids, r.timing)
	r.outcome.Said = string(r.partial)
	if r.req.Done != nil {
		if err := r.req.Done(r.outcome); err != nil {
			r.emit(Note{"the end of the turn could not be recorded: " + err.Error()})
		}
	}
	r.events <- End(r.outcome)
	close(r.ended)
	close(r.events)
}

// settle waits until every edit is durable and the files on disk have them. It
// uses a context of its own: a stop must not cut the recording of what stays.
func (r *runner) settle(end ending) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := r.acks.close(); err != nil {
		r.tally.fail(fmt.Errorf("record the edits: %w", err))
	}
	var overlap *OverlapError
	switch err := r.project.Settle(ctx); {
	case errors.As(err, &overlap):
		r.tally.failed = append(r.tally.failed, HunkFailed{Path: overlap.Path, Reason: string(Overlap), Message: err.Error()})
	case err != nil:
		r.tally.fail(err)
	}
}
