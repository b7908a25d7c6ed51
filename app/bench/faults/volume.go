//go:build linux

package faults

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// volume is a file system of its own. It stays mounted at back, which the program does not
// see, and is bind-mounted at at, so that it can go away and come back unchanged.
type volume struct {
	kind     string // tmpfs or ext4
	back, at string
	size     int64
	block    int // block size of ext4
	there    bool
}

// newVolume creates an empty file system of size bytes, which the program sees at dir.
func newVolume(kind, images, dir string, size int64, block int) (*volume, error) {
	v := &volume{kind: kind, at: dir, back: dir + ".back", size: size, block: block}
	for _, d := range []string{v.at, v.back} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	if err := v.make(images); err != nil {
		return nil, fmt.Errorf("mount a %s at %s: %w", kind, v.back, err)
	}
	return v, v.plug()
}

func (v *volume) make(images string) error {
	if v.kind == "tmpfs" {
		return unix.Mount("tmpfs", v.back, "tmpfs", 0, fmt.Sprintf("size=%d,mode=755", v.size))
	}
	image := filepath.Join(images, filepath.Base(v.at)+".ext4")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		return err
	}
	if err := os.Truncate(image, max(v.size, 8<<20)); err != nil {
		return err
	}
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", "-m0", fmt.Sprint("-b", v.block), image).
		CombinedOutput(); err != nil {
		return fmt.Errorf("mkfs.ext4: %w: %s", err, out)
	}
	if out, err := exec.Command("mount", "-o", "loop", image, v.back).CombinedOutput(); err != nil {
		return fmt.Errorf("mount -o loop: %w: %s", err, out)
	}
	return os.RemoveAll(filepath.Join(v.back, "lost+found"))
}

// plug mounts the file system where the program expects it.
func (v *volume) plug() error {
	if v.there {
		return nil
	}
	err := unix.Mount(v.back, v.at, "", unix.MS_BIND, "")
	v.there = err == nil
	return err
}

// pull unmounts it lazily: processes keep the files that they have open.
func (v *volume) pull() error {
	if !v.there {
		return nil
	}
	v.there = false
	return unix.Unmount(v.at, unix.MNT_DETACH)
}

func (v *volume) drop() {
	_ = v.pull()
	_ = unix.Unmount(v.back, unix.MNT_DETACH)
	_ = os.Remove(v.back)
	_ = os.Remove(v.at)
}

// filler is the file that fills a volume up.
const filler = ".somebody-elses-large-file"

// fill uses all free space.
func (v *volume) fill() error {
	f, err := os.OpenFile(filepath.Join(v.back, filler), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for piece := make([]byte, 1<<16); len(piece) > 0; {
		if _, err := f.Write(piece); errors.Is(err, unix.ENOSPC) {
			piece = piece[:len(piece)/16]
		} else if err != nil {
			return err
		}
	}
	return nil
}

// free frees that space.
func (v *volume) free() error {
	err := os.Remove(filepath.Join(v.back, filler))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// protect makes the volume read-only where the program sees it, or writable again. It
// returns EBUSY while a file is open for writing; the caller may try again.
func (v *volume) protect(on bool) error {
	flags := uintptr(unix.MS_REMOUNT | unix.MS_BIND)
	if on {
		flags |= unix.MS_RDONLY
	}
	return unix.Mount("", v.at, "", flags, "")
}

const immutable = 0x10 // FS_IMMUTABLE_FL

// setImmutable does the same as chattr +i or -i.
func setImmutable(name string, on bool) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	flags, err := unix.IoctlGetUint32(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil {
		return fmt.Errorf("chattr %s: %w", name, err)
	}
	flags &^= immutable
	if on {
		flags |= immutable
	}
	if err := unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, int(flags)); err != nil {
		return fmt.Errorf("chattr %s: %w", name, err)
	}
	return nil
}
