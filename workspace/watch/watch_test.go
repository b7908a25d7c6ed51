//go:build linux

package watch

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"waferpair/build/testseed"
)

const patience = time.Minute

func long() bool { return os.Getenv("WAFERPAIR_LONG") != "" }

// mirror is a model consumer: it updates stamps from events alone, and a test waits until
// they match the disk.
type mirror struct {
	t    *testing.T
	root string
	opt  Options
	w    *Watcher
	done chan struct{}

	mu       sync.Mutex
	known    map[string]Stamp
	children map[string]map[string]bool // the known files, as a tree
	log      []Event
	largest  int // paths in one event
	paused   sync.Mutex
}

func newMirror(t *testing.T, root string, opt Options) *mirror {
	t.Helper()
	if opt.PollEvery == 0 {
		opt.PollEvery = 50 * time.Millisecond
	}
	w, err := Start(context.Background(), root, opt)
	if err != nil {
		t.Fatal(err)
	}
	m := &mirror{t: t, root: root, opt: opt, w: w, known: map[string]Stamp{}, children: map[string]map[string]bool{},
		done: make(chan struct{})}
	go m.run()
	t.Cleanup(m.close)
	m.waitFor("the first Reconcile", func() bool { return m.count(Reconcile) > 0 })
	return m
}

func (m *mirror) close() {
	m.w.Close()
	<-m.done
}

func (m *mirror) run() {
	defer close(m.done)
	for e := range m.w.Events() {
		m.paused.Lock()
		m.take(e)
		m.paused.Unlock()
	}
}

func (m *mirror) take(e Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.largest = max(m.largest, len(e.Paths))
	switch e.Kind {
	case Changed:
		for _, p := range e.Paths {
			m.examine(p)
		}
	case Reconcile:
		if s, err := Scan(context.Background(), m.root, m.opt.Ignored); err == nil {
			clear(m.known)
			clear(m.children)
			for _, stamp := range s.Stamps {
				m.set(stamp)
			}
		}
	}
	m.log = append(m.log, e)
}

// examine checks path and everything known below it.
func (m *mirror) examine(path string) {
	for name := range m.children[path] {
		m.examine(join(path, name))
	}
	info, err := os.Lstat(filepath.Join(m.root, path))
	up, last := split(path)
	if err == nil && hasContent(info.Mode()) && (m.opt.Ignored == nil || !m.opt.Ignored(path, false)) &&
		!m.behindLink(up) {
		m.set(Stamp{path, info.Size(), info.ModTime().UnixNano(), idOf(info).inode, info.Mode()})
		return
	}
	delete(m.known, path)
	if len(m.children[path]) == 0 {
		delete(m.children, path)
		delete(m.children[up], last)
	}
}

func (m *mirror) behindLink(dir string) bool {
	for ; dir != ""; dir, _ = split(dir) {
		if info, err := os.Lstat(filepath.Join(m.root, dir)); err != nil || !info.IsDir() {
			return true
		}
	}
	return false
}

func (m *mirror) set(s Stamp) {
	m.known[s.Path] = s
	for p := s.Path; p != ""; {
		up, last := split(p)
		if m.children[up] == nil {
			m.children[up] = map[string]bool{}
		}
		m.children[up][last] = true
		p = up
	}
}

func byPath(s Snapshot) map[string]Stamp {
	known := map[string]Stamp{}
	for _, stamp := range s.Stamps {
		known[stamp.Path] = stamp
	}
	return known
}

func (m *mirror) count(k Kind) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, e := range m.log {
		if e.Kind == k {
			n++
		}
	}
	return n
}

func (m *mirror) waitFor(what string, condition func() bool) {
	m.t.Helper()
	for end := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			m.mu.Lock()
			log := m.log[max(0, len(m.log)-20):]
			m.mu.Unlock()
			m.t.Fatalf("no %s after %v; last events: %+v", what, patience, log)
		}
	}
}

// settled waits until the mirror matches the disk.
func (m *mirror) settled() {
	m.t.Helper()
	diff := ""
	end := time.Now().Add(patience)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		s, err := Scan(context.Background(), m.root, m.opt.Ignored)
		if err != nil {
			m.t.Fatal(err)
		}
		m.mu.Lock()
		same := maps.Equal(byPath(s), m.known)
		if !same && time.Now().After(end) {
			diff = cmp.Diff(byPath(s), m.known)
		}
		m.mu.Unlock()
		if same {
			return
		}
		if diff != "" {
			m.t.Fatalf("on disk (-), as told (+), after %v:\n%.3000s", patience, diff)
		}
		time.Sleep(pause)
	}
}

