package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFullDiskOfSmallBlocks opens and fills a history on a disk whose blocks are smaller
// than a page, with more and more of them free: there are errors but no crash, although the
// shared memory of the database is a mapped file there.
func TestFullDiskOfSmallBlocks(t *testing.T) {
	dir := t.TempDir()
	image := filepath.Join(dir, "image")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 32<<20)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", "-m0", "-b1024", image).CombinedOutput(); err != nil {
		t.Skipf("mkfs.ext4: %v %s", err, out)
	}
	at := filepath.Join(dir, "disk")
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, left := range []int{0, 12 << 10, 16 << 10, 48 << 10} {
		c := child("small blocks", filepath.Join(at, fmt.Sprint("store-", left)))
		c.Env = append(c.Env, "HISTORY_IMAGE="+image, "HISTORY_MOUNT="+at, fmt.Sprint("HISTORY_LEFT=", left))
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
		c.Stderr = nil
		out, err := c.CombinedOutput()
		switch {
		case errors.Is(err, syscall.EPERM) || bytes.Contains(out, []byte("no mount:")):
			t.Skipf("a file system cannot be mounted here: %v %s", err, out)
		case err != nil:
			t.Fatalf("with %d bytes left: %v\n%.2000s", left, err, out)
		}
	}
}

// smallBlocksChild is a process of TestFullDiskOfSmallBlocks.
func smallBlocksChild(dir string) {
	left := 0
	fmt.Sscan(os.Getenv("HISTORY_LEFT"), &left)
	at := os.Getenv("HISTORY_MOUNT")
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		var out []byte
		if out, err = exec.Command("mount", "-o", "loop", os.Getenv("HISTORY_IMAGE"), at).CombinedOutput(); err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
	}
	if err != nil {
		fmt.Println("no mount:", err)
		os.Exit(1)
	}
	if err := smallBlocks(dir, filepath.Join(at, "filler"), left); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

func smallBlocks(dir, filler string, left int) error {
	acked, n, err := openAndAppend(dir, func() error { return nil })
	if err != nil || acked < n {
		return fmt.Errorf("with all the space: %d of %d: %w", acked, n, err)
	}
	os.Remove(filepath.Join(dir, "ballast"))
	if err := fillTo(filler, left); err != nil { // before it is opened
		return err
	}
	a, _, _ := openAndAppend(dir, func() error { return nil })
	acked += a
	if err := os.Remove(filler); err != nil {
		return err
	}
	a, _, _ = openAndAppend(dir, func() error { return fillTo(filler, left) }) // while it is open
	acked += a
	if err := os.Remove(filler); err != nil {
		return err
	}
	s, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		return err
	}
	defer s.Close()
	v, err := s.Head(context.Background(), "a")
	if err != nil || string(v.Bytes) != fmt.Sprintf("v%d\n", acked) {
		return fmt.Errorf("%d edits were acknowledged, and a is %q: %w", acked, v.Bytes, err)
	}
	if r, err := s.Check(context.Background(), nil); err != nil || !r.OK() {
		return fmt.Errorf("check: %+v %w", r, err)
	}
	return nil
}

// openAndAppend appends a few edits, as many as can be written, and returns how many were
// acknowledged.
func openAndAppend(dir string, then func() error) (acked, of int, err error) {
	const few = 30
	ctx := context.Background()
	s, err := Open(ctx, Options{Dir: dir})
	if err != nil {
		return 0, few, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := then(); err != nil {
		return 0, few, err
	}
	v, err := s.Head(ctx, "a")
	if err != nil {
		return 0, few, err
	}
	at := 0
	if v.Exists {
		fmt.Sscanf(string(v.Bytes), "v%d\n", &at)
	}
	for i := range few {
		e := versionEdit(at + i)
		if !v.Exists && i == 0 {
			e = NewEdit{Path: "a", Kind: Create, Content: []byte("v1\n")}
		}
		r, err := s.Append(ctx, Op{Author: Model, OrNot: true, Edits: []NewEdit{e}})
		if err == nil {
			err = r.Wait(ctx)
		}
		if err != nil {
			return acked, few, err
		}
		acked++
	}
	return acked, few, nil
}

// fillTo uses up the disk's space except for so many bytes.
func fillTo(name string, left int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for block := make([]byte, 64<<10); len(block) >= 1024; {
		if _, err := f.Write(block); errors.Is(err, unix.ENOSPC) {
			block = block[:len(block)/2]
		} else if err != nil {
			return err
		}
	}
	st, err := f.Stat()
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Truncate(max(0, st.Size()-int64(left))), f.Sync())
}
