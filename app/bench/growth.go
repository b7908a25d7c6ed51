package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"waferpair/app"
	"waferpair/app/server"
	"waferpair/history"
	"waferpair/workspace/text"
)

// The contents of a history of a million edits. The smaller history has the same files and
// sessions; its turns have fewer edits.
const (
	grownFiles    = 50_000
	grownSessions = 2_000
	grownEdits    = 1_000_000
)

// grown is a project with a history of one size, and its measured times.
type grown struct {
	project, data string
	edits         int
	rand          *rand.Rand // picks the edits to read
	bytes         float64    // on disk, for each edit
	first         int64      // bytes of the timeline's first response

	opens, early, versions, lines taken
}

// taken holds the wall times and the processor times of repeated measurements. On a busy
// computer only processor times can be compared.
type taken struct{ wall, cpu []time.Duration }

func (t *taken) time(do func() error) error {
	start, used := time.Now(), cpuTime()
	err := do()
	t.wall, t.cpu = append(t.wall, time.Since(start)), append(t.cpu, cpuTime()-used)
	return err
}

// benchGrowth compares a long history with one that is a tenth as long. It measures the two
// in turns, so that other load on the computer affects both equally.
func benchGrowth(ctx context.Context, e *Env) error {
	if e.grownEdits() != grownEdits {
		e.Log(fmt.Sprintf("the bounds are for %d edits: the timeline's first answer is all of a short history, but part "+
			"of a long one", grownEdits))
	}
	var sizes [2]*grown
	for i, n := range []int{e.grownEdits() / 10, e.grownEdits()} {
		dir, err := e.sub(fmt.Sprint(n))
		if err != nil {
			return err
		}
		if sizes[i], err = e.grown(ctx, dir, n); err != nil {
			return err
		}
	}
	rounds := 15
	if e.Quick {
		rounds = 5
	}
	for i := range rounds {
		if i%5 == 0 {
			e.Log(fmt.Sprintf("round %d of %d: both are opened and read", i+1, rounds))
		}
		for _, g := range sizes {
			if err := g.measure(ctx); err != nil {
				return err
			}
		}
	}
	e.reportGrowth(sizes[0], sizes[1])
	return nil
}

// grownEdits is the number of edits in the longer history.
func (e *Env) grownEdits() int {
	if e.Edits > 0 {
		return e.Edits
	}
	return e.scale(grownEdits)
}

// inProportion scales a number that belongs to grownEdits edits.
func (e *Env) inProportion(n int) int { return max(int(int64(n)*int64(e.grownEdits())/grownEdits), 5) }

func (e *Env) reportGrowth(small, large *grown) {
	ratio := func(what string, p float64, of func(*grown) taken) {
		one := func(what string, a, b []time.Duration) {
			was, is := percentile(a[1:], p), percentile(b[1:], p) // the first measurement warms caches up
			e.Report(Result{Measure: fmt.Sprintf("%s: %d edits against %d", what, large.edits, small.edits),
				Value: float64(is) / float64(was), Unit: "x", Bound: 1.5, AtMost: true,
				Note: fmt.Sprintf("%.2f ms at %d, %.2f ms at %d", millis(was), small.edits, millis(is), large.edits)})
		}
		one(what, of(small).wall, of(large).wall)
		one(what+", CPU", of(small).cpu, of(large).cpu)
	}
	ratio("open, median", 0.5, func(g *grown) taken { return g.opens })
	ratio("open for the window, median", 0.5, func(g *grown) taken { return g.early })
	ratio("any version, p99", 0.99, func(g *grown) taken { return g.versions })
	ratio("any version, median", 0.5, func(g *grown) taken { return g.versions })
	ratio("timeline's first answer, median", 0.5, func(g *grown) taken { return g.lines })
	e.Report(Result{Measure: fmt.Sprintf("100,000 edits of %d on disk", large.edits), Value: large.bytes * 100_000 / 1e6,
		Unit: "MB", Bound: 25, AtMost: true,
		Note: fmt.Sprintf("without the first versions of the files, reserve and backups; of the %d: %.1f MB", small.edits,
			small.bytes*100_000/1e6)})
}

