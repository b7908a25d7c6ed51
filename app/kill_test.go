package app_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"waferpair/app"
	"waferpair/app/items"
	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace/text"
)

// TestMain is also the entry point of the processes that tests start and kill: the test
// binary starts itself again with a variable that names the part to play.
func TestMain(m *testing.M) {
	if dir := os.Getenv("WAFERPAIR_TYPIST"); dir != "" {
		typist(dir, os.Getenv("WAFERPAIR_TYPIST_DATA"))
	}
	if dir := os.Getenv("WAFERPAIR_TURNS"); dir != "" {
		twoTurns(dir, os.Getenv("WAFERPAIR_TYPIST_DATA"))
	}
	if dir := os.Getenv("WAFERPAIR_STALLED"); dir != "" {
		stalledTypist(dir, os.Getenv("WAFERPAIR_TYPIST_DATA"))
	}
	if dir := os.Getenv("WAFERPAIR_APPLIER"); dir != "" {
		applier(dir, os.Getenv("WAFERPAIR_TYPIST_DATA"))
	}
	if dir := os.Getenv("WAFERPAIR_DELETES"); dir != "" {
		deleter(dir, os.Getenv("WAFERPAIR_TYPIST_DATA"))
	}
	os.Exit(m.Run())
}

// typist types numbers into a line of f.txt while a turn writes lines above it, and prints
// each number once it is typed, until it is killed.
func typist(dir, data string) {
	ctx := context.Background()
	fail := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	p, err := app.Open(ctx, dir, app.Options{DataHome: data})
	fail(err)
	turn, err := p.Edit(ctx, app.EditRequest{Text: "go", Model: "script:" + filepath.Join(data, "answer.jsonl")})
	fail(err)
	go func() {
		for range turn.Events() {
		}
	}()
	for n := 0; ; n++ {
		fail(typeBefore(ctx, p, "f.txt", "<end", fmt.Sprintf("%d ", n)))
		fmt.Println(n)
		if n%40 == 39 {
			fail(p.SaveFile(ctx, "f.txt")) // ends the burst, below the hunk
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func typeBefore(ctx context.Context, p *app.Project, path, mark, s string) error {
	f, err := p.Show(ctx, path)
	if err != nil {
		return err
	}
	at := text.Byte(strings.Index(f.Text.String(), mark))
	cs, err := text.NewChangeSet(f.Text.Len(), text.Change{From: at, To: at, Insert: s})
	if err != nil {
		return err
	}
	return p.Type(ctx, path, f.ID, f.Version, cs, "page")
}

// slowAnswer writes the script of a turn that adds lines to f.txt for as long as it runs.
// It returns the whole answer.
func (w *world) slowAnswer() string { return w.slowAnswerIn("answer.jsonl", "f.txt") }

func (w *world) slowAnswerIn(name, path string) string {
	w.Helper()
	var all strings.Builder
	f, err := os.Create(filepath.Join(w.data, name))
	if err != nil {
		w.Fatal(err)
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	say := func(s string) {
		all.WriteString(s)
		if err := enc.Encode(map[string]any{"after_ms": 2, "text": s}); err != nil {
			w.Fatal(err)
		}
	}
	say("*** Begin Patch\n")
	for i := range 5000 {
		if i%50 == 0 { // a hunk of its own, above the previous one
			say("*** Update File: " + path + "\n@@\n top\n")
		}
		say(fmt.Sprintf("+model %d\n", i))
	}
	return all.String()
}

// TestKillWhileTyping checks that a kill loses no typing that was stored by then: at the
// next opening it is there, as the user's, next to what the model was writing.
func TestKillWhileTyping(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range kills {
		killTypist(t, time.Duration(100+r.IntN(1900))*time.Millisecond)
	}
}

// kills is small because the benchmark of kills runs longer.
const kills = 4

func killTypist(t *testing.T, after time.Duration) {
	w := newWorld(t, map[string]string{"f.txt": "top\ntyped: <end\nbottom\n"})
	w.open().Close()
	answer := w.slowAnswer()
	last, safe := w.runTypist(after)
	p := w.open()
	got := w.disk("f.txt")
	typed, model := parts(got)
	n := len(strings.Fields(typed))
	if typed != numbers(n) {
		t.Fatalf("typed %q", typed)
	}
	t.Logf("killed after %v: %d of %d keys are there (at least %d), %d lines of the model", after, n, last+1, safe+1,
		strings.Count(model, "\n"))
	if n < safe+1 || !complete(model) {
		t.Fatalf("%d numbers are left of %d; the file is %q", n, safe+1, got)
	}
	w.at(p, history.Newest, "f.txt", got)
	edits, err := p.History().List(t.Context(), history.Filter{Author: history.User})
	if err != nil || len(edits) == 0 {
		t.Errorf("no edits by the user: %v", err)
	}
	if d, err := p.History().Drafts(t.Context()); err != nil || len(d) != 0 {
		t.Errorf("drafts are left: %+v %v", d, err)
	}
	w.isKeptAsFarAsItGot(p, answer)
}

// isKeptAsFarAsItGot checks that the killed turn left a beginning of the answer, and shows
// the hunks of exactly that beginning.
func (w *world) isKeptAsFarAsItGot(p *app.Project, answer string) {
	w.Helper()
	turn, err := p.History().Turn(w.Context(), 1)
	w.ok(err)
	said, shown := items.Answer(turn.Items), items.Fold(turn.Items)
	w.Logf("%d bytes of the answer and %d parts are kept", len(said), len(shown.Parts))
	hunks := strings.Count(said, "@@")
	if turn.Status != "interrupted" || !strings.HasPrefix(answer, said) || len(shown.Parts) > hunks ||
		len(shown.Parts) < hunks-1 {
		w.Fatalf("%q with %d hunks is kept, and %+v", said, hunks, shown.Parts)
	}
	for i, it := range turn.Items {
		if want := history.ItemIncomplete; i > 0 && it.Status != want {
			w.Errorf("item %d is %s", it.ID, it.Status)
		}
	}
}

// runTypist runs and kills a typist. It returns the last number that was typed, and the
// last one that the history had stored before the kill.
func (w *world) runTypist(after time.Duration) (last, safe int) {
	w.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "WAFERPAIR_TYPIST="+w.dir, "WAFERPAIR_TYPIST_DATA="+w.data)
	out, err := c.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := c.Start(); err != nil {
		w.Fatal(err)
	}
	kept := make(chan int, 1)
	last = -1
	for s := bufio.NewScanner(out); s.Scan(); {
		if _, err := fmt.Sscanf(s.Text(), "%d", &last); err != nil {
			w.Fatalf("the typist says %q", s.Text())
		}
		if last == 0 {
			go func() {
				kept <- w.lookUntil(after, lastKept)
				_ = c.Process.Kill()
			}()
		}
	}
	if err := c.Wait(); last < 0 {
		w.Fatalf("the typist ended: %v", err)
	}
	return last, <-kept
}

// lookUntil reads what another process stores until there is something and the time after
// has passed, and returns what the last look saw. How soon something is stored is no part
// of the test: a loaded computer needs long.
func (w *world) lookUntil(after time.Duration, seen func(context.Context, *history.Store) (int, error)) (n int) {
	s, err := history.Open(w.Context(), history.Options{Dir: history.Dir(w.data, w.dir)})
	if err != nil {
		w.Error(err)
		return -1
	}
	defer s.Close()
	n = -1
	began := time.Now()
	for n < 0 || time.Since(began) < after {
		if n, err = seen(w.Context(), s); err != nil || time.Since(began) > after+patience {
			w.Errorf("%d is written down: %v", n, err)
			return -1
		}
		time.Sleep(5 * time.Millisecond)
	}
	return n
}

// lastKept returns the last number of the user that is stored, in an edit or in a draft.
func lastKept(ctx context.Context, s *history.Store) (int, error) {
	drafts, err := s.Drafts(ctx) // first: what moves from a draft into an edit meanwhile is read twice, not missed
	if err != nil {
		return -1, err
	}
	v, err := s.At(ctx, history.Newest, "f.txt")
	if err != nil {
		return -1, err
	}
	typed, _ := parts(string(v.Bytes))
	for _, d := range drafts {
		for c := range d.Changes.Changes {
			if d.Author == history.User {
				typed += c.Insert
			}
		}
	}
	last := -1
	for _, word := range strings.Fields(typed) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return -1, err
		}
		last = max(last, n)
	}
	return last, nil
}

// bothWrite returns 0 once the history has something of both turns, and -1 before.
func bothWrite(ctx context.Context, s *history.Store) (int, error) {
	drafts, err := s.Drafts(ctx)
	if err != nil {
		return -1, err
	}
	edits, err := s.List(ctx, history.Filter{})
	if err != nil {
		return -1, err
	}
	writes := map[history.TurnID]bool{}
	for _, d := range drafts {
		writes[d.Turn] = true
	}
	for _, e := range edits {
		writes[e.Turn] = true
	}
	if writes[1] && writes[2] {
		return 0, nil
	}
	return -1, nil
}

// parts splits f.txt into what was typed and what the model wrote.
func parts(s string) (typed, model string) {
	_, s, _ = strings.Cut(s, "top\n")
	model, s, _ = strings.Cut(s, "typed: ")
	typed, _, _ = strings.Cut(s, "<end")
	return typed, model
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d ", i)
	}
	return b.String()
}

