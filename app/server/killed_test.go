package server_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"waferpair/build/testseed"
	"waferpair/history"
)

// servedEnv makes a process of this test serve the project in a folder, until it is killed
// or its standard input ends.
const servedEnv = "WAFERPAIR_SERVED"

// TestServed is that process.
func TestServed(t *testing.T) {
	home := os.Getenv(servedEnv)
	if home == "" {
		return
	}
	w := newWorld(t, nil)
	w.dir, w.opt.DataHome = filepath.Join(home, "project"), filepath.Join(home, "data")
	s := w.serve()
	fmt.Printf("served %s %s\n", s.Socket(), s.Token())
	_, _ = io.Copy(io.Discard, os.Stdin) // until it ends
}

// served is a process that serves a project.
type served struct {
	*exec.Cmd
	stdin         io.Closer
	socket, token string
}

func (s *served) Socket() string { return s.socket }
func (s *served) Token() string  { return s.token }

// served starts it, and waits until it accepts pages.
func (w *world) served(home string) *served {
	w.Helper()
	s := &served{Cmd: exec.Command(os.Args[0], "-test.run=^TestServed$")}
	s.Env = append(os.Environ(), servedEnv+"="+home)
	s.Stderr = os.Stderr
	in, err := s.StdinPipe()
	if err != nil {
		w.Fatal(err)
	}
	s.stdin = in
	out, err := s.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := s.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = s.Process.Kill(); _ = s.Wait() }) // usually it has ended before
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if n, _ := fmt.Sscanf(lines.Text(), "served %s %s", &s.socket, &s.token); n == 2 {
			go io.Copy(io.Discard, out)
			return s
		}
	}
	w.Fatal("the process ended before it served: ", lines.Err())
	return nil
}

// TestAllEndsEqualThoughTheOwnerIsKilled repeatedly kills the process that has the project
// open, while two turns run, users type in the same files on two pages, and another program
// saves. After each start all pages, the disk and the history must have the same text, with
// every acknowledged edit and nothing twice. WAFERPAIR_KILLS is the number of projects to
// try.
func TestAllEndsEqualThoughTheOwnerIsKilled(t *testing.T) {
	runs := uint64(2)
	if n, err := strconv.ParseUint(os.Getenv("WAFERPAIR_KILLS"), 10, 64); err == nil {
		runs = n
	}
	seed := testseed.New(t)
	for n := range runs {
		t.Run(fmt.Sprint("seed ", seed+n), func(t *testing.T) {
			t.Parallel()
			newKilling(t, seed+n).run()
		})
	}
}

// killing is a project whose owner is killed.
type killing struct {
	*world
	t     *testing.T
	home  string
	rand  *rand.Rand
	keys  int            // that were typed
	acked map[int64]bool // edits of turns
}

const (
	killings     = 3
	keysPerRound = 40
	killedLines  = 12
)

var killedPaths = []string{"a.txt", "b.txt", "c.txt"} // the last one is another program's

func newKilling(t *testing.T, seed uint64) *killing {
	w := newWorld(t, map[string]string{"a.txt": lines(killedLines), "b.txt": lines(killedLines), "c.txt": "\n"})
	home := filepath.Dir(w.dir)
	w.opt.DataHome = filepath.Join(home, "data")
	return &killing{world: w, t: t, home: home, rand: rand.New(rand.NewPCG(seed, 7)), acked: map[int64]bool{}}
}

