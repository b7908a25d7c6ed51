package app_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"waferpair/app"
	"waferpair/build/testseed"
	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace/text"
)

// throng is many actors at the same few files: users who type, save and rename, models,
// another program, somebody who reverts, restores and forks, and readers.
type throng struct {
	*world
	p     *app.Project
	seed  uint64
	files []string
	round int

	mu    sync.Mutex
	typed []string // what was taken
	done  map[string]int
}

// TestNobodyWaitsForEver checks that all actors finish, whatever they do to several files
// at once and in whatever order; that the history has everything that was typed; and that
// it is equal to the disk.
func TestNobodyWaitsForEver(t *testing.T) {
	c := &throng{world: newWorld(t, nil), seed: testseed.New(t), done: map[string]int{}}
	for i := range 6 {
		c.files = append(c.files, fmt.Sprintf("d%d/%c.txt", i%2, 'a'+i))
		c.write(c.files[i], lines(20))
	}
	for c.round = range 2 {
		c.p = c.open()
		c.ok(c.p.Watch(t.Context()))
		c.everybody(700 * time.Millisecond)
		c.within(func() { c.ok(c.p.Close()) })
	}
	c.check()
	t.Log(c.done)
}

// within fails with all goroutines' stacks if a call takes so long that it must be a
// deadlock.
func (c *throng) within(do func()) {
	c.Helper()
	timer := time.AfterFunc(2*time.Minute, func() {
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
		panic(fmt.Sprintf("seed %d: somebody waits for ever; every goroutine is above", c.seed))
	})
	defer timer.Stop()
	do()
}

// everybody runs all actors for a while.
func (c *throng) everybody(d time.Duration) {
	c.Helper()
	until := time.Now().Add(d)
	c.within(func() {
		var all sync.WaitGroup
		for i, one := range []func(*rand.Rand, int) (string, error){c.types, c.types, c.saves, c.asks, c.carries, c.carries,
			c.forks, c.outside, c.reads} {
			r := rand.New(rand.NewPCG(c.seed, uint64(i)))
			all.Go(func() {
				for n := 0; time.Now().Before(until); n++ {
					what, err := one(r, n*100+i)
					c.mu.Lock()
					if err == nil {
						c.done[what]++
					}
					c.mu.Unlock()
				}
			})
		}
		all.Wait()
	})
}

func (c *throng) file(r *rand.Rand) string { return c.files[r.IntN(len(c.files))] }

func (c *throng) types(r *rand.Rand, n int) (string, error) {
	f, err := c.p.Show(c.Context(), c.file(r))
	if err != nil {
		return "", err
	}
	token := fmt.Sprintf("<%d.%d>", c.round, n)
	cs, err := text.NewChangeSet(f.Text.Len(), text.Change{Insert: token})
	if err == nil {
		err = c.p.Type(c.Context(), f.Path, f.ID, f.Version, cs, "page")
	}
	if err == nil {
		c.mu.Lock()
		c.typed = append(c.typed, token)
		c.mu.Unlock()
	}
	time.Sleep(time.Millisecond)
	return "typed", err
}

func (c *throng) saves(r *rand.Rand, n int) (string, error) {
	time.Sleep(10 * time.Millisecond)
	if n%5 == 0 {
		return "settled", c.p.Settle(c.Context())
	}
	return "saved", c.p.SaveFile(c.Context(), c.file(r))
}

// asks has a model change two files, and sometimes steers or stops it.
func (c *throng) asks(r *rand.Rand, n int) (string, error) {
	var said []any
	for i := range 4 {
		line := r.IntN(18)
		said = append(said, 1, patch(update(c.file(r), fmt.Sprintf(" line %d\n-line %d\n+line %d\n", line, line+1, line+1)+
			fmt.Sprintf("+model %d %d\n", n, i))))
	}
	turn, err := c.p.Edit(context.Background(), app.EditRequest{Text: "go", Model: c.script(said...), Session: "new"})
	if err != nil {
		return "", err
	}
	if r.IntN(3) == 0 {
		time.AfterFunc(5*time.Millisecond, turn.Stop)
	}
	for range turn.Events() {
	}
	if out := turn.Wait(); out.Status == engine.Failed {
		return "", fmt.Errorf("%+v", out)
	}
	return "asked", nil
}

