package workspace

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestLockHoldsByEveryPath(t *testing.T) {
	w := open1(t, "a", "a")
	must(t, w.Lock())
	other := openAt(t, filepath.Join(w.Root(), "..", filepath.Base(w.Root())))
	if err := other.Lock(); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "process ") {
		t.Errorf("locked twice: %v", err)
	}
	child := exec.Command("sleep", "60")
	must(t, child.Start())
	defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
	must(t, w.Close())
	must(t, other.Lock()) // the child does not inherit it
}

func TestLockGoesOnWithAnotherFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	put(t, dir, "a", "a")
	w := openAt(t, dir)
	must(t, w.Lock())
	must(t, os.RemoveAll(dir))
	put(t, dir, "b", "b")
	now, err := w.CurrentIdentity()
	must(t, err)
	other := openAt(t, dir)
	must(t, other.Lock())
	if err := w.Renew(now); !errors.Is(err, ErrLocked) {
		t.Errorf("a folder that another one holds is taken: %v", err)
	}
	must(t, other.Close())
	must(t, w.Renew(now))
	if err := openAt(t, dir).Lock(); !errors.Is(err, ErrLocked) {
		t.Errorf("not locked: %v", err)
	}
}

// TestRenewOfAFolderThatIsBack: it was away only for a moment. Our own lock of it does not
// count as somebody else's.
func TestRenewOfAFolderThatIsBack(t *testing.T) {
	f := openAt(t, t.TempDir())
	must(t, f.Lock())
	was, err := f.Identity()
	must(t, err)
	must(t, f.Renew(was))
	must(t, f.CheckRoot())
	if err := openAt(t, f.Root()).Lock(); !errors.Is(err, ErrLocked) {
		t.Errorf("locked once more: %v", err)
	}
}
