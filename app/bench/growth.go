package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"waferpair/app"
	"waferpair/history"
	"waferpair/workspace/text"
)

// What a history of a million edits is made of; the small one differs only in how
// many edits each turn makes.
const (
	grownFiles    = 50_000
	grownSessions = 2_000
)

// growth are the times of one size.
type growth struct {
	edits          int
	open, timeline time.Duration // median
	version        time.Duration // p99
	bytes          float64       // on disk, by edit
}

// benchGrowth compares a long history with one that is ten times as long.
func benchGrowth(ctx context.Context, e *Env) error {
	var sizes [2]growth
	few := 1
	if e.Quick {
		few = 10
	}
	for i, n := range []int{e.scale(100_000) / few, e.scale(1_000_000) / few} {
		dir, err := e.sub(fmt.Sprint(n))
		if err != nil {
			return err
		}
		if sizes[i], err = e.grown(ctx, dir, n); err != nil {
			return err
		}
	}
	small, large := sizes[0], sizes[1]
	ratio := func(what string, a, b time.Duration) {
		e.Report(Result{Measure: fmt.Sprintf("%s: %d edits against %d", what, large.edits, small.edits), Value: float64(b) / float64(a), Unit: "x", Bound: 1.5, AtMost: true,
			Note: fmt.Sprintf("%.1f ms and %.1f ms", millis(a), millis(b))})
	}
	ratio("open, median", small.open, large.open)
	ratio("any version, p99", small.version, large.version)
	ratio("the timeline's columns, median", small.timeline, large.timeline)
	e.Report(Result{Measure: "100,000 edits of a long history on disk", Value: large.bytes * 100_000 / 1e6, Unit: "MB", Bound: 25, AtMost: true, Note: "without the first versions of the files, reserve and backups"})
	return nil
}

// grown makes a project with n edits in its history, and measures it. Each edit is
// taken back by the next one of its file, so that the files are as on disk.
func (e *Env) grown(ctx context.Context, dir string, n int) (g growth, err error) {
	project, files := filepath.Join(dir, "project"), e.scale(grownFiles)
	if err := manyFiles(project, files); err != nil {
		return g, err
	}
	open := func() (*app.Project, error) {
		return app.Open(ctx, project, app.Options{DataHome: filepath.Join(dir, "data")})
	}
	p, err := open()
	if err != nil {
		return g, err
	}
	store := history.Dir(filepath.Join(dir, "data"), p.Root())
	if err := errors.Join(p.Baseline(), p.Close()); err != nil {
		return g, err
	}
	before, err := kept(store)
	if err != nil {
		return g, err
	}
	start := time.Now()
	if err := e.grow(ctx, store, project, n); err != nil {
		return g, err
	}
	e.Log(fmt.Sprintf("%d edits recorded in %.0f s", n, time.Since(start).Seconds()))
	after, err := kept(store)
	if err != nil {
		return g, err
	}
	g.edits, g.bytes = n, float64(after-before)/float64(n)
	return g, e.measureGrown(ctx, open, &g)
}

// kept is how much a store keeps, without its reserve and its backups.
func kept(store string) (int64, error) {
	size, err := dirSize(store)
	if err != nil {
		return 0, err
	}
	ballast, backups, err := setAside(store)
	return size - ballast - backups, err
}

func (e *Env) grow(ctx context.Context, store, root string, n int) error {
	s, err := history.Open(ctx, history.Options{Dir: store, Root: root})
	if err != nil {
		return err
	}
	defer s.Close()
	known, err := s.Files(ctx)
	if err != nil {
		return err
	}
	var paths []string
	for path := range known {
		paths = append(paths, path)
	}
	sessions := min(e.scale(grownSessions), n/20)
	r, sample := rand.New(rand.NewPCG(6, 7)), newSample()
	for i := range sessions {
		if err := growTurn(ctx, s, r, sample, paths, n/sessions, i); err != nil {
			return err
		}
	}
	return s.Close()
}

// growTurn adds a session with one turn of n edits, to and fro.
func growTurn(ctx context.Context, s *history.Store, r *rand.Rand, sample *sample, paths []string, n, i int) error {
	session, err := s.StartSession(ctx, fmt.Sprintf("session %d", i))
	if err != nil {
		return err
	}
	turn, err := s.StartTurn(ctx, history.Turn{Session: session, Request: fmt.Sprintf("change this and that, %d", i), Model: "script"})
	if err != nil {
		return err
	}
	var last history.Receipt
	for range n / 2 {
		path := paths[r.IntN(len(paths))]
		v, err := s.Head(ctx, path)
		if err != nil {
			return err
		}
		was := text.Of(v.Bytes)
		cs, err := sample.edit(was)
		if err != nil {
			return err
		}
		now, err := cs.Apply(was)
		if err != nil {
			return err
		}
		back, err := cs.Invert(was)
		if err != nil {
			return err
		}
		for _, edit := range []history.NewEdit{{Path: path, Kind: history.Text, Changes: cs, Before: was}, {Path: path, Kind: history.Text, Changes: back, Before: now}} {
			if last, err = s.Append(ctx, history.Op{Author: history.Model, Turn: turn, Edits: []history.NewEdit{edit}}); err != nil {
				return err
			}
		}
	}
	return errors.Join(last.Wait(ctx), s.EndTurn(ctx, turn, "completed", "", nil))
}

func (e *Env) measureGrown(ctx context.Context, open func() (*app.Project, error), g *growth) error {
	rounds := 11
	if e.Quick {
		rounds = 3
	}
	var opens, timelines, versions []time.Duration
	for range rounds {
		start := time.Now()
		p, err := open()
		if err != nil {
			return err
		}
		opens = append(opens, time.Since(start))
		start = time.Now()
		if _, err := p.Query().Timeline(ctx, 0); err != nil {
			return err
		}
		timelines = append(timelines, time.Since(start))
		more, err := readAny(ctx, p.History(), g.edits)
		versions = append(versions, more...)
		if err := errors.Join(err, p.Close()); err != nil {
			return err
		}
	}
	g.open, g.timeline, g.version = percentile(opens[1:], 0.5), percentile(timelines[1:], 0.5), percentile(versions, 0.99)
	return nil
}

// readAny reads files as they were after random edits of them.
func readAny(ctx context.Context, s *history.Store, n int) ([]time.Duration, error) {
	r := rand.New(rand.NewPCG(8, 9))
	times := make([]time.Duration, 300)
	for i := range times {
		id := history.EditID(1 + r.IntN(n))
		list, err := s.List(ctx, history.Filter{After: id - 1, Before: id + 1})
		if err != nil || len(list) == 0 {
			return nil, fmt.Errorf("edit %d: %w", id, err)
		}
		start := time.Now()
		_, err = s.At(ctx, id, list[0].Path)
		times[i] = time.Since(start)
		if err != nil {
			return nil, err
		}
	}
	return times, nil
}
