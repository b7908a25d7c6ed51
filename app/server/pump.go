package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"waferpair/app"
	"waferpair/history"
)

// frameEvery is the longest time that a change waits before it is sent: one frame of a screen.
// If nothing was sent for so long, a change of a document is sent at once, and another one after gatherFor:
// the beginning of a turn goes with its first edit, which would wait for the page to show it otherwise.
const (
	frameEvery = 16 * time.Millisecond
	gatherFor  = 8 * time.Millisecond
)

// sent is when the last frame was sent, and the last one with changes of documents.
type sent struct{ any, texts time.Time }

// next returns how long what waits has to wait still.
func (s sent) next(texts bool, since time.Time) time.Duration {
	if texts {
		return max(0, frameEvery-time.Since(s.texts))
	}
	wait := max(0, frameEvery-time.Since(s.any))
	if !since.IsZero() {
		wait = max(wait, gatherFor-time.Since(since))
	}
	return wait
}

// note notes that a frame is sent; nil is none.
func (s *sent) note(f *Frame) {
	if f == nil {
		return
	}
	if s.any = time.Now(); len(f.Docs) > 0 {
		s.texts = s.any
	}
}

// pump writes all messages to the page. Replies are sent at once; a frame when the last one was
// acknowledged.
func (pg *page) pump() error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var buf bytes.Buffer
	var last sent
	for {
		if err := pg.writeReplies(&buf); err != nil {
			return err
		}
		wait, err := pg.due(last)
		if err != nil {
			return err
		}
		if wait == 0 {
			f, err := pg.writeFrame(&buf)
			if err != nil {
				return err
			}
			last.note(f)
			wait = time.Hour
		}
		timer.Reset(wait)
		select {
		case <-pg.ctx.Done():
			return pg.ctx.Err()
		case <-pg.dirty.wake:
		case <-timer.C:
		}
	}
}

// due returns how long the next frame has to wait; 0: it may be sent now.
func (pg *page) due(last sent) (time.Duration, error) {
	pg.mu.Lock()
	flight := pg.flight
	pg.mu.Unlock()
	limit := pg.server.opt.AckWithin
	switch {
	case flight.IsZero():
		return last.next(pg.dirty.waiting()), nil
	case time.Since(flight) >= limit:
		return 0, fmt.Errorf("the page showed nothing for %v", limit)
	}
	return limit - time.Since(flight), nil
}

// writeReplies sends the queued replies, and shrinks the buffer, so that one large reply does
// not stay in memory.
func (pg *page) writeReplies(buf *bytes.Buffer) error {
	pg.mu.Lock()
	out := pg.out
	pg.out = nil
	pg.mu.Unlock()
	for _, v := range out {
		if err := pg.write(buf, v); err != nil {
			return err
		}
		shrink(buf)
	}
	return nil
}

// shrink releases a large buffer.
func shrink(buf *bytes.Buffer) {
	if buf.Cap() > 1<<20 {
		*buf = bytes.Buffer{}
	}
}

// writeFrame sends what is new, after the replies that came before it, and returns it; nil: there was
// nothing.
func (pg *page) writeFrame(buf *bytes.Buffer) (*Frame, error) {
	texts, k := pg.dirty.take()
	o, done, err := pg.host.use()
	if err != nil && !errors.Is(err, errNone) {
		return nil, err
	}
	if o != nil {
		defer done()
	}
	pg.mu.Lock()
	if k.hello {
		pg.startOver()
		texts = nil
	}
	if o != nil {
		pg.answerEarly(o)
	}
	f := pg.frame(pg.ctx, o, texts, k)
	out := pg.out
	pg.out = nil
	pg.mu.Unlock()
	if k.hello {
		out = append(out, pg.hello(pg.ctx, o))
	}
	if f != nil {
		out = append(out, f)
	}
	for _, v := range out {
		if err := pg.write(buf, v); err != nil {
			return nil, err
		}
	}
	shrink(buf)
	return f, nil
}

