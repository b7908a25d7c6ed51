package server_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"waferpair/app/server"
	"waferpair/workspace/text"
)

func TestRevertRestoreForkAndName(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	s := w.serve()
	a, b := dial(t, s), dial(t, s)
	a.open("a.txt")
	out := a.ended(a.edit(w.script(patch("a.txt", "two", "and a half")...)))
	var done server.Done
	a.must("revert", map[string]any{"turn": 1}, &done)
	if len(done.Edits) != 1 || done.Files[0] != "a.txt" {
		t.Errorf("revert: %+v", done)
	}
	w.onDisk("a.txt", "one\ntwo\nthree\n")
	a.wait("the page follows", func() bool { return a.docs["a.txt"].shown().String() == "one\ntwo\nthree\n" })
	a.must("restore", map[string]any{"at": out.Edits[0]}, &done)
	w.onDisk("a.txt", "one\ntwo\nand a half\nthree\n")
	a.must("fork", map[string]any{"at": 0, "name": "other way"}, &done)
	b.wait("the fork is told", func() bool { return b.project != nil && b.project.Fork == "other way" })
	w.onDisk("a.txt", "one\ntwo\nthree\n")
	a.wait("the page follows", func() bool { return a.docs["a.txt"].shown().String() == "one\ntwo\nthree\n" })
	var c conversation
	must(t, get(t, s, "conversation", map[string][]string{"session": {"1"}}, &c))
	if len(c.Turns) != 0 {
		t.Errorf("the fork has a turn of after it: %+v", c.Turns)
	}
	a.must("switchFork", map[string]any{"name": "main"}, &done)
	w.onDisk("a.txt", "one\ntwo\nand a half\nthree\n")
	a.must("nameMoment", map[string]any{"at": out.Edits[0], "name": "halfway"}, nil)
	var tl server.Timeline
	must(t, get(t, s, "timeline", nil, &tl))
	if len(tl.Moments) != 1 || tl.Moments[0].Name != "halfway" {
		t.Errorf("moments: %+v", tl.Moments)
	}
	if f := a.call("fork", map[string]any{"at": 0, "name": " "}, nil); f == nil || f.Code != "usage" {
		t.Errorf("a fork without a name: %+v", f)
	}
	if f := a.call("revert", map[string]any{}, nil); f == nil || f.Code != "usage" {
		t.Errorf("revert of nothing: %+v", f)
	}
}

func TestTheSizeOfTheHistoryIsShownAndLimited(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	a := dial(t, s)
	var z server.HistorySize
	must(t, get(t, s, "size", nil, &z))
	if z.Total == 0 || z.Cap != 0 {
		t.Errorf("at first: %+v", z)
	}
	a.must("capHistory", map[string]any{"bytes": 500e6}, nil)
	must(t, get(t, s, "size", nil, &z))
	if z.Cap != 500e6 || z.Counted == 0 || z.Counted > z.Cap {
		t.Errorf("limited: %+v", z)
	}
	// nothing may be deleted: the user is notified, and the server goes on
	a.must("capHistory", map[string]any{"bytes": 1}, nil)
	a.wait("it is said", func() bool {
		return slices.ContainsFunc(a.notices, func(n server.Notice) bool {
			return strings.Contains(n.Text, "the history takes")
		})
	})
	a.open("a.txt")
	a.typeAt("a.txt", at(0, "0 "))
	a.must("save", map[string]any{"path": "a.txt"}, nil)
	w.onDisk("a.txt", "0 one\n")
	if f := a.call("capHistory", map[string]any{"bytes": -1}, nil); f == nil || f.Code != "usage" {
		t.Errorf("a limit below nothing: %+v", f)
	}
}

