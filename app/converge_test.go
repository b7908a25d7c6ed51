package app_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace/text"
)

// rewrite returns a script that changes every third line of a file and adds one below, at
// about 5,000 tokens a second.
func rewrite(n int) []any {
	out := []any{"*** Begin Patch\n*** Update File: a.txt\n"}
	for i := 1; i < n-1; i += 3 {
		out = append(out, 2, fmt.Sprintf("@@\n line %d\n-line %d\n+model %d\n", i-1, i, i), 2,
			fmt.Sprintf("+model %d, more\n", i))
	}
	return append(out, "*** End Patch\n")
}

// typing types characters that nobody else types, and remembers them.
type typing struct {
	*page
	rand   *rand.Rand
	first  rune // of its own alphabet
	tokens []string
}

func (y *typing) key() error {
	s := y.now.String()
	at := y.rand.IntN(len(s) + 1)
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	token := string(y.first + rune(len(y.tokens)))
	y.tokens = append(y.tokens, token)
	return y.replace(text.Byte(at), text.Byte(at), token)
}

// step is one thing that happens at a page.
func (y *typing) step(ctx context.Context) error {
	switch n := y.rand.IntN(10); {
	case n < 4:
		return y.key()
	case n < 7:
		return y.push(ctx)
	default:
		return y.pull(ctx)
	}
}

// settle sends and takes in everything, in turns, until nothing is left.
func settlePages(ctx context.Context, pages []*typing) error {
	for range 5 {
		for _, y := range pages {
			for _, do := range []func(context.Context) error{y.pull, y.push, y.pull} {
				if err := do(ctx); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// TestTwoPagesAndAModelConverge changes one file from two pages and a model at once, while
// bursts are recorded and saved. In the end all must have the same text, with everything
// that was typed, and the history must replay to its bytes.
func TestTwoPagesAndAModelConverge(t *testing.T) {
	for seed := range uint64(4) {
		converge(t, seed, nil)
	}
}

// TestPagesConvergeWithAnotherProgram does the same while another program saves the file.
// The history must have what it overwrites.
func TestPagesConvergeWithAnotherProgram(t *testing.T) {
	for seed := range uint64(3) {
		converge(t, 100+seed, func(w *world, n int) {
			w.write("a.txt", strings.Replace(w.disk("a.txt"), "line 90", fmt.Sprintf("line 90 outside %d", n), 1))
		})
	}
}

func converge(t *testing.T, seed uint64, outside func(w *world, n int)) {
	w := newWorld(t, map[string]string{"a.txt": lines(120)})
	p := w.open()
	if err := p.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 5))
	pages := w.pages(p, r)
	turn := w.start(p, w.script(rewrite(120)...))
	ended := false
	for n := 0; !ended; n++ {
		w.must(seed, pages[r.IntN(2)].step(t.Context()))
		switch {
		case n%97 == 96:
			w.must(seed, p.SaveFile(t.Context(), "a.txt"))
		case n%150 == 149 && outside != nil:
			outside(w, n)
		}
		ended = drain(turn, time.Millisecond)
	}
	w.must(seed, settlePages(t.Context(), pages))
	w.must(seed, p.SaveFile(t.Context(), "a.txt"))
	w.must(seed, settlePages(t.Context(), pages))
	w.same(p, seed, pages, outside == nil)
}

func (w *world) must(seed uint64, err error) {
	w.Helper()
	if err != nil {
		w.Fatalf("seed %d: %v", seed, err)
	}
}

func (w *world) pages(p *app.Project, r *rand.Rand) []*typing {
	w.Helper()
	var out []*typing
	for i, name := range []string{"p", "q"} {
		g, err := openPage(w.Context(), p, name, "a.txt")
		if err != nil {
			w.Fatal(err)
		}
		out = append(out, &typing{page: g, rand: r, first: 0x4e00 + rune(i)*0x1000})
	}
	return out
}

// drain reads a turn's events for a moment, and reports whether the turn has ended.
func drain(turn *engine.Turn, d time.Duration) bool {
	timer := time.After(d)
	for {
		select {
		case _, more := <-turn.Events():
			if !more {
				return true
			}
		case <-timer:
			return false
		}
	}
}

// same checks that all have the same text. All typing must be in it, or, if all is false,
// in some version of the file.
func (w *world) same(p *app.Project, seed uint64, pages []*typing, all bool) {
	w.Helper()
	want := w.disk("a.txt")
	for _, y := range pages {
		if got := y.now.String(); got != want {
			w.Fatalf("seed %d: page %s has\n%s\nthe disk\n%s", seed, y.name, got, want)
		}
		for _, token := range y.tokens {
			if !strings.Contains(want, token) && (all || !w.once(p, token)) {
				w.Fatalf("seed %d: %s is lost", seed, token)
			}
		}
	}
	w.at(p, history.Newest, "a.txt", want)
}

// once reports whether some version of the file contains the token.
func (w *world) once(p *app.Project, token string) bool {
	w.Helper()
	edits, err := p.History().List(w.Context(), history.Filter{Path: "a.txt"})
	if err != nil {
		w.Fatal(err)
	}
	for _, e := range edits {
		v, err := p.History().At(w.Context(), e.ID, "a.txt")
		if err != nil {
			w.Fatal(err)
		}
		if strings.Contains(string(v.Bytes), token) {
			return true
		}
	}
	return false
}

// TestTypingInTheLinesBeingWritten has the user type ten keys a second at the end of the
// line that the model wrote last, while the model writes 5,000 tokens a second. In the end
// every key and every line of the model must be there.
func TestTypingInTheLinesBeingWritten(t *testing.T) {
	const n = 1500
	w := newWorld(t, map[string]string{"a.txt": "top\nbottom\n"})
	p := w.open()
	e := w.show(p, "a.txt")
	script := []any{"*** Begin Patch\n*** Update File: a.txt\n@@\n top\n"}
	for i := range n {
		script = append(script, 1, fmt.Sprintf("+model %d\n", i))
	}
	turn := w.start(p, w.script(append(script, " bottom\n*** End Patch\n")...))
	keys := 0
	for !drain(turn, 100*time.Millisecond) {
		if e.pull(); strings.Contains(e.Text.String(), "model") {
			_, after, _ := strings.Cut(e.Text.String(), "\nbottom")
			at := e.Text.Len() - text.Byte(len("\nbottom")+len(after))
			cs, err := text.NewChangeSet(e.Text.Len(), text.Change{From: at, To: at, Insert: fmt.Sprintf("<%d>", keys)})
			if err == nil {
				err = p.Type(t.Context(), "a.txt", e.ID, e.Version, cs, "page")
			}
			if err != nil {
				t.Fatal(err)
			}
			keys++
		}
	}
	if out := turn.Wait(); out.Status != engine.Completed || keys < 5 {
		t.Errorf("%d keys; %+v", keys, out)
	}
	if err := p.SaveFile(t.Context(), "a.txt"); err != nil { // a key may have come after the turn
		t.Fatal(err)
	}
	w.at(p, history.Newest, "a.txt", w.disk("a.txt"))
	got := w.disk("a.txt")
	for k := range keys {
		token := fmt.Sprintf("<%d>", k)
		if strings.Count(got, token) != 1 {
			t.Errorf("key %d is lost", k)
		}
		got = strings.Replace(got, token, "", 1)
	}
	want := []string{"top\n"}
	for i := range n {
		want = append(want, fmt.Sprintf("model %d\n", i))
	}
	if got != strings.Join(want, "")+"bottom\n" {
		t.Errorf("without the keys, the file is\n%s", got)
	}
}
