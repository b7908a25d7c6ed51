package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"waferpair/app"
	"waferpair/app/owner"
	"waferpair/app/server"
	"waferpair/history"
	"waferpair/workspace/text"
)

// lines returns a text of n lines.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// rewrite returns an answer that changes every third line, in many small pieces.
func rewrite(file string, n int) []any {
	out := []any{"*** Begin Patch\n*** Update File: " + file + "\n"}
	for i := 1; i < n-1; i += 3 {
		out = append(out, fmt.Sprintf("@@\n line %d\n-line %d\n", i-1, i))
		for _, piece := range []string{"+mo", "del ", fmt.Sprint(i), ", and", " more\n", "+and ", "a line\n"} {
			out = append(out, 1, piece)
		}
	}
	return append(out, "*** End Patch\n")
}

// key returns a random change at a random place: mostly typing, sometimes deleting.
func key(r *rand.Rand, token string) func(text.Text) (text.ChangeSet, error) {
	return func(t text.Text) (text.ChangeSet, error) {
		from := text.UTF16(r.IntN(int(t.UTF16Len()) + 1))
		to := from
		if r.IntN(4) == 0 {
			to = min(t.UTF16Len(), from+text.UTF16(r.IntN(12)))
		}
		a, err := t.FromUTF16(from)
		b, err2 := t.FromUTF16(to)
		if err := errors.Join(err, err2); err != nil {
			return text.ChangeSet{}, err
		}
		return text.NewChangeSet(t.Len(), text.Change{From: a, To: b, Insert: token})
	}
}

// token returns a character that no other key types.
func token(i int) string { return string(rune(0x4e00 + i)) }

// anywhere inserts between two characters at a random place.
func anywhere(r *rand.Rand, ins string) func(text.Text) (text.ChangeSet, error) {
	return func(t text.Text) (text.ChangeSet, error) {
		at, err := t.FromUTF16(text.UTF16(r.IntN(int(t.UTF16Len()) + 1)))
		if err != nil {
			return text.ChangeSet{}, err
		}
		return text.NewChangeSet(t.Len(), text.Change{From: at, To: at, Insert: ins})
	}
}

// TestPagesAndModelConverge has two users type anywhere in a file in which a model rewrites
// every third line. All pages, the disk and the history must end with the same text.
func TestPagesAndModelConverge(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": lines(90)})
			s := w.serve()
			a, b, c := dial(t, s), dial(t, s), dial(t, s)
			for _, pg := range []*client{a, b, c} {
				pg.open("a.txt")
			}
			turn := c.edit(w.script(rewrite("a.txt", 90)...))
			r := rand.New(rand.NewPCG(seed, 1))
			for i := range 150 {
				pg := []*client{a, b}[r.IntN(2)]
				pg.typeAt("a.txt", key(r, fmt.Sprintf("<%d>", i)))
				if r.IntN(3) == 0 {
					time.Sleep(time.Duration(r.IntN(3)) * time.Millisecond) // people pause; the result does not depend on it
				}
			}
			c.ended(turn)
			agree(t, w, "a.txt", a, b, c)
			handedOver(t, a, b, c)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			w.replays("a.txt")
		})
	}
}

// TestTurnsUsersAndAnotherProgramConvergeOnAllPages runs a turn of a page and one of a
// command, while users type in the same files on pages of two servers of this process, and
// another program saves. In the end all pages, the disk and the history must be equal, with
// everybody's text.
func TestTurnsUsersAndAnotherProgramConvergeOnAllPages(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			const n = 12
			paths := []string{"a.txt", "b.txt", "c.txt"}
			w := newWorld(t, map[string]string{"a.txt": lines(n), "b.txt": lines(n), "c.txt": lines(n)})
			w.opt.Projects = &owner.Projects{}
			servers := []*server.Server{w.serve(), w.serve()}
			var pages []*client
			for _, s := range servers {
				pg := dial(t, s)
				for _, path := range paths {
					pg.open(path)
				}
				pages = append(pages, pg)
			}
			u, err := w.opt.Projects.Open(t.Context(), w.dir, app.Options{DataHome: w.opt.DataHome})
			if err != nil {
				t.Fatal(err)
			}
			first := pages[0].edit(w.script(adding("a.txt", "A", n)...))
			second, err := u.Edit(t.Context(),
				app.EditRequest{Text: "add", Model: w.script(adding("b.txt", "B", n)...), Session: "new"})
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				for range second.Events() {
				}
			}()
			of, err := u.History().Turn(t.Context(), history.TurnID(second.ID())) // the turn may be over
			if err != nil {
				t.Fatal(err)
			}
			pages[1].must("useSession", map[string]any{"session": of.Session}, nil)
			r := rand.New(rand.NewPCG(seed, 3))
			for i := range 120 {
				if i%30 == 29 {
					w.make(w.dir, map[string]string{"c.txt": lines(n) + token(i)})
				} else {
					pages[r.IntN(2)].typeAt(paths[r.IntN(2)], behindAWord(r, token(i)))
				}
				time.Sleep(time.Duration(r.IntN(3)) * time.Millisecond)
			}
			if got := pages[1].ended(int64(second.ID())); got.Status != "completed" {
				t.Errorf("the command's turn: %+v", got)
			}
			if got := pages[0].ended(first); got.Status != "completed" {
				t.Errorf("the page's turn: %+v", got)
			}
			all := ""
			for _, path := range paths[:2] {
				agree(t, w, path, pages...)
				all += w.disk(path)
			}
			for i, pg := range pages {
				pg.wait(fmt.Sprintf("page %d has what the other program saved", i), func() bool {
					return pg.docs["c.txt"].shown().String() == w.disk("c.txt")
				})
			}
			for i := range n - 1 {
				for _, line := range []string{fmt.Sprintf("\nA%d.", i), fmt.Sprintf("\nB%d.", i)} {
					if strings.Count(all, line) != 1 {
						t.Errorf("%q is there %d times", line, strings.Count(all, line))
					}
				}
			}
			for i := range 120 {
				if i%30 != 29 && strings.Count(all, token(i)) != 1 {
					t.Errorf("key %d is there %d times", i, strings.Count(all, token(i)))
				}
			}
			for _, err := range []error{servers[0].Close(), servers[1].Close(), u.Close()} {
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, path := range paths {
				w.replays(path)
			}
		})
	}
}

