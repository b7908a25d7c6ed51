//go:build unix

package workspace

import (
	"context"
	"errors"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// Recovered is the result of Recover for one write of an unfinished intent.
type Recovered struct {
	IntentWrite
	State State
	// Finished reports whether Recover itself completed the write.
	Finished bool
	// Disk is the file's content, if it is neither Before nor After.
	Disk *File
	// Displaced are outside versions found under temporary names.
	Displaced []Displaced
	// Repaired reports whether a crash while writing in place had torn the file.
	Repaired bool
	// Undone reports that the write is part of a Change that was not recorded. The file is
	// as before, unless State is Conflict, or Written: then it was Taken.
	Undone bool
	Err    error
}

// RecoveryReport lists the writes of all unfinished intents.
type RecoveryReport struct {
	Writes []Recovered
	Temps  int // removed temporary files
}

// Recover finishes what a crash interrupted. Call it once after Open, before the first
// Save.
//
// For each write of a pending intent it compares the disk with Before and After. If nothing
// was written, it calls content for the new bytes and writes them; if content is nil or
// returns false, the file stays and the write is reported as NotWritten (a delete asks for
// the old bytes: they must be stored somewhere before the file is removed). Content that is
// neither Before nor After is a conflict: the file stays, unless it is torn, which content
// for both hashes proves and repairs.
//
// A Change that is not Recorded is put back, with the files that it displaced; for files
// that it wrote in place, Recover calls content for the old bytes. A write that the journal
// marks as Taken stays. A Change that is Recorded was complete on disk before that: Recover
// only removes the displaced files.
//
// Temporary files are removed only if their content is Before, After, a part of After, or
// was stored by Options.Preserve; without Preserve they stay and so does the intent.
// Directories that were created for files that are not there are removed if they are empty.
func (f *Folder) Recover(ctx context.Context, content func(hash [32]byte) ([]byte, bool)) (RecoveryReport, error) {
	if content == nil {
		content = func([32]byte) ([]byte, bool) { return nil, false }
	}
	pending, err := f.opt.Journal.Pending(ctx)
	if err != nil {
		return RecoveryReport{}, fail("recover", f.root, err)
	}
	var report RecoveryReport
	var errs []error
	for _, intent := range pending {
		if err := f.recoverIntent(ctx, intent, content, &report); err != nil {
			errs = append(errs, fail("recover", f.root, err))
		}
	}
	return report, errors.Join(errs...)
}

func (f *Folder) recoverIntent(ctx context.Context, intent Intent, content func([32]byte) ([]byte, bool),
	report *RecoveryReport) error {
	var outcomes []Outcome
	var made []string
	open := false
	writes := intent.Writes
	if len(writes) > 0 && writes[0].Whole && !intent.Recorded {
		writes = slices.Clone(writes)
		slices.Reverse(writes) // a later write may have taken the name that an earlier one freed
	}
	for _, w := range writes {
		r := recovery{f: f, content: content, Recovered: Recovered{IntentWrite: w}}
		switch {
		case !w.Whole:
			r.run(ctx)
		case intent.Recorded:
			r.cleanUp()
		default:
			r.undo(ctx)
		}
		r.Err = fail("recover", w.Path, withoutPath(r.Err))
		report.Writes = append(report.Writes, r.Recovered)
		report.Temps += r.removed
		outcomes = append(outcomes, Outcome{w.Path, r.State})
		if r.State != Written || r.Undone {
			made = append(made, w.Made...)
		}
		open = open || r.State == Unfinished
	}
	if open {
		return nil
	}
	f.removeEmpty(made)
	return f.opt.Journal.Done(ctx, intent.ID, outcomes)
}

// recovery is the state of one write's recovery.
type recovery struct {
	Recovered
	f       *Folder
	content func([32]byte) ([]byte, bool)
	removed int
}

func (r *recovery) run(ctx context.Context) {
	if r.Op == Discard {
		r.recoverDiscard()
		return
	}
	have, err := r.stat()
	if err != nil {
		r.State, r.Err = Unfinished, err
		return
	}
	r.decide(have)
	if err := r.clearTemp(); err != nil {
		r.State, r.Err = Unfinished, err
		return
	}
	if r.State == NotWritten {
		r.finish(ctx)
	} else if r.State == Conflict {
		r.repair(ctx)
	}
}

// sides are the files under the names of a write; nil means no file.
type sides struct{ at, to *File }

func (r *recovery) stat() (s sides, err error) {
	if s.at, err = r.f.peek(r.Path); err == nil && r.Op == Rename {
		s.to, err = r.f.peek(r.To)
	}
	return s, err
}

// peek reads a file that may be missing.
func (f *Folder) peek(name string) (*File, error) {
	file, err := f.Read(context.Background(), name)
	if isMissing(err) {
		return nil, nil
	}
	if errors.Is(err, unix.EISDIR) {
		return &File{Path: name, Class: Other}, nil
	}
	if err != nil {
		return nil, err
	}
	return &file, nil
}

func hasHash(file *File, hash [32]byte) bool { return file != nil && file.Hash == hash }

// decide compares the disk with the write.
func (r *recovery) decide(have sides) {
	before, after := hasHash(have.at, r.Before), hasHash(have.at, r.After)
	switch r.Op {
	case Create:
		before = have.at == nil
	case Delete:
		after = have.at == nil
	case Rename:
		after = have.at == nil && hasHash(have.to, r.After)
		before = before && have.to == nil
	default: // the content decides
	}
	switch {
	case after:
		r.State = Written
	case before:
		r.State = NotWritten
	default:
		r.State = Conflict
		r.Disk = have.at
	}
}

// clearTemp removes the temporary file once its content is known to be stored elsewhere.
func (r *recovery) clearTemp() error {
	p, err := r.f.resolve(r.Temp, 0)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer p.dir.close()
	if !IsTemp(p.name) {
		return &PathError{Path: r.Temp, Reason: notTemporary}
	}
	st, err := p.dir.lstat(p.name)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if kindOf(uint32(st.Mode)) != Regular || st.Size > r.f.opt.MaxEditable {
		return r.exchangeBack(p)
	}
	temp, err := r.f.readAt(p)
	if err != nil {
		return err
	}
	return r.removeTemp(p, temp)
}

// exchangeBack undoes an exchange that displaced a directory, a link or a file that is too
// large: the crash came before commit could undo it.
func (r *recovery) exchangeBack(p place) error {
	at, err := r.f.resolve(r.Path, follow)
	if err != nil {
		return err
	}
	defer at.dir.close()
	ours, err := r.f.readAt(at)
	if err != nil {
		return err
	}
	if r.Op == Delete || ours.Hash != r.After || at.dir.path != p.dir.path {
		return errors.New("something that is not a file is kept as " + p.path() + "; move it back by hand")
	}
	if err := r.f.sys.exchange(p.dir, p.name, at.name); err != nil {
		return err
	}
	r.State, r.removed = Conflict, r.removed+1
	return errors.Join(p.dir.unlink(p.name), p.dir.sync())
}

func (r *recovery) removeTemp(p place, temp File) error {
	if r.Op == Delete && r.State == Written && temp.Hash != r.Before {
		return r.rollback(p)
	}
	if !r.expected(temp) {
		if err := r.keepOutside(temp); err != nil {
			return err
		}
	}
	r.removed++
	return errors.Join(p.dir.unlink(p.name), p.dir.sync())
}

// expected reports whether the content of the temporary file need not be kept. A part of
// After, while the file still has Before, is our own interrupted write.
func (r *recovery) expected(temp File) bool {
	if temp.Class > Binary {
		return false
	}
	if temp.Hash == r.After || temp.Hash == r.Before {
		return true
	}
	if r.State != NotWritten {
		return false
	}
	after, ok := r.content(r.After)
	return len(temp.Bytes) == 0 ||
		ok && len(temp.Bytes) <= len(after) && string(after[:len(temp.Bytes)]) == string(temp.Bytes)
}

func (r *recovery) keepOutside(temp File) error {
	d := Displaced{r.Path, temp.Bytes, temp.Hash}
	r.Displaced = append(r.Displaced, d)
	if r.f.opt.Preserve == nil || temp.Class > Binary {
		r.f.notify(Notice{Kind: NotPreserved, Path: r.Path, Temp: r.Temp, Content: temp.Bytes})
		return errors.New("an outside version is kept as " + path.Base(r.Temp) + "; store it, then remove that file")
	}
	return r.f.opt.Preserve(d)
}

// rollback renames a file that changed while it was deleted back to its name.
func (r *recovery) rollback(p place) error {
	at, err := r.f.resolve(r.Path, 0)
	if err != nil {
		return err
	}
	defer at.dir.close()
	if err := p.dir.renameNew(p.name, at.dir, at.name); err != nil {
		return err
	}
	r.State = Conflict
	r.f.notify(Notice{Kind: Restored, Path: r.Path})
	return at.dir.sync()
}

// finish completes the write if its content is available.
func (r *recovery) finish(ctx context.Context) {
	need := r.After
	if r.Op == Delete {
		need = r.Before
	}
	b, ok := r.content(need)
	if !ok {
		return
	}
	w := Write{Path: r.Path, Op: r.Op, To: r.To, Before: r.Before}
	if r.Op == Create || r.Op == Update {
		w.Content = append([]byte{}, b...)
	}
	r.save(ctx, w)
}

// repair overwrites a torn file with the new content.
func (r *recovery) repair(ctx context.Context) {
	if r.Op != Update || r.Disk == nil || r.Disk.Class > Binary {
		return
	}
	old, okOld := r.content(r.Before)
	new, okNew := r.content(r.After)
	if !okOld || !okNew || !torn(r.Disk.Bytes, old, new) {
		return
	}
	// An outside save can look like a tear, so it is kept in any case.
	if err := r.f.preserve(Displaced{r.Path, r.Disk.Bytes, r.Disk.Hash}); err != nil {
		r.Err = err
		return
	}
	r.Repaired = true
	r.save(ctx, Write{Path: r.Path, Op: Update, Before: r.Disk.Hash, Content: append([]byte{}, new...)})
}

func (r *recovery) save(ctx context.Context, w Write) {
	saved, err := r.f.Save(ctx, []Write{w})
	r.State, r.Err = saved[0].State, err
	r.Finished = err == nil
	if saved[0].Displaced != nil {
		r.Displaced = append(r.Displaced, *saved[0].Displaced)
	}
	if err == nil {
		return
	}
	if r.State = Unfinished; errors.As(err, new(*StaleError)) {
		r.State = Conflict // the file changed between our check and the save
	}
}

const notTemporary = "the intent names a file that is not a temporary one"
