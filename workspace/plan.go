//go:build unix

package workspace

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// plan turns writes into jobs and finds everything that is wrong with them before anything
// changes: paths, kinds, permissions, and files on disk that differ from what a write is
// based on.
func (b *batch) plan(ctx context.Context, writes []Write) {
	taken := map[string]bool{}   // the target paths of the batch's writes
	vacated := map[string]bool{} // the paths that renames of the batch free
	for i, w := range writes {
		w.Umask = cmp.Or(w.Umask, b.umask)
		for _, j := range b.newJobs(i, w) {
			b.jobs = append(b.jobs, j)
			if j.like != nil { // its delete, which was planned just before
				j.saved.Err = j.like.saved.Err
			}
			if !j.failed() {
				j.fail(b.planOne(ctx, j, taken, vacated))
			}
			if j.like != nil {
				j.like.saved.Err = j.saved.Err
			}
		}
	}
	// Deletes go last: a crash before them leaves too much, never too little.
	slices.SortStableFunc(b.jobs, func(x, y *job) int {
		return cmp.Compare(btoi(x.write.Op == Delete), btoi(y.write.Op == Delete))
	})
}

func (b *batch) planOne(ctx context.Context, j *job, taken, vacated map[string]bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := j.clean(b.f); err != nil {
		return err
	}
	if err := b.claim(j, taken, vacated); err != nil {
		return err
	}
	defer func() { b.share(&j.at); b.share(&j.to) }()
	return b.check(j, vacated)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// newJobs returns one job, or two for a rename that also changes the content: the new file
// is created, then the old one deleted.
func (b *batch) newJobs(i int, w Write) []*job {
	saved := Saved{Path: w.Path, To: w.To, Op: w.Op}
	if w.Op != Rename || w.Content == nil {
		return []*job{{write: w, index: i, saved: saved}}
	}
	del := &job{write: Write{Path: w.Path, Op: Delete, Before: w.Before}, index: i, saved: saved}
	add := &job{write: Write{Path: w.To, Op: Create, Content: w.Content, Mode: w.Mode, Umask: w.Umask},
		index: i, saved: saved, like: del}
	del.needs = add
	return []*job{del, add} // the delete is checked first: the create copies its owner and mode
}

// clean checks and cleans the paths.
func (j *job) clean(f *Folder) error {
	w := &j.write
	names := []*string{&w.Path}
	if w.Op == Rename {
		names = append(names, &w.To)
	}
	for _, name := range names {
		clean, err := f.Path(*name)
		if err != nil {
			return err
		}
		if IsTemp(clean) {
			return &PathError{Path: *name, Reason: "names of this form are kept for temporary files"}
		}
		*name = clean
	}
	if w.Op == Rename && w.To == w.Path {
		return &PathError{Path: w.To, Reason: "a file cannot be renamed to itself"}
	}
	return nil
}

// claim refuses two writes to one file in a batch, because their order would matter.
func (b *batch) claim(j *job, taken, vacated map[string]bool) error {
	target := cmp.Or(j.write.To, j.write.Path)
	if taken[target] {
		return errTwice
	}
	taken[target] = true
	if j.write.Op == Rename {
		vacated[j.write.Path] = true
	}
	return nil
}

// check compares one write with the disk.
func (b *batch) check(j *job, vacated map[string]bool) (err error) {
	f := b.f
	if int64(len(j.write.Content)) > f.opt.MaxEditable {
		return errTooLarge
	}
	j.temp = newTemp()
	if b.whole {
		j.part = newTemp()
	}
	j.saved.After = sha256.Sum256(j.write.Content)
	switch j.write.Op {
	case Create:
		return f.checkNew(j.write.Path, &j.at, vacated)
	case Update:
		return f.checkOld(j, follow)
	case Delete:
		j.saved.After = [32]byte{}
		return f.checkOld(j, 0)
	case Rename:
		j.saved.After = j.write.Before
		if err := b.checkMoved(j); err != nil {
			return err
		}
		return f.checkNew(j.write.To, &j.to, vacated)
	}
	return fmt.Errorf("unknown operation %d", j.write.Op)
}

// checkMoved checks the file that a rename moves: as it is, or as an update of the same
// Change will leave it.
func (b *batch) checkMoved(j *job) error {
	i := slices.IndexFunc(b.jobs, func(o *job) bool {
		return b.whole && o.write.Op == Update && o.write.Path == j.write.Path
	})
	if i < 0 || b.jobs[i].saved.After != j.write.Before {
		return b.f.checkOld(j, 0)
	}
	now := *j
	now.write.Before = b.jobs[i].write.Before
	err := b.f.checkOld(&now, 0)
	j.at, j.old = now.at, now.old
	return err
}

// checkNew checks that no file is at name. at stays empty if its directory does not exist
// yet.
func (f *Folder) checkNew(name string, at *place, vacated map[string]bool) error {
	p, err := f.resolve(name, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return err
	}
	*at = p
	st, err := p.dir.lstat(p.name)
	if errors.Is(err, unix.ENOENT) || err == nil && vacated[name] {
		return namesFixed(p)
	}
	if err != nil {
		return err
	}
	return f.occupied(name, p, &st)
}

// occupied returns the error for whatever is in the place of a new file.
func (f *Folder) occupied(name string, p place, st *unix.Stat_t) error {
	switch kindOf(uint32(st.Mode)) {
	case Directory:
		return errIsDir
	case Symlink:
		return errSymlink
	case Special:
		return errNotRegular
	}
	file, err := f.readAt(p)
	if err != nil {
		return err
	}
	file.Path = name
	return &StaleError{Path: name, Disk: &file}
}

// checkOld checks that the file is regular and has the content of write.Before.
func (f *Folder) checkOld(j *job, how resolveFlags) error {
	p, err := f.resolve(j.write.Path, how)
	if err != nil {
		return err
	}
	j.at = p
	if err := checkKind(p); err != nil {
		return err
	}
	if j.old, err = f.readAt(p); err != nil {
		return err
	}
	return f.checkContent(j)
}

func checkKind(p place) error {
	st, err := p.dir.lstat(p.name)
	if err != nil {
		return err
	}
	switch kindOf(uint32(st.Mode)) {
	case Directory:
		return errIsDir
	case Symlink:
		return errSymlink
	case Special:
		return errNotRegular
	}
	return nil
}

func (f *Folder) checkContent(j *job) error {
	j.old.Path = j.write.Path
	if j.old.Class == TooLarge {
		return errTooLarge
	}
	if j.old.Hash != j.write.Before {
		return &StaleError{Path: j.write.Path, Want: j.write.Before, Disk: &j.old}
	}
	if err := unsealed(j); err != nil || j.write.Op == Rename {
		return err
	}
	if err := writable(j); err != nil {
		return err
	}
	if j.write.Op == Update && j.old.Entry.Nlink > 1 {
		if err := f.Linked(context.Background(), j.old.Entry); err != nil {
			return err
		}
		j.inPlace = fmt.Errorf("the file has %d hard links, which an exchange would separate", j.old.Entry.Nlink)
	}
	return nil
}

// unsealed refuses what chattr forbids, even to root. In a directory whose names are fixed,
// content can only be written in place.
func unsealed(j *job) error {
	switch immutable, appendOnly := sealed(j.at.dir.fd, j.at.name); {
	case immutable:
		return errImmutable
	case appendOnly:
		return errAppendOnly
	}
	err := namesFixed(j.at)
	if j.write.Op == Update && err != nil {
		j.inPlace, err = err, nil
	}
	return err
}

// namesFixed refuses a directory in which no name can be added or removed.
func namesFixed(p place) error {
	if immutable, appendOnly := sealed(p.dir.fd, ""); immutable || appendOnly {
		return errImmutableDir
	}
	return nil
}

// writable refuses files that the user made read-only. The exchange would ignore that: it
// needs permission for the directory only.
func writable(j *job) error {
	if j.old.Entry.Mode&0o200 == 0 {
		return errReadOnly
	}
	err := unix.Faccessat(j.at.dir.fd, j.at.name, unix.W_OK, unix.AT_EACCESS)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) {
		return errReadOnly
	}
	if errors.Is(err, unix.EROFS) {
		return err
	}
	return nil
}

// unchanged reports whether the write leaves the content as it is.
func (j *job) unchanged() bool {
	return j.write.Op == Update && bytes.Equal(j.old.Bytes, j.write.Content)
}

// intent returns the journal's form of the job. The temporary file's path uses the resolved
// directory.
func (f *Folder) intentOf(j *job) IntentWrite {
	dir := path.Dir(j.write.Path)
	if j.at.dir != nil {
		dir = cmp.Or(j.at.dir.path, ".")
	}
	return IntentWrite{
		Path: j.write.Path, To: j.write.To, Op: j.write.Op,
		Before: j.write.Before, After: j.saved.After,
		Temp: path.Join(dir, j.temp), Part: j.partIn(dir), Whole: j.part != "",
		Made: f.missingDirs(j),
	}
}

func (j *job) partIn(dir string) string {
	if j.part == "" {
		return ""
	}
	return path.Join(dir, j.part)
}

// newTemp returns an unused name: 40 random bits, and the file is created with O_EXCL.
func newTemp() string {
	var b [5]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return tempPrefix + strings.ToLower(base32.StdEncoding.EncodeToString(b[:])) + tempSuffix
}
