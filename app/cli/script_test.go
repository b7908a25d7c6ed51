package cli

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The command line is tested by stories: each file of testdata is what a user does, and
// sees, in a project. The stories run the command line as a process, with its own home and
// data folders. Their commands are those of testscript and of commands(), in
// commands_test.go.

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"waferpair": func() {
			if v := os.Getenv("STORY_VERSION"); v != "" {
				Version = v
			}
			os.Exit(Main(os.Args[1:]))
		},
	})
}

// TestStories plays the stories. With -short, it leaves out those that TestStoriesAttached
// plays, and those of one goroutine: make test plays all of them here without the race
// detector, and the others attached with it.
func TestStories(t *testing.T) {
	files := stories(t)
	if testing.Short() {
		files = slices.DeleteFunc(files, func(f string) bool { return isAttachable(f) || isOneOf(oneGoroutine, f) })
	}
	testscript.Run(t, testscript.Params{
		Files:     files,
		Cmds:      commands(),
		Condition: condition,
		Setup:     func(env *testscript.Env) error { return setup(env, goCache(t)) },
	})
}

// stories returns the files of all stories.
func stories(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatal("no stories in testdata: ", err)
	}
	return all
}

// setup gives a story its own home and data folders, and no network.
func setup(env *testscript.Env, cache string) error {
	home := filepath.Join(env.WorkDir, "home")
	for k, v := range map[string]string{
		"HOME":            home,
		"XDG_DATA_HOME":   filepath.Join(env.WorkDir, "data"),
		"XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		// not the developer's keyring
		"DBUS_SESSION_BUS_ADDRESS": "unix:path=" + filepath.Join(home, "no-bus"),
		"GIT_CONFIG_NOSYSTEM":      "1",
		"GOCACHE":                  cache,
		"GOFLAGS":                  "-mod=mod",
		"GOPROXY":                  "off",
		"GOTOOLCHAIN":              "local",
		"TOKEN":                    token(1),
		"TOKEN2":                   token(2),
		"GORACE":                   raceOptions(),
	} {
		env.Setenv(k, v)
	}
	env.Values[processesKey] = &processes{}
	env.Defer(func() { env.Values[processesKey].(*processes).end() })
	return os.MkdirAll(home, 0o755)
}

// raceOptions returns the race detector's options for the processes of the stories. By
// default each process would wait a second at its end for other goroutines to run into a
// race, several hundred seconds in all, for commands whose own end waits for nobody.
func raceOptions() string { return strings.TrimSpace("atexit_sleep_ms=20 " + os.Getenv("GORACE")) }

// goCache returns the build cache that Go's own tools use, outside the stories' homes.
func goCache(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal("go env GOCACHE:", err)
	}
	return strings.TrimSpace(string(out))
}

// token returns a made-up access token in the form of a well-known host's. It is put
// together here, so that the repository contains none.
func token(seed uint64) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	r := rand.New(rand.NewPCG(seed, 42))
	b := []byte("gh" + "p_")
	for range 36 {
		b = append(b, letters[r.IntN(len(letters))])
	}
	return string(b)
}
