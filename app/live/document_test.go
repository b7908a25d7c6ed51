package live

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// fakeHost is a history in memory, which records nothing while it is full.
type fakeHost struct {
	full     bool
	text     text.Text // of the file, as recorded
	exists   bool
	drafts   map[history.TurnID]history.Draft
	edits    int
	by       history.Author // who created the file
	notified map[string]int
}

var errFull = errors.New("the disk is full")

func (h *fakeHost) Append(_ context.Context, op history.Op) (history.Receipt, error) {
	if h.full {
		return history.Receipt{}, errFull
	}
	for _, e := range op.Edits {
		switch e.Kind {
		case history.Create:
			if h.exists {
				return history.Receipt{}, errors.New("created twice")
			}
			h.text, h.exists, h.by = text.Of(e.Content), true, op.Author
		case history.Text:
			if !h.exists || !e.Before.Equal(h.text) {
				return history.Receipt{}, fmt.Errorf("an edit of %q, and it holds %q", e.Before, h.text)
			}
			after, err := e.Changes.Apply(h.text)
			if err != nil {
				return history.Receipt{}, err
			}
			h.text = after
		case history.Delete:
			if e.Expect != history.HashText(h.text) {
				return history.Receipt{}, errors.New("another text is deleted")
			}
			h.text, h.exists = text.Text{}, false
		}
		h.edits++
	}
	h.draft(op.Drafts)
	return history.Receipt{}, nil
}

func (h *fakeHost) Draft(_ context.Context, drafts ...history.Draft) error {
	if h.full {
		return errFull
	}
	h.draft(drafts)
	return nil
}

func (h *fakeHost) draft(drafts []history.Draft) {
	for _, x := range drafts {
		if x.Changes.Empty() {
			delete(h.drafts, x.Turn)
		} else {
			h.drafts[x.Turn] = x
		}
	}
}

func (h *fakeHost) Changed(string)        { h.notified["changed"]++ }
func (h *fakeHost) Listed()               { h.notified["listed"]++ }
func (h *fakeHost) Notice(string)         { h.notified["notice"]++ }
func (h *fakeHost) Trouble(string, error) {}

// recovered returns the text that the next start restores: the drafts on top of the
// recorded text, the hunk below the typing.
func (h *fakeHost) recovered(t *rapid.T) text.Text {
	out := h.text
	for _, turn := range []history.TurnID{1, 0} {
		if x, ok := h.drafts[turn]; ok {
			after, err := x.Changes.Apply(out)
			if err != nil {
				t.Fatalf("the draft of turn %d has no place: %v", turn, err)
			}
			out = after
		}
	}
	return out
}

// TestADocumentLosesNothing changes a document and a plain text in the same way: by a
// model, a user, another program, saves and a full disk, in any order. The texts must stay
// equal; the history must have the text once everything could be recorded, and the disk
// once it was saved. At every moment at which everything is in the journal, a restart must
// recover the whole text.
func TestADocumentLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := t.Context()
		first := text.OfString(rapid.StringMatching(`[a-d\n]{0,20}`).Draw(t, "first"))
		h := &fakeHost{text: first, exists: true, drafts: map[history.TurnID]history.Draft{}, notified: map[string]int{}}
		d := Open(h, "a.txt", "", true)
		d.Found([32]byte{1}, first, first, false)
		d.SetTurn(1)
		plain, disk := first, first // plain has everybody's changes; disk is the text on disk
		hash, now := byte(1), time.Unix(1_000_000, 0)
		var saving *workspace.Write
		put := func(by history.Author, letter string) {
			cs, after := drawChange(t, d.Live(), letter)
			_, v := d.Buffer.Snapshot()
			if _, err := d.Put(ctx, Writer{Author: by}, v, cs); err != nil {
				t.Fatal(err)
			}
			plain = after
		}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0, 1:
				put(history.User, "u")
				d.Key(now)
			case 2, 3:
				put(history.Model, "m")
			case 4:
				if _, err := d.RecordHunk(ctx, false); err != nil && !h.full {
					t.Fatal(err)
				}
			case 5:
				if err := d.RecordTyped(ctx); err != nil && !h.full {
					t.Fatal(err)
				}
			case 6:
				h.full = rapid.Bool().Draw(t, "full")
			case 7: // a save begins, or the save in progress ends
				if saving != nil {
					hash++
					if rapid.Bool().Draw(t, "written") {
						disk = text.Of(saving.Content)
						d.Saved([32]byte{hash}, saving.Content)
					} else {
						d.Handle(SaveFailed)
					}
					saving = nil
				} else if d.Dirty() {
					if w, any := d.Saving(); any {
						w.Content = append([]byte{}, w.Content...)
						saving = &w
					}
				}
			case 8:
				now = now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "seconds")) * time.Second)
				d.Keep(ctx, now)
			case 9:
				if d.State().Failed() {
					d.Handle(Retry)
				}
			}
			if !d.Live().Equal(plain) {
				t.Fatalf("it holds %q, not %q", d.Live(), plain)
			}
			if !h.text.Equal(d.Head()) {
				t.Fatalf("the history has %q, head is %q", h.text, d.Head())
			}
			if saving == nil && !d.Dirty() && !d.State().Failed() && !disk.Equal(d.Head()) {
				t.Fatalf("%v, and the disk has %q, head is %q", d.State(), disk, d.Head())
			}
		}
		if h.full = false; rapid.Bool().Draw(t, "dies") {
			d.journal(ctx)
			if got := h.recovered(t); !got.Equal(plain) {
				t.Fatalf("a start makes %q of it, not %q", got, plain)
			}
		}
		if err := d.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		if !h.text.Equal(plain) || d.Unrecorded() || len(h.drafts) > 0 {
			t.Fatalf("the history has %q, not %q; drafts %v", h.text, plain, h.drafts)
		}
		if saving != nil {
			disk = text.Of(saving.Content)
			d.Saved([32]byte{hash + 1}, saving.Content)
		}
		if d.Handle(Retry); d.Dirty() {
			w, _ := d.Saving()
			disk = text.Of(w.Content)
			d.Saved([32]byte{hash + 2}, w.Content)
		}
		if !disk.Equal(plain) || d.State() != (State{Tracked, Present, Clean}) {
			t.Fatalf("%v: the disk has %q, not %q", d.State(), disk, plain)
		}
	})
}

