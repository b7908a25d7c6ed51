package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAttributesStay: extended attributes and the ACL.
func TestAttributesStay(t *testing.T) {
	w := open1(t, "f", "x")
	full := filepath.Join(w.root, "f")
	acl := "\x02\x00\x00\x00\x01\x00\x06\x00\xff\xff\xff\xff\x02\x00\x04\x00\xfe\xff\x00\x00\x04\x00\x04\x00" +
		"\xff\xff\xff\xff\x10\x00\x04\x00\xff\xff\xff\xff\x20\x00\x00\x00\xff\xff\xff\xff"
	want := map[string]string{"user.waferpair.a": "1", "user.b": strings.Repeat("v", 2000), "user.empty": "",
		"system.posix_acl_access": acl}
	for name, value := range want {
		if err := unix.Setxattr(full, name, []byte(value), 0); err != nil {
			t.Skipf("this filesystem takes no %s: %v", name, err)
		}
	}
	w.save(update("f", "x", "y"))
	fd, err := unix.Open(full, unix.O_RDONLY, 0)
	must(t, err)
	defer unix.Close(fd)
	have, err := attributes(fd)
	must(t, err)
	if len(have) != len(want) {
		t.Errorf("have %q", have)
	}
	for name, value := range want {
		if have[name] != value {
			t.Errorf("%s: %q, want %q", name, have[name], value)
		}
	}
	w.tidy()
}

// TestInheritedACLIsDropped: a default ACL of the directory would give the new
// file rights that the old one did not have.
func TestInheritedACLIsDropped(t *testing.T) {
	w := open1(t, "f", "x")
	acl := "\x02\x00\x00\x00\x01\x00\x07\x00\xff\xff\xff\xff\x02\x00\x07\x00\xfe\xff\x00\x00\x04\x00\x07\x00" +
		"\xff\xff\xff\xff\x10\x00\x07\x00\xff\xff\xff\xff\x20\x00\x07\x00\xff\xff\xff\xff"
	must(t, os.Chmod(filepath.Join(w.root, "f"), 0o640))
	if err := unix.Setxattr(w.root, "system.posix_acl_default", []byte(acl), 0); err != nil {
		t.Skip("no ACLs here:", err)
	}
	w.save(update("f", "x", "y"))
	if n, err := unix.Getxattr(filepath.Join(w.root, "f"), "system.posix_acl_access", nil); err == nil {
		t.Errorf("the file has an ACL of %d bytes now", n)
	}
	if e, _ := w.Stat("f"); e.Mode != 0o640 {
		t.Errorf("mode %v", e.Mode)
	}
}

// TestAUmaskOfAnotherProcess: what is made for a process with another umask has the mode
// that it would have there, unless its directory has a default ACL, which then counts.
func TestAUmaskOfAnotherProcess(t *testing.T) {
	w := open1(t)
	make := func(name string) (file, dir os.FileMode) {
		c := w.Begin()
		defer c.End()
		_, err := c.Apply(WithUmask(context.Background(), 0o007), []Write{{Path: name, Op: Create, Content: []byte("x")}})
		must(t, err)
		c.Commit()
		f, err := os.Stat(filepath.Join(w.root, name))
		must(t, err)
		d, err := os.Stat(filepath.Dir(filepath.Join(w.root, name)))
		must(t, err)
		return f.Mode(), d.Mode()
	}
	if file, dir := make("d/e/f"); file != 0o660 || dir != os.ModeDir|0o770 {
		t.Errorf("they have %v and %v", file, dir)
	}
	must(t, os.Chmod(filepath.Join(w.root, "d"), os.ModeSetgid|0o770))
	if _, dir := make("d/g/f"); dir != os.ModeDir|os.ModeSetgid|0o770 {
		t.Errorf("below a directory that hands its group on, it has %v", dir)
	}
	const acl = "\x02\x00\x00\x00\x01\x00\x06\x00\xff\xff\xff\xff\x04\x00\x04\x00\xff\xff\xff\xff\x20\x00\x04" +
		"\x00\xff\xff\xff\xff"
	must(t, os.Mkdir(filepath.Join(w.root, "acl"), 0o700))
	if err := unix.Setxattr(filepath.Join(w.root, "acl"), "system.posix_acl_default", []byte(acl), 0); err != nil {
		t.Skip(err)
	}
	if file, _ := make("acl/f"); file != 0o644 {
		t.Errorf("its directory gives 644, and it has %v", file)
	}
}
