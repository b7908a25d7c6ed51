package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace"
)

// A deletion removes only files that the user was shown:
//
//	Removal   lists what is there: tracked files, whose deletion is an edit that can
//	          be reverted, and all others, which are lost
//	Remove    gets the sum of the lost files that the user was shown
//	  kept    deleted by the safe-write protocol, each if it is unchanged, and
//	          recorded with it
//	  lost    moved aside, checked, deleted (workspace.Discard)
//	  folders removed if they are empty
//
// What another program creates or changes there meanwhile stays in place.
//
// Once the first file is deleted, the deletion has happened: the result lists what stayed,
// and why. An error means that nothing was deleted.

// Removal lists what deleting a file or a folder would remove.
type Removal struct {
	Path string
	Dir  bool
	Kept int    // files whose deletion can be reverted
	Lost []Lost // files that cannot be restored
	Sum  string // identifies exactly these files, as they are; "" when there are none
}

// Lost is a file that history does not track, or not completely.
type Lost struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// ErrUnseen says that the files that would be lost are not the ones that were shown.
var ErrUnseen = errors.New(
	"the files that cannot be restored have changed since they were shown; check them again, then delete")

// removal is a Removal, with the way in which each file is deleted.
type removal struct {
	Removal
	saved    map[string][32]byte // deleted as an edit, with the hash on disk
	discard  []workspace.Entry
	readOnly []string // of discard, those whose deletion can be reverted
	dirs     []string
}

// Removal lists what deleting a path would remove. It changes nothing.
func (p *filer) Removal(ctx context.Context, name string) (Removal, error) {
	name, _, err := p.there(name)
	if err != nil {
		return Removal{}, fmt.Errorf("delete: %w", err)
	}
	r, err := p.removal(ctx, name)
	return r.Removal, err
}

func (p *filer) removal(ctx context.Context, name string) (removal, error) {
	r := removal{Removal: Removal{Path: name}, saved: map[string][32]byte{}}
	if err := p.Settle(ctx); err != nil {
		return r, err
	}
	all, err := p.folder.Tree(ctx, name)
	if err != nil {
		return r, fmt.Errorf("delete %s: %w", name, err)
	}
	r.Dir = all[0].Kind == workspace.Directory
	sum := sha256.New()
	for _, e := range all {
		switch lost, err := p.sort(ctx, &r, e); {
		case err != nil:
			return r, fmt.Errorf("delete %s: %w", name, err)
		case lost != "":
			r.Lost = append(r.Lost, Lost{e.Path, lost})
			fmt.Fprintf(sum, "%q %d %d %d %d\n", e.Path, e.Dev, e.Inode, e.Size, e.ModTime.UnixNano())
		}
	}
	r.Kept = len(r.saved) + len(r.readOnly)
	if len(r.Lost) > 0 {
		r.Sum = hex.EncodeToString(sum.Sum(nil))
	}
	return r, nil
}

// sort decides how an entry is deleted, and returns why it would be lost; "" when history
// has all of it, or it has vanished.
func (p *filer) sort(ctx context.Context, r *removal, e workspace.Entry) (lost string, err error) {
	if e.Kind == workspace.Directory {
		r.dirs = append(r.dirs, e.Path)
		return "", nil
	}
	lost = "it is a " + e.Kind.String()
	if e.Kind == workspace.Regular {
		lost = p.exclusion(e.Path)
	}
	if lost == "" {
		return p.sortText(ctx, r, e)
	}
	r.discard = append(r.discard, e)
	return lost, nil
}

func (p *filer) sortText(ctx context.Context, r *removal, e workspace.Entry) (lost string, err error) {
	err = p.holding(ctx, []string{e.Path}, func(ctx context.Context) (err error) {
		lost, err = p.sortLocked(ctx, r, e)
		return err
	})
	return lost, err
}

func (p *filer) sortLocked(ctx context.Context, r *removal, e workspace.Entry) (lost string, err error) {
	d, err := p.open(ctx, e.Path)
	var no *notEditable
	switch {
	case errors.As(err, &no):
		lost = no.why
	case errors.Is(err, fs.ErrPermission):
		lost = "it cannot be read"
	case err != nil:
		return "", err
	case !d.Exists():
		return "", nil
	case d.Path != e.Path || !d.Tracked():
		lost = "the history does not keep it"
	case d.Redacted():
		lost = "it holds a secret, which the history leaves out"
	case d.ReadOnlyReason() != "": // not edited by us: history records it as another program's deletion
		r.discard, r.readOnly = append(r.discard, e), append(r.readOnly, e.Path)
		return "", nil
	default:
		r.saved[e.Path] = d.Disk.Hash()
		return "", nil
	}
	r.discard = append(r.discard, e)
	return lost, nil
}