// grown creates a project with n edits in its history.
func (e *Env) grown(ctx context.Context, dir string, n int) (*grown, error) {
	g := &grown{project: filepath.Join(dir, "project"), data: filepath.Join(dir, "data"), edits: n,
		rand: rand.New(rand.NewPCG(8, 9))}
	files, err := grownTexts(ctx, g.project, e.inProportion(grownFiles))
	if err != nil {
		return nil, err
	}
	if err := g.open(ctx, func(p *app.Project) error { return p.Baseline() }); err != nil {
		return nil, err
	}
	before, err := kept(g.store())
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if err := g.grow(ctx, files, e.inProportion(grownSessions), e.progress(n)); err != nil {
		return nil, err
	}
	after, err := kept(g.store())
	if err != nil {
		return nil, err
	}
	g.bytes = float64(after-before) / float64(n)
	e.Log(fmt.Sprintf("%d edits of %d files recorded in %.0f s", n, len(files), time.Since(start).Seconds()))
	// opening reconciles the disk with the history; both are equal here
	if err := g.open(ctx, func(*app.Project) error { return nil }); err != nil {
		return nil, err
	}
	time.Sleep(2 * time.Second) // time stamps of younger files are not trusted
	return g, nil
}

// progress returns a function that takes the number of recorded edits, of n, and logs it
// every ten seconds, with the remaining time.
func (e *Env) progress(n int) func(done int) {
	start := time.Now()
	said := start
	return func(done int) {
		if time.Since(said) < 10*time.Second || done == 0 {
			return
		}
		said = time.Now()
		took := said.Sub(start)
		left := time.Duration(float64(took) / float64(done) * float64(n-done))
		e.Log(fmt.Sprintf("%d of %d edits recorded in %.0f s, about %.0f s left", done, n, took.Seconds(), left.Seconds()))
	}
}

func (g *grown) store() string { return history.Dir(g.data, g.project) }

func (g *grown) open(ctx context.Context, use func(*app.Project) error) error {
	p, err := app.Open(ctx, g.project, app.Options{DataHome: g.data})
	if err != nil {
		return err
	}
	return errors.Join(use(p), p.Close())
}

// kept returns the size of a store without its reserve and its backups.
func kept(store string) (int64, error) {
	size, err := dirSize(store)
	if err != nil {
		return 0, err
	}
	ballast, backups, err := setAside(store)
	return size - ballast - backups, err
}

// grownFile is a file of the project, with its text after the last edit.
type grownFile struct {
	path    string
	text    text.Text
	changed bool
}

// grownTexts creates n files of one to about sixteen KB of source, in folders of twenty.
func grownTexts(ctx context.Context, root string, n int) ([]grownFile, error) {
	sample, r := newSample(), rand.New(rand.NewPCG(4, 5))
	out := make([]grownFile, n)
	for i := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := sample.files[r.IntN(len(sample.files))]
		from := r.IntN(len(f) - 1000)
		body := fmt.Sprintf("// File %d.\n%s", i, f[from:from+1000+r.IntN(len(f)-from-999)])
		out[i] = grownFile{path: fmt.Sprintf("d%02d/s%03d/f%06d.go", i/20%100, i/2000, i), text: text.OfString(body)}
		if err := out[i].write(root); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (f *grownFile) write(root string) error {
	name := filepath.Join(root, filepath.FromSlash(f.path))
	err := os.WriteFile(name, f.text.Bytes(), 0o644)
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
			err = os.WriteFile(name, f.text.Bytes(), 0o644)
		}
	}
	return err
}

// grow records the edits in sessions of one turn each, and writes the resulting files. Each
// edit picks its file at random, so edits of a file are far apart in the history.
func (g *grown) grow(ctx context.Context, files []grownFile, sessions int, progress func(done int)) error {
	s, err := history.Open(ctx, history.Options{Dir: g.store(), Root: g.project})
	if err != nil {
		return err
	}
	defer s.Close()
	r, sample := rand.New(rand.NewPCG(6, 7)), newSample()
	for i := range sessions {
		n := g.edits*(i+1)/sessions - g.edits*i/sessions
		if err := growTurn(ctx, s, r, sample, files, n, i); err != nil {
			return err
		}
		progress(g.edits * (i + 1) / sessions)
	}
	for i := range files {
		if files[i].changed {
			if err := files[i].write(g.project); err != nil {
				return err
			}
		}
	}
	return s.Close()
}

