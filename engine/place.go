package engine

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"waferpair/engine/editstream"
	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// handle passes one event of the parser to the placer and the placed edits to the project.
func (r *runner) handle(ctx context.Context, ev editstream.Event) error {
	if _, is := ev.(editstream.Thought); is {
		r.takeBackDrafts(ctx)
		return nil
	}
	r.text.enter(ev, r.placer)
	var failed error
	r.placer.Handle(ev, func(ed editstream.Edit) {
		if failed == nil {
			failed = r.carryOut(ctx, ed)
		}
	})
	return failed
}

// read parses, places, applies and records a piece of the open text.
func (r *runner) read(ctx context.Context, text string) (err error) {
	r.partial = append(r.partial, text...)
	r.parser.Push([]byte(text), func(ev editstream.Event) {
		r.whatIsNew(ev, func(ev editstream.Event) {
			if err == nil {
				err = r.handle(ctx, ev)
			}
		})
	})
	return err
}

// whatIsNew passes on an event, unless it belongs to a hunk that is in place.
func (r *runner) whatIsNew(ev editstream.Event, pass func(editstream.Event)) {
	r.landed.Handle(ev, func(ev editstream.Event) {
		r.repeats.Handle(ev, pass, r.placer.InPlace, func(h editstream.Hunk) {
			r.inPlaceAlready(h)
			r.emit(Note{h.Path + ": the model wrote an edit again that is in place; it was skipped"})
		})
	}, r.inPlaceAlready)
}

// inPlaceAlready counts a hunk that an earlier turn made.
func (r *runner) inPlaceAlready(h editstream.Hunk) {
	n := r.placer.Skip()
	r.number(n)
	r.tally.inPlace++
	r.text.hunk = r.text.numbers.Next(editstream.HunkBegin{})
	if !h.Partial {
		r.addReceipt(HunkReceipt{Hunk: n, Path: h.Path, What: inPlaceWords})
		return
	}
	f := r.tally.failHunk(HunkFailed{Hunk: n, Path: h.Path, Reason: string(editstream.Contradicted),
		Message: h.Path + ": the first lines of this edit are in place already; write only the rest, as the file has it"},
		false)
	r.addReceipt(HunkReceipt{Hunk: n, Path: h.Path, Refused: f.Message, Reason: editstream.Contradicted, Try: f.Try})
	r.emit(f)
}

// endedInside is why a text is cut that its model ended itself, in the middle of a line.
const endedInside = "the answer ended inside a hunk"

// openText makes a parser and a placer for a text.
func (r *runner) openText(w *editWriter, format Format) {
	called := r.called
	// A call's patch is a text of its own, also when the answer is parsed again later.
	if r.called = w.call != ""; called || r.called {
		if n := len(r.partial); n > 0 && r.partial[n-1] != '\n' {
			r.partial = append(r.partial, '\n')
		}
	}
	r.open, r.text = w, span{from: len(r.partial), first: r.numbered, format: format}
	r.parser = parserOf(format)
	r.drafts = nil
	r.newPlacer()
}

func (r *runner) newPlacer() {
	r.placer = editstream.NewPlacer(fenced{r.project, r.req.Prompt.Fence, &r.tally},
		editstream.Options{FirstHunk: r.numbered + 1, Finish: r.finishHunk})
}

func parserOf(format Format) editstream.Parser {
	switch format {
	case V4A:
		return editstream.NewV4A()
	case Blocks:
		return editstream.NewSearchReplace()
	case WholeFile:
		return editstream.NewWholeFile()
	}
	return editstream.NewAuto()
}

// closeText ends the open text, as cut when cut is not empty.
func (r *runner) closeText(cut string) {
	ctx := context.Background() // what was placed is recorded, also after a stop
	defer func() {
		if r.tally.ended(r.text, len(r.partial), cut != "" && r.text.open) {
			r.notifyHeld()
		}
		r.open.over, r.open.receipt.Cut, r.open = true, cut, nil
	}()
	place := func(ed editstream.Edit) {
		if err := r.carryOut(ctx, ed); err != nil {
			r.tally.fail(err)
		}
	}
	if cut == "" && editstream.Unended(r.parser) {
		cut = endedInside
	}
	if cut != "" {
		r.cutting = true
		defer func() { r.cutting = false }()
		if inside := r.repeats.Cut(); r.landed.Cut() || inside {
			r.number(r.placer.Skip())
		}
		r.placer.Cut(place)
		return
	}
	r.parser.Close(func(ev editstream.Event) {
		r.whatIsNew(ev, func(ev editstream.Event) {
			if err := r.handle(ctx, ev); err != nil {
				r.tally.fail(err)
			}
		})
	})
	r.placer.Cut(place)
	r.landedSoFar()
}