func TestSessions(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	a := dial(t, s)
	a.ended(a.edit(w.script("nothing to do")))
	var fresh struct{ Session int64 }
	a.must("newSession", map[string]any{}, &fresh)
	a.wait("the new session is told", func() bool { return a.project != nil && int64(a.project.Session) == fresh.Session })
	a.must("renameSession", map[string]any{"session": fresh.Session, "title": "second"}, nil)
	a.must("useSession", map[string]any{"session": 1}, nil)
	a.wait("the first session is told", func() bool { return a.project.Session == 1 })
	var c conversation
	must(t, get(t, s, "conversation", map[string][]string{"session": {itoa(fresh.Session)}}, &c))
	if c.Title != "second" {
		t.Errorf("%+v", c)
	}
}

// TestAConflictIsResolvedByHand checks that a revert that conflicts with later changes
// writes nothing, and that the user's resolution in three columns is one edit that reverts
// the other.
func TestAConflictIsResolvedByHand(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	s := w.serve()
	a := dial(t, s)
	a.open("a.txt")
	out := a.ended(a.edit(w.script(patch("a.txt", "two", "and a half")...)))
	a.typeAt("a.txt", func(t text.Text) (text.ChangeSet, error) {
		at := t.Index("half", 0)
		return text.NewChangeSet(t.Len(), text.Change{From: at, To: at + 4, Insert: "quarter"})
	})
	a.settle("a.txt")
	f := a.call("revert", map[string]any{"edits": out.Edits}, nil)
	if f == nil || f.Code != "conflict" {
		t.Fatalf("revert: %+v", f)
	}
	raw, err := json.Marshal(f.Data)
	if err != nil {
		t.Fatal(err)
	}
	var data struct{ Files []server.ThreeWay }
	if err := json.Unmarshal(raw, &data); err != nil || len(data.Files) != 1 {
		t.Fatalf("%s: %v", raw, err)
	}
	validate[struct {
		Files []server.ThreeWay `json:"files"`
	}](t, raw)
	three := data.Files[0]
	if three.Base != "one\ntwo\nand a half\nthree\n" || three.Theirs != "one\ntwo\nthree\n" ||
		three.Mine != "one\ntwo\nand a quarter\nthree\n" || three.Reason == "" {
		t.Errorf("%+v", three)
	}
	resolve := map[string]any{"path": three.Path, "doc": three.Doc, "base": three.Version,
		"text": "one\ntwo\nquarter\nthree\n", "reverts": three.Reverts}
	a.typeAt("a.txt", at(0, "zero\n"))
	a.settle("a.txt")
	if f := a.call("resolve", resolve, nil); f == nil || f.Code != "stale" {
		t.Errorf("resolve of an older version: %+v", f)
	}
	var shown int64
	a.look(func() { shown = int64(a.docs["a.txt"].version) })
	var now server.ThreeWay
	must(t, get(t, s, "threeWay", map[string][]string{"path": {"a.txt"}, "edits": {itoa(int64(three.Reverts[0]))}}, &now))
	if now.Base != three.Base || now.Theirs != three.Theirs || now.Mine != "zero\n"+three.Mine || len(now.Clashes) == 0 ||
		now.Version != shown {
		t.Errorf("the file as it is now: %+v", now)
	}
	resolve["base"] = now.Version
	resolve["text"] = "zero\n" + resolve["text"].(string)
	var done server.Done
	a.must("resolve", resolve, &done)
	w.onDisk("a.txt", "zero\none\ntwo\nquarter\nthree\n")
	var detail server.EditDetail
	must(t, get(t, s, "edit", map[string][]string{"id": {itoa(out.Edits[0])}}, &detail))
	if detail.RevertedBy != done.Edits[0] {
		t.Errorf("the edit is reverted by %d, not %d", detail.RevertedBy, done.Edits[0])
	}
}

