package server_test

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"waferpair/app/query"
	"waferpair/app/server"
	"waferpair/history"
)

const goFile = `package shop

// Total is the sum of all prices.
func Total(prices []int) int {
	sum := 0
	for _, p := range prices {
		sum += p
	}
	return sum
}
`

// Every read answers as protocol.ts says: get checks each of them.
func TestReads(t *testing.T) {
	w := newWorld(t, map[string]string{"shop/total.go": goFile, "go.mod": "module shop\n\ngo 1.26\n",
		"b.txt": "one\ntwo\nthree\n", "bild.png": "\x89PNG\x00"})
	s := w.serve()
	a := dial(t, s)
	out := a.ended(a.edit(w.script(append([]any{"I say something.\n"}, patch("b.txt", "two", "two and a half")...)...)))
	id := out.Edits[0]
	a.open("b.txt")

	var tree struct{ Entries []server.TreeEntry }
	must(t, get(t, s, "tree", url.Values{"dir": {""}}, &tree))
	if len(tree.Entries) != 4 || tree.Entries[0].Path != "shop" || !tree.Entries[0].Dir {
		t.Errorf("tree: %+v", tree)
	}
	for _, e := range tree.Entries {
		if (e.Path == "b.txt") != e.Changed || (e.Path == "b.txt") != (e.Unreviewed == 1) {
			t.Errorf("marks of %+v", e)
		}
	}
	var found struct {
		Files []server.FoundFile
		Total int
	}
	must(t, get(t, s, "find", url.Values{"q": {"tot"}, "limit": {"5"}}, &found))
	if found.Total != 1 || found.Files[0].Path != "shop/total.go" || len(found.Files[0].Match) != 3 {
		t.Errorf("find: %+v", found)
	}
	var grep struct {
		Matches []struct{ Path, Text string }
		Files   int
	}
	must(t, get(t, s, "grep", url.Values{"text": {"SUM"}, "regex": {"false"}, "case": {"false"}, "word": {"true"},
		"globs": {"*.go", "!x"}, "limit": {"2"}}, &grep))
	if len(grep.Matches) != 2 || grep.Matches[0].Path != "shop/total.go" {
		t.Errorf("grep: %+v", grep)
	}
	var symbols struct{ Symbols []struct{ Name, Kind string } }
	must(t, get(t, s, "symbols", url.Values{"q": {""}, "path": {"shop/total.go"}, "limit": {"9"}}, &symbols))
	if len(symbols.Symbols) != 1 || symbols.Symbols[0].Name != "Total" {
		t.Errorf("symbols: %+v", symbols)
	}
	var file struct {
		Exists bool
		Text   string
	}
	must(t, get(t, s, "file", url.Values{"path": {"b.txt"}, "at": {"0"}}, &file))
	if !file.Exists || file.Text != "one\ntwo\nthree\n" {
		t.Errorf("file at 0: %+v", file)
	}
	must(t, get(t, s, "file", url.Values{"path": {"never.txt"}, "at": {"0"}}, &file))
	if file.Exists {
		t.Errorf("a file that never was: %+v", file)
	}
	var past query.Past
	must(t, get(t, s, "past", url.Values{"path": {"b.txt"}, "at": {"0"}}, &past))
	if !past.Exists || past.From != 0 || past.Text != "one\ntwo\nthree\n" || len(past.Steps) != 1 {
		t.Errorf("the past of b.txt: %+v", past)
	}
	var at struct{ Paths []string }
	must(t, get(t, s, "filesAt", url.Values{"at": {"0"}}, &at))
	if strings.Join(at.Paths, " ") != "b.txt go.mod shop/total.go" {
		t.Errorf("filesAt: %v", at.Paths)
	}
	var timeline server.Timeline
	must(t, get(t, s, "timeline", url.Values{"after": {"0"}}, &timeline))
	if n := len(timeline.IDs); n != 1 || timeline.PathNames[timeline.Paths[0]] != "b.txt" || len(timeline.Bands) != 1 ||
		timeline.Head != id {
		t.Errorf("timeline: %+v", timeline)
	}
	must(t, get(t, s, "timeline", url.Values{"after": {itoa(id)}}, &timeline))
	if len(timeline.IDs) != 0 || len(timeline.PathNames) != 0 || len(timeline.Bands) != 1 {
		t.Errorf("timeline after the last: %+v", timeline)
	}
	var detail server.EditDetail
	must(t, get(t, s, "edit", url.Values{"id": {itoa(id)}}, &detail))
	if detail.Path != "b.txt" || detail.Author != "model" || detail.Added != 1 {
		t.Errorf("edit: %+v", detail)
	}
	var diffs struct{ Files []server.DiffFile }
	var diff struct{ Before, After *string }
	for _, q := range []url.Values{{"edit": {itoa(id)}}, {"turn": {"1"}}, {"from": {"0"}, "to": {itoa(id)}},
		{"review": {"true"}}} {
		must(t, get(t, s, "diffs", q, &diffs))
		if len(diffs.Files) != 1 || diffs.Files[0].Added != 1 || diffs.Files[0].Kind != "changed" {
			t.Errorf("diffs %v: %+v", q, diffs)
		}
		q.Set("path", "b.txt")
		must(t, get(t, s, "diff", q, &diff))
		if *diff.Before != "one\ntwo\nthree\n" || *diff.After != "one\ntwo\ntwo and a half\nthree\n" {
			t.Errorf("diff %v: %q, %q", q, *diff.Before, *diff.After)
		}
	}
	var blame struct{ Runs []server.BlameRun }
	must(t, get(t, s, "blame", url.Values{"path": {"b.txt"}}, &blame))
	if len(blame.Runs) < 3 || blame.Runs[1].Line != 3 || blame.Runs[1].Edit != id || blame.Runs[1].Author != "model" ||
		blame.Runs[0].Edit != 0 {
		t.Errorf("blame: %+v", blame)
	}
	var review struct {
		Version int64
		Hunks   []server.ReviewHunk
	}
	must(t, get(t, s, "review", url.Values{"path": {"b.txt"}}, &review))
	a.look(func() {
		if len(review.Hunks) != 1 || review.Hunks[0].From != 8 || review.Hunks[0].To != 23 ||
			review.Version != a.docs["b.txt"].version {
			t.Errorf("review: %+v", review)
		}
	})
	must(t, get(t, s, "review", url.Values{"path": {""}}, &review))
	a.must("accept", map[string]any{"edits": []history.EditID{id}}, nil)
	must(t, get(t, s, "review", url.Values{"path": {""}}, &review))
	if len(review.Hunks) != 0 {
		t.Errorf("accepted, and still to be reviewed: %+v", review)
	}
	a.must("unaccept", map[string]any{"edits": []history.EditID{id}}, nil)
	a.must("accept", map[string]any{"turn": 1}, nil)
	var sessions struct {
		Sessions []server.SessionInfo
		Current  int64
	}
	must(t, get(t, s, "sessions", nil, &sessions))
	if len(sessions.Sessions) != 1 || sessions.Current != 1 || sessions.Sessions[0].Turns != 1 {
		t.Errorf("sessions: %+v", sessions)
	}
	var c conversation
	must(t, get(t, s, "conversation", url.Values{"session": {"1"}}, &c))
	if len(c.Turns) != 1 || c.Turns[0].Prose != "I say something." || c.Turns[0].Status != "completed" ||
		c.Turns[0].Timing == nil || len(c.Turns[0].Files) != 1 {
		t.Errorf("conversation: %+v", c)
	}
	var models struct{ Models []server.ModelInfo }
	must(t, get(t, s, "models", nil, &models))
	if len(models.Models) == 0 || !models.Models[0].Default {
		t.Errorf("models: %+v", models)
	}
	var ops struct{ Operations []server.Operation }
	must(t, get(t, s, "operations", nil, &ops))
	if len(ops.Operations) < 5 {
		t.Errorf("operations: %+v", ops)
	}
	var working struct{ Requests []string }
	must(t, get(t, s, "working", url.Values{"requests": {"rename NoSuchThing to Other", "rename Total to Sum"}}, &working))
	if !slices.Equal(working.Requests, []string{"rename Total to Sum"}) {
		t.Errorf("working: %+v", working)
	}
	var folders struct {
		Path    string
		Folders []string
	}
	must(t, get(t, s, "folders", url.Values{"path": {w.dir}}, &folders))
	if strings.Join(folders.Folders, " ") != "shop" || folders.Path != w.dir {
		t.Errorf("folders: %+v", folders)
	}
	r, err := http.NewRequest("POST", strings.TrimSuffix(strings.Replace(s.Socket(), "ws:", "http:", 1), "/ws")+
		"/api/spans", bytes.NewReader([]byte(`{"path":"x.go","text":"package x // \"é\"\n"}`)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Token())
	var spans struct{ Spans [][3]any }
	must(t, do(t, r, "spans", &spans))
	if len(spans.Spans) < 2 || spans.Spans[0][2] != "kw" {
		t.Errorf("spans: %+v", spans)
	}
}

func TestReadsRefuse(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	for _, c := range []struct {
		what  string
		query url.Values
		code  server.FailureCode
	}{
		{"find", url.Values{"limit": {"many"}}, "usage"},
		{"grep", url.Values{"text": {"("}, "regex": {"true"}}, ""},
		{"grep", url.Values{"text": {"x"}, "regex": {"perhaps"}}, "usage"},
		{"file", url.Values{"path": {"../up"}, "at": {"0"}}, "usage"},
		{"file", url.Values{"path": {"a.txt"}, "at": {"999"}}, ""},
		{"edit", url.Values{"id": {"999"}}, ""},
		{"diffs", nil, ""},
		{"diff", url.Values{"edit": {"1"}}, "usage"},
		{"conversation", url.Values{"session": {"7"}}, ""},
		{"folders", url.Values{"path": {"relative"}}, "usage"},
		{"folders", url.Values{"path": {"/does/not/exist"}}, "gone"},
		{"tree", url.Values{"dir": {"../.."}}, "usage"},
		{"blame", url.Values{"path": {"/etc/passwd"}}, "usage"},
	} {
		f := get(t, s, c.what, c.query, new(any))
		if f == nil || f.Message == "" || c.code != "" && f.Code != c.code {
			t.Errorf("%s %v: %+v, want %s", c.what, c.query, f, c.code)
		}
	}
}

// A page moves the answer along to the text that it shows, and asks again when
// the answer is for none of its versions; so an empty one has a version, too.
func TestAnEmptyAnswerIsForTheVersionThatIsShown(t *testing.T) {
	w := newWorld(t, map[string]string{"b.txt": "one\ntwo\nthree\n", "empty.txt": ""})
	s := w.serve()
	a := dial(t, s)
	edit := a.ended(a.edit(w.script(patch("b.txt", "two", "two and a half")...))).Edits[0]
	a.open("b.txt")
	a.open("empty.txt")
	a.must("revert", map[string]any{"edits": []history.EditID{edit}}, nil)
	var review, blame struct {
		Version int64
		Hunks   []server.ReviewHunk
		Runs    []server.BlameRun
	}
	must(t, get(t, s, "review", url.Values{"path": {"b.txt"}}, &review))
	must(t, get(t, s, "blame", url.Values{"path": {"empty.txt"}}, &blame))
	a.wait("the revert", func() bool { return a.docs["b.txt"].shown().String() == "one\ntwo\nthree\n" })
	a.Lock()
	defer a.Unlock()
	if want := a.docs["b.txt"].version; len(review.Hunks) != 0 || review.Version != want {
		t.Errorf("review of version %d: %+v", want, review)
	}
	if want := a.docs["empty.txt"].version; len(blame.Runs) != 0 || blame.Version != want {
		t.Errorf("blame of version %d: %+v", want, blame)
	}
}