// landedSoFar keeps what is in place of the text from being made again, if edits of it went back to the
// model: some models then write all of their answer once more.
func (r *runner) landedSoFar() {
	if !slices.ContainsFunc(r.open.receipt.Hunks, func(h HunkReceipt) bool {
		return h.Refused != "" &&
			(h.Returns() || h.Try > 1)
	}) {
		return
	}
	all, _ := editstream.Hunks(parserOf(r.text.format), r.partial[r.text.from:], true)
	var made []editstream.Hunk
	for _, h := range r.open.receipt.Hunks {
		if one, ok := all[h.Hunk-r.text.first]; ok && h.Refused == "" && !h.Partial && h.What != "created" {
			made = append(made, one)
		}
	}
	r.landed.Add(made)
}

// addReceipt adds to the receipt of the open text.
func (r *runner) addReceipt(h HunkReceipt) { r.open.receipt.Hunks = append(r.open.receipt.Hunks, h) }

// carryOut applies an edit of the placer to the project. Its error ends the turn; a hunk
// without a place is no error.
func (r *runner) carryOut(ctx context.Context, ed editstream.Edit) error {
	switch ed := ed.(type) {
	case editstream.Prose:
		if r.open.call == "" { // text around the edits of a call is no prose
			r.say(ed.Text)
		}
	case editstream.Bad:
		r.badText(ed)
	case editstream.Opened:
		r.number(ed.Hunk)
		r.hunk, r.place = ed.Hunk, inPlace{}
		r.emit(HunkOpened{ed.Hunk, ed.Path, ed.Line})
	case editstream.Changed:
		return r.change(ctx, ed)
	case editstream.Closed:
		return r.closed(ctx, ed)
	case editstream.Failed:
		return r.failed(ctx, ed)
	case editstream.Created:
		return r.record(ctx, ed.Hunk, ed.Path, FileCreated{ed.Path}, r.project.Create)
	case editstream.Deleted:
		return r.record(ctx, ed.Hunk, ed.Path, FileDeleted{ed.Path}, r.project.Delete)
	case editstream.Moved:
		return r.record(ctx, ed.Hunk, ed.Path, FileMoved{ed.Path, ed.To}, func(ctx context.Context, h Hunk) (Ack, error) {
			return r.project.Move(ctx, h, ed.To)
		})
	}
	return nil
}

func (r *runner) number(hunk int) { r.numbered = max(r.numbered, hunk) }

func (r *runner) at(path string) Hunk { return Hunk{Turn: r.req.Turn, Path: path} }

// badText reports text that follows no format as an edit that failed.
func (r *runner) badText(ed editstream.Bad) {
	f := r.tally.failHunk(HunkFailed{Reason: string(editstream.Malformed),
		Message: fmt.Sprintf("line %d of the model's text: %s", ed.Line, ed.Message)}, false)
	all := r.open.receipt.Hunks
	if n := len(all); n == 0 || all[n-1].Reason != editstream.Malformed { // else its hunk has said so
		r.addReceipt(HunkReceipt{Refused: f.Message, Reason: editstream.Malformed, Try: f.Try})
	}
	r.emit(f)
}

func (r *runner) change(ctx context.Context, ed editstream.Changed) error {
	done, err := Applied{}, error(nil)
	if busy := r.text.uncreated(ed.Hunk); busy != nil {
		err = busy
	} else {
		done, err = r.project.Change(ctx, r.at(ed.Path), ed.Changes)
	}
	if refuses(err) {
		r.placer.Drop(ed.Path, err.Error(), func(ed editstream.Edit) {
			if err := r.carryOut(ctx, ed); err != nil {
				r.tally.fail(err)
			}
		})
		if !done.Others.Empty() {
			r.placer.Rebase(ed.Path, done.Others)
		}
		return nil
	}
	if err != nil {
		return err
	}
	r.place.add(ed.Changes, done.Others)
	for _, p := range done.Pieces {
		r.place.piece(p)
		r.emit(HunkChanged{ed.Hunk, ed.Path, p.Line, p.Removed, p.Inserted})
	}
	if !done.Others.Empty() {
		r.placer.Rebase(ed.Path, done.Others)
	}
	return nil
}

