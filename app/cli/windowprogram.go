package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"waferpair/app/window"
)

// windowProgram finds the program that opens the window for this one.
func windowProgram() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the window's program: %w", err)
	}
	return window.FindProgram(self, Version)
}

// packages are Debian's packages of the libraries that the window is linked with.
var packages = map[string]string{
	"libgtk-3.so.0":                 "libgtk-3-0",
	"libwebkit2gtk-4.1.so.0":        "libwebkit2gtk-4.1-0",
	"libjavascriptcoregtk-4.1.so.0": "libjavascriptcoregtk-4.1-0",
	"libsoup-3.0.so.0":              "libsoup-3.0-0",
}

// advice is what the user can do about an error of windowProgram.
func advice(err error) string {
	var missing *window.MissingError
	if !errors.As(err, &missing) {
		return "build both programs with 'make build', or install the package"
	}
	var wanted []string
	for _, l := range missing.Libraries {
		if p := packages[l]; p != "" {
			wanted = append(wanted, p)
		}
	}
	if len(wanted) == 0 {
		return "install what is missing"
	}
	return "apt-get install " + strings.Join(wanted, " ")
}

// olderThanThis tells whether path was built before this program. It is false for
// versions of a commit: only builds of changed files can differ and have one version.
func olderThanThis(path string) bool {
	if Version != "dev" && !strings.HasSuffix(Version, "-dirty") {
		return false
	}
	self, err := os.Executable()
	if err != nil {
		return false
	}
	that, err := os.Stat(path)
	if err != nil {
		return false
	}
	this, err := os.Stat(self)
	return err == nil && that.ModTime().Before(this.ModTime())
}

// examineProgram runs the doctor of the program at path on its window.
func examineProgram(ctx context.Context, path string) ([]finding, error) {
	c := exec.CommandContext(ctx, path, "doctor", "--window", "--json")
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	failed := c.Run() // an error, too, when one of the findings is a failure
	var found []finding
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		var f finding
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			return nil, fmt.Errorf("%s doctor: %w", path, err)
		}
		if f.What == "window" {
			f.Says += ", opened by " + path
		}
		found = append(found, f)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s doctor says nothing: %w: %s", path, failed, strings.TrimSpace(said.String()))
	}
	return found, nil
}
