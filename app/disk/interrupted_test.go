package disk_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"waferpair/app/disk"
	"waferpair/history"
	"waferpair/workspace/text"
)

var errInterrupted = errors.New("interrupted")

// TestAnInterruptedRecoveryRecordsNothingTwice interrupts a recovery before and after each
// operation that it records. The next run must record the rest, and nothing twice.
func TestAnInterruptedRecoveryRecordsNothingTwice(t *testing.T) {
	want := []string{"outside create new.txt", "outside delete gone.txt", "outside text changed.txt",
		"user create made.txt", "user text typed.txt", "user text typing.txt"}
	for at := 0; ; at++ {
		appends := 0
		for _, recorded := range []bool{false, true} {
			dir, data := afterACrash(t)
			appends = 0
			err := startWith(t, dir, data, func(c *disk.Core) {
				c.Append = func(ctx context.Context, op history.Op) (history.Receipt, error) {
					if appends++; appends <= at {
						return c.Store.Append(ctx, op)
					}
					if recorded && appends == at+1 {
						if r, err := c.Store.Append(ctx, op); err != nil || r.Wait(ctx) != nil {
							t.Error(err)
						}
					}
					return history.Receipt{}, errInterrupted
				}
			}, func(*disk.Core, *disk.Intake) {})
			if (err != nil) != (appends > at) || err != nil && !errors.Is(err, errInterrupted) {
				t.Errorf("interrupted at operation %d of %d: %v", at, appends, err)
			}
			for range 2 {
				start(t, dir, data, func(c *disk.Core, _ *disk.Intake) {
					if got := told(t, c); !slices.Equal(got, want) {
						t.Errorf("interrupted at operation %d, recorded %v: the history has %q", at, recorded, got)
					}
				})
			}
			holds(t, dir, "typing.txt", "typing.txt\nand more")
			holds(t, dir, "changed.txt", "changed\n")
		}
		if appends <= at {
			if at < 3 {
				t.Errorf("the recovery recorded only %d operations", at)
			}
			return
		}
	}
}

// afterACrash makes a project whose start has everything to recover: unfinished typing in two
// files, a file that is not saved, and three changes of another program.
func afterACrash(t *testing.T) (dir, data string) {
	t.Helper()
	dir, data = t.TempDir(), t.TempDir()
	write := func(name, body string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"typed.txt", "typing.txt", "changed.txt", "gone.txt"} {
		write(name, name+"\n")
	}
	start(t, dir, data, func(c *disk.Core, _ *disk.Intake) {
		for _, name := range []string{"typed.txt", "typing.txt"} {
			base := text.OfString(name + "\n")
			typed := text.Diff(base, text.OfString(name+"\nand more"))
			if err := c.Store.PutDraft(t.Context(), history.Draft{Path: name, Author: history.User, Base: base,
				Changes: typed}); err != nil {
				t.Fatal(err)
			}
		}
		r, err := c.Append(t.Context(), history.Op{Author: history.User,
			Edits: []history.NewEdit{{Path: "made.txt", Kind: history.Create, Content: []byte("typed\n"), Mode: 0o644}}})
		if err == nil {
			err = r.Wait(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	write("changed.txt", "changed\n")
	write("new.txt", "new\n")
	if err := os.Remove(filepath.Join(dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	return dir, data
}

func holds(t *testing.T, dir, name, want string) {
	t.Helper()
	if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
		t.Errorf("%s holds %q: %v", name, b, err)
	}
}