// adding returns an answer that adds a line after each line but the last, in small pieces.
func adding(file, word string, n int) []any {
	out := []any{"*** Begin Patch\n*** Update File: " + file + "\n"}
	for i := range n - 1 {
		out = append(out, fmt.Sprintf("@@\n line %d\n", i), 1, "+"+word, 1, fmt.Sprintf("%d.\n", i))
	}
	return append(out, "*** End Patch\n")
}

// behindAWord types after a word that a model has added, once there is one. No hunk of the
// model looks for its place there.
func behindAWord(r *rand.Rand, ins string) func(text.Text) (text.ChangeSet, error) {
	return func(t text.Text) (text.ChangeSet, error) {
		at, now := t.Len(), t.String()
		if n := strings.Count(now, "."); n > 0 {
			parts := strings.SplitAfterN(now, ".", 2+r.IntN(n))
			at -= text.Byte(len(parts[len(parts)-1]))
		}
		return text.NewChangeSet(t.Len(), text.Change{From: at, To: at, Insert: ins})
	}
}

// agree waits until the pages have the same text, and saves it.
func agree(t *testing.T, w *world, path string, pages ...*client) {
	t.Helper()
	for _, pg := range pages {
		pg.settle(path)
	}
	pages[0].must("save", map[string]any{"path": path}, nil)
	want := w.disk(path)
	for i, pg := range pages {
		pg.wait(fmt.Sprintf("page %d has what is on disk", i), func() bool { return pg.docs[path].shown().String() == want })
	}
}

// handedOver checks that no document was reset.
func handedOver(t *testing.T, pages ...*client) {
	t.Helper()
	for i, pg := range pages {
		pg.look(func() {
			if pg.resets > 0 {
				t.Errorf("documents were handed over to page %d anew, %d times", i, pg.resets)
			}
		})
	}
}

// replays checks that the history ends with the text on disk.
func (w *world) replays(path string) {
	w.Helper()
	store, err := history.Open(context.Background(), history.Options{Dir: history.Dir(w.opt.DataHome, w.dir), Root: w.dir})
	if err != nil {
		w.Fatal(err)
	}
	defer store.Close()
	v, err := store.At(context.Background(), history.Newest, path)
	if err != nil || string(v.Bytes) != w.disk(path) {
		w.Errorf("history has %q (%v), the disk %q", v.Bytes, err, w.disk(path))
	}
	if r, err := store.Check(context.Background(), nil); err != nil || !r.OK() {
		w.Errorf("check: %+v %v", r, err)
	}
}

// TestAPageGoesOnAfterItsConnectionIsLost loses the connection during typing. Text that had
// arrived must be there once, and so must text that had not.
func TestAPageGoesOnAfterItsConnectionIsLost(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": lines(60)})
			s := w.serve()
			a, b := dial(t, s), dial(t, s)
			a.open("a.txt")
			b.open("a.txt")
			turn := b.edit(w.script(rewrite("a.txt", 60)...))
			r := rand.New(rand.NewPCG(seed, 2))
			typed := 0
			for range 5 {
				for range 12 {
					a.typeAt("a.txt", anywhere(r, token(typed)))
					b.typeAt("a.txt", anywhere(r, "b"))
					typed++
				}
				a = a.reconnect(s)
			}
			b.ended(turn)
			agree(t, w, "a.txt", a, b)
			got := w.disk("a.txt")
			for i := range typed {
				if n := strings.Count(got, token(i)); n != 1 {
					t.Errorf("key %d is there %d times", i, n)
				}
			}
			handedOver(t, a, b)
		})
	}
}

// reconnect returns the page with a new connection. It keeps its texts and its unconfirmed
// typing.
func (c *client) reconnect(s interface {
	Socket() string
	Token() string
}) *client {
	c.t.Helper()
	c.Close()
	n := redial(c.t, s)
	for path, d := range c.docs {
		var goesOn bool
		n.Lock()
		n.docs[path] = d
		n.resumed[path] = true
		n.Unlock()
		raw := n.send("reopen", map[string]any{"path": path, "doc": d.id, "version": d.version, "page": c.hello.Page})
		r := <-raw
		if r.Err != nil || json.Unmarshal(r.OK, &goesOn) != nil || !goesOn {
			c.t.Fatalf("reopen %s: %+v", path, r)
		}
		n.wait("news of the document", func() bool { return !n.resumed[path] })
		n.Lock()
		if d.flight != nil { // the update did not contain our push: it was lost
			d.giveBack()
		}
		n.pushLocked(path, d)
		n.Unlock()
	}
	return n
}
