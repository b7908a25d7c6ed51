package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"waferpair/app/live"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// What the user does to files in the project tree. Changes of tracked files are recorded
// as the user's edits and can be reverted. All other files, which are binary, ignored, or
// may hold secrets, are only changed on disk. remove.go deletes files.

// filer changes files and folders for the user.
type filer struct {
	*carrier
	outsider *outsider
}

// MakeFile creates an empty file, and the folders above it.
func (p *filer) MakeFile(ctx context.Context, name string) (Done, error) {
	name, err := p.free(name)
	if err != nil {
		return Done{}, fmt.Errorf("create a file: %w", err)
	}
	if p.exclusion(name) != "" {
		_, err := p.folder.Save(ctx, []workspace.Write{{Path: name, Op: workspace.Create, Content: []byte{}}})
		p.opt.Listener.FilesChanged()
		return Done{Files: []string{name}}, err
	}
	return p.byUser(ctx, step{path: name, kind: history.Create, content: text.Text{}})
}

// MakeFolder creates a folder, and the folders above it. The history knows only files.
func (p *filer) MakeFolder(_ context.Context, name string) error {
	name, err := p.free(name)
	if err != nil {
		return fmt.Errorf("create a folder: %w", err)
	}
	err = p.folder.MakeDir(name)
	p.opt.Listener.FilesChanged()
	return err
}

// Rename renames or moves a file or a folder. The rename has happened once the history
// has the new names; if something else fails afterwards, a notice says so.
func (p *filer) Rename(ctx context.Context, name, to string) (Done, error) {
	name, entry, err := p.there(name)
	if err != nil {
		return Done{}, fmt.Errorf("rename: %w", err)
	}
	if to, err = p.free(to); err != nil {
		return Done{}, fmt.Errorf("rename %s: %w", name, err)
	}
	if strings.HasPrefix(to, name+"/") {
		return Done{}, fmt.Errorf("rename %s: it cannot be moved into itself", name)
	}
	if _, err := p.folder.Tree(ctx, name); err != nil {
		return Done{}, fmt.Errorf("rename %s: %w", name, err) // a repository below would be refused
	}
	steps, err := p.renames(ctx, name, to, entry)
	if err != nil {
		return Done{}, err
	}
	done, err := p.byUser(ctx, steps...)
	if err != nil {
		return done, err
	}
	if len(steps) == 0 || entry.Kind == workspace.Directory {
		err = p.folder.Move(name, to)
	}
	p.opt.Listener.FilesChanged()
	err = errors.Join(err, p.outsider.Outside(ctx, []string{name, to}))
	if err != nil && len(steps) > 0 {
		p.notice(fmt.Sprintf("%s was renamed to %s, but not all of it: %v", name, to, err))
		err = nil
	}
	return done, err
}

// renames returns the steps for the files that history tracks.
func (p *filer) renames(ctx context.Context, name, to string, entry workspace.Entry) ([]step, error) {
	kept, err := p.keptIn(ctx, name, entry)
	if err != nil {
		return nil, err
	}
	steps := make([]step, len(kept))
	for i, f := range kept {
		steps[i] = step{path: f, kind: history.Rename, to: to + strings.TrimPrefix(f, name)}
		if why := p.exclusion(steps[i].to); why != "" {
			return nil, fmt.Errorf("rename %s to %s: %s; its history would end there. Copy it instead, or choose another name",
				f, steps[i].to, why)
		}
	}
	return steps, nil
}

// byUser carries out steps as one operation of the user.
func (p *filer) byUser(ctx context.Context, steps ...step) (Done, error) {
	if len(steps) == 0 {
		return Done{}, nil
	}
	return p.carryOut(ctx, history.Op{Author: history.User}, func(context.Context) ([]step, error) { return steps, nil })
}

// keptIn lists the tracked, editable files at or below a path, after saving what was
// typed in them.
func (p *filer) keptIn(ctx context.Context, name string, entry workspace.Entry) ([]string, error) {
	if err := p.Settle(ctx); err != nil {
		return nil, err
	}
	candidates := []string{name}
	if entry.Kind == workspace.Directory {
		all, err := p.Files(ctx)
		if err != nil {
			return nil, err
		}
		candidates = slices.DeleteFunc(all, func(f string) bool { return !strings.HasPrefix(f, name+"/") })
	}
	return slices.DeleteFunc(candidates, func(f string) bool { return !p.keeps(ctx, f) }), nil
}

// keeps reports whether a path is a tracked, editable file. A link is moved as it is.
func (p *filer) keeps(ctx context.Context, path string) (yes bool) {
	err := p.holding(ctx, []string{path}, func(ctx context.Context) error {
		d, err := p.document(ctx, path)
		yes = err == nil && d.Exists() && d.Path == path
		return err
	})
	return yes && err == nil
}

// there returns the clean path of something that exists.
func (p *filer) there(name string) (string, workspace.Entry, error) {
	clean, err := p.changeable(name)
	if err != nil {
		return name, workspace.Entry{}, err
	}
	entry, err := p.folder.Stat(clean)
	return clean, entry, err
}

// free returns the clean path of something that does not exist yet.
func (p *filer) free(name string) (string, error) {
	clean, err := p.changeable(name)
	if err != nil {
		return name, err
	}
	switch _, err := p.folder.Stat(clean); {
	case err == nil:
		return clean, fmt.Errorf("%s: %w", clean, fs.ErrExist)
	case errors.Is(err, fs.ErrNotExist):
		return clean, nil
	default:
		return clean, err
	}
}

// changeable returns a clean path that may be changed: not the project folder itself.
func (p *filer) changeable(name string) (string, error) {
	if err := p.writable(); err != nil {
		return name, err
	}
	if err := p.folder.CheckRoot(); err != nil {
		return name, err
	}
	clean, err := p.Path(name)
	if err == nil && (clean == "." || clean == "") {
		err = errors.New("that is the project folder itself")
	}
	return clean, err
}

// Where returns the path of an open document, which may have been renamed since a page
// showed it; false when it is no longer open.
func (p *documents) Where(id int64) (string, bool) {
	return p.table.find(func(d *live.Document) bool { return d.ID() == id })
}