// finishHunk has the project make what it kept back of a hunk. It returns why the hunk is to be reverted.
func (r *runner) finishHunk(hunk int, path string) (refused string) {
	d, delays := r.project.(Delayer)
	if !delays || r.text.uncreated(hunk) != nil {
		return ""
	}
	done, err := d.Finish(context.Background(), r.at(path))
	if err != nil {
		if !refuses(err) {
			r.tally.fail(err)
		}
		return err.Error()
	}
	for _, p := range done.Pieces {
		r.place.piece(p)
		r.emit(HunkChanged{hunk, path, p.Line, p.Removed, p.Inserted})
	}
	if !done.Others.Empty() {
		r.place.add(text.Retain(done.Others.Len()), done.Others)
		r.placer.Rebase(path, done.Others)
	}
	return ""
}

// refuses reports whether an error of Project.Change means that this hunk cannot be made.
func refuses(err error) bool {
	var overlap *OverlapError
	var busy *Busy
	var refused *RefusedError
	return errors.As(err, &overlap) || errors.As(err, &busy) || errors.As(err, &refused)
}

func (r *runner) closed(ctx context.Context, ed editstream.Closed) error {
	if busy := r.text.uncreated(ed.Hunk); busy != nil {
		r.wait(ed.Hunk, busy)
		return nil
	}
	h := r.at(ed.Path)
	h.Partial = ed.Partial
	ack, err := r.project.Commit(ctx, h)
	if errors.As(err, new(*Busy)) { // the file already has the content of the hunk
		ack, err = nil, nil
	}
	if err != nil {
		return err
	}
	r.acks.add(ack, ed.Path)
	r.tally.count(ed.Path, ed.Added, ed.Removed)
	r.tally.edited(ed.Path)
	r.drafts = append(r.drafts, exactEdit{Made{Path: ed.Path, Added: ed.Added, Removed: ed.Removed, Ack: ack}, ed.Hunk})
	if !ed.Partial {
		r.tally.settle(ed.Path)
		r.repeats.Made()
	}
	from, until := r.place.lines(r.placer, ed)
	r.addReceipt(HunkReceipt{Hunk: ed.Hunk, Path: ed.Path, From: from, Until: until, Added: ed.Added, Removed: ed.Removed,
		Partial: ed.Partial})
	r.emit(HunkClosed{ed.Hunk, ed.Path, ed.Added, ed.Removed, ed.Partial})
	return nil
}

func (r *runner) failed(ctx context.Context, ed editstream.Failed) error {
	r.number(ed.Hunk)
	// The placer has reverted the hunk, so there is nothing to record; Commit lets the
	// project forget the hunk.
	_, err := r.project.Commit(ctx, r.at(ed.Path))
	if busy := r.text.busy(ed, err); busy != nil {
		r.wait(ed.Hunk, busy)
		return nil
	}
	if err != nil {
		return err
	}
	r.text.broken = true
	f := HunkFailed{Hunk: ed.Hunk, Path: ed.Path, Reason: string(ed.Reason), Message: ed.Message}
	held := r.tally.heldAt(ed.Path)
	if held == nil && r.text.moving {
		held = r.tally.heldAt(r.text.moveTo)
	}
	switch {
	case held != nil && held.barred():
		f.Reason = string(editstream.Barred)
	case held != nil:
		f.Reason = "held"
	case r.cutting: // it had no place yet when the user cut the answer
		f.Reason = "cut"
	default:
		_, exists := r.placer.View(ed.Path)
		f = r.tally.failHunk(f, !exists)
	}
	if f.Reason != "cut" {
		h := HunkReceipt{Hunk: ed.Hunk, Path: ed.Path, Refused: f.Message, Reason: editstream.Reason(f.Reason), Try: f.Try}
		if ed.Near != nil {
			h.Near, h.Lines = ed.Near.Line, ed.Near.Of
		}
		r.addReceipt(h)
	}
	r.emit(f)
	return nil
}

// wait holds a hunk whose file another turn is editing.
func (r *runner) wait(hunk int, busy *Busy) {
	r.text.waits = busy
	r.text.forget = append(r.text.forget, busy.Path)
	r.tally.wait(busy, r.text, hunk-r.text.first)
	r.notifyHeld()
	r.number(hunk)
	r.addReceipt(HunkReceipt{Hunk: hunk, Path: busy.Path, Refused: busy.Error(), Reason: BusyFile})
	r.emit(HunkFailed{Hunk: hunk, Path: busy.Path, Reason: string(BusyFile), Message: busy.Error()})
}

