//go:build unix

package workspace

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// Write is one file of a batch for Save.
type Write struct {
	Path string
	Op   Op
	To   string // Rename: the new name
	// Before is the SHA-256 of the content that the write is based on; zero for Create.
	Before [32]byte
	// Content is the new content. For Rename, nil keeps the content.
	Content []byte
	// Mode sets the permissions; nil keeps those of the file, or uses the user's default
	// for a new one.
	Mode *fs.FileMode
	// Umask is that user's default, if it is not this process's: see WithUmask.
	Umask *fs.FileMode
}

// Saved is the result of one write.
type Saved struct {
	Path  string
	To    string
	Op    Op
	State State
	// After is the hash of the written content, Entry the file that has it.
	After [32]byte
	Entry Entry
	// Displaced is the version that an outside program saved between our check of the file
	// and the exchange. It was passed to Options.Preserve; the file now has our version.
	Displaced *Displaced
	// InPlace reports whether the file was overwritten instead of exchanged.
	InPlace bool
	// Pending reports whether an outside program had the displaced file open for writing.
	// What it writes there is passed to Options.Preserve within two seconds; Settle waits
	// for it.
	Pending bool
	Err     error
}

// Save carries out a batch of writes. Each file is written completely or not at all; if one
// fails, the others are still written. The result has one Saved for each write, in the same
// order, and the error joins their errors.
//
// Creates, updates and renames happen in the order given, deletes last.
//
// Use a Change for a batch that makes sense only as a whole.
func (f *Folder) Save(ctx context.Context, writes []Write) ([]Saved, error) {
	f.saving.Lock()
	defer f.saving.Unlock()
	if err := f.CheckRoot(); err != nil {
		return notBegun(writes, err)
	}
	saved, err := f.saveOnce(ctx, writes)
	if !errors.Is(err, syscall.EXDEV) {
		return saved, err
	}
	return f.copyAcross(ctx, writes, saved)
}

// notBegun returns the result of a batch that could not begin.
func notBegun(writes []Write, err error) ([]Saved, error) {
	saved := make([]Saved, len(writes))
	for i, w := range writes {
		saved[i] = Saved{Path: w.Path, To: w.To, Op: w.Op, Err: err}
	}
	return saved, err
}

// copyAcross repeats the renames that failed because the new name is on another filesystem
// (a mount inside the folder): as copies, with the old file deleted afterwards.
func (f *Folder) copyAcross(ctx context.Context, writes []Write, saved []Saved) ([]Saved, error) {
	var errs []error
	for i, s := range saved {
		if s.Op == Rename && errors.Is(s.Err, syscall.EXDEV) {
			if file, err := f.Read(ctx, s.Path); err == nil && file.Class <= Binary {
				w := writes[i]
				w.Content = append([]byte{}, file.Bytes...)
				again, _ := f.saveOnce(ctx, []Write{w})
				saved[i] = again[0]
			}
		}
		errs = append(errs, saved[i].Err)
	}
	return saved, errors.Join(errs...)
}

func (f *Folder) saveOnce(ctx context.Context, writes []Write) ([]Saved, error) {
	b := &batch{f: f}
	defer b.close()
	b.plan(ctx, writes)
	if b.stopped() {
		return b.results(len(writes))
	}
	end, err := b.intend(ctx)
	if err != nil {
		b.failEach(notIntended(f, err))
		return b.results(len(writes))
	}
	b.prepare(ctx)
	if !b.stopped() {
		b.commit(end)
	}
	b.abandon()
	b.sync()
	b.record(end)
	return b.results(len(writes))
}

func notIntended(f *Folder, err error) error {
	return &Error{"save", f.root, err, "nothing was written; see whether the disk that holds the history is full"}
}

// batch is one Save: its jobs, in the order in which they are carried out.
type batch struct {
	f     *Folder
	whole bool         // of a Change
	each  bool         // of a Change whose writes are independent
	umask *fs.FileMode // of a Change, see WithUmask
	end   *ending      // of a Change, after intend
	jobs  []*job
	made  []string        // created directories
	dirs  map[string]*dir // one handle for each directory, however many files
}

