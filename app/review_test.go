package app_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/app/query"
	"waferpair/history"
	"waferpair/workspace/text"
)

// review returns the pending hunks of a file, each as "edits:text-removed", found by its
// UTF-16 range.
func (w *world) review(p *app.Project, path string) string {
	w.Helper()
	hunks, _, err := p.Query().Review(w.Context(), path)
	w.ok(err)
	b, err := p.Read(path)
	w.ok(err)
	now := text.Of(b)
	var out strings.Builder
	for _, h := range hunks {
		from, err := now.FromUTF16(h.FromUTF16)
		w.ok(err)
		to, err := now.FromUTF16(h.ToUTF16)
		w.ok(err)
		if from != h.From || to != h.To {
			w.Fatalf("%d-%d in bytes is not %d-%d in UTF-16", h.From, h.To, h.FromUTF16, h.ToUTF16)
		}
		fmt.Fprintf(&out, "%d:%q-%q ", len(h.Edits), now.Slice(h.From, h.To).String(), h.Removed)
	}
	return strings.TrimSpace(out.String())
}

func ids(edits []int64) (out []history.EditID) {
	for _, id := range edits {
		out = append(out, history.EditID(id))
	}
	return out
}

func TestReviewGoesHunkByHunk(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "é one\ntwo\nthree\nfour\nfive\nsix\n"})
	p := w.open()
	o := w.run(p, w.script(patch("*** Update File: a.go\n@@\n-é one\n+ONE\n two\n@@\n five\n-six\n+SIX\n")))
	w.is(w.review(p, "a.go"), `1:"ONE\n"-"é one\n" 1:"SIX\n"-"six\n"`)
	all, _, err := p.Query().Review(t.Context(), "")
	w.ok(err)
	if len(all) != 2 || all[0].Path != "a.go" || all[0].Removed != "" {
		t.Fatalf("%+v", all)
	}
	w.ok(p.Accept(t.Context(), ids(o.Edits[:1])))
	w.is(w.review(p, "a.go"), `1:"SIX\n"-"six\n"`)
	w.ok(p.Unaccept(t.Context(), ids(o.Edits[:1])))
	w.is(w.review(p, "a.go"), `1:"ONE\n"-"é one\n" 1:"SIX\n"-"six\n"`)
	_, err = p.Revert(t.Context(), app.RevertRequest{IDs: ids(o.Edits[1:])})
	w.ok(err)
	w.is(w.review(p, "a.go"), `1:"ONE\n"-"é one\n"`)
	w.is(w.disk("a.go"), "ONE\ntwo\nthree\nfour\nfive\nsix\n")
	w.ok(p.AcceptTurn(t.Context(), 1))
	w.is(w.review(p, "a.go"), "")
	if p.Accept(t.Context(), []history.EditID{99}) == nil || p.AcceptTurn(t.Context(), 99) == nil {
		t.Fatal("an edit that is not there was accepted")
	}
	w.ok(p.Close())
	w.is(w.review(w.open(), "a.go"), "")
}

// diff returns the answer to a request for diffs in short form.
func (w *world) diff(p *app.Project, r query.DiffRequest) string {
	w.Helper()
	list, err := p.Query().Diffs(w.Context(), r)
	w.ok(err)
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s %s %s +%d -%d", f.Kind, f.Path, f.To, f.Added, f.Removed)
		if f.Before != nil {
			fmt.Fprintf(&b, " %q", *f.Before)
		}
		if f.After != nil {
			fmt.Fprintf(&b, " -> %q", *f.After)
		}
		for _, h := range f.Hunks {
			fmt.Fprintf(&b, " @@ -%d,%d +%d,%d", h.From, h.Removed, h.To, h.Inserted)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestDiffsOfEditsTurnsMomentsAndTheReview(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "one\ntwo\nthree\n", "b.go": "b\n", "c.go": "c\n"})
	p := w.open()
	o := w.run(p, w.script(patch("*** Update File: a.go\n@@\n-one\n+1\n+1b\n*** Update File: a.go\n@@\n-three\n+3\n*** Add File: n.go\n+new\n*** Delete File: c.go\n*** Update File: b.go\n*** Move to: z.go\n@@\n-b\n+B\n")))
	w.is(w.diff(p, query.DiffRequest{Turn: 1}),
		"changed a.go  +3 -2\ncreated n.go  +1 -0\ndeleted c.go  +0 -1\nmoved b.go z.go +1 -1\n")
	w.is(w.diff(p, query.DiffRequest{Turn: 1, Path: "a.go"}),
		`changed a.go  +3 -2 "one\ntwo\nthree\n" -> "1\n1b\ntwo\n3\n" @@ -1,1 +1,2 @@ -3,1 +4,1`+"\n")
	w.is(w.diff(p, query.DiffRequest{Edit: history.EditID(o.Edits[0])}), "changed a.go  +2 -1\n")
	last := history.EditID(o.Edits[len(o.Edits)-1])
	w.is(w.diff(p, query.DiffRequest{Range: &query.MomentRange{From: 0, To: last}}),
		"changed a.go  +3 -2\ndeleted b.go  +0 -1\ndeleted c.go  +0 -1\ncreated n.go  +1 -0\ncreated z.go  +1 -0\n")
	w.ok(p.Accept(t.Context(), ids(o.Edits[:1])))
	w.is(w.diff(p, query.DiffRequest{Review: true, Path: "a.go"}),
		`changed a.go  +1 -1 "1\n1b\ntwo\nthree\n" -> "1\n1b\ntwo\n3\n" @@ -4,1 +4,1`+"\n")
	if _, err := p.Query().Diffs(t.Context(), query.DiffRequest{}); err == nil {
		t.Fatal("nothing was compared with nothing")
	}
	if _, err := p.Query().Diffs(t.Context(), query.DiffRequest{Turn: 1, Path: "x.go"}); err == nil {
		t.Fatal("a file that the turn did not touch was compared")
	}
}

