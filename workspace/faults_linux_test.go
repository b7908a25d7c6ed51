package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const childVar = "WAFERPAIR_TEST_CHILD"

// inChild runs the calling test again in a process of its own, with other rights or limits.
// In that process it returns the folder it was given, in the parent "" after the child has
// passed.
func inChild(t *testing.T, dir string, attr *syscall.SysProcAttr) string {
	t.Helper()
	if dir := os.Getenv(childVar); dir != "" {
		return dir
	}
	exe, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	program := filepath.Join(openTemp(t), "test") // where another user can run it
	must(t, os.WriteFile(program, exe, 0o755))
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), childVar+"="+dir, "TMPDIR="+dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	if errors.Is(err, unix.EPERM) && attr.Cloneflags != 0 {
		t.Skip("namespaces are not allowed here:", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Fatalf("%v\n%s", err, out)
	}
	return ""
}

// nobody is a user without rights, so that permissions apply.
func nobody() *syscall.SysProcAttr {
	if os.Getuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// namespace allows mounts.
func namespace() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
}

func openTemp(t *testing.T) string {
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o777))
	must(t, os.Chmod(filepath.Dir(dir), 0o755)) // TempDir makes it private
	return dir
}

// TestPermissions runs without root's rights: read-only files are refused,
// read-only directories are written in place, nothing is written in part.
func TestPermissions(t *testing.T) {
	dir := inChild(t, openTemp(t), nobody())
	if dir == "" {
		return
	}
	root := filepath.Join(dir, "p")
	for name, mode := range map[string]fs.FileMode{"ro": 0o444, "ro-exec": 0o555, "none": 0, "locked/f": 0o644,
		"locked/ro": 0o444, "shut/f": 0o644} {
		put(t, root, name, "x")
		must(t, os.Chmod(filepath.Join(root, name), mode))
	}
	for name, mode := range map[string]fs.FileMode{"locked": 0o555, "shut": 0} {
		must(t, os.Chmod(filepath.Join(root, name), mode))
		defer os.Chmod(filepath.Join(root, name), 0o755)
	}
	w := openAt(t, root)
	for _, c := range []struct {
		write Write
		says  string
	}{
		{update("ro", "x", "y"), "chmod u+w"}, {update("ro-exec", "x", "y"), "chmod u+w"},
		{update("locked/ro", "x", "y"), "chmod u+w"}, {update("none", "x", "y"), "permission"},
		{Write{Path: "ro", Op: Delete, Before: hashOf("x")}, "chmod u+w"},
		{Write{Path: "locked/new", Op: Create}, "permission"},
		{Write{Path: "locked/f", Op: Delete, Before: hashOf("x")}, "permission"},
		{Write{Path: "locked/f", Op: Rename, To: "g", Before: hashOf("x")}, "permission"},
		{Write{Path: "locked/a/b", Op: Create}, "permission"}, {update("shut/f", "x", "y"), "permission"},
	} {
		saved, err := w.Save(context.Background(), []Write{c.write})
		if err == nil || !strings.Contains(err.Error(), c.says) || saved[0].State != NotWritten {
			t.Errorf("%v %s: %v", c.write.Op, c.write.Path, err)
		}
	}
	saved := w.save(update("locked/f", "x", "in place"))
	if n := <-w.notices; !saved[0].InPlace || n.Kind != InPlace || w.cat("locked/f") != "in place" {
		t.Errorf("%+v, %v", saved[0], n)
	}
	seen := 0
	must(t, w.Walk(context.Background(), func(Entry) error { seen++; return nil }))
	if n := <-w.notices; n.Kind != Unreadable || n.Path != "shut" || seen != 7 {
		t.Errorf("walk: %v, %d entries", n, seen)
	}
	w.tidy()
}

