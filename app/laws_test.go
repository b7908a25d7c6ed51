package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"waferpair/app"
	"waferpair/build/testseed"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
	"waferpair/history"
	"waferpair/workspace/text"
)

// drivers returns options with these drivers.
func drivers(list ...engine.Driver) app.Options {
	return app.Options{Models: engine.NewRegistry(list)}
}

// patching returns a patch that changes every third line of a file of n lines.
func patching(path string, n int) string {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n*** Update File: " + path + "\n")
	for i := 1; i < n-1; i += 3 {
		fmt.Fprintf(&b, "@@\n line %d\n-line %d\n+model %d\n+model %d, more\n", i-1, i, i, i)
	}
	return b.String() + "*** End Patch\n"
}

func patchCall(id, input string) model.Item {
	return model.Item{Kind: model.CustomCall, CallID: id, Name: model.ApplyPatch, Input: input}
}

// kept returns, in short, the items of a turn in the history that are the model's or answer
// them.
func (w *world) kept(p *app.Project, turn history.TurnID) (out []string) {
	w.Helper()
	t, err := p.History().Turn(w.Context(), turn)
	w.ok(err)
	for _, it := range t.Items {
		var i model.Item
		w.ok(json.Unmarshal(it.Body, &i))
		if strings.HasPrefix(string(i.Kind), "waferpair:") || i.Role == model.RoleUser || i.Role == model.RoleDeveloper {
			continue
		}
		out = append(out, fmt.Sprintf("%s %s %q", i.Kind, it.Status, i.Text()))
	}
	return out
}

// TestWhatACutLeavesIsWhatTheStoreHas cuts a model by a stop or a steer at any place: in
// prose, in reasoning, in a patch in its text, in a patch in a tool call. The history must
// have exactly the items that the model was told have happened, to the token, and the file
// on disk must be the history's.
func TestWhatACutLeavesIsWhatTheStoreHas(t *testing.T) {
	seed := testseed.New(t)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 12 {
		w := newWorld(t, map[string]string{"a.txt": lines(12)})
		said := []model.Item{
			{Kind: model.Reasoning, Parts: []model.Part{{Kind: model.ReasoningText, Text: "Hm, é🙂.\n"}}},
			model.Assistant("I will.\n" + patching("a.txt", 6)),
			patchCall("c", strings.Replace(patching("a.txt", 12),
				patching("a.txt", 6)[len("*** Begin Patch\n*** Update File: a.txt\n"):len(patching("a.txt", 6))-
					len("*** End Patch\n")], "", 1)),
			{Kind: model.FunctionCall, CallID: "d", Name: "look", Input: `{"at":1}`},
		}
		length := 0
		for _, i := range said {
			length += utf8.RuneCountInString(i.Text())
		}
		reached := make(chan struct{})
		m := &drivertest.Speaker{Answers: [][]model.Item{said, {model.Assistant("Fine.\n")}}, At: 1 + r.IntN(length),
			Stubborn: r.IntN(2) == 0, Language: r.IntN(2) == 0, Reached: func() { close(reached) }}
		p := w.openWith(drivers(agent.New(m, agent.ApplyPatch)))
		turn := w.start(p, "")
		steer := r.IntN(2) == 0
		go func() {
			if <-reached; steer {
				turn.Steer("instead")
			} else {
				turn.Stop()
			}
		}()
		for range turn.Events() {
		}
		// a steer before the first edit leaves only the words of the second answer
		wordsOnly := func(o engine.Outcome) bool { return m.Language && steer && o.Code == engine.NoEditCode }
		if o := turn.Wait(); o.Status != engine.Completed && o.Status != engine.Stopped && !wordsOnly(o) {
			t.Fatalf("seed %d, cut at %d: %+v", seed, m.At, o)
		}
		w.sameAsHappened(p, seed, m)
		w.at(p, history.Newest, "a.txt", w.disk("a.txt"))
		w.ok(p.Close())
	}
}