func (k *killing) run() {
	for round := range killings {
		s, pages := k.begin()
		turns := k.ask(pages, round)
		k.typing(pages, k.rand.IntN(keysPerRound))
		if err := s.Process.Kill(); err != nil {
			k.t.Fatal(err)
		}
		_ = s.Wait() // it was killed
		k.note(pages, turns)
	}
	s, pages := k.begin()
	first := k.keys
	turns := k.ask(pages, killings)
	k.typing(pages, keysPerRound)
	for i, pg := range pages {
		if got := pg.ended(turns[i]); got.Status != "completed" {
			k.t.Errorf("%+v", got)
		}
	}
	k.note(pages, turns)
	k.equal(pages)
	all := k.disk("a.txt") + k.disk("b.txt")
	for i := range k.keys {
		if n := strings.Count(all, token(i)); n > 1 || n < 1 && i >= first {
			k.t.Errorf("key %d is there %d times", i, n)
		}
	}
	for _, pg := range pages {
		pg.Close()
	}
	_ = s.stdin.Close() // it ends
	if err := s.Wait(); err != nil {
		k.t.Errorf("the last one: %v", err)
	}
	for _, path := range killedPaths {
		k.replays(path)
	}
	k.kept()
}

// begin starts an owner, and checks that its pages are equal to the disk and the history.
func (k *killing) begin() (*served, []*client) {
	k.t.Helper()
	s := k.served(k.home)
	pages := []*client{redial(k.t, s), redial(k.t, s)}
	for _, pg := range pages {
		for _, path := range killedPaths {
			pg.open(path)
		}
	}
	k.equal(pages)
	return s, pages
}

// equal checks that pages, disk and history are equal.
func (k *killing) equal(pages []*client) {
	k.t.Helper()
	for _, path := range killedPaths {
		agree(k.t, k.world, path, pages...)
	}
	store := k.store()
	defer store.Close()
	for _, path := range killedPaths {
		// An outside change is on the pages before it is durable.
		for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			v, err := store.At(k.Context(), history.Newest, path)
			if err == nil && string(v.Bytes) == k.disk(path) {
				break
			}
			if time.Now().After(end) {
				k.t.Errorf("the history has %q (%v) of %s, the disk %q", v.Bytes, err, path, k.disk(path))
				break
			}
		}
	}
}

// ask begins a turn on each page, in a session of its own.
func (k *killing) ask(pages []*client, round int) (turns []int64) {
	for i, pg := range pages {
		word := fmt.Sprintf("%c%d,", 'A'+i, round)
		pg.must("newSession", map[string]any{}, nil)
		turns = append(turns, pg.edit(k.script(adding(killedPaths[i], word, killedLines)...)))
	}
	return turns
}

// typing has both users type and another program save.
func (k *killing) typing(pages []*client, keys int) {
	for i := range keys {
		pages[k.rand.IntN(2)].typeAt(killedPaths[k.rand.IntN(2)], behindAWord(k.rand, token(k.keys)))
		if k.keys++; i%15 == 14 {
			k.make(k.dir, map[string]string{"c.txt": lines(3) + token(k.keys)})
		}
		time.Sleep(time.Duration(k.rand.IntN(3)) * time.Millisecond) // the result does not depend on it
	}
}

// note notes the edits that the pages know as recorded.
func (k *killing) note(pages []*client, turns []int64) {
	for i, pg := range pages {
		pg.Lock()
		if pg.turn.turn == turns[i] {
			for _, a := range pg.turn.acked {
				k.acked[a.ID] = true
			}
		}
		pg.Unlock()
	}
}

// store opens the history beside the process that has it.
func (k *killing) store() *history.Store {
	k.t.Helper()
	store, err := history.Open(k.Context(), history.Options{Dir: history.Dir(k.opt.DataHome, k.dir), Root: k.dir})
	if err != nil {
		k.t.Fatal(err)
	}
	return store
}

// kept checks that every acknowledged edit is in the history.
func (k *killing) kept() {
	k.t.Helper()
	store := k.store()
	defer store.Close()
	edits, err := store.List(k.Context(), history.Filter{})
	if err != nil {
		k.t.Fatal(err)
	}
	for _, e := range edits {
		delete(k.acked, int64(e.ID))
	}
	if len(k.acked) > 0 {
		k.t.Errorf("lost of what was acknowledged: %v", k.acked)
	}
}
