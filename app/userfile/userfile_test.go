package userfile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestReplace replaces files, those that links lead to, too, and waits for nothing else.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for link, to := range map[string]string{"link": "dir/../file", "dangling": "new"} {
		if err := os.Symlink(to, in(link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(in("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dir", "pipe"} {
		if name == "dir" {
			if err := os.Mkdir(in(name), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		err := Replace(in(name), func([]byte) ([]byte, error) { return nil, nil })
		if err == nil || !strings.Contains(err.Error(), "is no file") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, at := range map[string]string{"file": "file", "link": "file", "dangling": "new"} {
		if err := Replace(in(name), func(old []byte) ([]byte, error) { return append(old, name+"\n"...), nil }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if b, err := os.ReadFile(in(at)); err != nil || !strings.Contains(string(b), name+"\n") {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if st, err := os.Lstat(in("dangling")); err != nil || st.Mode().Type() != os.ModeSymlink {
		t.Error("the link is gone", err)
	}
}
