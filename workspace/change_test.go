package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// changeFiles and changeBatch include each kind of write, and an exchange of two files.
var changeFiles = []string{"a", "a", "b", "b", "c", "c", "d/e", "e", "l", "l", "m", "m", "r", "r", "x", "x"}

func changeBatch() []Write {
	return []Write{
		update("a", "a", "A"),
		{Path: "new/n", Op: Create, Content: []byte("N")},
		update("b", "b", "B"),
		{Path: "r", Op: Rename, To: "d/r", Before: hashOf("r")},
		update("c", "c", "C"),
		{Path: "m", Op: Rename, To: "d/m", Before: hashOf("m"), Content: []byte("M")},
		update("l", "l", "longer"), // in place
		{Path: "c", Op: Rename, To: "d/c", Before: hashOf("C")},
		update("d/e", "e", "E"),
		{Path: "x", Op: Delete, Before: hashOf("x")},
	}
}

const changed = "a=A b=B d/c=C d/e=E d/m=M d/r=r l2=longer l=longer new/n=N"

func openChange(t *testing.T) (w *world, before string) {
	w = open1(t, changeFiles...)
	must(t, os.Link(filepath.Join(w.root, "l"), filepath.Join(w.root, "l2")))
	return w, w.contents()
}

// contents returns every file with its content, and the names of the folders.
func (w *world) contents() string {
	var out []string
	for _, name := range w.files() {
		if info, err := os.Lstat(filepath.Join(w.root, name)); err == nil && info.Mode().IsRegular() {
			out = append(out, name+"="+w.cat(name))
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestChangeIsWhole: whichever write fails after the checks and the preparation, all files
// are as before, and the change can be made again.
func TestChangeIsWhole(t *testing.T) {
	for k, write := range changeBatch() {
		for _, how := range []string{"changed", "sealed"} {
			if how == "sealed" && write.Op == Create || write.To == "d/c" {
				continue
			}
			t.Run(fmt.Sprintf("%v %s %s", write.Op, write.Path, how), func(t *testing.T) {
				w, before := openChange(t)
				wholeDespite(t, w, before, changeBatch()[k], how)
			})
		}
	}
}

func wholeDespite(t *testing.T, w *world, before string, write Write, how string) {
	path := filepath.Join(w.root, write.Path)
	undo := func() {}
	if how == "sealed" {
		chattr(t, path, 0) // skips the test if it is not allowed
	}
	var once sync.Once // between the check and the commit
	w.sys.fsync = func(fd int) error {
		once.Do(func() {
			if how == "sealed" {
				undo = chattr(t, path, immutable)
			} else {
				put(t, w.root, write.Path, "theirs")
			}
		})
		return fsync(fd)
	}
	_, err := w.SaveAll(context.Background(), changeBatch())
	w.sys = kernel
	undo()
	if err == nil {
		t.Fatal("no error")
	}
	if how == "changed" {
		if got := w.cat(write.Path); got != "theirs" {
			t.Errorf("another program's version: %q", got)
		}
		old := map[string]string{"d/e": "e"}[write.Path]
		if old == "" {
			old = write.Path
		}
		if put(t, w.root, write.Path, old); write.Op == Create {
			must(t, os.RemoveAll(filepath.Dir(path)))
		}
	}
	if now := w.contents(); now != before {
		t.Fatalf("%v\n%s\nwas\n%s", err, now, before)
	}
	w.tidy()
	if _, err := os.Stat(filepath.Join(w.root, "new")); err == nil {
		t.Error("a directory was left")
	}
	if len(w.preserved) > 0 {
		t.Errorf("preserved: %+v", <-w.preserved)
	}
	if _, err := w.SaveAll(context.Background(), changeBatch()); err != nil || w.contents() != changed {
		t.Errorf("again: %v\n%s", err, w.contents())
	}
	w.tidy()
}

// TestChangeFailingSync: a change that is not durable has not happened.
func TestChangeFailingSync(t *testing.T) {
	for fails := 0; ; fails++ {
		w, before := openChange(t)
		var calls atomic.Int32
		w.sys.fsync = func(fd int) error {
			if int(calls.Add(1)) == fails+1 {
				return unix.EIO
			}
			return fsync(fd)
		}
		c := w.Begin()
		_, err := c.Apply(context.Background(), changeBatch())
		if int(calls.Load()) <= fails {
			c.End()
			if fails < 8 {
				t.Errorf("only %d syncs", calls.Load())
			}
			return
		}
		if !errors.Is(err, unix.EIO) || w.contents() == changed {
			t.Errorf("sync %d: %v", fails, err)
		}
		c.End()
		if now := w.contents(); now != before {
			t.Errorf("sync %d: %s", fails, now)
		}
		w.tidy()
	}
}

// TestChangeUndone: what the caller could not record is put back.
func TestChangeUndone(t *testing.T) {
	w, before := openChange(t)
	c := w.Begin()
	if _, err := c.Apply(context.Background(), changeBatch()); err != nil {
		t.Fatal(err)
	}
	must(t, c.Rollback())
	c.End()
	if now := w.contents(); now != before {
		t.Errorf("%s", now)
	}
	w.tidy()
}

// TestChangeCannotBeUndone: a second failure is reported, and the next start repairs it.
func TestChangeCannotBeUndone(t *testing.T) {
	w, before := openChange(t)
	c := w.Begin()
	if _, err := c.Apply(context.Background(), changeBatch()); err != nil {
		t.Fatal(err)
	}
	w.sys.exchange = func(*dir, string, string) error { return unix.EIO }
	err := c.Rollback()
	if !errors.Is(err, unix.EIO) || !strings.Contains(err.Error(), "put back a") ||
		strings.Contains(err.Error(), "put back x") {
		t.Error(err)
	}
	c.End()
	w.sys = kernel
	_, err = w.Recover(context.Background(), contentOf())
	must(t, err)
	if now := w.contents(); now != before {
		t.Errorf("%s", now)
	}
	w.tidy()
}

// TestChangeNoExchange: without the exchange, and so without a displaced file.
func TestChangeNoExchange(t *testing.T) {
	w, before := openChange(t)
	w.sys.exchange = func(*dir, string, string) error { return unix.EINVAL }
	c := w.Begin()
	if _, err := c.Apply(context.Background(), changeBatch()); err != nil || !strings.Contains(w.contents(), "a=A") {
		t.Fatal(err)
	}
	must(t, c.Rollback())
	c.End()
	if now := w.contents(); now != before {
		t.Errorf("%s", now)
	}
	w.tidy()
}

// TestChangeMetOutside: what another program makes of a file between our commit and the
// rollback is not lost, and neither is anything else.
func TestChangeMetOutside(t *testing.T) {
	full := func(w *world, name string) string { return filepath.Join(w.root, name) }
	for name, meddle := range map[string]func(t *testing.T, w *world){
		"changed a":   func(t *testing.T, w *world) { put(t, w.root, "a", "theirs") },
		"changed l":   func(t *testing.T, w *world) { put(t, w.root, "l", "theirs") },
		"changed new": func(t *testing.T, w *world) { put(t, w.root, "new/n", "theirs") },
		"deleted a":   func(t *testing.T, w *world) { must(t, os.Remove(full(w, "a"))) },
		"made x":      func(t *testing.T, w *world) { put(t, w.root, "x", "theirs") },
		"made r":      func(t *testing.T, w *world) { put(t, w.root, "r", "theirs") },
		"moved r":     func(t *testing.T, w *world) { put(t, w.root, "d/r", "theirs") },
	} {
		w, before := openChange(t)
		c := w.Begin()
		if _, err := c.Apply(context.Background(), changeBatch()); err != nil {
			t.Fatal(err)
		}
		meddle(t, w)
		_ = c.Rollback()
		c.End()
		now := w.contents()
		what, file, _ := strings.Cut(name, " ")
		if what != "deleted" && !strings.Contains(now, "=theirs") && len(w.preserved) == 0 {
			t.Errorf("%s: their version is lost: %s", name, now)
		}
		for _, f := range strings.Fields(before) {
			if !strings.HasPrefix(f, file) && !strings.Contains(now, f) {
				t.Errorf("%s: %s is lost: %s", name, f, now)
			}
		}
		w.tidy()
	}
}

// TestChangeCrash crashes a change before and after each exchange and each sync: during the
// commit, during the rollback, and at the end. A recorded change stays; otherwise the files
// are as before.
func TestChangeCrash(t *testing.T) {
	for _, way := range []string{"carry", "undo", "keep"} {
		for _, after := range []bool{false, true} {
			point := 0
			for crashedChange(t, way, point, after) {
				point++
			}
			if point < 7 {
				t.Errorf("%s: only %d crash points", way, point)
			}
		}
	}
}

func crashedChange(t *testing.T, way string, point int, after bool) bool {
	w, before := openChange(t)
	must(t, os.Mkdir(filepath.Join(w.root, "empty"), 0o777))
	crashed, n := false, -1
	reach := func(call func()) {
		if n++; n == point && !after {
			crashed = true
			panic(crash{})
		}
		if call(); n == point {
			crashed = true
			panic(crash{})
		}
	}
	hook := func() {
		w.sys.exchange = func(d *dir, a, b string) (err error) {
			reach(func() { err = exchange(d, a, b) })
			return err
		}
		w.sys.fsync = func(fd int) (err error) {
			if st, serr := stat(fd); serr != nil || kindOf(uint32(st.Mode)) != Directory {
				return fsync(fd) // of a temporary file, in a goroutine of its own
			}
			reach(func() { err = fsync(fd) })
			return err
		}
		w.sys.leaseRead = func(fd int) (who writers) {
			reach(func() { who = leaseRead(fd) })
			return who
		}
	}
	want := before
	c := w.Begin()
	crashing(func() {
		if way == "carry" {
			hook()
		}
		_, err := c.Apply(context.Background(), changeBatch())
		must(t, err)
		switch hook(); way {
		case "undo":
			must(t, c.Rollback())
		case "keep":
			w.journal.Record(c.ID())
			want = changed
			c.Commit()
		}
		if way != "carry" {
			c.End()
			c = nil
		}
	})
	w.sys = kernel
	if crashed || c != nil {
		func() { // the locks of a process end with it
			defer func() { _ = recover() }()
			w.saving.TryLock()
			w.saving.Unlock()
		}()
	}
	if !crashed {
		return false
	}
	report, err := w.Recover(context.Background(), contentOf("a", "b", "c", "e", "l", "m", "r", "x"))
	must(t, err)
	if now := w.contents(); now != want {
		t.Errorf("%s, point %d, after %v: %s\n%+v", way, point, after, now, report)
	}
	if _, err := os.Lstat(filepath.Join(w.root, "new")); (err == nil) != (want == changed) {
		t.Errorf("%s, point %d, after %v: the folder that it made: %v", way, point, after, err)
	}
	if _, err := os.Lstat(filepath.Join(w.root, "empty")); err != nil {
		t.Errorf("%s, point %d, after %v: a folder that it did not make: %v", way, point, after, err)
	}
	for _, r := range report.Writes {
		if r.Err != nil || r.Undone == (want == changed) {
			t.Errorf("%s, point %d: %s: %+v", way, point, r.Path, r)
		}
	}
	if len(w.preserved) > 0 {
		t.Errorf("%s, point %d: preserved %+v", way, point, <-w.preserved)
	}
	w.tidy()
	return true
}

// TestChangeCutOff: the crash came while the temporary files were written. What there is of
// them is ours, even if nobody knows what was to be written.
func TestChangeCutOff(t *testing.T) {
	w := open1(t, "f", "before")
	part, temp := newTemp(), newTemp()
	put(t, w.root, part, "aft")
	_, err := w.journal.Intend(context.Background(), []IntentWrite{{Path: "f", Op: Update, Whole: true,
		Before: hashOf("before"), After: hashOf("after"), Temp: temp, Part: part}})
	must(t, err)
	report, err := w.Recover(context.Background(), contentOf("before"))
	must(t, err)
	if r := report.Writes[0]; r.State != NotWritten || !r.Undone || w.contents() != "f=before" || len(w.preserved) > 0 {
		t.Errorf("%+v, %s", r, w.contents())
	}
	w.tidy()
}

// TestChangeTorn: the crash came in the middle of a write in place.
func TestChangeTorn(t *testing.T) {
	w := open1(t, "f", "aftore")
	temp := newTemp()
	put(t, w.root, temp, "after")
	_, err := w.journal.Intend(context.Background(), []IntentWrite{{Path: "f", Op: Update, Whole: true,
		Before: hashOf("before"), After: hashOf("after"), Temp: temp, Part: newTemp()}})
	must(t, err)
	report, err := w.Recover(context.Background(), contentOf("before"))
	must(t, err)
	if r := report.Writes[0]; r.State != NotWritten || !r.Repaired || w.contents() != "f=before" {
		t.Errorf("%+v, %s", r, w.contents())
	}
	w.tidy()
}

// TestChangeTornTwice: neither a write in place nor its rollback finished, and the process
// goes on. The next start can still distinguish the torn file from another program's.
func TestChangeTornTwice(t *testing.T) {
	w := open1(t, "l", "before", "x", "x")
	must(t, os.Link(filepath.Join(w.root, "l"), filepath.Join(w.root, "l2")))
	var l unix.Stat_t
	must(t, unix.Stat(filepath.Join(w.root, "l"), &l))
	w.sys.fsync = func(fd int) error {
		if st, err := stat(fd); err != nil || st.Ino != l.Ino {
			return fsync(fd)
		}
		must(t, writeAll(fd, []byte("aftore"), 0))
		return unix.EIO
	}
	c := w.Begin()
	_, err := c.Apply(context.Background(), []Write{update("x", "x", "X"), update("l", "before", "after!")})
	if err == nil {
		t.Fatal("it was written")
	}
	c.End()
	w.sys = kernel
	report, err := w.Recover(context.Background(), contentOf("before", "x"))
	must(t, err)
	if now := w.contents(); now != "l2=before l=before x=x" {
		t.Errorf("%s\n%+v", now, report)
	}
	w.tidy()
}
