package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
)

// generation is the state of one answer of the model.
type generation struct {
	*drive
	said map[int]*model.Thinking // of messages that are not read, by their place in the turn
	// place in the answer -> place in the turn, where items are in the order in which they began
	places map[int]int
	flows  []*flow // items whose text holds edits; the first one is read, the others wait

	rejoins bool // it goes on at the byte with the answer that broke off
	inside  bool // a text ended inside a hunk
	size    int  // bytes of all texts
	calls   int
	outputs []model.Item         // of the calls, for the end of the answer
	failed  []engine.HunkReceipt // edits in messages that the model can write again
	crowded bool                 // it was cut because of maxCalls

	clock  clock
	cancel context.CancelFunc
	floor  floor
	broken error // why a delta ended the turn
}

func newGeneration(d *drive, cancel context.CancelFunc) *generation {
	g := &generation{drive: d, places: map[int]int{}, said: map[int]*model.Thinking{}, cancel: cancel,
		floor: make(floor, 1), clock: startClock()}
	g.floor.give()
	return g
}

// floor is the right to act for the turn: a channel that holds one value, which whoever
// acts takes out. The model's goroutine takes it for each delta and makes the edits itself,
// because passing two million deltas to another goroutine costs more than handling them.
// Takers queue: a goroutine that waits for the floor gets it before the next delta.
type floor chan struct{}

func (f floor) take() { <-f }
func (f floor) give() { f <- struct{}{} }

// ask has the model answer. A panic of the model fails this turn only; other turns go on.
func (g *generation) ask(ctx context.Context, p model.Prompt) (r model.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s crashed: %v; the edits made until then are kept\n%s", g.model.Info().Name, v, debug.Stack())
		}
	}()
	return g.model.Generate(ctx, p, func(d model.Delta) error { return g.yield(ctx, d) })
}

// yield handles a delta. The delta has taken effect when yield returns nil, and has not
// when it returns ctx's error.
func (g *generation) yield(ctx context.Context, d model.Delta) error {
	if err := g.takeFloor(ctx); err != nil {
		return err
	}
	defer g.floor.give()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	refused, failed := g.handle(ctx, d)
	if failed != nil {
		g.broken = failed
		g.cancel()
	}
	return errors.Join(refused, failed)
}

// handle takes a delta. A panic in it fails the turn, as one in the turn's own goroutine
// does, and not the model.
func (g *generation) handle(ctx context.Context, d model.Delta) (refused, failed error) {
	defer func() {
		if v := recover(); v != nil {
			failed = fmt.Errorf("the turn crashed: %v; the edits made until then are kept\n%s", v, debug.Stack())
		}
	}()
	return g.take(ctx, d)
}

// takeFloor takes the floor for a delta, after every command that was sent: between the
// moment in which wait receives one and takes the floor for it, the model could be first.
func (g *generation) takeFloor(ctx context.Context) error {
	for {
		select {
		case <-g.floor:
		case <-ctx.Done():
			return ctx.Err()
		}
		if !g.host.CommandWaits() {
			return nil
		}
		g.floor.give()
		runtime.Gosched() // for wait, which receives the command
	}
}

// wait waits for a command, for the model's end, or for a reason to cut it, which it
// returns as an error: the turn keeps the floor then, and no later delta takes effect. A
// command takes effect before the delta that follows the current one, and before the end.
func (g *generation) wait(ctx context.Context, result <-chan generated) (steer *engine.Steered, end *generated,
	err error) {
	select {
	case c := <-g.host.Commands():
		steer, err = g.carryOut(ctx, c)
	default:
		select {
		case c := <-g.host.Commands():
			steer, err = g.carryOut(ctx, c)
		case <-ctx.Done():
			g.floor.take()
			err = errCut
		case r := <-result:
			g.floor.take()
			end = &r
		}
	}
	switch {
	case g.broken != nil:
		err = g.broken
	case err == nil && end == nil:
		g.floor.give()
	}
	return steer, end, err
}

// carryOut takes the floor for a command, and keeps it while the turn is paused.
func (g *generation) carryOut(ctx context.Context, c engine.Command) (steer *engine.Steered, err error) {
	g.floor.take()
	g.host.CarriedOut() // nothing else happens until it has
	steer, err = g.handleCommand(c)
	since := time.Now()
	defer func() { g.clock.pause(time.Since(since)) }()
	for err == nil && g.paused { // the model waits for the floor
		select {
		case c = <-g.host.Commands():
			g.host.CarriedOut()
			steer, err = g.handleCommand(c)
		case <-ctx.Done():
			err = errCut
		}
	}
	return steer, err
}

// flow is an item whose text holds edits.
type flow struct {
	at     int // in the turn
	item   model.Item
	writer engine.EditWriter
	seam   *editstream.Seam
	tokens int             // of the text that the seam holds back
	before strings.Builder // text that came while the text of another item was read
	think  model.Thinking  // at the beginning of a message: it is recorded, and not read
	end    *model.End      // the end, if it came meanwhile
}

