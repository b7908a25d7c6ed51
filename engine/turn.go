package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"waferpair/engine/editstream"
	"waferpair/engine/model"
)

// Limits of a turn's queues: how far the edits may run ahead of the reader of Events, and
// ahead of the disk.
const (
	eventQueue = 256
	ackQueue   = 1024
)

// How long a stopped turn waits for its driver: first for the driver to end by itself,
// then, after cancelling its context, for it to return. A driver that takes longer is
// abandoned.
const (
	stopTimeout  = 5 * time.Second
	drainTimeout = 250 * time.Millisecond
)

// Turn is one answer of a model, from the request to its end. Its methods may be called
// from any goroutine.
type Turn struct {
	id      int64
	tokens  atomic.Int64 // of the model's output
	events  chan Event
	control chan Command
	waiting atomic.Int64 // commands that were sent and have not taken effect
	stop    sync.Once

	steering sync.Mutex // held while a steer is sent
	steers   int        // number of steers sent
	mask     func(string) string

	stopped chan struct{} // closed by Stop
	ended   chan struct{}
	outcome Outcome // set before ended is closed
}

// ID returns the turn's number in the history, or 0 when nothing is recorded.
func (t *Turn) ID() int64 { return t.id }

// Tokens returns the number of tokens that the model has written so far, as it counts.
func (t *Turn) Tokens() int64 { return t.tokens.Load() }

// Events returns the stream of events, from Started to Ended. It is closed after Ended.
func (t *Turn) Events() <-chan Event { return t.events }

// Stop ends the turn at the next token. The partial edit stays and is recorded.
func (t *Turn) Stop() {
	t.stop.Do(func() { close(t.stopped) })
	t.send(Command{Kind: CommandStop})
}

// Pause suspends the turn before the next token, until Resume.
func (t *Turn) Pause() { t.send(Command{Kind: CommandPause}) }

// Resume continues a paused turn.
func (t *Turn) Resume() { t.send(Command{Kind: CommandResume}) }

// Steer cuts the model off at the next token, keeps what it wrote, and has it go on with an
// additional instruction. It returns the steer's number, from 1 in the order of the calls;
// Steered events carry the same number. It returns 0, and sends nothing, when the turn has
// ended.
func (t *Turn) Steer(text string) int {
	t.steering.Lock()
	defer t.steering.Unlock()
	if t.mask != nil {
		text = t.mask(text)
	}
	if !t.send(Command{Kind: CommandSteer, Text: text, Steer: t.steers + 1}) {
		return 0
	}
	t.steers++
	return t.steers
}

// Ended returns a channel that is closed when the turn has ended.
func (t *Turn) Ended() <-chan struct{} { return t.ended }

// Wait blocks until the turn has ended and returns its outcome.
func (t *Turn) Wait() Outcome {
	<-t.ended
	return t.outcome
}

func (t *Turn) send(c Command) bool {
	t.waiting.Add(1) // first: what happens after send comes after the command
	select {
	case t.control <- c:
		return true
	case <-t.ended:
		t.waiting.Add(-1)
		return false
	}
}

// runner is the state of a running turn. The turn's goroutine owns it, and the driver's
// while that runs; see host.
type runner struct {
	*Turn
	project Project
	req     Request
	parser  editstream.Parser
	placer  *editstream.Placer
	landed  *editstream.Landed
	repeats editstream.Repeats
	acks    *acker

	started, driven time.Time
	firstText       time.Time
	lastText        time.Time
	output          model.Output // the items of the turn
	round           int          // in which the last of them was recorded
	partial         []byte       // all texts with edits so far
	called          bool         // the newest of them was the input of a call
	spoke           bool         // the model said words to the user
	open            *editWriter  // the writer of the open text
	text            span         // of the current parser and placer
	place           inPlace      // of the open hunk
	hunk            int          // the newest edit
	numbered        int          // the highest edit number
	claims          []*claimed   // all claims, released or not
	exact           []exactEdit  // the last ones, if they are in place
	drafts          []exactEdit  // edits of the open text, which may turn out to be thought
	cutting         bool         // a stop or a steer is closing the hunk
	tally           tally
	timing          Timing
	answer          Ending // what the driver measured
}

func newTurn(id int64) *Turn {
	return &Turn{
		id:      id,
		events:  make(chan Event, eventQueue),
		control: make(chan Command),
		stopped: make(chan struct{}),
		ended:   make(chan struct{}),
	}
}

// run runs the turn from start to end.
func (t *Turn) run(ctx context.Context, p Project, req Request) {
	r := &runner{Turn: t, project: p, req: req, started: time.Now(), landed: editstream.NewLanded(req.Landed)}
	r.acks = startAcker(r.emit)
	r.emit(Started{t.id, req.Driver.Info().Name, r.req.Auto})
	r.hearRequest()
	why := r.asAsked(r.writtenAgain(r.asOffered(r.drive(ctx))))
	r.settle(why)
	r.cite()
	r.finish(why)
}

// cite emits the places that the answer to a question names.
func (r *runner) cite() {
	if !r.req.Prompt.ReadOnly || r.req.Cite == nil {
		return
	}
	for _, c := range r.req.Cite(string(r.partial)) {
		r.emit(c)
	}
}

// ending is why the answer ended.
type ending struct {
	status Status
	err    error
}

// driven is how a driver ended.
type driven struct {
	Ending
	err error
}

