//go:build unix

package workspace

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// Change is a batch of writes that happens completely or not at all, whichever write fails
// and whenever the process dies.
//
//	Begin     waits for saves in progress and blocks new ones
//	Apply     plans, intends, prepares and commits the batch; if one write fails,
//	          those committed before it are put back
//	          -> the caller makes the change durable and, in the same transaction,
//	             marks the intent ID as Recorded
//	Commit    or Rollback, which puts everything back
//	End       checks and removes the displaced files, and reports to the journal
//
// A displaced file keeps its temporary name until End. Until the intent is Recorded, Recover
// puts the batch back; from then on the batch counts as done. So a change that failed has
// not happened, neither on disk nor in the caller's records.
//
// Apply, Commit and Rollback call neither Preserve nor the Journal's Done, so that a caller
// may hold a lock that Preserve takes. A version that another program saves between the
// commit and the rollback stays in the file, or End passes it to Preserve.
type Change struct {
	f         *Folder
	batches   []*batch
	committed bool
}

// Begin waits until no save is in progress. The caller must End the change.
func (f *Folder) Begin() *Change {
	f.saving.Lock()
	return &Change{f: f}
}

// Apply carries out the writes. After an error nothing is written, unless the error says
// that something could not be put back.
func (c *Change) Apply(ctx context.Context, writes []Write) ([]Saved, error) {
	if err := c.f.CheckRoot(); err != nil {
		return notBegun(writes, err)
	}
	saved, err := c.apply(ctx, writes, false)
	if !errors.Is(err, syscall.EXDEV) {
		return saved, err
	}
	if writes, err := c.f.copyAcrossDevices(ctx, writes, saved); err == nil {
		return c.apply(ctx, writes, false)
	}
	return saved, err
}

// ApplyEach is Apply for independent writes: one that fails is put back, and the others
// stay.
func (c *Change) ApplyEach(ctx context.Context, writes []Write) ([]Saved, error) {
	if err := c.f.CheckRoot(); err != nil {
		return notBegun(writes, err)
	}
	return c.apply(ctx, writes, true)
}

// copyAcrossDevices turns the renames that failed because the new name is on another
// filesystem into copies.
func (f *Folder) copyAcrossDevices(ctx context.Context, writes []Write, saved []Saved) ([]Write, error) {
	writes = slices.Clone(writes)
	for i, s := range saved {
		if s.Op != Rename || !errors.Is(s.Err, syscall.EXDEV) {
			continue
		}
		file, err := f.Read(ctx, s.Path)
		if err != nil || file.Class > Binary {
			return nil, errors.Join(err, errNotRegular)
		}
		writes[i].Content = append([]byte{}, file.Bytes...)
	}
	return writes, nil
}

func (c *Change) apply(ctx context.Context, writes []Write, each bool) ([]Saved, error) {
	b := &batch{f: c.f, whole: true, each: each, umask: UmaskOf(ctx)}
	c.batches = append(c.batches, b)
	b.plan(ctx, writes)
	if b.stopped() {
		return b.results(len(writes))
	}
	end, err := b.intend(ctx)
	if err != nil {
		b.failEach(notIntended(c.f, err))
		return b.results(len(writes))
	}
	b.end = end
	b.prepare(ctx)
	if !b.stopped() {
		b.commitWhole()
	}
	if b.stopped() {
		_ = b.undo() // the results have the errors, file by file
	}
	return b.results(len(writes))
}

// ID returns the ID of the change's intent, or 0 if there is nothing to write.
func (c *Change) ID() int64 {
	if n := len(c.batches); n > 0 && c.batches[n-1].end != nil {
		return c.batches[n-1].end.id
	}
	return 0
}

// Commit keeps the writes when the change ends. The caller has recorded them.
func (c *Change) Commit() { c.committed = true }

// Rollback puts everything back. The error names what could not be put back.
func (c *Change) Rollback() error {
	var errs []error
	for _, b := range slices.Backward(c.batches) {
		errs = append(errs, b.undo())
	}
	return errors.Join(errs...)
}

// End ends the change. A change that was not committed is rolled back.
func (c *Change) End() {
	defer c.f.saving.Unlock()
	if !c.committed {
		_ = c.Rollback() // the intent stays, so Recover puts back the rest
	}
	for _, b := range c.batches {
		b.settleDisplaced()
		b.close()
	}
}

// commitWhole commits the jobs, and puts back those that fail. The caller decides about the
// others.
func (b *batch) commitWhole() {
	for _, j := range b.jobs {
		if !j.failed() {
			b.commitJob(j)
		}
		if b.stopped() {
			return
		}
	}
	b.sync()
	if !b.stopped() { // jobs whose directory could not be synced
		for _, j := range b.jobs {
			if j.failed() {
				_ = b.undoJob(j) // the job keeps its error
			}
		}
	}
}

func (b *batch) commitJob(j *job) {
	if err := b.f.commitOne(j, b.end); err != nil {
		j.fail(err)
		_ = b.undoJob(j) // the job keeps its error
		return
	}
	j.end = Written
	if j.write.Op != Delete {
		b.f.describe(j)
	}
}

// undo puts back what was committed, last first: a later write may have taken the name that
// an earlier one freed.
func (b *batch) undo() error {
	if b.end == nil {
		return nil
	}
	var errs []error
	for _, j := range slices.Backward(b.jobs) {
		errs = append(errs, b.undoJob(j))
	}
	b.sync()
	return errors.Join(errs...)
}

func (b *batch) undoJob(j *job) error {
	if !j.applied {
		return nil
	}
	j.applied, j.end = false, NotWritten
	err := b.f.undoOne(j, b.end)
	if err != nil {
		j.end = Unfinished
		err = &Error{"put back", j.write.Path, withoutPath(err), "it holds what was not recorded; the next start tries again"}
		j.saved.Err = errors.Join(j.saved.Err, err)
	}
	return err
}