// carries changes several files at once.
func (c *throng) carries(r *rand.Rand, n int) (string, error) {
	time.Sleep(5 * time.Millisecond)
	ctx, path := c.Context(), c.file(r)
	switch r.IntN(6) {
	case 0:
		body := ""
		for _, name := range c.files[:2+r.IntN(3)] {
			body += update(name, fmt.Sprintf(" line 5\n+patched %d\n", n))
		}
		_, err := c.p.ApplyPatch(ctx, []byte(patch(body)), false)
		return "patched", err
	case 1:
		_, err := c.p.ApplyPatch(ctx, []byte(patch("*** Update File: "+path+"\n*** Move to: "+c.file(r)+"\n")), false)
		return "patched to move", err
	case 2:
		to := path + ".moved"
		if _, err := c.p.Rename(ctx, path, to); err != nil {
			return "", err
		}
		_, err := c.p.Rename(ctx, to, path)
		return "renamed", err
	case 3:
		last, err := c.p.History().List(ctx, history.Filter{Limit: 6})
		if err == nil && len(last) > 0 {
			_, err = c.p.Revert(ctx, app.RevertRequest{IDs: []history.EditID{last[r.IntN(len(last))].ID}})
		}
		return "reverted", err
	case 4:
		last, err := c.p.History().List(ctx, history.Filter{Limit: 9})
		if err == nil && len(last) > 0 {
			_, err = c.p.Restore(ctx, app.RestoreRequest{At: last[len(last)-1].ID})
		}
		return "restored", err
	}
	if _, err := c.p.Remove(ctx, path, ""); err != nil {
		return "", err
	}
	_, err := c.p.MakeFile(ctx, path)
	return "removed", err
}

func (c *throng) forks(r *rand.Rand, n int) (string, error) {
	time.Sleep(40 * time.Millisecond)
	all, err := c.p.History().Branches(c.Context())
	switch {
	case err != nil:
	case len(all) < 4:
		_, err = c.p.Fork(c.Context(), fmt.Sprintf("fork %d", len(all)), history.Newest)
	default:
		_, err = c.p.SwitchFork(c.Context(), all[r.IntN(len(all))].Name)
	}
	return "forked", err
}

// outside acts as another program, which saves, moves and deletes.
func (c *throng) outside(r *rand.Rand, n int) (string, error) {
	time.Sleep(8 * time.Millisecond)
	path := filepath.Join(c.dir, c.file(r))
	switch r.IntN(8) {
	case 0:
		return "moved outside", os.Rename(path, path+".outside")
	case 1:
		return "moved back outside", os.Rename(path+".outside", path)
	case 2:
		return "looked", c.p.Reconcile(c.Context())
	}
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path+".new", append(b, fmt.Sprintf("outside %d\n", n)...), 0o644)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	return "saved outside", err
}

func (c *throng) reads(r *rand.Rand, n int) (string, error) {
	time.Sleep(time.Millisecond)
	_, err := c.p.Read(c.file(r))
	if err == nil && n%7 == 0 {
		_, err = c.p.Files(c.Context())
	}
	c.p.Where(1)
	return "read", err
}

// check opens the project again: the history must have what is on disk and what was typed.
func (c *throng) check() {
	c.Helper()
	p := c.open()
	for _, path := range c.files {
		v, err := p.History().At(c.Context(), history.Newest, path)
		b, rerr := os.ReadFile(filepath.Join(c.dir, path))
		if err != nil || v.Exists != (rerr == nil) || string(v.Bytes) != string(b) {
			c.Errorf("seed %d: %s holds %q (%v), and the history %q (%v)", c.seed, path, b, rerr, v.Bytes, err)
		}
	}
	r, err := p.History().Check(c.Context(), nil)
	if err != nil || !r.OK() {
		c.Errorf("seed %d: %+v %v", c.seed, r, err)
	}
	edits, err := p.History().List(c.Context(), history.Filter{Author: history.User, Branches: true})
	c.ok(err)
	var all strings.Builder
	for _, e := range edits {
		d, err := p.History().Get(c.Context(), e.ID)
		c.ok(err)
		all.Write(d.After.Bytes)
	}
	had := all.String()
	if lost := slices.DeleteFunc(c.typed, func(s string) bool { return strings.Contains(had, s) }); len(lost) > 0 ||
		c.done["typed"] == 0 {
		c.Errorf("seed %d: %d things were typed and taken; of these, the history never had %v", c.seed, c.done["typed"], lost)
	}
}