// drive runs the driver until it ends or the user stops it.
func (r *runner) drive(ctx context.Context) ending {
	dctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := &host{r: r}
	defer h.seal()
	r.driven = time.Now()
	r.timing.Context = r.req.Prepared + r.driven.Sub(r.started)
	done := make(chan driven, 1)
	go func() {
		e, err := ask(dctx, r.req, h)
		done <- driven{e, err}
	}()
	select {
	case d := <-done:
		r.answer = d.Ending
		return endingOf(dctx, d)
	case <-ctx.Done():
	case <-r.stopped:
		if d, ok := within(stopTimeout, done); ok {
			r.answer = d.Ending
			return endingOf(dctx, d)
		}
		cancel()
	}
	if d, ok := within(drainTimeout, done); ok {
		r.answer = d.Ending
		return endingOf(dctx, d)
	}
	return ending{status: Stopped}
}

// ask runs the driver. A panic of the driver fails this turn only; other turns go on.
func ask(ctx context.Context, req Request, h Host) (e Ending, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s crashed: %v; the edits made until then are kept\n%s", req.Driver.Info().Name, v, debug.Stack())
		}
	}()
	if req.Beside != nil {
		ctx = model.WithPasses(ctx, req.Beside.Take)
	}
	return req.Driver.Drive(ctx, Brief{req.Turn, req.Prompt, req.Broken, req.Recap, req.Open}, h)
}

func within(d time.Duration, done <-chan driven) (driven, bool) {
	select {
	case d := <-done:
		return d, true
	case <-time.After(d):
		return driven{}, false
	}
}

// endingOf returns the ending of a turn whose driver has returned.
func endingOf(ctx context.Context, d driven) ending {
	err := d.err
	var refusal *model.Refusal
	var held *HeldError
	var busy *Busy
	var changed *ChangedError
	switch {
	case err == nil && d.Stop == model.StopCut:
		return ending{status: Stopped}
	case err == nil:
		return ending{status: Completed}
	case errors.As(err, &refusal):
		return ending{Declined, err}
	case errors.As(err, &held) && held.barred():
		return ending{Declined, err}
	case errors.As(err, &held), errors.As(err, &busy):
		return ending{Held, err}
	case errors.Is(err, model.ErrStale), errors.As(err, &changed):
		return ending{Conflict, err}
	case ctx.Err() != nil:
		return ending{status: Stopped}
	}
	return ending{Failed, err}
}

// asOffered returns the ending; a request that should have made edits and has nothing to do is a
// conflict.
func (r *runner) asOffered(end ending) ending {
	if r.req.Does != "" && end.status == Completed && len(r.tally.files) == 0 {
		return ending{Conflict, &ChangedError{}}
	}
	return end
}

// asAsked returns the ending; an answer of a language model that is empty has failed, and one of words
// alone is no edit.
func (r *runner) asAsked(end ending) ending {
	if end.status != Completed || !r.req.Driver.Info().Language || r.tally.any() {
		return end
	}
	switch {
	case !r.spoke:
		return ending{Failed, errEmpty}
	case !r.req.Prompt.ReadOnly && len(r.req.Landed) == 0: // else the turn before made edits
		return ending{Declined, noEdit{}}
	}
	return end
}

var errEmpty = errors.New("the model's answer was empty: send the request again, say more, or choose another model")

// noEdit means that a turn that should edit ended with words.
type noEdit struct{}

func (noEdit) Code() model.Code { return NoEditCode }

func (noEdit) Error() string {
	return "nothing was edited: the model answered in words, without an edit; answer it, or ask for the edits"
}

// say emits prose.
func (r *runner) say(text string) {
	r.spoke = r.spoke || strings.TrimSpace(text) != ""
	r.emit(Prose{text})
}

func (r *runner) emit(e Event) {
	if r.req.OnEvent != nil {
		r.req.OnEvent(e)
	}
	r.events <- e
}

// finish sends the last event.
func (r *runner) finish(end ending) {
	r.timing.Total = r.req.Prepared + time.Since(r.started)
	if !r.firstText.IsZero() {
		r.timing.Decode = max(0, r.lastText.Sub(r.firstText))
	}
	r.timing.Tokens = int(r.Tokens())
	r.timing.take(r.answer, r.req.Driver.Info(), r.timing.Apply)
	r.outcome = r.tally.outcome(end, r.req.Driver.Info().Name, r.acks.ids, r.timing)
	r.outcome.Turn, r.outcome.Said, r.outcome.Auto = r.id, string(r.partial), r.req.Auto
	if r.req.Beside != nil {
		r.outcome.Wafer = r.req.Beside.End()
	}
	if r.req.Prompt.ReadOnly && r.outcome.Status == Completed {
		r.outcome.Message = "answered; nothing was changed"
	}
	if r.req.Done != nil {
		if err := r.req.Done(r.outcome); err != nil {
			r.emit(Note{"the end of the turn could not be recorded: " + err.Error()})
		}
	}
	r.emit(End(r.outcome))
	close(r.ended)
	close(r.events)
}

// settle waits until every edit is durable and the files on disk are written. It uses a
// context of its own, because a stop must not interrupt the recording of edits that stay.
func (r *runner) settle(end ending) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := r.acks.close(); err != nil {
		r.tally.fail(fmt.Errorf("record the edits: %w", err))
	}
	var overlap *OverlapError
	switch err := r.project.Settle(ctx); {
	case errors.As(err, &overlap):
		r.tally.failHunk(HunkFailed{Path: overlap.Path, Reason: string(Overlap), Message: err.Error()}, false)
	case err != nil:
		r.tally.fail(err)
	}
}