func TestTimelineGrowsAndNamesMoments(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "one\ntwo\n"})
	p := w.open()
	empty, err := p.Query().Timeline(t.Context(), history.Page{})
	w.ok(err)
	if len(empty.IDs) != 0 || empty.Fork != "main" {
		t.Fatalf("%+v", empty)
	}
	o := w.run(p, w.script(patch("*** Update File: a.go\n@@\n-one\n+1\n")))
	first := ids(o.Edits)[0]
	w.ok(p.NameMoment(t.Context(), first, "  it works\nsecond line"))
	tl, err := p.Query().Timeline(t.Context(), history.Page{})
	w.ok(err)
	if fmt.Sprint(tl.IDs, tl.Paths, tl.PathNames, tl.Turns, tl.Flags) != "[1] [0] [a.go] [1] [0]" ||
		tl.AuthorNames[tl.Authors[0]] != history.Model ||
		len(tl.Bands) != 1 || tl.Bands[0].First != first || tl.Bands[0].Last != first || tl.Bands[0].Status != "completed" ||
		tl.Head != first {
		t.Fatalf("%+v", tl)
	}
	if len(tl.Moments) != 1 || tl.Moments[0].Name != "it works" {
		t.Fatalf("%+v", tl.Moments)
	}
	_, err = p.Revert(t.Context(), app.RevertRequest{IDs: []history.EditID{first}})
	w.ok(err)
	next, err := p.Query().Timeline(t.Context(), history.Page{After: first})
	w.ok(err)
	if fmt.Sprint(next.IDs, next.Flags, next.Undone) != "[2] [4] [1]" ||
		next.AuthorNames[next.Authors[0]] != history.Revert {
		t.Fatalf("%+v", next)
	}
	whole, err := p.Query().Timeline(t.Context(), history.Page{})
	w.ok(err)
	if fmt.Sprint(whole.IDs, whole.Flags) != "[1 2] [2 4]" {
		t.Fatalf("%+v", whole)
	}
	v, err := p.Query().Text(t.Context(), first, "a.go")
	w.ok(err)
	w.is(string(v.Bytes), "1\ntwo\n")
	files, err := p.Query().FilesAt(t.Context(), first)
	w.ok(err)
	w.is(fmt.Sprint(files), "[a.go]")
}

func TestBlameOfTheLiveText(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "one\ntwo\nthree\n"})
	p := w.open()
	w.run(p, w.script(patch("*** Update File: a.go\n@@\n-two\n+2\n")))
	runs, _, err := p.Query().Blame(t.Context(), "a.go")
	w.ok(err)
	var b strings.Builder
	for _, r := range runs {
		fmt.Fprintf(&b, "%d+%d:%d%s t%d ", r.From, r.Lines, r.Edit, r.Author, r.Turn)
	}
	w.is(b.String(), "1+1:0 t0 2+1:1model t1 3+1:0 t0 ")
}

func TestAConflictShowsThreeSidesAndWritesNothing(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "one\ntwo\n"})
	p := w.open()
	o := w.run(p, w.script(patch("*** Update File: a.go\n@@\n-one\n+1\n")))
	w.run(p, w.script(patch("*** Update File: a.go\n@@\n-1\n+uno\n")))
	_, err := p.Revert(t.Context(), app.RevertRequest{IDs: ids(o.Edits)})
	var conflict *history.Conflict
	if !errors.As(err, &conflict) {
		t.Fatalf("%v", err)
	}
	ways, err := p.Conflicts(t.Context(), ids(o.Edits))
	w.ok(err)
	if len(ways) != 1 {
		t.Fatalf("%+v", ways)
	}
	w.is(ways[0].Base+ways[0].Theirs+ways[0].Mine, "1\ntwo\none\ntwo\nuno\ntwo\n")
	w.is(w.disk("a.go"), "uno\ntwo\n")
}

// TestAConflictAboutFilesThatTheTurnMade resolves conflicts about files that the turn
// created: two that were deleted and one that was changed since. The user may choose that a
// file is absent, or has other text.
func TestAConflictAboutFilesThatTheTurnMade(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "one\n"})
	p := w.open()
	o := w.run(p, w.script(patch("*** Add File: gone.go\n+x\n*** Add File: back.go\n+y\n*** Add File: changed.go\n+z\n")))
	edits := ids(o.Edits)
	for _, path := range []string{"gone.go", "back.go"} {
		_, err := p.Remove(t.Context(), path, "")
		w.ok(err)
	}
	w.show(p, "changed.go").typed("z", "mine")
	ways, err := p.Conflicts(t.Context(), edits)
	w.ok(err)
	if len(ways) != 3 {
		t.Fatalf("%+v", ways)
	}
	for path, content := range map[string]string{"gone.go": "", "back.go": "as I like\n", "changed.go": ""} {
		i := slices.IndexFunc(ways, func(c app.ThreeWay) bool { return c.Path == path })
		f := w.show(p, path)
		_, err := p.Resolve(t.Context(), path, f.ID, f.Version, text.OfString(content), ways[i].Edits)
		w.ok(err)
	}
	w.is(w.disk("back.go"), "as I like\n")
	for _, path := range []string{"gone.go", "changed.go"} {
		if _, err := os.Stat(filepath.Join(w.dir, path)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