// TestAFileThatTheHistoryDidNotGet covers a file that a model created while nothing could
// be recorded. If the model takes it back, the file never existed; text of the user in it
// belongs to the user.
func TestAFileThatTheHistoryDidNotGet(t *testing.T) {
	ctx := t.Context()
	h := &fakeHost{drafts: map[history.TurnID]history.Draft{}, notified: map[string]int{}}
	d := Open(h, "a.txt", "", true)
	d.Missing()
	d.SetTurn(1)
	d.Make()
	if d.State().Life != Newborn || h.notified["listed"] != 1 {
		t.Fatalf("%v, told %v", d.State(), h.notified)
	}
	if err := d.Drop(); err != nil || d.Exists() || h.edits != 0 {
		t.Fatalf("%v after %d edits: %v", d.State(), h.edits, err)
	}
	h.full = true
	if err := d.MakeTyped(ctx, func() error { return nil }); !errors.Is(err, errFull) || d.Exists() {
		t.Fatalf("what was refused has happened: %v, %v", d.State(), err)
	}
	if err := d.MakeTyped(ctx, func() error { return errFull }); err != nil ||
		d.State() != (State{Tracked, Newborn, Clean}) {
		t.Fatalf("%v: %v", d.State(), err)
	}
	_, v := d.Buffer.Snapshot()
	cs, _ := text.NewChangeSet(0, text.Change{Insert: "typed\n"})
	if _, err := d.Put(ctx, Writer{Author: history.User}, v, cs); err != nil {
		t.Fatal(err)
	}
	if err := d.Flush(ctx); !errors.Is(err, errFull) || d.Dirty() {
		t.Fatalf("%v: %v", d.State(), err)
	}
	h.full = false
	if err := d.Flush(ctx); err != nil || h.by != history.User || h.text.String() != "typed\n" ||
		d.State() != (State{Tracked, Present, Due}) {
		t.Fatalf("the history has %q, made by %s; %v: %v", h.text, h.by, d.State(), err)
	}
}

