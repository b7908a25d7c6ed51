package cli

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/adrg/xdg"

	"waferpair/app/owner"
	"waferpair/app/server"
	"waferpair/history"
)

// locate finds the project of a command without -C: the one around its working folder, or else
// that folder itself. It names the project if it is another folder, in the process that the
// user started.
func (e *env) locate() {
	if e.named || e.located {
		return
	}
	e.located = true
	from := owner.Root(e.around().file(e.dir))
	dir := projectAround(from, xdg.Home, opened(xdg.DataHome))
	if dir == "" || dir == from {
		return
	}
	below, err := filepath.Rel(dir, from)
	if err != nil {
		return
	}
	e.dir, e.below = dir, filepath.ToSlash(below)
	if _, own := e.around().(here); own {
		e.notify(fmt.Sprintf("waferpair: the project is %s (-C . takes this folder by itself)\n", clean(dir)))
	}
}

// inProject converts a file name that the user typed in the working folder to one in the project.
func (e *env) inProject(name string) string {
	e.locate()
	if e.below == "" || name == "" || filepath.IsAbs(name) {
		return name
	}
	return path.Join(e.below, filepath.ToSlash(name))
}

// opened returns a function that reports whether a folder was opened before: it has a history,
// or is in the recent list.
func opened(dataHome string) func(dir string) bool {
	recent := sync.OnceValue(func() []string { return server.RecentFolders(server.Options{}) })
	return func(dir string) bool {
		return history.Exists(history.Dir(dataHome, dir)) || slices.Contains(recent(), dir)
	}
}

// projectAround finds the project around a folder: the nearest folder, from this one upward,
// that was opened before or has a .git. The home folder and the root of the file system are
// not projects: launchers start programs there.
func projectAround(here, home string, opened func(dir string) bool) string {
	for dir := here; dir != home && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if opened(dir) {
			return dir
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
	}
	return ""
}