// complete reports whether the model's lines are all that it had written up to some moment.
// The last line may be cut.
func complete(model string) bool {
	seen := map[int]bool{}
	for line := range strings.Lines(model) {
		var n int
		if _, err := fmt.Sscanf(line, "model %d\n", &n); err != nil || seen[n] {
			return false
		}
		seen[n] = true
	}
	for n := range seen {
		if n >= len(seen) {
			return false
		}
	}
	return true
}

// twoTurns runs two turns that write into two files until it is killed. The second turn
// starts when the first one writes; when both write, it prints "running".
func twoTurns(dir, data string) {
	p, err := app.Open(context.Background(), dir, app.Options{DataHome: data})
	for _, name := range []string{"answer.jsonl", "other.jsonl"} {
		var turn *engine.Turn
		if err == nil {
			turn, err = p.Edit(context.Background(),
				app.EditRequest{Text: "go", Model: "script:" + filepath.Join(data, name), Session: "new"})
		}
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		writes := make(chan struct{})
		go func() {
			once := sync.OnceFunc(func() { close(writes) })
			defer once()
			for ev := range turn.Events() {
				if _, ok := ev.(engine.HunkChanged); ok {
					once()
				}
			}
		}()
		<-writes
	}
	fmt.Println("running")
	select {}
}