// onlyChanged fails if anything but the first Reconcile helped.
func (m *mirror) onlyChanged() {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	first := slices.IndexFunc(m.log, func(e Event) bool { return e.Kind == Reconcile })
	for _, e := range m.log[first+1:] {
		if e.Kind != Changed {
			m.t.Errorf("%v (%v), but the Changed events alone should do", e.Kind, e.Err)
		}
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tempDir is in memory where possible: these tests make many thousands of files.
func tempDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "watch-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestNestedRaces creates directories, and files in them, faster than watches can be added;
// adding a watch alone misses about half of these.
func TestNestedRaces(t *testing.T) {
	m := newMirror(t, tempDir(t), Options{})
	n := 2000
	if long() {
		n *= 10
	}
	for i := range n {
		write(t, filepath.Join(m.root, fmt.Sprintf("g%d/d%d/a/b/file", i/100, i)), "x")
		if i%500 == 499 {
			m.settled() // otherwise a burst would turn into a Reconcile
		}
	}
	m.settled()
	m.onlyChanged()
	if len(m.known) != n {
		t.Errorf("%d files known, want %d", len(m.known), n)
	}
}

// TestRenameSaves saves the way editors do, many times over the same file.
func TestRenameSaves(t *testing.T) {
	root := tempDir(t)
	file := filepath.Join(root, "dir/main.go")
	write(t, file, "0")
	m := newMirror(t, root, Options{})
	for i := range 300 {
		content := strings.Repeat("x", i+1)
		switch i % 3 {
		case 0: // temporary file, renamed over
			write(t, file+".tmp", content)
			must(t, os.Rename(file+".tmp", file))
		case 1: // old one moved aside, new one written, old one removed
			must(t, os.Rename(file, file+"~"))
			write(t, file, content)
			must(t, os.Remove(file+"~"))
		case 2:
			write(t, file, content)
		}
		if i%20 == 0 {
			m.settled()
		}
	}
	m.settled()
	m.onlyChanged()
}

// TestBurst: 30,000 files at once are all found soon, and no event is large.
func TestBurst(t *testing.T) {
	m := newMirror(t, tempDir(t), Options{})
	burst(t, m.root, 30000)
	m.settled()
	if m.largest > maxPaths || len(m.known) != 30000 {
		t.Errorf("largest event %d paths, %d files known", m.largest, len(m.known))
	}
}

func burst(t *testing.T, root string, n int) {
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("d%d", i/100))
		if i%100 == 0 {
			must(t, os.Mkdir(dir, 0o755))
		}
		f, err := os.Create(filepath.Join(dir, fmt.Sprint(i)))
		must(t, err)
		f.Close()
	}
}

// TestStalledConsumer: nobody receives events during a burst; the memory used meanwhile is
// bounded, and afterwards everything is found. Closing works during a stall.
func TestStalledConsumer(t *testing.T) {
	m := newMirror(t, tempDir(t), Options{})
	m.paused.Lock()
	burst(t, m.root, 12000)
	m.w.box.mu.Lock()
	if n := len(m.w.box.dirty) + len(m.w.box.visit); n > 2*maxPaths {
		t.Errorf("%d paths kept for a stalled consumer", n)
	}
	m.w.box.mu.Unlock()
	m.paused.Unlock()
	m.settled()

	w, err := Start(context.Background(), m.root, Options{})
	must(t, err)
	write(t, filepath.Join(m.root, "late"), "")
	closed := make(chan struct{})
	go func() { w.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(patience):
		t.Fatal("Close hangs while nobody takes events")
	}
}

// TestRandom changes a tree at random and compares after each round.
func TestRandom(t *testing.T) {
	rounds := 60
	if long() {
		rounds *= 20
	}
	seed := testseed.New(t)
	r := rand.New(rand.NewPCG(seed, 0))
	m := newMirror(t, tempDir(t), Options{})
	outside := tempDir(t)
	for range rounds {
		for range 1 + r.IntN(40) {
			shake(r, m.root, outside)
		}
		m.settled()
	}
	m.onlyChanged()
}

// shake makes one random change; those that are impossible fail, which is fine.
func shake(r *rand.Rand, root, outside string) {
	name := func() string {
		p := root
		for range 1 + r.IntN(4) {
			p = filepath.Join(p, string(rune('a'+r.IntN(4))))
		}
		return p
	}
	switch r.IntN(9) {
	case 0, 1:
		os.MkdirAll(name(), 0o755)
	case 2, 3:
		p := name()
		os.MkdirAll(filepath.Dir(p), 0o755)
		os.WriteFile(p, make([]byte, r.IntN(1000)), 0o644)
	case 4, 5:
		os.Rename(name(), name())
	case 6:
		os.RemoveAll(name())
	case 7:
		os.Symlink(name(), name())
	case 8: // out of the tree and back in elsewhere
		away := filepath.Join(outside, fmt.Sprint(r.Uint64()))
		if os.Rename(name(), away) == nil {
			os.Rename(away, name())
		}
	}
}