// TestForeignOwner: a file that we may write but not own keeps its owner.
func TestForeignOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make files of another owner")
	}
	var top string
	if os.Getenv(childVar) == "" {
		top = openTemp(t)
		put(t, top, "p/f", "x")
		must(t, os.Chmod(filepath.Join(top, "p"), 0o777))
		must(t, os.Chmod(filepath.Join(top, "p/f"), 0o666))
	}
	dir := inChild(t, top, nil)
	if dir == "" {
		return
	}
	must(t, syscall.Setgid(65534))
	must(t, syscall.Setuid(65534))
	w := openAt(t, filepath.Join(dir, "p"))
	saved := w.save(update("f", "x", "y"))
	if e, _ := w.Stat("f"); !saved[0].InPlace || e.UID != 0 || e.Mode != 0o666 || w.cat("f") != "y" {
		t.Errorf("%+v %+v", saved[0], e)
	}
	w.tidy()
}

// TestDiskFull fills a small filesystem, fifty times: originals stay, nothing is left over,
// and saving works again once there is space.
func TestDiskFull(t *testing.T) {
	dir := inChild(t, openTemp(t), namespace())
	if dir == "" {
		return
	}
	must(t, unix.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"))
	put(t, dir, "p/a", "small")
	put(t, dir, "p/b", strings.Repeat("b", 1<<20))
	put(t, dir, "p/linked", "small")
	must(t, os.Link(filepath.Join(dir, "p/linked"), filepath.Join(dir, "p/twin")))
	put(t, dir, "ballast", strings.Repeat("x", 1<<20))
	w := openAt(t, filepath.Join(dir, "p"))
	big := strings.Repeat("n", 3<<20)
	for i := range 50 {
		writes := []Write{update("a", "small", big), update("linked", "small", big),
			{Path: "new/c", Op: Create, Content: []byte(big)}, update("b", strings.Repeat("b", 1<<20), big)}
		write := writes[i%len(writes)]
		before := snapshot(t, dir)
		saved, err := w.Save(context.Background(), []Write{write})
		if !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "free some disk space") ||
			saved[0].State != NotWritten {
			t.Fatalf("run %d: %v, %+v", i, err, saved[0])
		}
		if now := snapshot(t, dir); stripTimes(now) != stripTimes(before) {
			t.Fatalf("run %d: something changed", i)
		}
		w.tidy()
	}
	must(t, os.Remove(filepath.Join(dir, "ballast")))
	must(t, os.Remove(filepath.Join(dir, "p/b")))
	w.save(update("a", "small", big))
}

// stripTimes removes mtimes: undoing a write in place changes them.
func stripTimes(s string) string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		f := strings.Fields(line)
		if len(f) > 6 {
			line = f[0] + f[1] + f[len(f)-1]
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// TestFileSizeLimit: RLIMIT_FSIZE would end a Go process by a signal.
func TestFileSizeLimit(t *testing.T) {
	dir := inChild(t, openTemp(t), &syscall.SysProcAttr{})
	if dir == "" {
		return
	}
	put(t, dir, "p/a", "small")
	put(t, dir, "p/linked", "small")
	must(t, os.Link(filepath.Join(dir, "p/linked"), filepath.Join(dir, "p/twin")))
	w := openAt(t, filepath.Join(dir, "p"))
	must(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 64 << 10, Max: 64 << 10}))
	big := strings.Repeat("n", 1<<20)
	for range 50 {
		for _, write := range []Write{update("a", "small", big), update("linked", "small", big),
			{Path: "n/c", Op: Create, Content: []byte(big)}} {
			_, err := w.Save(context.Background(), []Write{write})
			if !errors.Is(err, unix.EFBIG) || !strings.Contains(err.Error(), "ulimit -f") {
				t.Fatalf("%s: %v", write.Path, err)
			}
		}
		if w.cat("a") != "small" || w.cat("linked") != "small" || len(w.files()) != 3 {
			t.Fatalf("something changed: %v", w.files())
		}
	}
	w.tidy()
}