// job is one write on its way through the phases.
type job struct {
	write Write
	index int   // the index of the caller's write
	saved Saved // the result for the caller
	at    place // the file, links resolved; at.dir is nil until it is known
	to    place // Rename: the new name
	temp  string
	old   File // the file that plan found on disk; Bytes are kept for writing in place

	ready   bool  // temp exists, and is ours
	left    bool  // it could not be removed
	inPlace error // why the file cannot be exchanged, or nil
	needs   *job  // Delete of a rename with new content: the create that it follows
	like    *job  // Create of a rename with new content: the delete whose file has the owner and mode
	end     State
	dirty   []*dir // directories whose entries changed

	// Of a Change:
	part    string         // the name under which temp is written; "" outside of a Change
	applied bool           // the file was changed, and can be put back
	aside   *displacedFile // the file that the commit, or its rollback, displaced
}

func (j *job) failed() bool { return j.saved.Err != nil }

// fail records the first error. A file that vanishes at any moment of a save is stale,
// whichever call notices it.
func (j *job) fail(err error) {
	if err == nil || j.saved.Err != nil {
		return
	}
	if err = withoutPath(err); err == unix.ENOENT && j.write.Op != Create {
		err = &StaleError{Path: j.write.Path, Want: j.write.Before}
	}
	j.saved.Err = fail("save", j.write.Path, err)
}

// stopped reports whether there is nothing left to do.
func (b *batch) stopped() bool {
	failed := 0
	for _, j := range b.jobs {
		if j.failed() {
			failed++
		}
	}
	return failed == len(b.jobs) || b.whole && !b.each && failed > 0
}

func (b *batch) failEach(err error) {
	for _, j := range b.jobs {
		j.fail(err)
	}
}

// intend makes the intents of the jobs that have not failed durable.
func (b *batch) intend(ctx context.Context) (*ending, error) {
	var writes []IntentWrite
	for _, j := range b.jobs {
		if !j.failed() {
			writes = append(writes, b.f.intentOf(j))
		}
	}
	id, err := b.f.opt.Journal.Intend(ctx, writes)
	return &ending{id: id, left: 1}, err
}

// prepare writes the temporary files. fsync waits for the disk, so they are written
// concurrently and share the filesystem's commits.
func (b *batch) prepare(ctx context.Context) {
	var g errgroup.Group
	g.SetLimit(16)
	for _, j := range b.jobs {
		if j.failed() {
			continue
		}
		if err := b.makeDirs(j); err != nil {
			j.fail(err)
			continue
		}
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				j.fail(err)
			} else {
				j.fail(b.f.writeTemp(j))
			}
			return nil
		})
	}
	_ = g.Wait()
}

// sync makes the new names durable, with one fsync per directory.
func (b *batch) sync() {
	synced := map[string]error{}
	for _, j := range b.jobs {
		for _, d := range j.dirty {
			err, done := synced[d.path]
			if !done {
				err = b.f.sys.fsync(d.fd)
				synced[d.path] = err
			}
			if err != nil {
				j.end = Unfinished
				j.fail(err)
			}
		}
	}
	b.removeMade()
}

// record passes the results of the jobs to the journal, now or when the last check of a
// displaced file ends.
func (b *batch) record(end *ending) {
	for _, j := range b.jobs {
		end.add(Outcome{j.write.Path, j.end})
	}
	if err := b.f.finish(end); err != nil {
		b.f.notify(Notice{Kind: JournalFailed, Path: b.f.root, Reason: err})
	}
}

func (b *batch) results(n int) ([]Saved, error) {
	out := make([]Saved, n)
	var errs []error
	for _, j := range b.jobs {
		j.saved.State = j.end
		switch prior := out[j.index]; {
		case j.needs == nil:
			out[j.index] = j.saved
		case prior.Err == nil: // the delete half of a rename with content
			prior.Pending = prior.Pending || j.saved.Pending
			prior.State = max(prior.State, j.end)
			prior.Err = j.saved.Err
			out[j.index] = prior
		}
	}
	for i := range out {
		errs = append(errs, out[i].Err)
	}
	return out, errors.Join(errs...)
}

// share makes places in the same directory use one handle, so that a batch of ten thousand
// files does not need as many descriptors.
func (b *batch) share(p *place) {
	if p.dir == nil {
		return
	}
	have, ok := b.dirs[p.dir.path]
	if !ok {
		if b.dirs == nil {
			b.dirs = map[string]*dir{}
		}
		b.dirs[p.dir.path] = p.dir
		return
	}
	if have != p.dir {
		_ = p.dir.close()
		p.dir = have
	}
}

func (b *batch) close() {
	for _, d := range b.dirs {
		_ = d.close()
	}
}