// reads reports whether the text of the item holds edits.
func (f *flow) reads(p model.Prompt) bool {
	switch f.item.Kind {
	case model.Message:
		return !p.ReadOnly
	case model.CustomCall:
		return !p.ReadOnly && slices.ContainsFunc(p.Tools, func(t model.Tool) bool {
			return t.Edits && t.Name == f.item.Name
		})
	}
	return false
}

// call returns the id of the call that the text belongs to, or "" for a message.
func (f *flow) call() string {
	if !f.item.Kind.IsCall() {
		return ""
	}
	return cmp.Or(f.item.CallID, f.item.ID, f.item.Name)
}

// take handles one delta. The model gets the error refused; failed ends the turn.
func (g *generation) take(ctx context.Context, d model.Delta) (refused, failed error) {
	switch d := d.(type) {
	case model.Progress:
		g.host.Emit(engine.Working{Phase: d.Phase, Done: d.Done, Total: d.Total, Note: d.Note})
	case model.Begin:
		if err := g.settle(); err != nil {
			return nil, err
		}
		if g.crowds(d.Item) {
			return errCrowded, nil
		}
		return nil, g.begin(d)
	case model.Text:
		if err := g.settle(); err != nil {
			return nil, err
		}
		g.clock.text(g.output.Kind(g.places[d.At]))
		g.applied()
		return nil, g.text(ctx, d)
	case model.End:
		return nil, g.end(d)
	case model.Edits:
		if err := g.settle(); err != nil {
			return nil, err
		}
		g.applied()
		return g.edits(ctx, d), nil
	case model.Revert:
		return g.host.Revert(ctx, d.Why), nil
	}
	return nil, nil
}

// edits makes exact edits, after the message text before them.
func (g *generation) edits(ctx context.Context, d model.Edits) error {
	if len(g.flows) > 0 {
		if f := g.flows[0]; f.writer != nil && f.item.Kind == model.Message {
			g.failed = append(g.failed, toReturn(f.writer.Close().Hunks)...)
			f.writer = nil
		}
	}
	_, err := g.host.Apply(ctx, d.Of)
	return err
}

func (g *generation) begin(d model.Begin) error {
	if _, began := g.places[d.At]; began {
		return outOfOrder("item %d began twice", d.At)
	}
	g.places[d.At] = g.next
	d.At = g.next
	g.next++
	if f := (&flow{at: d.At, item: d.Item, think: model.Thinking{Inside: g.thinks}}); f.reads(g.prompt) {
		if b := g.resumes; b != nil && d.Item.Kind.IsCall() == b.Call {
			f.seam, g.resumes = g.seamBehind(b), nil
		}
		g.flows = append(g.flows, f)
	}
	return g.record(d)
}

// seamBehind returns the seam between an answer that broke off and the one that goes on with it.
func (g *generation) seamBehind(b *engine.Broken) *editstream.Seam {
	if g.rejoins {
		if s, ok := editstream.Rejoin(b.Text, b.Call); ok {
			return s
		}
	}
	return editstream.NewSeam(b.Text, b.Call)
}

// outOfOrder returns the error for deltas in the wrong order.
func outOfOrder(format string, at int) error {
	return fmt.Errorf("the model's answer is out of order: "+format, at)
}

func (g *generation) flow(at int) *flow {
	for _, f := range g.flows {
		if f.at == at {
			return f
		}
	}
	return nil
}

func (g *generation) text(ctx context.Context, d model.Text) error {
	place, ok := g.places[d.At]
	if !ok {
		return outOfOrder("text of item %d, which has not begun", d.At)
	}
	f := g.flow(place)
	if f != nil && f.end != nil {
		return outOfOrder("text of item %d, which has ended", d.At)
	}
	d.At = place
	if g.size += len(d.Text); g.language && g.size > maxAnswer {
		return errTooLong
	}
	if f != nil && f.seam != nil {
		f.tokens += d.Tokens
		if d.Text = f.seam.Push(d.Text); d.Text == "" {
			return nil
		}
		d.Tokens, f.tokens = f.tokens, 0
	}
	return g.pass(ctx, f, d)
}

// joinUp passes what the seam holds back: the text has ended.
func (g *generation) joinUp(f *flow, cut bool) error {
	text := f.seam.Close(cut)
	if text == "" {
		return nil
	}
	return g.pass(context.Background(), f, model.Text{At: f.at, Text: text, Tokens: f.tokens})
}

// pass records a text, and reads it.
func (g *generation) pass(ctx context.Context, f *flow, d model.Text) error {
	if err := g.record(d); err != nil {
		return err
	}
	switch {
	case f == nil:
		if g.prompt.ReadOnly && g.output.Kind(d.At) == model.Message {
			_, words := g.thinking(d.At).Push(d.Text)
			g.prose(words)
		}
		return nil
	case f != g.flows[0]:
		f.before.WriteString(d.Text)
		return nil
	}
	return g.write(ctx, f, d.Text)
}