// TestFewDescriptors saves a large batch with hardly any file descriptors.
func TestFewDescriptors(t *testing.T) {
	dir := inChild(t, openTemp(t), &syscall.SysProcAttr{})
	if dir == "" {
		return
	}
	var writes []Write
	for i := range 600 {
		name := fmt.Sprintf("d%d/f%d", i%5, i)
		put(t, dir, "p/"+name, "x")
		writes = append(writes, update(name, "x", "y"), Write{Path: fmt.Sprintf("new%d/f%d", i%5, i), Op: Create})
	}
	w := openAt(t, filepath.Join(dir, "p"))
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 256, Max: 256}))
	w.save(writes...)
	w.tidy()
}

// TestMounts: a bind mount over the file, and a read-only filesystem.
func TestMounts(t *testing.T) {
	dir := inChild(t, openTemp(t), namespace())
	if dir == "" {
		return
	}
	put(t, dir, "elsewhere", "x")
	put(t, dir, "p/mounted", "")
	put(t, dir, "p/ro/f", "x")
	put(t, dir, "p/other/x", "x")
	must(t, unix.Mount(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "p/mounted"), "", unix.MS_BIND, ""))
	must(t, unix.Mount("tmpfs", filepath.Join(dir, "p/other"), "tmpfs", 0, ""))
	must(t, unix.Mount(filepath.Join(dir, "p/ro"), filepath.Join(dir, "p/ro"), "", unix.MS_BIND, ""))
	must(t, unix.Mount("", filepath.Join(dir, "p/ro"), "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	w := openAt(t, filepath.Join(dir, "p"))
	saved := w.save(update("mounted", "x", "y"))
	if !saved[0].InPlace || (<-w.notices).Kind != InPlace || w.cat("mounted") != "y" || w.cat("../elsewhere") != "y" {
		t.Errorf("%+v", saved[0])
	}
	for _, write := range []Write{update("ro/f", "x", "y"), {Path: "ro/new", Op: Create},
		{Path: "ro/f", Op: Delete, Before: hashOf("x")}} {
		if _, err := w.Save(context.Background(), []Write{write}); !errors.Is(err, unix.EROFS) ||
			!strings.Contains(err.Error(), "read-only") {
			t.Errorf("%v %s: %v", write.Op, write.Path, err)
		}
	}
	moved := Write{Path: "mounted", Op: Rename, To: "other/m", Before: hashOf("y")}
	if _, err := w.Save(context.Background(), []Write{moved}); err == nil {
		t.Error("a mount point was renamed")
	}
	put(t, w.root, "f", "f")
	saved = w.save(Write{Path: "f", Op: Rename, To: "other/f", Before: hashOf("f")})
	if w.cat("other/f") != "f" || len(saved) != 1 || saved[0].State != Written {
		t.Errorf("across filesystems: %+v, %v", saved, w.files())
	}
	w.tidy()
}

// TestFailingFsync: a failed fsync is never success.
func TestFailingFsync(t *testing.T) {
	for fails := range 6 {
		w := open1(t, "a", "a", "d/b", "b", "l", "l")
		must(t, os.Link(filepath.Join(w.root, "l"), filepath.Join(w.root, "l2")))
		var calls atomic.Int32
		w.sys.fsync = func(fd int) error {
			if calls.Add(1) == int32(fails+1) {
				return unix.EIO
			}
			return fsync(fd)
		}
		writes := []Write{update("a", "a", "A"), update("d/b", "b", "B"), update("l", "l", "L")}
		saved, err := w.Save(context.Background(), writes)
		if calls.Load() <= int32(fails) {
			if fails < 5 { // three files and two directories
				t.Errorf("only %d syncs", calls.Load())
			}
			continue
		}
		if !errors.Is(err, unix.EIO) {
			t.Errorf("sync %d: %v", fails, err)
		}
		for i, s := range saved {
			if old, new := string(writes[i].Path[len(writes[i].Path)-1]),
				string(writes[i].Content); s.Err == nil && w.cat(s.Path) != new || s.State == NotWritten && w.cat(s.Path) != old {
				t.Errorf("sync %d: %+v holds %q", fails, s, w.cat(s.Path))
			}
		}
		w.sys.fsync = fsync
		_, err = w.Recover(context.Background(), contentOf("A", "B", "L", "a", "b", "l"))
		must(t, err)
		w.tidy()
	}
}