// TestKillOfTwoTurns checks that after a kill each of two turns has, in its own file, what
// it was writing; that no file stays claimed; and that both sessions go on.
func TestKillOfTwoTurns(t *testing.T) {
	for _, after := range []time.Duration{300 * time.Millisecond, 900 * time.Millisecond} {
		w := newWorld(t, map[string]string{"f.txt": "top\ntyped: <end\n", "g.txt": "top\ntyped: <end\n"})
		w.open().Close()
		w.slowAnswerIn("answer.jsonl", "f.txt")
		w.slowAnswerIn("other.jsonl", "g.txt")
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "WAFERPAIR_TURNS="+w.dir, "WAFERPAIR_TYPIST_DATA="+w.data)
		out, err := c.StdoutPipe()
		w.ok(err)
		w.ok(c.Start())
		if s := bufio.NewScanner(out); !s.Scan() || s.Text() != "running" {
			t.Fatalf("it says %q", s.Text())
		}
		w.lookUntil(after, bothWrite)
		w.ok(c.Process.Kill())
		_ = c.Wait()

		p := w.open()
		for i, path := range []string{"f.txt", "g.txt"} {
			got := w.disk(path)
			if _, model := parts(got); !complete(model) || model == "" {
				t.Errorf("killed after %v: %s is %q", after, path, got)
			}
			w.at(p, history.Newest, path, got)
			edits, err := p.History().List(t.Context(), history.Filter{Path: path})
			w.ok(err)
			for _, e := range edits {
				if e.Turn != history.TurnID(i+1) {
					t.Errorf("%s: edit %d is of turn %d", path, e.ID, e.Turn)
				}
			}
			if c := w.conversation(p, history.SessionID(i+1)); len(c.Turns) != 1 || c.Turns[0].Status != "interrupted" {
				t.Errorf("%+v", c)
			}
			turn, err := p.Edit(t.Context(), app.EditRequest{Text: "go on", Session: fmt.Sprint(i + 1),
				Model: w.script("*** Begin Patch\n*** Update File: " + path + "\n@@\n-top\n+above\n*** End Patch\n")})
			w.ok(err)
			for range turn.Events() {
			}
			if out := turn.Wait(); out.Status != engine.Completed {
				t.Errorf("%+v", out)
			}
		}
		if d, err := p.History().Drafts(t.Context()); err != nil || len(d) != 0 {
			t.Errorf("drafts are left: %+v %v", d, err)
		}
		w.ok(p.Close())
	}
}

