package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"waferpair/history"
	"waferpair/workspace/text"
)

// leaveDraft leaves a draft that the next opening cannot keep and reports.
func (w *world) leaveDraft() {
	w.Helper()
	ctx := context.Background()
	store, err := history.Open(ctx, history.Options{Dir: history.Dir(w.opt.DataHome, w.dir), Root: w.dir})
	if err != nil {
		w.Fatal(err)
	}
	base := text.OfString("another text\n")
	changes, err := text.NewChangeSet(base.Len(), text.Change{From: 0, To: 7, Insert: "no"})
	if err == nil {
		err = store.PutDraft(ctx, history.Draft{Path: "a.txt", Author: history.User, Base: base, Changes: changes})
	}
	if err != nil {
		w.Fatal(err)
	}
	if err := store.Close(); err != nil {
		w.Fatal(err)
	}
}

func TestAFileIsShownAndTypedInWhileTheFolderIsCompared(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	w.serve().Close()
	w.leaveDraft()
	reached, pass := make(chan struct{}), make(chan struct{})
	w.opt.Log = func(s string) {
		w.noted(s)
		if strings.Contains(s, "could not be recovered") {
			close(reached)
			<-pass
		}
	}
	s := w.listen()
	// waits until it is open
	s.Start(t.Context(), w.dir).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/boot.json", nil))
	c := dial(t, s)
	c.open("a.txt")
	c.typeAt("a.txt", func(shown text.Text) (text.ChangeSet, error) {
		return text.NewChangeSet(shown.Len(), text.Change{From: 4, To: 7, Insert: "zwei"})
	})
	select {
	case <-reached:
	case <-time.After(time.Minute):
		t.Fatal("the draft was kept, or nobody said that it was not")
	}
	if got := c.text("a.txt"); got != "one\nzwei\n" {
		t.Errorf("shown: %q", got)
	}
	saved := c.send("save", map[string]any{"path": "a.txt"})
	select {
	case got := <-saved:
		t.Fatalf("saved before the folder was compared: %+v", got)
	default:
	}
	close(pass)
	c.settle("a.txt")
	if got := <-saved; got.Err != nil {
		t.Fatal(got.Err)
	}
	c.must("save", map[string]any{"path": "a.txt"}, nil)
	if got := w.disk("a.txt"); got != "one\nzwei\n" || c.text("a.txt") != got {
		t.Errorf("on disk %q, shown %q", got, c.text("a.txt"))
	}
}