// TestRootVanishes: the root goes away in several ways and comes back.
func TestRootVanishes(t *testing.T) {
	root := filepath.Join(tempDir(t), "project")
	for i := range 50 {
		write(t, filepath.Join(root, fmt.Sprintf("d%d/f", i)), "x")
	}
	m := newMirror(t, root, Options{})
	before := maps.Clone(m.known)
	away := root + "-away"

	must(t, os.Rename(root, away))
	m.waitFor("Suspended", func() bool { return m.count(Suspended) == 1 })
	write(t, filepath.Join(away, "d1/f"), "changed while away")
	if !maps.Equal(before, m.known) {
		t.Errorf("files are missing from the mirror although the root is only away")
	}
	must(t, os.Rename(away, root))
	m.waitFor("Resumed", func() bool { return m.count(Resumed) == 1 })
	m.settled()
	write(t, filepath.Join(root, "d2/f"), "watching again")
	m.settled()

	// An empty folder in its place, as an unmounted disk leaves it, is not the project.
	must(t, os.Rename(root, away))
	must(t, os.Mkdir(root, 0o755))
	m.waitFor("Suspended", func() bool { return m.count(Suspended) == 2 })
	if len(m.known) != len(before) {
		t.Errorf("%d files known, want %d", len(m.known), len(before))
	}
	write(t, filepath.Join(root, "new"), "another project, perhaps")
	m.waitFor("Resumed", func() bool { return m.count(Resumed) == 2 })
	m.settled()
	must(t, os.RemoveAll(away))
	m.checkOrder()
}

// checkOrder checks that there is nothing between Suspended and Resumed, and that a
// Reconcile follows Resumed before any Changed.
func (m *mirror) checkOrder() {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, e := range m.log[:len(m.log)-1] {
		next := m.log[i+1].Kind
		if e.Kind == Suspended && next != Resumed || e.Kind == Resumed && next == Changed {
			m.t.Errorf("%v follows %v", next, e.Kind)
		}
	}
}

// TestWatchLimit: with too few watches the watcher polls, reports that, finds everything,
// and reports when it no longer polls.
func TestWatchLimit(t *testing.T) {
	for _, limit := range []int{50, -1} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			root := tempDir(t)
			for i := range 80 {
				write(t, filepath.Join(root, fmt.Sprintf("d%d/f", i)), "x")
			}
			m := newMirror(t, root, Options{MaxWatches: limit})
			m.waitFor("Degraded", func() bool { return m.count(Degraded) == 1 })
			for i := range 80 {
				write(t, filepath.Join(root, fmt.Sprintf("d%d/f", i)), "changed")
			}
			write(t, filepath.Join(root, "new/a/b/c"), "x")
			m.settled()
			for i := 40; i < 80; i++ {
				must(t, os.RemoveAll(filepath.Join(root, fmt.Sprintf("d%d", i))))
			}
			m.settled()
			if limit < 0 {
				return
			}
			m.w.Rescan()
			m.waitFor("Restored", func() bool { return m.count(Restored) == 1 })
			write(t, filepath.Join(root, "d1/after"), "x")
			m.settled()
			for _, e := range m.log {
				if e.Kind == Degraded && (e.Message == "" || e.Err == nil) {
					t.Errorf("Degraded without explanation: %+v", e)
				}
			}
		})
	}
}

// TestIgnored: ignored paths and .git are neither watched nor reported, until the rules
// change.
func TestIgnored(t *testing.T) {
	root := tempDir(t)
	var mu sync.Mutex
	hidden := "build"
	ignored := func(path string, isDir bool) bool {
		mu.Lock()
		defer mu.Unlock()
		return path == hidden || strings.HasPrefix(path, hidden+"/") || strings.HasSuffix(path, ".log")
	}
	for _, f := range []string{"build/deep/x", ".git/HEAD", "sub/.git/HEAD", "src/a"} {
		write(t, filepath.Join(root, f), "x")
	}
	m := newMirror(t, root, Options{Ignored: ignored})
	for _, f := range []string{"build/deep/x", ".git/HEAD", ".git/objects/aa/bb", "sub/.git/HEAD", "src/x.log", "src/a"} {
		write(t, filepath.Join(root, f), "changed")
	}
	m.settled()
	m.onlyChanged()
	for _, e := range m.log {
		for _, p := range e.Paths {
			if ignored(p, false) || strings.Contains(p, ".git") {
				t.Errorf("ignored path told: %s", p)
			}
		}
	}
	mu.Lock()
	hidden = "nothing"
	mu.Unlock()
	m.w.Rescan()
	m.waitFor("Reconcile", func() bool { return m.count(Reconcile) == 2 })
	write(t, filepath.Join(root, "build/deep/x"), "now it counts")
	m.settled()
}

