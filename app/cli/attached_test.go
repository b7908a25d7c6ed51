package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestStoriesAttached plays the stories while an owner runs, a server without a project.
// Every command that opens a project has that process open it.
func TestStoriesAttached(t *testing.T) {
	cache := goCache(t)
	files := slices.DeleteFunc(stories(t), func(f string) bool { return !isAttachable(f) })
	testscript.Run(t, testscript.Params{
		Files:     files,
		Cmds:      commands(),
		Condition: condition,
		Setup: func(env *testscript.Env) error {
			if err := setup(env, cache); err != nil {
				return err
			}
			return startOwner(env)
		},
	})
}

// alone lists the stories that have nothing to do with an owner, or only repeat commands of
// quicker stories.
var alone = []string{"bad_database", "bad_folder", "bench", "everyday_go", "full_project", "help", "models",
	"providers", "rename_python", "rename_typescript", "serve", "wafer", "window"}

// oneGoroutine lists the stories that only print help or compute, in which the race
// detector has nothing to find.
var oneGoroutine = []string{"bench", "help", "wafer"}

// isAttachable reports whether a story is also played with an owner.
func isAttachable(file string) bool { return !isOneOf(alone, file) }

func isOneOf(stories []string, file string) bool {
	return slices.Contains(stories, strings.TrimSuffix(filepath.Base(file), ".txtar"))
}

// startOwner starts a process that the commands of a story attach to.
func startOwner(env *testscript.Env) error {
	var out buffer
	c := exec.Command(os.Args[0])
	c.Path, c.Args = lookIn(env.Getenv("PATH"), "waferpair"), []string{"waferpair", "--json"}
	c.Env = append(env.Vars[:len(env.Vars):len(env.Vars)], "DISPLAY=", "WAYLAND_DISPLAY=")
	c.Dir = env.WorkDir
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		return err
	}
	env.Defer(func() {
		_ = c.Process.Signal(os.Interrupt)
		late := time.AfterFunc(patience, func() { _ = c.Process.Kill() })
		_ = c.Wait()
		late.Stop()
	})
	for end := time.Now().Add(patience); !strings.Contains(out.String(), `"ui"`); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("the owner did not start: %s", out.String())
		}
	}
	return nil
}

func lookIn(path, name string) string {
	for _, dir := range filepath.SplitList(path) {
		if at := filepath.Join(dir, name); isProgram(at) {
			return at
		}
	}
	return name
}

func isProgram(at string) bool {
	st, err := os.Stat(at)
	return err == nil && st.Mode()&0o111 != 0
}
