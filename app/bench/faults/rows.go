//go:build linux

package faults

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// row is one kind of fault.
type row struct {
	name, help string
	pages      bool // it is tried with an open page, not only with commands
	commands   bool
	needs      func(can) string
	fault      func(*run) fault
	atMount    bool // the project is where the file system is mounted
	asNobody   bool // the program runs as a user to whom permissions apply
	known      string
}

// fault begins with in and ends with out.
type fault struct {
	in, out func() error
	silent  bool // no action of the user can fail because of it
	// told means that the user must be notified as soon as typing is not kept. in may be
	// called again before that.
	told bool
}

// rows returns all rows, with the reasons of those that are known to fail.
func rows() []row {
	all := everyRow()
	for i := range all {
		all[i].known = knownFaults[all[i].name]
	}
	return all
}

// knownFaults are the rows that fail today, with their reasons. The tests leave them out.
var knownFaults = map[string]string{}

func everyRow() []row {
	tmpfs := func(c can) string { return c.tmpfs }
	immutable := func(c can) string { return c.tmpfs + c.immutable }
	return []row{
		{name: "kill", help: "kill -9, nothing else", pages: true, commands: true, needs: tmpfs, fault: noFault},
		{name: "history-full", help: "the disk of the history is full", pages: true, commands: true, needs: tmpfs,
			fault: historyFull},
		{name: "project-full", help: "the disk of the project is full", pages: true, commands: true, needs: tmpfs,
			fault: projectFull},
		{name: "history-read-only", help: "the disk of the history is read-only", commands: true, needs: tmpfs,
			fault: historyReadOnly},
		{name: "project-read-only", help: "the disk of the project is read-only", pages: true, commands: true, needs: tmpfs,
			fault: projectReadOnly},
		{name: "immutable-file", help: "some files are immutable (chattr +i)", pages: true, commands: true, needs: immutable,
			fault: immutableFiles},
		{name: "immutable-folder", help: "some folders are immutable (chattr +i)", pages: true, commands: true,
			needs: immutable, fault: immutableFolders},
		{name: "read-only-file", help: "files and folders that may not be written", pages: true, commands: true,
			asNobody: true, fault: readOnlyFiles, needs: func(c can) string { return c.tmpfs + c.nobody }},
		{name: "replaced", help: "another folder in the place of the project", pages: true, needs: tmpfs, fault: replaced},
		{name: "unmounted", help: "the file system of the project goes away", pages: true, needs: tmpfs, fault: unmounted},
		{name: "unmounted-root", help: "the same, mounted at the project itself", pages: true, needs: tmpfs,
			fault: unmounted, atMount: true},
		{name: "written", help: "another program writes in the folder", pages: true, commands: true,
			needs: tmpfs, fault: written},
	}
}

func noFault(*run) fault {
	nothing := func() error { return nil }
	return fault{in: nothing, out: nothing, silent: true}
}

func historyFull(r *run) fault {
	return fault{in: r.w.data.fill, out: r.w.data.free, told: true}
}

func projectFull(r *run) fault {
	return fault{in: r.w.project.fill, out: r.w.project.free}
}

func historyReadOnly(r *run) fault {
	return fault{in: func() error { return untilIdle(r.w.data, true) }, out: func() error {
		return untilIdle(r.w.data, false)
	}}
}

func projectReadOnly(r *run) fault {
	return fault{in: func() error { return untilIdle(r.w.project, true) }, out: func() error {
		return untilIdle(r.w.project, false)
	}}
}

// untilIdle protects the volume at a moment when no file is open for writing.
func untilIdle(v *volume, on bool) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		err := v.protect(on)
		if !errors.Is(err, unix.EBUSY) || time.Now().After(deadline) {
			return err
		}
	}
}

func immutableFiles(r *run) fault {
	names := r.now.paths()
	r.rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return r.freezing(names[:3])
}

func immutableFolders(r *run) fault {
	return r.freezing([][]string{{"."}, {"dir"}, {"dir/sub", "other"}, {".", "dir", "other"}}[r.rand.IntN(4)])
}

// readOnlyFiles removes write permission from a few files, and sometimes from a folder.
func readOnlyFiles(r *run) fault {
	names := r.now.paths()
	r.rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = append(names[:3], []string{".", "dir", "other"}[r.rand.IntN(3)])
	set := func(file, dir os.FileMode) error {
		for _, name := range names {
			path := filepath.Join(r.w.root, name)
			st, err := os.Stat(path)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			mode := file
			if err == nil && st.IsDir() {
				mode = dir
			}
			if err = errors.Join(err, os.Chmod(path, mode)); err != nil {
				return err
			}
		}
		return nil
	}
	return fault{in: func() error { return set(0o444, 0o555) }, out: func() error { return set(0o644, 0o755) }}
}

// giveAway makes nobody, as whom the program runs, the owner of the project and the
// history.
func (w *world) giveAway() error {
	w.prog.somebody = true
	return filepath.WalkDir(w.dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, nobody, nobody))
	})
}

func (r *run) freezing(names []string) fault {
	set := func(on bool) error {
		var errs []error
		for _, name := range names {
			if err := setImmutable(filepath.Join(r.w.root, name), on); !errors.Is(err, os.ErrNotExist) {
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	}
	return fault{in: func() error { return set(true) }, out: func() error { return set(false) }}
}

// replaced puts another folder with files of the same names in the place of the project.
// The program must change nothing in it.
func replaced(r *run) fault {
	away, other := r.w.root+".away", files{}
	for name := range seedFiles() {
		other[name] = "somebody else's " + name + "\n"
	}
	other["only-here.txt"] = "only here\n"
	return fault{
		in: func() error {
			return errors.Join(os.Rename(r.w.root, away), writeFiles(r.w.root+".new", other),
				os.Rename(r.w.root+".new", r.w.root))
		},
		out: func() error {
			r.untouched(r.w.root, other)
			return errors.Join(os.Rename(r.w.root, r.w.root+fmt.Sprintf(".other%d", r.n)), os.Rename(away, r.w.root))
		},
	}
}

func (r *run) untouched(root string, want files) {
	have, err := readFiles(root)
	if err != nil {
		r.wronging("the other folder cannot be read: %v", err)
		return
	}
	for _, name := range union(have, want) {
		if a, b := have[name], want[name]; a != b {
			r.losing("in the other folder, %s is %q and was %q", name, short(a), short(b))
		}
	}
}

// unmounted unmounts the project's file system. The program must create nothing at its
// mount point.
func unmounted(r *run) fault {
	return fault{
		in: r.w.project.pull,
		out: func() error {
			r.untouched(r.w.project.at, files{})
			if entries, err := os.ReadDir(r.w.project.at); err != nil || len(entries) > 0 {
				r.wronging("below the mount point: %v %v", entries, err)
			}
			return r.w.project.plug()
		},
	}
}

func written(r *run) fault {
	some := func() error { return r.others(12) }
	return fault{in: some, out: some, silent: true}
}