// startOver forgets what the page had of the folder before. pg.mu is held.
func (pg *page) startOver() {
	pg.docs = map[string]*openDoc{}
	pg.session, pg.turn, pg.sent, pg.running, pg.early = 0, nil, app.LogPosition{}, nil, nil
	pg.dirty.reset()
}

func (pg *page) hello(ctx context.Context, o *opened) Hello {
	h := Hello{
		Type: "hello", Build: pg.server.opt.Build, Page: pg.name, Native: pg.server.opt.Native,
		Prefs: pg.host.prefs(), Recent: list(pg.host.files.recent()),
	}
	if o == nil {
		return h
	}
	h.UI = o.ui.get()
	h.Unrecorded = o.Unrecorded()
	var err error
	if h.Project, err = o.describe(ctx); err != nil {
		pg.host.notRead(o, err)
	}
	return h
}

// frame returns what is new for the page; nil when nothing is. pg.mu is held.
func (pg *page) frame(ctx context.Context, o *opened, texts []string, k known) *Frame {
	f := Frame{Type: "frame", Notices: k.notices}
	for _, p := range k.progress {
		f.Progress = append(f.Progress, p)
	}
	if o != nil {
		if k.files {
			texts = append(texts, pg.textless()...)
		}
		f.Docs = pg.docDeltas(ctx, o, texts)
		f.Turn = pg.turnDelta(o, k.turn || k.hello)
		f.Running = pg.runningDelta(o, k.turn || k.hello)
		f.Head, f.Files, f.FolderGone, f.Unrecorded = k.head, k.files, k.gone, k.unrecorded
		if k.project && !k.hello {
			f.Project = pg.describe(ctx, o)
		}
	}
	if f.empty() {
		return nil
	}
	pg.seq++
	f.Seq, pg.flight = pg.seq, time.Now()
	return &f
}

func (f *Frame) empty() bool {
	return len(f.Docs) == 0 && f.Turn == nil && f.Running == nil && f.Head == 0 && !f.Files && f.Project == nil &&
		f.FolderGone == nil && f.Unrecorded == nil &&
		len(f.Notices) == 0 && len(f.Progress) == 0
}

func (pg *page) describe(ctx context.Context, o *opened) *Project {
	p, err := o.describe(ctx)
	if err != nil {
		if ctx.Err() == nil {
			pg.host.notRead(o, err)
		}
		return nil
	}
	p.Session = pg.shown(o)
	return p
}

// turnDelta returns what the page has not seen of the turn.
func (pg *page) turnDelta(o *opened, changed bool) *TurnDelta {
	if !changed {
		return nil
	}
	l := o.turns.of(pg.shown(o))
	if l != pg.turn {
		pg.turn, pg.sent = l, app.LogPosition{}
	}
	if l == nil {
		return nil
	}
	var n TurnDelta
	n, pg.sent = turnDelta(l, pg.sent)
	return &n
}

// shown returns the session that the page shows. pg.mu is held.
func (pg *page) shown(o *opened) history.SessionID {
	if pg.session == 0 {
		pg.session, _ = o.session(pg.ctx) // describe reports the error
	}
	return pg.session
}

// runningDelta returns the running turns, if they differ from what the page was sent.
func (pg *page) runningDelta(o *opened, changed bool) *RunningTurns {
	if !changed {
		return nil
	}
	now := o.runningNow()
	if slices.Equal(now, pg.running) {
		return nil
	}
	pg.running = now
	return &RunningTurns{now}
}

// acked allows the next frame.
func (pg *page) acked(seq int64) {
	pg.mu.Lock()
	defer pg.mu.Unlock()
	if seq != pg.seq || pg.flight.IsZero() {
		return
	}
	pg.flight = time.Time{}
	for _, d := range pg.docs {
		d.acked()
	}
	pg.dirty.signal()
}
