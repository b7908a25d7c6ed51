//go:build linux

package faults

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"waferpair/workspace"
)

// files maps paths to contents. A path that is absent does not exist.
type files map[string]string

func (f files) paths() []string { return slices.Sorted(maps.Keys(f)) }

// world is the place of one run.
type world struct {
	dir           string
	project, data *volume
	root          string // the project, on the first volume; the history is on the other
	prog          program
	git           files // files of git repositories, which the program must not change
}

// newWorld creates a project of a few small files.
func newWorld(dir string, argv []string, kind string, atMount bool, projectSize, dataSize int64) (w *world, err error) {
	w = &world{dir: dir}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return w, err
	}
	if w.project, err = newVolume(kind, dir, filepath.Join(dir, "project"), projectSize, 4096); err != nil {
		return w, err
	}
	// Blocks smaller than a page: a program that maps a file there must expect holes.
	if w.data, err = newVolume(kind, dir, filepath.Join(dir, "data"), dataSize, 1024); err != nil {
		return w, err
	}
	w.root = w.project.at
	if !atMount {
		w.root = filepath.Join(w.project.at, "p")
	}
	home := filepath.Join(dir, "home")
	w.prog = program{argv: argv, dir: w.root, env: []string{"HOME=" + home, "XDG_DATA_HOME=" + w.data.at,
		"XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CACHE_HOME=" + home, "XDG_RUNTIME_DIR=" + home}}
	return w, errors.Join(os.MkdirAll(home, 0o755), writeFiles(w.root, seedFiles()), w.remember())
}

func (w *world) close() {
	if w.prog.owner != nil {
		w.prog.owner.kill()
	}
	for _, v := range []*volume{w.project, w.data} {
		if v != nil {
			thaw(v.back)
			v.drop()
		}
	}
	_ = os.RemoveAll(w.dir)
}

// seedFiles returns the initial project. Every line in it is unique.
func seedFiles() files {
	out := files{".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core]\n\tbare = false\n",
		".git/objects/ab/cdef": "\x00\x01binary", "lib/.git/HEAD": "ref: refs/heads/main\n",
		"lib/.git/objects/12/3456": "\x00\x02binary", "lib/l.txt": "of a repository in the project\n"}
	for _, name := range []string{"a.txt", "b.txt", "c.txt", "e.txt", "f.txt", "dir/g.txt", "dir/h.txt", "dir/sub/i.txt",
		"other/j.txt", "other/k.txt"} {
		var b strings.Builder
		for i := range 25 {
			fmt.Fprintf(&b, "%s has line %d\n", strings.TrimSuffix(name, ".txt"), i)
		}
		out[name] = b.String()
	}
	return out
}

func writeFiles(root string, all files) error {
	for name, content := range all {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// readFiles reads a folder, without the files that this package puts there itself.
func readFiles(root string) (files, error) {
	out := files{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == filler {
			return err
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // deleted meanwhile
		}
		rel, _ := filepath.Rel(root, path)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	})
	return out, err
}

// ofGit reports whether a file belongs to git.
func ofGit(name string) bool { return strings.Contains("/"+name, "/.git/") }

func (w *world) remember() error {
	all, err := readFiles(w.root)
	maps.DeleteFunc(all, func(name, _ string) bool { return !ofGit(name) })
	w.git = all
	return err
}

// disk returns the user's files on disk, and the names of temporary files.
func (w *world) disk() (now files, temps []string, err error) {
	all, err := readFiles(w.root)
	now = files{}
	for name, content := range all {
		switch {
		case ofGit(name):
		case workspace.IsTemp(name):
			temps = append(temps, name)
		default:
			now[name] = content
		}
	}
	return now, temps, err
}

// thaw makes all files writable again.
func thaw(root string) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && (d.IsDir() || d.Type().IsRegular()) {
			_ = setImmutable(path, false)
		}
		return nil
	})
}
