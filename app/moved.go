package app

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"

	"waferpair/app/disk"
	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// When another program renames a file (mv, git mv), one path vanishes and another one
// appears. If both are looked at together and have the same content, the history records
// a rename, and an open document follows it. If several files match, none is a rename. The
// watcher keeps a vanished file back for a moment, in case its new path comes later.

// outsideMoves records the renames among some paths, and returns the other paths.
func (p *outsider) outsideMoves(ctx context.Context, paths []string) ([]string, error) {
	if p.store.ReadOnly() || len(paths) < 2 {
		return paths, nil
	}
	gone := p.vanished(ctx, paths)
	if len(gone) == 0 {
		return paths, nil
	}
	fresh, files := p.appeared(ctx, paths)
	var errs []error
	for _, h := range slices.SortedFunc(maps.Keys(fresh),
		func(a, b history.Hash) int { return slices.Compare(a[:], b[:]) }) {
		for from, to := range renamedPairs(gone[h], fresh[h]) {
			moved, err := p.outsideMove(ctx, from, to, h, files[to])
			if errs = append(errs, err); !moved {
				continue
			}
			paths = slices.DeleteFunc(slices.Clone(paths), func(name string) bool { return name == from || name == to })
		}
	}
	return paths, errors.Join(errs...)
}

// vanished returns the tracked files that no longer exist, by their last content on disk.
func (p *outsider) vanished(ctx context.Context, paths []string) map[history.Hash][]string {
	out := map[history.Hash][]string{}
	for _, name := range paths {
		if _, err := p.folder.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		_ = p.holding(ctx, []string{name}, func(context.Context) error {
			if h := p.contentOnDisk(name); h != (history.Hash{}) && !slices.Contains(out[h], name) {
				out[h] = append(out[h], name)
			}
			return nil
		})
	}
	return out
}

// contentOnDisk returns the last known content of a tracked file on disk; zero if the file
// is untracked, was missing or was empty.
func (p *documents) contentOnDisk(name string) history.Hash {
	d := p.table.at(name)
	if d == nil {
		return notEmpty(p.List.Disk(name))
	}
	if !d.Tracked() || !d.Exists() || d.Moving() || !d.Disk.There() {
		return history.Hash{}
	}
	m, _ := mask.Text(name, d.Disk.Text())
	return notEmpty(history.HashText(m))
}

func notEmpty(h history.Hash) history.Hash {
	if h == history.HashText(text.Text{}) {
		return history.Hash{}
	}
	return h
}

// appeared returns new text files that history may track, by content.
func (p *outsider) appeared(ctx context.Context, paths []string) (map[history.Hash][]string,
	map[string]workspace.File) {
	byContent, files := map[history.Hash][]string{}, map[string]workspace.File{}
	for _, name := range paths {
		if p.table.at(name) != nil || p.List.Has(name) || workspace.IsTemp(name) || p.exclusion(name) != "" {
			continue
		}
		file, err := p.folder.Read(ctx, name)
		if _, again := files[name]; again || err != nil || file.Class != workspace.Text || file.Real != name {
			continue
		}
		m, _ := mask.Text(name, text.Of(file.Bytes))
		h := history.HashText(m)
		file.Bytes = nil // many files may have appeared
		byContent[h], files[name] = append(byContent[h], name), file
	}
	return byContent, files
}

// renamedPairs matches vanished and new files of the same content: first files that kept
// their name in another folder, then a single remaining pair.
func renamedPairs(gone, fresh []string) map[string]string {
	out := map[string]string{}
	pair := func(gone, fresh []string) {
		if len(gone) == 1 && len(fresh) == 1 {
			out[gone[0]] = fresh[0]
		}
	}
	for _, from := range gone {
		same := func(name string) bool { return path.Base(name) == path.Base(from) }
		pair(only(gone, same), only(fresh, same))
	}
	pair(only(gone, func(name string) bool { return out[name] == "" }),
		only(fresh, func(name string) bool { return !slices.Contains(slices.Collect(maps.Values(out)), name) }))
	return out
}

func only(names []string, when func(string) bool) (out []string) {
	for _, name := range names {
		if when(name) {
			out = append(out, name)
		}
	}
	return out
}

// outsideMove records a rename of a file whose content had the hash h, unless somebody
// opened one of the two files or recorded a change of them meanwhile.
func (p *outsider) outsideMove(ctx context.Context, from, to string, h history.Hash,
	file workspace.File) (moved bool, err error) {
	err = p.holding(ctx, []string{from, to}, func(ctx context.Context) error {
		if p.contentOnDisk(from) != h || p.table.at(to) != nil {
			return nil
		}
		err := p.recordMoved(ctx, from, to, file)
		moved = err == nil
		return err
	})
	return moved, err
}

// recordMoved records the rename, and moves an open document with it. Its unsaved typing
// is saved under the new path.
func (p *outsider) recordMoved(ctx context.Context, from, to string, file workspace.File) error {
	d := p.table.at(from)
	hash := p.List.Head(from)
	if d != nil {
		if err := d.Flush(ctx); err != nil {
			return err
		}
		hash = d.HeadHash()
	}
	_, err := p.append(ctx, history.Op{Author: history.Outside,
		Edits: []history.NewEdit{{Path: from, Kind: history.Rename, To: to, Expect: hash}}})
	if err != nil {
		return err
	}
	p.List.Add(to)
	if d != nil {
		d.Mode = file.Entry.Mode.Perm()
		d.SetReadOnly(p.readOnlyReason(ctx, file.Entry))
		d.Buffer.Renamed(to)
		p.renamed(ctx, d, to, file.Entry)
		return nil
	}
	p.List.Drop(from)
	p.List.Know(from, history.Hash{})
	p.List.Know(to, hash)
	p.opt.Listener.FilesChanged()
	return p.store.SetDisk(ctx, []history.DiskState{{Path: from}, disk.State(to, hash, file.Entry)})
}
