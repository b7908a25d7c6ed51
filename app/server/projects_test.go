package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/app/server"
)

func TestAnotherFolderIsOpened(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	other := filepath.Join(filepath.Dir(w.dir), "other")
	w.make(other, map[string]string{"b.txt": "two\n"})
	s := w.serve()
	a, b := dial(t, s), dial(t, s)
	a.open("a.txt")
	a.typeAt("a.txt", at(0, "kept "))
	a.settle("a.txt")
	a.must("openProject", map[string]any{"root": other}, nil)
	for _, pg := range []*client{a, b} {
		pg.wait("the other project", func() bool { return pg.hello.Project != nil && pg.hello.Project.Root == other })
	}
	w.onDisk("a.txt", "kept one\n") // what was typed is saved
	b.open("b.txt")
	b.typeAt("b.txt", at(0, "x"))
	b.settle("b.txt")
	b.must("save", map[string]any{"path": "b.txt"}, nil)
	if got, err := os.ReadFile(filepath.Join(other, "b.txt")); err != nil || string(got) != "xtwo\n" {
		t.Errorf("the other project's file holds %q, %v", got, err)
	}
	if f := a.call("push", map[string]any{"path": "a.txt", "doc": 1, "base": 0, "changes": []int{4}}, nil); f == nil ||
		f.Code != "stale" {
		t.Errorf("a push for the folder before: %+v", f)
	}
	a.must("closeProject", map[string]any{}, nil)
	b.wait("no project", func() bool { return b.hello.Project == nil && b.hellos == 3 })
	if f := b.call("open", map[string]any{"path": "b.txt"}, nil); f == nil || f.Code != "none" {
		t.Errorf("open without a folder: %+v", f)
	}
	if f := get(t, s, "tree", nil, new(any)); f == nil || f.Code != "none" {
		t.Errorf("the tree without a folder: %+v", f)
	}
	if roots := recents(b.hello); roots != "other project" {
		t.Errorf("recent folders: %s", roots)
	}
	a.must("forgetRecent", map[string]any{"root": other}, nil)
	if roots := recents(dial(t, s).hello); roots != "project" {
		t.Errorf("recent folders: %s", roots)
	}
}

func recents(h server.Hello) string {
	var names []string
	for _, r := range h.Recent {
		names = append(names, r.Name)
	}
	return strings.Join(names, " ")
}

// The same folder under another name is the same project: it does not lock
// itself out.
func TestTheSameFolderIsOpenedAgain(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	link := w.dir + "-link"
	if err := os.Symlink(w.dir, link); err != nil {
		t.Fatal(err)
	}
	s := w.serve()
	a := dial(t, s)
	a.open("a.txt")
	for _, root := range []string{w.dir, link, w.dir + "/../project/"} {
		a.Lock()
		a.project = nil
		a.Unlock()
		a.must("openProject", map[string]any{"root": root}, nil)
		a.wait("the project again", func() bool { return a.project != nil })
		a.look(func() {
			if a.project.Root != w.dir || a.project.ReadOnly != "" {
				t.Errorf("%s: %+v", root, a.project)
			}
		})
	}
	a.typeAt("a.txt", at(0, "x")) // nothing was closed
	a.settle("a.txt")
	a.look(func() {
		if a.hellos != 1 || a.resets != 0 {
			t.Errorf("%d greetings, %d resets", a.hellos, a.resets)
		}
	})
}

func TestAFolderThatCannotBeOpenedChangesNothing(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	a := dial(t, w.serve())
	if f := a.call("openProject", map[string]any{"root": "relative"}, nil); f == nil || f.Code != "usage" {
		t.Errorf("a relative path: %+v", f)
	}
	a.must("openProject", map[string]any{"root": filepath.Join(w.dir, "missing")}, nil)
	a.wait("it is told", func() bool {
		for _, n := range a.notices {
			if n.Level == "error" && strings.Contains(n.Text, "missing") {
				return true
			}
		}
		return false
	})
	a.open("a.txt")
}