// growTurn records a session with one turn of n edits.
func growTurn(ctx context.Context, s *history.Store, r *rand.Rand, sample *sample, files []grownFile, n, i int) error {
	session, err := s.StartSession(ctx, fmt.Sprintf("session %d", i))
	if err != nil {
		return err
	}
	turn, err := s.StartTurn(ctx,
		history.Turn{Session: session, Request: fmt.Sprintf("change this and that, %d", i), Model: "script"})
	if err != nil {
		return err
	}
	var last history.Receipt
	for range n {
		f := &files[r.IntN(len(files))]
		cs, err := sample.edit(f.text)
		if err != nil {
			return err
		}
		if last, err = s.Append(ctx, history.Op{Author: history.Model, Turn: turn,
			Edits: []history.NewEdit{{Path: f.path, Kind: history.Text, Changes: cs, Before: f.text}}}); err != nil {
			return err
		}
		if f.text, err = cs.Apply(f.text); err != nil {
			return err
		}
		f.changed = true
	}
	return errors.Join(last.Wait(ctx), s.EndTurn(ctx, turn, "completed", "", nil))
}

// measure opens the project as a command does and reads versions, then opens it as the
// window does and reads the timeline.
func (g *grown) measure(ctx context.Context) error {
	p, err := g.timeOpen(ctx, &g.opens, app.Options{DataHome: g.data})
	if err != nil {
		return err
	}
	if err := errors.Join(g.readAny(ctx, p.History()), p.Close()); err != nil {
		return err
	}
	if p, err = g.timeOpen(ctx, &g.early, app.Options{DataHome: g.data, Early: true}); err != nil {
		return err
	}
	if err := p.Close(); err != nil {
		return err
	}
	return g.firstPaint(ctx)
}

func (g *grown) timeOpen(ctx context.Context, t *taken, o app.Options) (p *app.Project, err error) {
	err = t.time(func() error {
		p, err = app.Open(ctx, g.project, o)
		return err
	})
	return p, err
}

// readAny reads files as they were after random edits of them.
func (g *grown) readAny(ctx context.Context, s *history.Store) error {
	for range 300 {
		id := history.EditID(1 + g.rand.IntN(g.edits))
		list, err := s.List(ctx, history.Filter{After: id - 1, Before: id + 1})
		if err != nil || len(list) != 1 {
			return fmt.Errorf("edit %d: %d of them, %w", id, len(list), err)
		}
		var v history.Version
		err = g.versions.time(func() error {
			v, err = s.At(ctx, id, list[0].Path)
			return err
		})
		if err != nil || !v.Exists {
			return fmt.Errorf("edit %d of %s: %v, %w", id, list[0].Path, v.Exists, err)
		}
	}
	return nil
}

// firstPaint reads, from a server that has just started, the response from which the page
// first draws its timeline.
func (g *grown) firstPaint(ctx context.Context) error {
	s := server.New(server.Options{DataHome: g.data, ConfigHome: g.data, StateHome: g.data})
	if err := s.Open(ctx, g.project); err != nil {
		return errors.Join(err, s.Close())
	}
	h := s.NativeHandler()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/api/timeline?after=0", nil)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	r.Header.Set("Authorization", "Bearer "+s.Token())
	w := counter{header: http.Header{}}
	err = g.lines.time(func() error {
		h.ServeHTTP(&w, r)
		return nil
	})
	g.first = w.bytes
	if w.status != http.StatusOK {
		err = fmt.Errorf("the timeline cannot be read: status %d", w.status)
	}
	return errors.Join(err, s.Close())
}

// counter is a response writer that counts bytes and drops them.
type counter struct {
	header http.Header
	status int
	bytes  int64
}

func (c *counter) Header() http.Header { return c.header }

func (c *counter) WriteHeader(status int) { c.status = status }

func (c *counter) Write(b []byte) (int, error) {
	c.bytes += int64(len(b))
	return len(b), nil
}