// TestSpecialFiles: pipes and sockets are left alone, and nothing blocks on them.
func TestSpecialFiles(t *testing.T) {
	root := tempDir(t)
	pipe := filepath.Join(root, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skip(err)
	}
	m := newMirror(t, root, Options{})
	f, err := os.OpenFile(pipe, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	f.WriteString("hello")
	write(t, filepath.Join(root, "file"), "x")
	m.settled()
	if _, known := m.known["pipe"]; known || len(m.known) != 1 {
		t.Errorf("known: %v", m.known)
	}
	for _, e := range m.log {
		if slices.Contains(e.Paths, "pipe") {
			t.Errorf("the pipe was told: %+v", e)
		}
	}
}

// TestReconcileEvery: the periodic Reconcile happens, and restores lost watches.
func TestReconcileEvery(t *testing.T) {
	root := tempDir(t)
	write(t, filepath.Join(root, "d/f"), "x")
	m := newMirror(t, root, Options{ReconcileEvery: 100 * time.Millisecond})
	m.waitFor("three Reconciles", func() bool { return m.count(Reconcile) >= 3 })
}

func TestStartErrors(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "file"), "")
	for _, root := range []string{filepath.Join(dir, "missing"), filepath.Join(dir, "file")} {
		if w, err := Start(context.Background(), root, Options{}); err == nil {
			w.Close()
			t.Errorf("Start(%s) did not fail", root)
		} else if !strings.Contains(err.Error(), root) {
			t.Errorf("error without the path: %v", err)
		}
	}
}

// TestIdle measures what watching a large tree costs, at the start and at rest.
func TestIdle(t *testing.T) {
	dirs := 500
	if long() {
		dirs = 10000
	}
	root := tempDir(t)
	for i := range dirs {
		dir := filepath.Join(root, fmt.Sprintf("p%d/d%d", i/100, i))
		must(t, os.MkdirAll(dir, 0o755))
		for k := range 10 {
			f, err := os.Create(filepath.Join(dir, fmt.Sprint(k)))
			must(t, err)
			f.Close()
		}
	}
	start := time.Now()
	w, err := Start(context.Background(), root, Options{})
	must(t, err)
	defer w.Close()
	returned := time.Since(start)
	for e := range w.Events() {
		if e.Kind == Reconcile {
			break
		}
	}
	watched := time.Since(start)
	cpu := cpuTime()
	rest := time.Second
	time.Sleep(rest) // not an oracle: the time over which the cost is taken
	used := cpuTime() - cpu
	t.Logf("%d directories, %d files: Start %v, all watched %v, at rest %.2f %% of a processor", dirs, 10*dirs, returned,
		watched, 100*used.Seconds()/rest.Seconds())
	if used > rest/20 {
		t.Errorf("%v of processor time in %v at rest", used, rest)
	}
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestNothingIsWritten checks that watching changes nothing in the folder, not even for a
// moment: a file that was made and removed would show in its directory's time.
func TestNothingIsWritten(t *testing.T) {
	root := tempDir(t)
	for _, f := range []string{"a", "sub/b", "sub/deep/c"} {
		write(t, filepath.Join(root, f), "x")
	}
	before := times(t, root)
	for _, opt := range []Options{{}, {MaxWatches: -1}, {MaxWatches: 2}} { // inotify, polling, both
		m := newMirror(t, root, opt)
		m.w.Rescan()
		m.waitFor("Reconcile", func() bool { return m.count(Reconcile) >= 2 })
		m.settled()
		m.close()
		if diff := cmp.Diff(before, times(t, root)); diff != "" {
			t.Errorf("with %d watches: %s", opt.MaxWatches, diff)
		}
	}
}

// times returns the times of the last change of everything in a folder, content and metadata.
func times(t *testing.T, root string) map[string][2]syscall.Timespec {
	t.Helper()
	out := map[string][2]syscall.Timespec{}
	must(t, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		var st syscall.Stat_t
		if err == nil {
			err = syscall.Lstat(path, &st)
		}
		out[path] = [2]syscall.Timespec{st.Mtim, st.Ctim}
		return err
	}))
	return out
}
