package owner

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"waferpair/workspace/text"
)

// immutable sets or clears a file's immutable flag, which stops even root from changing it.
func immutable(t *testing.T, name string, yes bool) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	flags := 0
	if yes {
		flags = 0x10 // FS_IMMUTABLE_FL
	}
	if err := unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags); err != nil {
		t.Skip("chattr +i is not allowed here, or not known to the filesystem:", err)
	}
}

// TestWhoeverJoinsFindsItSaved checks that opening a project that is already open saves
// what could not be saved before, as a first opening does.
func TestWhoeverJoinsFindsItSaved(t *testing.T) {
	dir, opt := folder(t)
	name := filepath.Join(dir, "a.txt")
	var ps Projects
	first, err := ps.Open(t.Context(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if err := first.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, err := first.Show(t.Context(), "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	immutable(t, name, true)
	defer immutable(t, name, false)
	cs, err := text.NewChangeSet(f.Text.Len(), text.Change{From: 0, To: 1, Insert: "b"})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Type(t.Context(), "a.txt", f.ID, f.Version, cs, "1"); err != nil {
		t.Fatal(err)
	}
	if err := first.SaveFile(t.Context(), "a.txt"); err == nil {
		t.Fatal("an immutable file was saved")
	}
	immutable(t, name, false)
	u, err := ps.Open(t.Context(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	if err := u.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "b\n" {
		t.Errorf("it holds %q: %v", b, err)
	}
}
