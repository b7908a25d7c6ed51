package disk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"waferpair/app/disk"
	"waferpair/app/spare"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/ignore"
	"waferpair/workspace/watch"
)

// start opens a folder, lets the test look, and closes it, with nothing of a project but
// its folder and its history.
func start(t *testing.T, dir, data string, look func(c *disk.Core, in *disk.Intake)) {
	t.Helper()
	if err := startWith(t, dir, data, func(*disk.Core) {}, look); err != nil {
		t.Fatal(err)
	}
}

// startWith is start after the test has changed the Core; it returns the error of the recovery,
// after which look is not called.
func startWith(t *testing.T, dir, data string, change func(*disk.Core),
	look func(c *disk.Core, in *disk.Intake)) error {
	t.Helper()
	c := &disk.Core{Spares: spare.Place{Root: dir, History: data}}
	folder, err := workspace.Open(dir, workspace.Options{Ignored: func(string, bool) bool { return false },
		Journal: disk.Journal{Core: c}, Preserve: func(workspace.Displaced) error { return nil },
		Notify: func(workspace.Notice) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	store, err := history.Open(t.Context(), history.Options{Dir: data, Root: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c.Folder, c.Store, c.Append = folder, store, store.Append
	c.Excluded = func(path string) string { return map[bool]string{true: "it is not to be kept"}[path == "held.txt"] }
	c.Ignore = ignore.New(dir)
	c.Notice, c.Progress, c.Another = func(string) {}, func(string, int, int) {}, func() {}
	change(c)
	in := disk.NewIntake(c)
	if err := disk.NewRecovery(in, disk.NewPlace(c)).Run(t.Context()); err != nil {
		return err
	}
	if err := in.Stored(); err != nil {
		return err
	}
	look(c, in)
	return nil
}

// told returns the edits of the history in short form, sorted.
func told(t *testing.T, c *disk.Core) (out []string) {
	t.Helper()
	edits, err := c.Store.List(t.Context(), history.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		out = append(out, fmt.Sprintf("%s %s %s", e.Author, e.Kind, e.Path))
	}
	slices.Sort(out)
	return out
}

// TestAStartTakesInWhatOthersDid checks that a start records each change of another program
// as one edit, once.
func TestAStartTakesInWhatOthersDid(t *testing.T) {
	dir, data := t.TempDir(), t.TempDir()
	write := func(name, body string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a.txt", "b.txt", "same.txt"} {
		write(name, name+"\n")
	}
	start(t, dir, data, func(c *disk.Core, in *disk.Intake) {
		if got := in.List.All(); !slices.Equal(got, []string{"a.txt", "b.txt", "same.txt"}) {
			t.Errorf("there are %v", got)
		}
		if got := told(t, c); len(got) != 0 {
			t.Errorf("a first opening counts as %v", got)
		}
	})
	write("a.txt", "changed\n")
	write("new.txt", "new\n")
	if err := os.Remove(filepath.Join(dir, "b.txt")); err != nil {
		t.Fatal(err)
	}
	want := []string{"outside create new.txt", "outside delete b.txt", "outside text a.txt"}
	for range 2 {
		start(t, dir, data, func(c *disk.Core, in *disk.Intake) {
			if got := told(t, c); !slices.Equal(got, want) {
				t.Errorf("the history has %q, not %q", got, want)
			}
			if got := in.List.All(); !slices.Equal(got, []string{"a.txt", "new.txt", "same.txt"}) {
				t.Errorf("there are %v", got)
			}
		})
	}
}

// TestAStartFinishesASave checks that a start writes what was recorded and did not reach
// the disk.
func TestAStartFinishesASave(t *testing.T) {
	dir, data := t.TempDir(), t.TempDir()
	name := filepath.Join(dir, "made.txt")
	start(t, dir, data, func(c *disk.Core, in *disk.Intake) {
		r, err := c.Append(t.Context(), history.Op{Author: history.User,
			Edits: []history.NewEdit{{Path: "made.txt", Kind: history.Create, Content: []byte("typed\n"), Mode: 0o644}}})
		if err == nil {
			err = r.Wait(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	start(t, dir, data, func(c *disk.Core, in *disk.Intake) {
		if b, err := os.ReadFile(name); err != nil || string(b) != "typed\n" {
			t.Errorf("it holds %q: %v", b, err)
		}
		if got := told(t, c); !slices.Equal(got, []string{"user create made.txt"}) {
			t.Errorf("the history has %q", got)
		}
	})
}

// openFiles stands for the open files, and notes what they are notified of.
type openFiles struct {
	told []string
	lost map[string]bool
}

func (o *openFiles) Outside(_ context.Context, paths []string) error {
	slices.Sort(paths)
	o.told = append(o.told, fmt.Sprint("outside ", paths))
	return nil
}

func (o *openFiles) OutsideBut(ctx context.Context, paths []string, wait func(string) bool) ([]string, error) {
	return o.missing(paths, wait), o.Outside(ctx, paths)
}

// missing returns the files that nobody finds, and that are waited for.
func (o *openFiles) missing(paths []string, wait func(string) bool) (out []string) {
	for _, name := range paths {
		if o.lost[name] && wait(name) {
			out = append(out, name)
		}
	}
	return out
}

func (o *openFiles) HoldAgain(context.Context) { o.told = append(o.told, "hold again") }
func (o *openFiles) Gone(gone bool)            { o.told = append(o.told, fmt.Sprint("gone ", gone)) }
func (o *openFiles) Listed()                   { o.told = append(o.told, "listed") }

// TestWhatAWatcherPassesOn checks that the open files are notified of changed paths and,
// before that, of changed rules for what the history keeps.
func TestWhatAWatcherPassesOn(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour) // a fresh time stamp is not trusted: such a file is always read
	for _, name := range []string{"a.txt", "b.txt"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte(name), 0o644), os.Chtimes(path, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	start(t, dir, t.TempDir(), func(c *disk.Core, in *disk.Intake) {
		open, place := &openFiles{}, disk.NewPlace(c)
		w := disk.NewWatcher(disk.NewRecovery(in, place), open)
		rescan := func() { open.told = append(open.told, "rescan") }
		happens := func(ev watch.Event, want ...string) {
			t.Helper()
			open.told = nil
			if err := w.Handle(t.Context(), ev, rescan); err != nil || !slices.Equal(open.told, want) {
				t.Errorf("after %v they were told %q, not %q: %v", ev.Kind, open.told, want, err)
			}
		}
		happens(watch.Event{Kind: watch.Changed, Paths: []string{"a.txt"}}, "outside [a.txt]")
		happens(watch.Event{Kind: watch.Changed, Paths: []string{"sub/.gitignore"}}, "hold again", "rescan",
			"outside [sub/.gitignore]")
		open.lost = map[string]bool{"a.txt": true}
		happens(watch.Event{Kind: watch.Changed, Paths: []string{"a.txt"}}, "outside [a.txt]")
		open.lost = nil // it is looked at again, and its new name is found
		happens(watch.Event{Kind: watch.Changed, Paths: []string{"b.txt"}}, "outside [a.txt b.txt]")
		happens(watch.Event{Kind: watch.Changed, Paths: []string{"b.txt"}}, "outside [b.txt]")
		if happens(watch.Event{Kind: watch.Suspended}, "gone true"); !place.Gone() {
			t.Error("the folder is not gone")
		}
		if happens(watch.Event{Kind: watch.Resumed}, "gone false"); place.Gone() {
			t.Error("the folder is still gone")
		}
		if err := os.Remove(filepath.Join(dir, "b.txt")); err != nil {
			t.Fatal(err)
		}
		happens(watch.Event{Kind: watch.Reconcile}, "listed", "outside [b.txt]")
	})
}