// Removed is the result of a deletion.
type Removed struct {
	Done
	Stayed []string // created or changed by others meanwhile, or not deletable
	Why    string   // why deletion failed; "" when everything shown was deleted
}

// Remove deletes a file, or a folder with its content. shown is the Sum of the Removal that
// the user confirmed; if it differs now, nothing is deleted.
func (p *filer) Remove(ctx context.Context, name, shown string) (Removed, error) {
	name, _, err := p.there(name)
	if err != nil {
		return Removed{}, fmt.Errorf("delete: %w", err)
	}
	r, err := p.removal(ctx, name)
	if err != nil {
		return Removed{}, err
	}
	if r.Sum != shown {
		return Removed{}, fmt.Errorf("delete %s: %w", name, ErrUnseen)
	}
	var out Removed
	if out.Done, err = p.deleteKept(ctx, r); err == nil {
		err = p.deleteRest(ctx, r)
	}
	p.opt.Listener.FilesChanged()
	err = errors.Join(err, withoutClashes(p.outsider.Outside(ctx, []string{name})))
	for _, name := range r.readOnly {
		if v, err := p.store.Head(ctx, name); err == nil && !v.Exists {
			out.Edits, out.Files = append(out.Edits, v.Edit), append(out.Files, name)
		}
	}
	out.Stayed = p.remaining(ctx, name)
	if err != nil && (len(out.Edits) > 0 || p.discarded(r)) {
		out.Why, err = err.Error(), nil
	}
	return out, err
}

// withoutClashes drops errors about unsaved edits of a deleted file: the user deleted what
// they saw, and the edits are in the history.
func withoutClashes(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var rest []error
		for _, e := range all.Unwrap() {
			rest = append(rest, withoutClashes(e))
		}
		return errors.Join(rest...)
	}
	var clash *engine.OverlapError
	if errors.As(err, &clash) {
		return nil
	}
	return err
}

// discarded reports whether any untracked file is gone.
func (p *filer) discarded(r removal) bool {
	return slices.ContainsFunc(r.discard, func(e workspace.Entry) bool {
		_, err := p.folder.Stat(e.Path)
		return errors.Is(err, fs.ErrNotExist)
	})
}

// deleteRest deletes untracked files, and then the empty folders.
func (p *filer) deleteRest(ctx context.Context, r removal) error {
	if _, err := p.folder.Discard(ctx, r.discard); err != nil {
		return err
	}
	if err := p.folder.Settle(ctx); err != nil { // files that another program has open may get their names back
		return err
	}
	return p.folder.RemoveDirs(r.dirs)
}

// remaining lists what is left at a deleted path: files, and folders that are empty or
// cannot be read.
func (p *filer) remaining(ctx context.Context, name string) []string {
	all, _ := p.folder.Tree(ctx, name)
	var out []string
	for i, e := range all {
		full := i+1 < len(all) && len(all[i+1].Path) > len(e.Path) && all[i+1].Path[:len(e.Path)+1] == e.Path+"/"
		if e.Kind != workspace.Directory || !full {
			out = append(out, e.Path)
		}
	}
	return out
}

// deleteKept deletes the tracked files, as one operation of the user. A file that changed
// meanwhile is not deleted.
func (p *filer) deleteKept(ctx context.Context, r removal) (Done, error) {
	return p.carryEach(ctx, history.Op{Author: history.User}, func(ctx context.Context) ([]step, error) {
		return p.deletions(ctx, r)
	})
}

// deletions returns the steps for the unchanged files.
func (p *filer) deletions(ctx context.Context, r removal) ([]step, error) {
	if err := needs(ctx, slices.Collect(maps.Keys(r.saved))...); err != nil {
		return nil, err
	}
	var steps []step
	for name, was := range r.saved {
		d, err := p.document(ctx, name)
		if err == nil && d.Exists() && d.Path == name && d.Disk.Hash() == was {
			steps = append(steps, step{path: name, kind: history.Delete})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(a.path, b.path) })
	return steps, nil
}
