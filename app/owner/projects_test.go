package owner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"waferpair/app"
)

func folder(t *testing.T) (dir string, opt app.Options) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, app.Options{DataHome: t.TempDir(), StateHome: t.TempDir()}
}

// TestProjectsAreShared opens and closes a project from many goroutines at once. Each can
// work in it, and the last close closes the project.
func TestProjectsAreShared(t *testing.T) {
	dir, opt := folder(t)
	var ps Projects
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 4 {
				u, err := ps.Open(t.Context(), dir, opt)
				if err != nil {
					t.Error(err)
					return
				}
				if err := u.Fresh(t.Context()); err != nil || u.ReadOnly() {
					t.Errorf("read-only %v, %v", u.ReadOnly(), err)
				}
				if err := u.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if roots := ps.Roots(); len(roots) > 0 {
		t.Errorf("%v is open still", roots)
	}
	p, err := app.Open(t.Context(), dir, opt)
	if err != nil || p.ReadOnly() {
		t.Fatalf("it is held still: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestWhoeverJoinsSeesTheDisk checks that the history has what was written to disk just
// before an opening.
func TestWhoeverJoinsSeesTheDisk(t *testing.T) {
	dir, opt := folder(t)
	var ps Projects
	first, err := ps.Open(t.Context(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if err := first.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.txt"), []byte("b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	u, err := ps.Open(t.Context(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	if err := u.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v, err := u.History().Head(t.Context(), "b.txt"); err != nil || !v.Exists {
		t.Errorf("b.txt: %+v, %v", v, err)
	}
}

// TestOpeningIsGivenUp checks that a cancelled opening does not cancel the openings that
// wait for the same project.
func TestOpeningIsGivenUp(t *testing.T) {
	dir, opt := folder(t)
	var ps Projects
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if u, err := ps.Open(ctx, dir, opt); err == nil {
		if err := u.Fresh(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("an end that was asked for: %v", err)
		}
		_ = u.Close()
	}
	u, err := ps.Open(t.Context(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(u.Fresh(t.Context()), u.Close()); err != nil {
		t.Error(err)
	}
}

// TestWhoeverGivesUpHoldsNothing checks that the project is free after an opening was
// cancelled during its course or just after it: the next one can write there.
func TestWhoeverGivesUpHoldsNothing(t *testing.T) {
	dir, opt := folder(t)
	var ps Projects
	for n := range 60 {
		ctx, cancel := context.WithCancel(t.Context())
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if u, err := ps.Open(ctx, dir, opt); err == nil {
					_ = u.Close()
				}
			})
		}
		time.Sleep(time.Duration(n) * 100 * time.Microsecond) // at any moment of it
		cancel()
		both.Wait()
		u, err := ps.Open(t.Context(), dir, opt)
		if err != nil {
			t.Fatal(err)
		}
		if u.ReadOnly() {
			t.Fatalf("after %d: it is held still", n)
		}
		if err := errors.Join(u.Fresh(t.Context()), u.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpeningFails(t *testing.T) {
	_, opt := folder(t)
	var ps Projects
	if _, err := ps.Open(t.Context(), filepath.Join(t.TempDir(), "missing"), opt); err == nil {
		t.Error("a folder that is not there was opened")
	}
	if roots := ps.Roots(); len(roots) > 0 {
		t.Errorf("%v is open", roots)
	}
}
