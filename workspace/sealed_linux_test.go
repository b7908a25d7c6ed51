package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// chattr sets attributes that keep even root from changing a file, until the
// test ends.
func chattr(t *testing.T, path string, flags int) (undo func()) {
	t.Helper()
	set := func(flags int) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags)
	}
	if err := set(flags); err != nil {
		t.Skip("chattr is not allowed here, or not known to the filesystem:", err)
	}
	undo = func() { _ = set(0) }
	t.Cleanup(undo)
	return undo
}

const (
	immutable  = 0x10 // FS_IMMUTABLE_FL
	appendOnly = 0x20 // FS_APPEND_FL
)

// TestSealed: what chattr forbids is detected before anything is written, so that the other
// files of the batch stay as they are.
func TestSealed(t *testing.T) {
	w := open1(t, "a", "a", "f", "x", "d/in", "in")
	files := []Write{update("f", "x", "y"), {Path: "f", Op: Delete, Before: hashOf("x")},
		{Path: "f", Op: Rename, To: "g", Before: hashOf("x")}}
	names := []Write{{Path: "d/new", Op: Create}, {Path: "d/in", Op: Delete, Before: hashOf("in")},
		{Path: "d/in", Op: Rename, To: "out", Before: hashOf("in")}, {Path: "f", Op: Rename, To: "d/f", Before: hashOf("x")}}
	for _, c := range []struct {
		path   string
		flag   int
		writes []Write
		says   string
	}{
		{"f", immutable, files, "chattr -i"}, {"f", appendOnly, files, "chattr -a"},
		{"d", immutable, names, "its directory"}, {"d", appendOnly, names, "its directory"},
	} {
		undo := chattr(t, filepath.Join(w.root, c.path), c.flag)
		for _, write := range c.writes {
			_, err := w.SaveAll(context.Background(), []Write{update("a", "a", "A"), write})
			if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), c.says) || w.cat("a") != "a" {
				t.Errorf("%v %s with %#x: %v; a holds %q", write.Op, write.Path, c.flag, err, w.cat("a"))
			}
			w.tidy()
			if w.cat("a") != "a" {
				w.save(update("a", "A", "a"))
			}
		}
		if c.path == "d" {
			if saved := w.save(update("d/in", "in", "on")); !saved[0].InPlace {
				t.Errorf("with %#x: %+v", c.flag, saved[0])
			}
			w.save(update("d/in", "on", "in"))
			w.tidy()
		}
		undo()
	}
}

// TestTempThatCannotBeRemoved: a directory that becomes read-only in the middle of a
// save keeps its temporary file only until a start can remove it.
func TestTempThatCannotBeRemoved(t *testing.T) {
	for name, save := range map[string]func(w *world) error{
		"save": func(w *world) error {
			_, err := w.Save(context.Background(), []Write{update("d/a", "a", "A")})
			return err
		},
		"change": func(w *world) error {
			c := w.Begin()
			defer c.End()
			_, err := c.Apply(context.Background(), []Write{update("d/a", "a", "A")})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := open1(t, "d/a", "a")
			var undo func()
			w.sys.exchange = func(*dir, string, string) error {
				undo = chattr(t, filepath.Join(w.root, "d"), immutable)
				return unix.EIO
			}
			if err := save(w); !errors.Is(err, unix.EIO) {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(w.files(), func(name string) bool { return IsTemp(filepath.Base(name)) }) {
				t.Fatal("it could be removed")
			}
			undo()
			w.sys = kernel
			_, err := w.Recover(context.Background(), nil)
			must(t, err)
			if got := w.cat("d/a"); got != "a" {
				t.Errorf("%q", got)
			}
			w.tidy()
		})
	}
}