// TestWhatWasHeldOutlivesAKill checks that an edit that was held because of another turn
// can be approved after a kill before the end of its turn, and that one that the model was
// in the middle of is reported as lost. The text that the other turn had written must be
// there, although its model had paused since.
func TestWhatWasHeldOutlivesAKill(t *testing.T) {
	w := newWorld(t, map[string]string{"f.txt": "top\nmiddle\ntyped: <end\n", "g.txt": "top\n"})
	w.open().Close()
	answer := func(name string, texts ...any) {
		b, err := os.ReadFile(strings.TrimPrefix(w.script(texts...), "script:"))
		w.ok(err)
		w.ok(os.WriteFile(filepath.Join(w.data, name), b, 0o600))
	}
	answer("answer.jsonl", "*** Begin Patch\n*** Update File: f.txt\n@@\n-top\n+of A\n", 60_000, " middle\n")
	answer("other.jsonl", "*** Begin Patch\n*** Update File: g.txt\n@@\n-top\n+of B\n"+
		"*** Update File: f.txt\n@@\n-middle\n+held\n@@\n-typed: <end\n+cut", 60_000, " off\n")
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "WAFERPAIR_TURNS="+w.dir, "WAFERPAIR_TYPIST_DATA="+w.data)
	out, err := c.StdoutPipe()
	w.ok(err)
	w.ok(c.Start())
	if s := bufio.NewScanner(out); !s.Scan() || s.Text() != "running" {
		t.Fatalf("it says %q", s.Text())
	}
	look := w.open() // reads what the other process has stored
	w.until(func() bool {
		turn, err := look.History().Turn(t.Context(), 2)
		n, err2 := bothWrite(t.Context(), look.History())
		return errors.Join(err, err2) == nil && n >= 0 && strings.HasSuffix(items.Answer(turn.Items), "+cut") &&
			strings.Contains(string(turn.Settings), `"hunks":[2,3]`) // both are held
	})
	w.ok(look.Close())
	w.ok(c.Process.Kill())
	_ = c.Wait()

	p := w.open()
	if turn := w.conversation(p, 2).Turns[0]; turn.Status != "interrupted" || !turn.Held {
		t.Errorf("%+v", turn)
	}
	_, err = p.ApproveHeld(t.Context(), 2)
	w.ok(err)
	w.is(w.disk("f.txt")+w.disk("g.txt"), "of A\nheld\ntyped: <end\nof B\n")
	if turn := w.conversation(p, 2).Turns[0]; turn.Held ||
		!strings.Contains(turn.Message, "cut off when waferpair ended") {
		t.Errorf("%+v", turn)
	}
}
