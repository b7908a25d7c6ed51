package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"waferpair/engine/model"
)

// host implements Host. The driver's goroutine uses the turn's state while the turn's own
// goroutine waits for it, until seal.
type host struct {
	mu   sync.Mutex
	r    *runner
	over bool // the turn has sealed it
}

// during runs do on the turn's state, unless the turn is sealed.
func (h *host) during(do func(r *runner) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return ErrTurnEnded
	}
	return do(h.r)
}

// seal ends the driver's access to the turn. It cuts the open text, ends open items as
// Incomplete and releases claims.
func (h *host) seal() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.r.open != nil {
		h.r.closeText("cut by a failure")
	}
	for _, at := range h.r.output.Open() {
		i, _, _ := h.r.output.Item(at)
		i.Status = model.Incomplete
		_ = h.r.recordItem(h.r.round, model.End{At: at, Item: i}) // cannot fail: the item is open
	}
	for _, c := range h.r.claims {
		h.r.release(c)
	}
	h.over = true
}

func (h *host) Commands() <-chan Command { return h.r.control }

func (h *host) CommandWaits() bool { return h.r.waiting.Load() > 0 }

func (h *host) CarriedOut() { h.r.waiting.Add(-1) }

func (h *host) Emit(ev Event) {
	_ = h.during(func(r *runner) error {
		if s, ok := ev.(Steered); ok && s.State == SteerApplied {
			s.Hunk = r.hunk
			ev = s
		}
		if p, ok := ev.(Prose); ok { // of an answer whose text holds no edits
			r.partial = append(r.partial, p.Text...)
			r.lastText = time.Now()
			r.say(p.Text)
			return nil
		}
		r.emit(ev)
		return nil
	})
}

func (h *host) Return(hunks []HunkReceipt) {
	_ = h.during(func(r *runner) error {
		r.tally.giveBack(hunks)
		for _, f := range hunks {
			r.emit(HunkReturned{f.Hunk, f.Path, f.Near})
		}
		return nil
	})
}

func (h *host) Record(round int, d model.Delta) error {
	return h.during(func(r *runner) error {
		if t, ok := d.(model.Text); ok {
			r.begins()
			r.tokens.Add(int64(t.Tokens))
		}
		return r.recordItem(round, d)
	})
}

func (h *host) Stream(call string, format Format) (EditWriter, error) {
	w := &editWriter{host: h, call: call}
	return w, h.during(func(r *runner) error {
		switch {
		case r.req.Prompt.ReadOnly:
			return ErrQuestion
		case r.open != nil:
			return errors.New("the turn reads another text: it ends first")
		}
		r.openText(w, format)
		return nil
	})
}

func (h *host) Apply(ctx context.Context, of []model.FileEdit) (out Receipt, err error) {
	err = h.during(func(r *runner) error {
		switch {
		case r.req.Prompt.ReadOnly:
			return ErrQuestion
		case r.open != nil:
			return errors.New("the turn reads a text: it ends first")
		}
		defer r.timeEdit(time.Now())
		r.begins()
		out, err = r.takeEdits(ctx, of)
		return err
	})
	return out, err
}

func (h *host) Revert(ctx context.Context, why string) error {
	return h.during(func(r *runner) error {
		defer r.timeEdit(time.Now())
		return r.revert(ctx, why)
	})
}

func (h *host) Claim(_ string, paths []string) (release func() Receipt, err error) {
	c := &claimed{}
	err = h.during(func(r *runner) (err error) {
		if r.req.Prompt.ReadOnly {
			return ErrQuestion
		}
		if held := r.outOfScope(paths); held != nil {
			return held
		}
		r.begins()
		if c.of, err = r.project.Claim(context.Background(), r.req.Turn, paths); err == nil {
			r.claims = append(r.claims, c)
		}
		return err
	})
	return func() Receipt {
		_ = h.during(func(r *runner) error { // seal has released it if the turn is over
			r.release(c)
			return nil
		})
		return c.receipt
	}, err
}

func (h *host) Ask(ctx context.Context, q Question) (Answer, error) {
	var ask func(context.Context, Question) (Answer, error)
	err := h.during(func(r *runner) error { ask = r.req.Ask; return nil })
	if err != nil || ask == nil {
		return Answer{}, err
	}
	return ask(ctx, q) // outside the lock, so that the turn can be stopped meanwhile
}

// claimed is a claim of the driver.
type claimed struct {
	of      Claim // nil after release
	receipt Receipt
}

// release records what the other program wrote to claimed files and emits its events.
func (r *runner) release(c *claimed) {
	if c.of == nil {
		return
	}
	defer r.timeEdit(time.Now())
	made, err := c.of.Release(context.Background()) // also after a stop
	c.of = nil
	for _, m := range made {
		c.receipt.Hunks = append(c.receipt.Hunks, r.made(m))
	}
	var overlap *OverlapError
	switch {
	case errors.As(err, &overlap):
		r.tally.failHunk(HunkFailed{Path: overlap.Path, Reason: string(Overlap), Message: err.Error()}, false)
	case err != nil:
		r.tally.fail(err)
	}
}

// recordItem stores a piece of an item.
func (r *runner) recordItem(round int, d model.Delta) error {
	if err := r.output.Take(d); err != nil {
		return err
	}
	r.round = round
	if r.req.OnItem != nil {
		r.req.OnItem(round, d)
	}
	return nil
}

// hearRequest records the items with which the user begins the turn.
func (r *runner) hearRequest() {
	items := r.req.Prompt.Items
	for at, i := range items[min(r.req.Prompt.From, len(items)):] {
		_ = r.recordItem(0, model.Begin{At: at, Item: i}) // cannot fail: the items are in order
		_ = r.recordItem(0, model.End{At: at})
	}
}

// begins notes when the answer began.
func (r *runner) begins() {
	if r.firstText.IsZero() {
		r.firstText = time.Now()
		r.timing.TTFT = r.firstText.Sub(r.driven)
	}
}

// timeEdit adds the time since an edit began to the turn's timing.
func (r *runner) timeEdit(since time.Time) {
	r.lastText = time.Now()
	r.timing.Apply += r.lastText.Sub(since)
}

// editWriter implements EditWriter for one text.
type editWriter struct {
	host    *host
	call    string
	receipt Receipt
	over    bool
}

func (w *editWriter) Write(ctx context.Context, text string) error {
	return w.host.during(func(r *runner) error {
		if w.over {
			return errors.New("the text has ended")
		}
		defer r.timeEdit(time.Now())
		return r.read(ctx, text)
	})
}

func (w *editWriter) Close() Receipt         { return w.end("") }
func (w *editWriter) Cut(why string) Receipt { return w.end(why) }

func (w *editWriter) end(cut string) Receipt {
	_ = w.host.during(func(r *runner) error {
		if !w.over {
			defer r.timeEdit(time.Now())
			r.closeText(cut)
		}
		return nil
	})
	return w.receipt
}