// thinking returns what separates the thought from the words of a message that is not read.
func (g *generation) thinking(at int) *model.Thinking {
	t := g.said[at]
	if t == nil {
		t = &model.Thinking{Inside: g.thinks}
		g.said[at] = t
	}
	return t
}

// prose shows words of a message that is not read.
func (g *generation) prose(words string) {
	if words != "" {
		g.host.Emit(engine.Prose{Text: words})
	}
}

// write writes text of the item that is read, without thought.
func (g *generation) write(ctx context.Context, f *flow, text string) error {
	if f.item.Kind == model.Message {
		_, text = f.think.Push(text)
	}
	return g.writeWords(ctx, f, text)
}

func (g *generation) writeWords(ctx context.Context, f *flow, text string) (err error) {
	if text == "" {
		return nil
	}
	if f.writer == nil {
		if f.writer, err = g.host.Stream(f.call(), engine.AnyFormat); err != nil {
			return err
		}
	}
	return f.writer.Write(ctx, text)
}

// end ends an item, unless its text waits for that of another one.
func (g *generation) end(d model.End) error {
	place, ok := g.places[d.At]
	if !ok {
		return outOfOrder("the end of item %d, which has not begun", d.At)
	}
	d.At = place
	f := g.flow(d.At)
	switch {
	case f == nil:
		return g.ended(d)
	case f.end != nil:
		return outOfOrder("a second end of item %d", place)
	}
	f.end = &d // whether its last line is whole is known when something follows, or the answer ends
	return nil
}

// settle finishes the item that is read, if it has ended, and reads those that waited.
func (g *generation) settle() error {
	if len(g.flows) == 0 || g.flows[0].end == nil {
		return nil
	}
	if err := g.finish(g.flows[0], *g.flows[0].end); err != nil {
		return err
	}
	return g.goOn()
}

// finish closes the text of the item that is read. A call that the model's limit cut is complete
// as an item, because most models cannot replay an open one.
func (g *generation) finish(f *flow, d model.End) error {
	r := engine.Receipt{}
	cut := d.Item.Status == model.Incomplete
	if err := g.joinUp(f, cut); err != nil {
		return err
	}
	lost := cut && f.think.Inside // in the middle of a thought, it seems
	if _, rest := f.think.Close(); rest != "" && !lost {
		if err := g.writeWords(context.Background(), f, rest); err != nil {
			return err
		}
	}
	switch {
	case f.writer != nil && cut:
		r = f.writer.Cut(atItsLimit)
	case f.writer != nil:
		r = f.writer.Close()
	case cut:
		r.Cut = atItsLimit
	}
	if f.item.Kind == model.Message && !cut {
		g.learnThought(r.Thought, f.think.Inside)
	}
	if r.Cut != "" && !cut {
		g.inside = true
		d.Item, _, _ = g.output.Item(f.at)
		d.Item.Status = model.Incomplete
	}
	d.Item = g.withWords(f, d.Item)
	g.flows = g.flows[1:]
	if !f.item.Kind.IsCall() {
		g.failed = append(g.failed, toReturn(r.Hunks)...)
		return g.record(d)
	}
	d.Item.Status = completeIf(cut || r.Cut != "", d.Item.Status)
	if len(r.Hunks) == 0 && r.Cut == "" {
		g.host.Emit(engine.Called{Tool: f.item.Name, Failed: "there was no edit in it"})
	}
	g.answer(f.item, g.callOutput(context.Background(), r))
	return g.record(d)
}

// withWords returns the item with which a text ends, with the words that a seam put before it.
func (g *generation) withWords(f *flow, i model.Item) model.Item {
	whole, _, ok := g.output.Item(f.at)
	if f.seam == nil || !ok || i.Kind == "" || i.Text() == whole.Text() {
		return i
	}
	whole.Status = i.Status
	return whole
}

// atItsLimit is why an answer is cut that reached the limit of its length.
const atItsLimit = "cut at the limit of the answer's length"

func completeIf(cut bool, s model.Status) model.Status {
	if cut {
		return model.Complete
	}
	return s
}

// goOn reads the texts that waited.
func (g *generation) goOn() error {
	for len(g.flows) > 0 {
		f := g.flows[0]
		if err := g.catchUp(f); err != nil || f.end == nil {
			return err
		}
		if err := g.finish(f, *f.end); err != nil {
			return err
		}
	}
	return nil
}

func (g *generation) catchUp(f *flow) error {
	if f.before.Len() == 0 {
		return nil
	}
	text := f.before.String()
	f.before.Reset()
	return g.write(context.Background(), f, text)
}