// settleDisplaced settles the displaced files. The batch, or its rollback, is durable.
func (b *batch) settleDisplaced() {
	if b.end == nil {
		return
	}
	for _, j := range b.jobs {
		if j.end == Unfinished { // Recover needs the displaced file, or the copy of what was written in place
			j.leaveToRecover()
		}
		if j.aside == nil {
			continue
		}
		was := j.end
		b.f.settle(j, j.aside)
		if j.aside = nil; j.end == Written {
			j.end = was
		}
		j.dirty = append(j.dirty, j.at.dir)
	}
	b.abandon()
	b.sync()
	b.record(b.end)
}

func (j *job) leaveToRecover() {
	j.ready = false
	if j.aside != nil {
		j.aside.release()
		j.aside = nil
	}
}

// keepAside keeps the file that a commit of a whole batch displaced until the batch is
// decided. If that file is not the version that the caller knows, the commit has failed.
func (f *Folder) keepAside(j *job, a *displacedFile) error {
	j.aside = a
	hash, err := hashFD(a.fd)
	if err != nil || hash == j.write.Before {
		return err
	}
	now, err := f.readFD(a.fd, j.at.path())
	if err != nil {
		return err
	}
	now.Path = j.write.Path
	return &StaleError{Path: j.write.Path, Want: j.write.Before, Disk: &now}
}

// undoOne puts one write back. If another program has changed the file since, its content
// stays: it is worth no less than ours.
func (f *Folder) undoOne(j *job, end *ending) error {
	j.dirty = append(j.dirty, j.at.dir)
	switch {
	case j.write.Op == Create:
		return f.undoCreate(j, end)
	case j.write.Op == Delete:
		return f.undoDelete(j)
	case j.write.Op == Rename:
		j.dirty = append(j.dirty, j.to.dir)
		return j.leave(j.to.dir.renameNew(j.to.name, j.at.dir, j.at.name))
	case j.unchanged():
		return chmodTo(j, j.old.Entry.Mode)
	case j.inPlace != nil:
		return f.undoOverwrite(j)
	}
	return f.undoExchange(j, end)
}

// leave accepts it when another program has taken the name since, or has removed the file.
func (j *job) leave(err error) error {
	if errors.Is(err, fs.ErrExist) || isMissing(err) {
		j.end = Conflict
		return nil
	}
	return err
}

// changedByOthers reports whether another program changed the file that we wrote to p.
func (f *Folder) changedByOthers(j *job, p place) (bool, error) {
	now, err := f.readAt(p)
	if isMissing(err) || errors.Is(err, unix.EISDIR) {
		return true, nil
	}
	return err == nil && (now.Class > Binary || now.Hash != j.saved.After), err
}

func (f *Folder) undoCreate(j *job, end *ending) error {
	if theirs, err := f.changedByOthers(j, j.at); theirs || err != nil {
		j.end = Conflict
		return err
	}
	if err := j.at.dir.renameNew(j.at.name, j.at.dir, j.temp); err != nil {
		return j.leave(err)
	}
	a, err := f.setAside(j.write.Path, j.at, j.temp, j.saved.After, end)
	if err == nil {
		a.restore = j.at.name
		j.aside = a
	}
	return err
}

func (f *Folder) undoDelete(j *job) error {
	err := j.at.dir.renameNew(j.temp, j.at.dir, j.at.name)
	if err == nil && j.aside != nil {
		j.aside.release()
		j.aside = nil
	}
	return j.leave(err)
}

func (f *Folder) undoExchange(j *job, end *ending) error {
	if theirs, err := f.changedByOthers(j, j.at); theirs || err != nil {
		j.end = Conflict
		return err
	}
	if j.aside != nil && j.aside.unnamed {
		return f.renameBack(j)
	}
	if err := f.sys.exchange(j.at.dir, j.temp, j.at.name); err != nil {
		return err
	}
	if j.aside != nil {
		j.aside.release()
		j.aside = nil
	}
	a, err := f.setAside(j.write.Path, j.at, j.temp, j.saved.After, end)
	if err == nil {
		j.aside = a
	}
	return err
}

// renameBack is undoExchange on filesystems without exchange: the displaced file no longer
// has a name, so its content goes to a new file.
func (f *Folder) renameBack(j *job) error {
	mode := j.old.Entry.Mode
	back := &job{write: Write{Path: j.write.Path, Op: Update, Content: j.old.Bytes, Mode: &mode}, at: j.at, temp: j.part}
	back.old.Bytes = j.write.Content
	if err := f.writeTemp(back); err != nil || back.inPlace != nil {
		back.dropTemp()
		return errors.Join(err, back.inPlace)
	}
	return j.at.dir.rename(j.part, j.at.dir, j.at.name)
}

func (f *Folder) undoOverwrite(j *job) error {
	fd, err := open(j.at.dir.fd, j.at.name, unix.O_RDWR|unix.O_NOFOLLOW, 0)
	if err != nil {
		return j.leave(err)
	}
	defer unix.Close(fd)
	waitExclusive(fd)
	defer leaseDrop(fd)
	now, err := f.readFD(fd, j.at.path())
	if err != nil {
		return err
	}
	if !bytes.Equal(now.Bytes, j.write.Content) && !torn(now.Bytes, j.old.Bytes, j.write.Content) {
		j.end = Conflict
		return nil
	}
	if err := f.rewrite(fd, now.Bytes, j.old.Bytes); err != nil {
		return err
	}
	return unix.Fchmod(fd, unixMode(j.old.Entry.Mode))
}