// TestAConflictThatIsNoneAnyMoreIsStillTold checks that a page can still read the three
// texts of an edit whose conflict has gone meanwhile, and that the read reverts nothing.
func TestAConflictThatIsNoneAnyMoreIsStillTold(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	s := w.serve()
	a := dial(t, s)
	a.open("a.txt")
	out := a.ended(a.edit(w.script(patch("a.txt", "two", "and a half")...)))
	var now server.ThreeWay
	must(t, get(t, s, "threeWay", map[string][]string{"path": {"a.txt"}, "edits": {itoa(out.Edits[0])}}, &now))
	if now.Mine != "one\ntwo\nand a half\nthree\n" || now.Theirs != "one\ntwo\nthree\n" || now.Base != now.Mine ||
		len(now.Clashes) != 0 || len(now.Reverts) != 1 || now.Doc == 0 {
		t.Errorf("%+v", now)
	}
	w.onDisk("a.txt", now.Mine)
	if f := get(t, s, "threeWay", map[string][]string{"path": {"a.txt"}}, &now); f == nil || f.Code != "usage" {
		t.Errorf("no edits named: %+v", f)
	}
}

// TestAResolvedConflictKeepsTheSecret checks that a resolution built from the history's
// text keeps a secret that the history does not have.
func TestAResolvedConflictKeepsTheSecret(t *testing.T) {
	secret := "ghp_" + "0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"
	w := newWorld(t, map[string]string{"a.txt": "token " + secret + "\none\ntwo\n"})
	s := w.serve()
	a := dial(t, s)
	a.open("a.txt")
	out := a.ended(a.edit(w.script(patch("a.txt", "one", "half")...)))
	a.typeAt("a.txt", func(t text.Text) (text.ChangeSet, error) {
		at := t.Index("half", 0)
		return text.NewChangeSet(t.Len(), text.Change{From: at, To: at + 4, Insert: "quarter"})
	})
	a.settle("a.txt")
	f := a.call("revert", map[string]any{"edits": out.Edits}, nil)
	if f == nil || f.Code != "conflict" {
		t.Fatalf("revert: %+v", f)
	}
	raw, err := json.Marshal(f.Data)
	if err != nil {
		t.Fatal(err)
	}
	var data struct{ Files []server.ThreeWay }
	if err := json.Unmarshal(raw, &data); err != nil {
		t.Fatal(err)
	}
	three := data.Files[0]
	if strings.Contains(three.Mine, secret) {
		t.Error("the secret is shown")
	}
	a.must("resolve", map[string]any{"path": "a.txt", "doc": three.Doc, "base": three.Version, "text": three.Theirs,
		"reverts": three.Reverts}, nil)
	w.onDisk("a.txt", "token "+secret+"\none\ntwo\n")
}

// TestHeldEditsAreApproved checks that edits outside the scope are made once the user
// approves them.
func TestHeldEditsAreApproved(t *testing.T) {
	w := newWorld(t, map[string]string{"in/a.txt": "one\n", "out/b.txt": "two\n"})
	s := w.serve()
	a := dial(t, s)
	parts := append(patch("in/a.txt", "one", "more"), patch("out/b.txt", "two", "more")...)
	req := request(w.script(parts...))
	req["scope"] = []string{"in/**"}
	var started struct{ Turn int64 }
	a.must("edit", req, &started)
	if got := a.ended(started.Turn); got.Status != "held" {
		t.Fatalf("%+v", got)
	}
	if got := w.disk("out/b.txt"); got != "two\n" {
		t.Errorf("held, and written: %q", got)
	}
	a.must("approve", map[string]any{"turn": started.Turn}, nil)
	w.onDisk("out/b.txt", "two\nmore\n")
	w.onDisk("in/a.txt", "one\nmore\n")
}

// TestTimelineTellsRenames checks that the timeline marks renames; pages need it to know
// which edits changed the contents of other paths.
func TestTimelineTellsRenames(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	a := dial(t, s)
	a.must("rename", map[string]any{"path": "a.txt", "to": "b.txt"}, nil)
	var timeline server.Timeline
	must(t, get(t, s, "timeline", nil, &timeline))
	const isRename = 16 // in frontend/src/timeline/edits.ts
	if len(timeline.Flags) != 1 || timeline.Flags[0]&isRename == 0 {
		t.Errorf("the flags are %v", timeline.Flags)
	}
}