func (r *runner) notifyHeld() {
	if r.req.OnHeld == nil {
		return
	}
	list := slices.Clone(r.tally.unmade)
	for i := range list {
		list[i].Hunks = slices.Clone(list[i].Hunks)
	}
	r.req.OnHeld(list)
}

// record applies a change of a whole file.
func (r *runner) record(ctx context.Context, hunk int, path string, ev Event,
	do func(context.Context, Hunk) (Ack, error)) error {
	ack, err := do(ctx, r.at(path))
	var busy *Busy
	if errors.As(err, &busy) {
		if _, created := ev.(FileCreated); created { // the file's content is refused with it; see change
			r.text.created, r.text.creating = hunk, busy
		} else if r.text.uncreated(hunk) == nil {
			r.wait(hunk, busy)
		}
		return nil
	}
	if err != nil {
		return err
	}
	r.number(hunk)
	r.acks.add(ack, path)
	r.drafts = append(r.drafts, exactEdit{Made{Path: path, Ack: ack}, 0})
	r.tally.touch(path)
	if _, created := ev.(FileCreated); !created { // its lines follow
		r.tally.edited(path)
		r.tally.settle(path)
	}
	r.addReceipt(wholeFile(hunk, ev))
	r.emit(ev)
	return nil
}

func wholeFile(hunk int, ev Event) HunkReceipt {
	switch ev := ev.(type) {
	case FileDeleted:
		return HunkReceipt{Hunk: hunk, Path: ev.Path, What: "deleted"}
	case FileMoved:
		return HunkReceipt{Hunk: hunk, Path: ev.Path, What: "moved", To: ev.To}
	case FileCreated:
		return HunkReceipt{Hunk: hunk, Path: ev.Path, What: "created"}
	}
	return HunkReceipt{}
}

// span is the state of one parser and one placer: a stretch of the model's text.
type span struct {
	from     int // offset in the model's text
	first    int // the number of the last hunk before it
	format   Format
	created  int // the hunk that should have created a file, which another turn is editing
	creating *Busy
	numbers  editstream.Numbering
	hunk     int      // the newest hunk, numbered in the stretch
	waits    *Busy    // a hunk of the open section was held because of another turn
	broken   bool     // a hunk was not made for another reason
	moving   bool     // the section ends
	moveTo   string   // the new path of its file
	open     bool     // a hunk of it has begun and is not complete
	forget   []string // files to open again: another turn is editing them, or was
}

// enter follows the structure of the text.
func (s *span) enter(ev editstream.Event, placer *editstream.Placer) {
	if n := s.numbers.Next(ev); n > 0 {
		s.hunk = n
	}
	switch ev := ev.(type) {
	case editstream.FileBegin:
		s.waits, s.broken, s.moving, s.moveTo = nil, false, false, path.Clean(ev.MoveTo)
		for _, path := range s.forget {
			placer.Evict(path)
		}
		s.forget = nil
	case editstream.HunkBegin:
		s.open = true
	case editstream.HunkEnd:
		s.open = false
	case editstream.FileEnd:
		s.moving = true
	}
}

// busy returns the other turn that blocked a hunk, or nil when something else did. A file
// is not moved while hunks of it are held.
func (s *span) busy(ed editstream.Failed, err error) (b *Busy) {
	switch {
	case errors.As(err, &b):
	case s.uncreated(ed.Hunk) != nil:
		b = s.creating
	case s.moving && !s.broken:
		b = s.waits
	}
	return b
}

// uncreated returns the other turn that kept a hunk from creating its file.
func (s *span) uncreated(hunk int) *Busy {
	if hunk != s.created {
		return nil
	}
	return s.creating
}

// fenced is a project restricted to the user's scope. It opens files outside the scope, so
// that the parser can go on, but makes them read-only.
type fenced struct {
	Project
	fence model.Fence
	tally *tally
}

func (f fenced) Open(path string) (editstream.Doc, error) {
	doc, err := f.Project.Open(path)
	var held *HeldError
	is := errors.As(err, &held) || errors.As(doc.Editable, &held)
	switch {
	case is && held.barred(): // whatever the scope is
	case !f.fence.Allows(path):
		held = outOfFence(f.fence, path)
	case !is:
		return doc, err
	}
	f.tally.hold(path, held)
	why := errors.New(held.why())
	if err != nil {
		return editstream.Doc{}, why
	}
	doc.Editable = why
	return doc, nil
}

var _ editstream.Files = fenced{}