func TestNoOtherFolderUnderARunningTurn(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	a := dial(t, s)
	turn := a.edit(w.script("x", 3_600_000, "y"))
	for cmd, args := range map[string]map[string]any{
		"openProject": {"root": t.TempDir()}, "closeProject": {}, "fork": {"at": 0, "name": "f"},
		"switchFork": {"name": "main"}, "approve": {"turn": turn}, "edit": request(""),
	} {
		if f := a.call(cmd, args, nil); f == nil || f.Code != "busy" {
			t.Errorf("%s: %+v", cmd, f)
		}
	}
	if err := s.Close(); err != nil { // stops the turn
		t.Fatal(err)
	}
	b := dial(t, w.serve())
	var c conversation
	get(t, w.last, "conversation", nil, &c)
	if len(c.Turns) != 1 || c.Turns[0].Status != "stopped" {
		t.Errorf("the turn is recorded as %+v", c.Turns)
	}
	b.Close()
}

func TestTheFolderDisappearsAndIsBack(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	a := dial(t, s)
	a.open("a.txt")
	away := w.dir + "-away"
	if err := os.Rename(w.dir, away); err != nil {
		t.Fatal(err)
	}
	a.wait("it is told", func() bool { return a.gone })
	a.typeAt("a.txt", at(0, "still "))
	a.settle("a.txt")
	if f := a.call("save", map[string]any{"path": "a.txt"}, nil); f == nil || f.Code != "gone" {
		t.Errorf("save: %+v", f)
	}
	if err := os.Rename(away, w.dir); err != nil {
		t.Fatal(err)
	}
	a.wait("it is back", func() bool { return !a.gone })
	a.must("save", map[string]any{"path": "a.txt"}, nil)
	w.onDisk("a.txt", "still one\n")
}

func TestASecondInstanceOnlyReads(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	w.serve()
	a := dial(t, w.serve())
	if a.hello.Project.ReadOnly == "" {
		t.Error("the page is not told")
	}
	a.open("a.txt")
	a.look(func() {
		if a.docs["a.txt"].why == "" {
			t.Error("the file can be typed in")
		}
	})
	ui := map[string]any{"active": "a.txt"}
	a.must("setUI", map[string]any{"ui": ui}, nil)
	for cmd, args := range map[string]map[string]any{
		"edit": request(""), "create": {"path": "b.txt", "dir": false}, "remove": {"path": "a.txt"},
		"rename": {"path": "a.txt", "to": "b.txt"}, "revert": {"edits": []int{1}}, "fork": {"at": 0, "name": "f"},
		"newSession": {},
	} {
		if f := a.call(cmd, args, nil); f == nil || f.Code != "readonly" {
			t.Errorf("%s: %+v", cmd, f)
		}
	}
	if got := w.disk("a.txt"); got != "one\n" {
		t.Errorf("the file holds %q", got)
	}
}

func TestAnotherFolderInTheProjectsPlace(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	s := w.serve()
	a := dial(t, s)
	a.open("a.txt") // the history has the folder
	replace := func(name, body string) {
		t.Helper()
		if err := os.RemoveAll(w.dir); err != nil {
			t.Fatal(err)
		}
		w.make(w.dir, map[string]string{name: body})
	}
	asked := func() bool {
		return a.project != nil && a.project.Other != "" || a.hello.Project != nil && a.hello.Project.Other != ""
	}
	replace("a.txt", "theirs\n")
	a.wait("the page asks", asked)
	if f := a.call("remove", map[string]any{"path": "a.txt"}, nil); f == nil || f.Code != "gone" {
		t.Errorf("deleted in the other folder: %+v", f)
	}
	a.must("useFolder", map[string]any{}, nil)
	a.wait("it is used", func() bool { return !asked() && a.docs["a.txt"].confirmed.String() == "theirs\n" })

	a.must("closeProject", map[string]any{}, nil)
	replace("x.txt", "x\n")
	a.must("openProject", map[string]any{"root": w.dir}, nil)
	a.wait("the page asks again", asked)
	if f := a.call("create", map[string]any{"path": "y.txt", "dir": false}, nil); f == nil {
		t.Error("the other folder was changed")
	}
	a.Lock()
	before := a.hellos
	a.Unlock()
	a.must("useFolder", map[string]any{}, nil)
	a.wait("it is opened", func() bool {
		return a.hellos > before && a.hello.Project != nil && a.hello.Project.Other == ""
	})
	a.must("create", map[string]any{"path": "y.txt", "dir": false}, nil)
	w.onDisk("y.txt", "")
}
