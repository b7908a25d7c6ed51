package typecheck

import (
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"waferpair/engine/refactor"
)

// tools are what a worker runs with.
type tools struct {
	node    string
	confine string // Node's flag that takes its permissions away
	lib     string // typescript.js
}

// find returns the tools to check these files with; false if something is missing.
func find(root string, edited []refactor.Edited) (tools, bool) {
	at := nearest(root, edited, "tsconfig.json", "jsconfig.json")
	if at == "" || strings.ContainsAny(root, ",*") { // signs in the flags of Node's permissions
		return tools{}, false
	}
	t := tools{lib: nearest(root, edited, "node_modules/typescript/lib/typescript.js")}
	if t.lib == "" {
		t.lib = installed()
	}
	if t.lib == "" {
		return t, false
	}
	var err error
	if t.node, err = exec.LookPath("node"); err != nil {
		return t, false
	}
	t.confine = confining(t.node)
	return t, t.confine != ""
}

// nearest returns a file that is beside one of the edited ones, or in a folder above them, but
// still in the project; "" if there is none.
func nearest(root string, edited []refactor.Edited, names ...string) string {
	for _, e := range edited {
		for dir := path.Dir(e.Path); ; dir = path.Dir(dir) {
			for _, name := range names {
				file := filepath.Join(root, filepath.FromSlash(dir), filepath.FromSlash(name))
				if _, err := os.Stat(file); err == nil {
					return file
				}
			}
			if dir == "." || dir == "/" {
				break
			}
		}
	}
	return ""
}

// installed returns the typescript.js of the user's tsc.
func installed() string {
	tsc, err := exec.LookPath("tsc")
	if err != nil {
		return ""
	}
	if tsc, err = filepath.EvalSymlinks(tsc); err != nil {
		return ""
	}
	lib := filepath.Join(filepath.Dir(filepath.Dir(tsc)), "lib", "typescript.js")
	if _, err := os.Stat(lib); err != nil {
		return ""
	}
	return lib
}

var confinements sync.Map // path of node -> flag

// confining returns the flag with which this Node runs without permissions; "" if it has none.
func confining(node string) string {
	if flag, ok := confinements.Load(node); ok {
		return flag.(string)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, node, "--version").Output()
	if err != nil {
		return ""
	}
	flag := flagOf(strings.TrimSpace(string(out)))
	confinements.Store(node, flag)
	return flag
}

func flagOf(version string) string {
	parts := append(strings.Split(strings.TrimPrefix(version, "v"), "."), "0", "0")
	major, _ := strconv.Atoi(parts[0]) // 0 is too old
	minor, _ := strconv.Atoi(parts[1])
	switch {
	case major > 23, major == 23 && minor >= 5, major == 22 && minor >= 13:
		return "--permission"
	case major >= 20:
		return "--experimental-permission"
	}
	return ""
}

// Available says with what types are checked on this computer, or what is missing.
func Available() (says string, ok bool) {
	node, err := exec.LookPath("node")
	switch {
	case err != nil:
		return "node is not installed", false
	case confining(node) == "":
		return node + " cannot be confined; Node.js 20 and later can", false
	}
	return node + ", with the TypeScript of the project", true
}
