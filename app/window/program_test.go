package window

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// webkit is the name of a real but empty shared library in these tests: not every computer
// has WebKit.
const webkit = "libwebkit2gtk-4.1.so.0"

// linked compiles a program to path, linked with shared libraries of these names, and with
// the build ID of a version, as the Makefile does.
func linked(t *testing.T, path, version string, libraries ...string) {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("main.c"), "int main(void) { return 0; }\n", 0o600)
	args := []string{"-o", path, at("main.c"), fmt.Sprintf("-Wl,--build-id=0x%x", sha256.Sum256([]byte(version))),
		"-Wl,--no-as-needed", "-L" + dir}
	for _, name := range libraries {
		cc(t, "-shared", "-o", at(name), "-Wl,-soname,"+name, "-x", "c", os.DevNull)
		args = append(args, "-l:"+name)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	cc(t, args...)
}

func cc(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc %v: %v\n%s", args, err, out)
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// atHome returns a folder with bin/waferpair in it, and the path of that program.
func atHome(t *testing.T) (root, exe string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	exe = filepath.Join(root, "bin", "waferpair")
	write(t, exe, "", 0o755)
	return root, exe
}

// loadable makes the dynamic loader find a library of this name.
func loadable(t *testing.T, name string) {
	t.Helper()
	dir := t.TempDir()
	cc(t, "-shared", "-o", filepath.Join(dir, name), "-Wl,-soname,"+name, "-x", "c", os.DevNull)
	t.Setenv("LD_LIBRARY_PATH", dir)
}

func TestTheWindowsProgramIsFound(t *testing.T) {
	loadable(t, webkit)
	for _, at := range []string{"bin/waferpair-window", "lib/waferpair/waferpair-window"} {
		root, exe := atHome(t)
		want := filepath.Join(root, at)
		linked(t, want, "v1", webkit)
		link := filepath.Join(t.TempDir(), "waferpair")
		if err := os.Symlink(exe, link); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{exe, link} {
			if got, err := FindProgram(name, "v1"); got != want || err != nil {
				t.Errorf("%s of %s: %q, %v", at, name, got, err)
			}
		}
	}
}

func TestWhatCannotBecomeTheWindow(t *testing.T) {
	loadable(t, webkit)
	for what, c := range map[string]struct {
		make func(path string)
		want string
	}{
		"nothing":         {func(string) {}, "is neither in"},
		"not executable":  {func(path string) { linked(t, path, "v1", webkit); chmod(t, path, 0o644) }, "permission denied"},
		"a folder":        {func(path string) { write(t, filepath.Join(path, "x"), "", 0o644) }, "directory"},
		"a script":        {func(path string) { write(t, path, "#!/bin/sh\n", 0o755) }, "is no program"},
		"another version": {func(path string) { linked(t, path, "v2", webkit) }, "was not built with this program (v1)"},
		"the same again":  {func(path string) { linked(t, path, "v1") }, "without the window, too"},
	} {
		root, exe := atHome(t)
		c.make(filepath.Join(root, "bin", programName))
		if _, err := FindProgram(exe, "v1"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestMissingLibrariesAreNamed(t *testing.T) {
	const lacking = "libwaferpair-has-none.so.9"
	loadable(t, webkit)
	root, exe := atHome(t)
	linked(t, filepath.Join(root, "bin", programName), "v1", webkit, lacking)
	_, err := FindProgram(exe, "v1")
	var missing *MissingError
	if !errors.As(err, &missing) || len(missing.Libraries) != 1 || missing.Libraries[0] != lacking {
		t.Errorf("got %v", err)
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}
