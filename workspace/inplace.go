//go:build unix

package workspace

import (
	"bytes"
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// exclusiveWait is how long overwrite waits for others to close the file.
const exclusiveWait = 100 * time.Millisecond

// overwrite writes into the file itself, if an exchange would separate hard links, lose the
// owner, or is impossible. The intent is durable, so Recover repairs a crash in the middle.
//
// Meanwhile it holds a write lease if it can: others that open the file wait for it.
// Without the lease, a program that writes the file at the same moment mixes its bytes with
// ours.
func (f *Folder) overwrite(j *job) error {
	fd, err := open(j.at.dir.fd, j.at.name, unix.O_RDWR|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	waitExclusive(fd)
	defer leaseDrop(fd)
	old, err := f.readFD(fd, j.at.path())
	if err != nil {
		return err
	}
	if old.Hash != j.write.Before || old.Class > Binary {
		old.Path = j.write.Path
		return &StaleError{Path: j.write.Path, Want: j.write.Before, Disk: &old}
	}
	if err := f.Linked(context.Background(), old.Entry); err != nil {
		return err // it has got a name outside since
	}
	j.applied = true
	if err := f.rewrite(fd, old.Bytes, j.write.Content); err != nil {
		if now, rerr := f.readFD(fd, j.at.path()); rerr != nil || now.Hash != old.Hash {
			j.end = Unfinished // Recover checks it again
		}
		return err
	}
	if j.write.Mode != nil {
		if err := unix.Fchmod(fd, unixMode(*j.write.Mode)); err != nil {
			return err
		}
	}
	j.saved.InPlace = true
	f.notify(Notice{Kind: InPlace, Path: j.write.Path, Reason: j.inPlace})
	return f.verifyOverwrite(j, fd)
}

func waitExclusive(fd int) {
	for end := time.Now().Add(exclusiveWait); leaseWrite(fd) == someWriters && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}

// rewrite replaces the file's content. The part that can fail for lack of space comes
// first, beyond the old end, so that undoing it is a truncation.
func (f *Folder) rewrite(fd int, old, new []byte) error {
	common := min(len(old), len(new))
	if err := writeAll(fd, new[common:], int64(common)); err != nil {
		return errors.Join(err, truncate(fd, len(old)))
	}
	if err := writeAll(fd, new[:common], 0); err != nil {
		return errors.Join(err, writeAll(fd, old, 0), truncate(fd, len(old)))
	}
	if err := truncate(fd, len(new)); err != nil {
		return err
	}
	return f.sys.fsync(fd)
}

func truncate(fd, size int) error {
	return retry(func() error { return unix.Ftruncate(fd, int64(size)) })
}

// verifyOverwrite checks whether another program wrote at the same moment.
func (f *Folder) verifyOverwrite(j *job, fd int) error {
	now, err := f.readFD(fd, j.at.path())
	if err != nil || bytes.Equal(now.Bytes, j.write.Content) {
		return err
	}
	if j.part != "" {
		now.Path = j.write.Path
		return &StaleError{Path: j.write.Path, Want: j.write.Before, Disk: &now}
	}
	j.end = Conflict
	d := Displaced{Path: j.write.Path, Content: now.Bytes, Hash: now.Hash}
	j.saved.Displaced = &d
	return f.preserve(d)
}

// torn reports whether content is what a crash in the middle of rewrite leaves: every byte
// comes from the old or the new content, or was never written.
func torn(content, old, new []byte) bool {
	if len(content) > max(len(old), len(new)) || len(content) < min(len(old), len(new)) {
		return false
	}
	for i, c := range content {
		fromOld := i < len(old) && old[i] == c
		fromNew := i < len(new) && new[i] == c
		if !fromOld && !fromNew && (c != 0 || i < len(old)) {
			return false
		}
	}
	return true
}