// TestAHunkThatWasRecordedInParts checks that a wait for a hunk ends once, when all parts
// are recorded.
func TestAHunkThatWasRecordedInParts(t *testing.T) {
	ctx := t.Context()
	h := &fakeHost{exists: true, drafts: map[history.TurnID]history.Draft{}, notified: map[string]int{}}
	d := Open(h, "a.txt", "", true)
	d.Found([32]byte{1}, text.Text{}, text.Text{}, false)
	d.SetTurn(1)
	for _, line := range []string{"one\n", "two\n"} {
		_, v := d.Buffer.Snapshot()
		cs, _ := text.NewChangeSet(d.Live().Len(), text.Change{From: d.Live().Len(), To: d.Live().Len(), Insert: line})
		if _, err := d.Put(ctx, Writer{Author: history.Model}, v, cs); err != nil {
			t.Fatal(err)
		}
		if err := d.RecordPart(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{2, 0} {
		if r, err := d.RecordHunk(ctx, false); err != nil || len(r) != want || h.text.String() != "one\ntwo\n" {
			t.Errorf("%d receipts, not %d; the history has %q: %v", len(r), want, h.text, err)
		}
	}
}

// TestWhatIsNotKeptIsOnlySaved checks that nothing of a file that may hold secrets reaches
// the history or the journal.
func TestWhatIsNotKeptIsOnlySaved(t *testing.T) {
	ctx := t.Context()
	h := &fakeHost{drafts: map[history.TurnID]history.Draft{}, notified: map[string]int{}}
	d := Open(h, ".env", "it may hold secrets", true)
	d.Found([32]byte{1}, text.OfString("a=1\n"), text.OfString("a=1\n"), false)
	_, v := d.Buffer.Snapshot()
	cs, _ := text.NewChangeSet(4, text.Change{From: 2, To: 3, Insert: "2"})
	if _, err := d.Put(ctx, Writer{Author: history.User}, v, cs); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	d.Key(now)
	if _, more := d.Keep(ctx, now.Add(burstLong)); more {
		t.Error("the burst has not ended")
	}
	if h.edits > 0 || len(h.drafts) > 0 || d.State() != (State{Untracked, Present, Due}) {
		t.Errorf("%d edits, %d drafts; %v", h.edits, len(h.drafts), d.State())
	}
	if w, any := d.Saving(); !any || string(w.Content) != "a=2\n" {
		t.Errorf("%q is written", w.Content)
	}
}

// TestWhatWasTakenBackIsNotJournaled checks that a letter that was typed and deleted again
// is not in the journal.
func TestWhatWasTakenBackIsNotJournaled(t *testing.T) {
	ctx, now := t.Context(), time.Now()
	h := &fakeHost{exists: true, text: text.OfString("one\n"), drafts: map[history.TurnID]history.Draft{},
		notified: map[string]int{}}
	d := Open(h, "a.txt", "", true)
	d.Found([32]byte{1}, h.text, h.text, false)
	for i, c := range []text.Change{{From: 3, To: 3, Insert: "x"}, {From: 3, To: 4}} {
		_, v := d.Buffer.Snapshot()
		cs, _ := text.NewChangeSet(d.Live().Len(), c)
		if _, err := d.Put(ctx, Writer{Author: history.User}, v, cs); err != nil {
			t.Fatal(err)
		}
		d.Key(now)
		if d.Keep(ctx, now); len(h.drafts) != 1-i {
			t.Errorf("after %d changes, %d drafts", i+1, len(h.drafts))
		}
	}
}

// slowJournal takes a while for every draft.
type slowJournal struct {
	*fakeHost
	takes time.Duration
}

func (h slowJournal) Draft(ctx context.Context, drafts ...history.Draft) error {
	time.Sleep(h.takes)
	return h.fakeHost.Draft(ctx, drafts...)
}

// TestDraftsTakeATenthOfTheTime at most: after a slow one, the next waits ten times as long.
func TestDraftsTakeATenthOfTheTime(t *testing.T) {
	h := slowJournal{&fakeHost{exists: true, drafts: map[history.TurnID]history.Draft{}, notified: map[string]int{}},
		DraftEvery / 4}
	d := Open(h, "a.txt", "", true)
	d.Found([32]byte{1}, text.Text{}, text.Text{}, false)
	_, v := d.Buffer.Snapshot()
	cs, _ := text.NewChangeSet(0, text.Change{Insert: "one\n"})
	if _, err := d.Put(t.Context(), Writer{Author: history.User}, v, cs); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	d.Key(began)
	d.Keep(t.Context(), began)
	if len(h.drafts) != 1 {
		t.Fatalf("%d drafts", len(h.drafts))
	}
	if next := d.draftNext.Sub(began.Add(h.takes)); next < 10*h.takes {
		t.Errorf("after a draft that takes %v, the next one may come in %v", h.takes, next)
	}
}

// TestAHunkIsJournaledThoughTheModelPauses checks that the last text of a model is soon in
// the journal, even if no text follows.
func TestAHunkIsJournaledThoughTheModelPauses(t *testing.T) {
	ctx := t.Context()
	h := &fakeHost{exists: true, drafts: map[history.TurnID]history.Draft{}, notified: map[string]int{}}
	d := Open(h, "a.txt", "", true)
	d.Found([32]byte{1}, text.Text{}, text.Text{}, false)
	d.SetTurn(1)
	_, v := d.Buffer.Snapshot()
	cs, _ := text.NewChangeSet(0, text.Change{Insert: "one\n"})
	if _, err := d.Put(ctx, Writer{Author: history.Model}, v, cs); err != nil {
		t.Fatal(err)
	}
	if !d.JournalHunk(ctx) || len(h.drafts) > 0 {
		t.Fatal("nothing waits")
	}
	now := time.Now()
	if at, more := d.Keep(ctx, now); !more || at.After(now.Add(DraftEvery)) || len(h.drafts) > 0 {
		t.Errorf("at first, it looks again at %v: %v; %v", at, more, h.drafts)
	}
	if _, more := d.Keep(ctx, now.Add(DraftEvery)); more || len(h.drafts) != 1 {
		t.Errorf("then, there is more: %v; %v", more, h.drafts)
	}
}