// sameAsHappened compares the stored items with those that the model was told have
// happened.
func (w *world) sameAsHappened(p *app.Project, seed uint64, m *drivertest.Speaker) {
	w.Helper()
	var want []string
	for _, i := range m.Happened() {
		status := i.Status
		if status == model.InProgress {
			status = model.Incomplete
		}
		if i.Kind.IsCall() { // the call states what was done with it, and is complete
			status = model.Complete
		}
		want = append(want, fmt.Sprintf("%s %s %q", i.Kind, status, i.Text()))
	}
	var got []string
	for _, s := range w.kept(p, 1) {
		if !strings.Contains(s, "_output ") {
			got = append(got, s)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.Fatalf("seed %d, cut at %d: the history has\n%s\nhappened\n%s", seed, m.At, strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
}

// TestAWriterIsOneOfUs checks that what a driver writes itself, late and in pieces, becomes
// edits of its turn, and that what it writes after the turn is another program's.
func TestAWriterIsOneOfUs(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": lines(20), "b.txt": "b\n", "gone.txt": "x\n"})
	writer := &drivertest.Writer{Root: w.dir, Rand: rand.New(rand.NewPCG(1, 1)), Writes: []drivertest.Write{
		{Path: "a.txt", Content: strings.Replace(lines(20), "line 3\n", "three\n", 1)},
		{Path: "new.txt", Content: "new\n", How: drivertest.Renamed},
		{Path: "gone.txt", How: drivertest.Removed},
	}, Late: []drivertest.Write{{Path: "b.txt", Content: "late\n"}}}
	w.ok(w.openWith(drivers(writer)).Close()) // now the history has every file
	p := w.openWith(drivers(writer))
	turn := w.start(p, "")
	for range turn.Events() {
	}
	out := turn.Wait()
	if out.Status != engine.Completed || len(out.Edits) < 3 || len(out.Files) != 3 {
		t.Fatalf("%+v", out)
	}
	w.ok(writer.Wait())
	w.ok(p.Close())
	p = w.openWith(drivers(writer))
	edits, err := p.History().List(t.Context(), history.Filter{})
	w.ok(err)
	for _, e := range edits {
		if late := e.Path == "b.txt"; (e.Author == history.Outside) != late || (e.Turn == 1) == late {
			t.Errorf("%s is by %s, of turn %d", e.Path, e.Author, e.Turn)
		}
	}
	w.at(p, history.Newest, "a.txt", w.disk("a.txt"))
	w.at(p, history.Newest, "b.txt", "late\n")
	_, err = p.Revert(t.Context(), app.RevertRequest{Turn: 1})
	w.ok(err)
	w.is(w.disk("a.txt")+w.disk("gone.txt"), lines(20)+"x\n")
}

// TestAWriterKeepsToTheScope checks that a driver may not claim a file outside the scope.
func TestAWriterKeepsToTheScope(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	writer := &drivertest.Writer{Root: w.dir,
		Writes: []drivertest.Write{{Path: "a.txt", Content: "b\n", How: drivertest.Renamed}}}
	p := w.openWith(drivers(writer))
	turn, err := p.Edit(t.Context(), app.EditRequest{Text: "go", Scope: []string{"in"}})
	w.ok(err)
	for range turn.Events() {
	}
	if o := turn.Wait(); o.Status != engine.Held || w.disk("a.txt") != "a\n" {
		t.Errorf("%+v", o)
	}
}

// TestAllEndEqual interleaves two turns (of a model that is cut, and of a driver that
// writes files itself), a user who types, and another program. In the end all pages, the
// history and the disk must be equal, and the history must have everything that was typed.
func TestAllEndEqual(t *testing.T) {
	seed := testseed.New(t)
	for n := range uint64(3) {
		allEndEqual(t, seed+n)
	}
}

func allEndEqual(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 2))
	w := newWorld(t, map[string]string{"a.txt": lines(60), "b.txt": lines(60)})
	cut := make(chan struct{})
	m := &drivertest.Speaker{Answers: [][]model.Item{{model.Assistant("Now.\n"), patchCall("c", patching("a.txt", 60))},
		{model.Assistant("Well.\n" + patching("b.txt", 9))}},
		Rand: rand.New(rand.NewPCG(seed, 3)), At: 1 + r.IntN(900), Stubborn: true, Reached: func() { close(cut) }}
	rewritten := func(n int) string { return strings.Replace(lines(60), "line 30\n", fmt.Sprintf("written %d\n", n), 1) }
	writer := &drivertest.Writer{Root: w.dir, Rand: rand.New(rand.NewPCG(seed, 4)), Writes: []drivertest.Write{
		{Path: "b.txt", Content: rewritten(1)}, {Path: "b.txt", Content: rewritten(2), How: drivertest.Renamed},
		{Path: "b.txt", Content: rewritten(3)}},
		Late: []drivertest.Write{{Path: "b.txt", Content: rewritten(4), How: drivertest.Renamed}}}
	p := w.openWith(drivers(agent.New(m, agent.ApplyPatch), writer))
	w.ok(p.Watch(t.Context()))
	var pages []*typing
	for i, path := range []string{"a.txt", "b.txt", "a.txt", "b.txt"} {
		g, err := openPage(t.Context(), p, fmt.Sprint("page ", i), path)
		w.ok(err)
		pages = append(pages, &typing{page: g, rand: r, first: 0x4e00 + rune(i)*0x800})
	}
	first := w.turnOf(p, "speaker")
	second := w.turnOf(p, "writer")
	go func() {
		if <-cut; seed%2 == 0 {
			first.Steer("and b.txt")
		} else {
			first.Stop()
		}
	}()
	for n, running := 0, 2; running > 0; n++ {
		w.must(seed, pages[r.IntN(len(pages))].step(t.Context()))
		if n%80 == 79 {
			w.write("a.txt", strings.Replace(w.disk("a.txt"), "line 50", fmt.Sprintf("line 50 outside %d", n), 1))
		}
		running = 0
		for _, turn := range []*engine.Turn{first, second} {
			if !drain(turn, time.Millisecond) {
				running++
			}
		}
	}
	w.ok(writer.Wait())
	w.until(func() bool { return w.settledEverywhere(p, seed, pages) })
	for _, path := range []string{"a.txt", "b.txt"} {
		w.at(p, history.Newest, path, w.disk(path))
	}
	for _, y := range pages {
		for _, token := range y.tokens {
			if !strings.Contains(w.disk(y.path), token) && !w.onceIn(p, y.path, token) {
				t.Fatalf("seed %d: %s is lost in %s", seed, token, y.path)
			}
		}
	}
	check, err := p.History().Check(t.Context(), nil)
	w.ok(err)
	if !check.OK() {
		t.Errorf("seed %d: %+v", seed, check)
	}
	w.ok(p.Close())
}

func (w *world) turnOf(p *app.Project, name string) *engine.Turn {
	w.Helper()
	turn, err := p.Edit(context.Background(), app.EditRequest{Text: "go", Model: name, Session: "new"})
	w.ok(err)
	return turn
}

// settledEverywhere sends, applies and saves all changes, and reports whether all pages
// have the text on disk.
func (w *world) settledEverywhere(p *app.Project, seed uint64, pages []*typing) bool {
	w.Helper()
	w.must(seed, settlePages(w.Context(), pages))
	_ = p.Settle(w.Context()) // an overlap is reported once, and settled in the next round
	w.must(seed, settlePages(w.Context(), pages))
	for _, y := range pages {
		if !y.now.Equal(text.OfString(w.disk(y.path))) {
			return false
		}
	}
	return true
}

// onceIn reports whether some version of a file contains the token.
func (w *world) onceIn(p *app.Project, path, token string) bool {
	w.Helper()
	edits, err := p.History().List(w.Context(), history.Filter{Path: path})
	w.ok(err)
	for _, e := range edits {
		if v, err := p.History().At(w.Context(), e.ID, path); err == nil && strings.Contains(string(v.Bytes), token) {
			return true
		}
	}
	return false
}
