package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"

	"waferpair/app/spare"
	"waferpair/history"
	"waferpair/workspace/text"
)

// spares is where what the history cannot take is kept: never in the project itself.
func (p *core) spares() spare.Place {
	root := p.folder.Root()
	homes := []string{
		filepath.Join(p.opt.StateHome, "waferpair"),
		filepath.Join(xdg.CacheHome, "waferpair"),
		filepath.Join(xdg.RuntimeDir, "waferpair"),
		filepath.Join(os.TempDir(), fmt.Sprintf("waferpair-%d", os.Getuid())),
	}
	return spare.Place{Root: root, History: history.Dir(p.opt.DataHome, root),
		Homes: slices.DeleteFunc(homes, func(home string) bool { return inside(root, home) })}
}

// recoverSpares records what spare files hold, and removes them when it is
// durable. What has no place any more is put beside, and the user is told where.
//
// While nothing can be recorded it fails: what is typed on top of files that lack
// it would have no place afterwards.
func (p *recovery) recoverSpares(ctx context.Context) error {
	for _, name := range p.spares().Found() {
		file, err := spare.Read(name)
		if err == nil {
			err = p.recoverSpare(ctx, file, name)
		}
		var no *errNotRecovered
		switch {
		case errors.As(err, &no):
			return err
		case err != nil:
			name = spare.Leave(name)
			p.notice(fmt.Sprintf("%s holds what was typed in %s while it could not be recorded, and could not be taken in: %v", name, p.Root(), err))
		}
	}
	return nil
}

func (p *recovery) recoverSpare(ctx context.Context, file spare.File, name string) error {
	drafts, err := p.store.Drafts(ctx)
	if err != nil {
		return err
	}
	var taken []string
	for _, d := range file.Docs {
		placed, err := p.recoverUnrecorded(ctx, d, drafts)
		if err == nil && !placed {
			err = p.putBeside(d, name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d.Path, err)
		}
		if placed {
			taken = append(taken, d.Path)
		}
	}
	if err := p.store.Flush(ctx); err != nil {
		return &errNotRecovered{"what was typed when nothing could be recorded", err}
	}
	if len(taken) > 0 {
		p.notice("recovered what was typed while it could not be recorded: " + strings.Join(taken, ", "))
	}
	return os.Remove(name)
}

// recoverUnrecorded makes the text of a file an edit; false when it has no
// place on top of what the history has. It replaces what drafts say of the file:
// they are older.
func (p *recovery) recoverUnrecorded(ctx context.Context, d spare.Doc, drafts []history.Draft) (bool, error) {
	v, err := p.store.Head(ctx, d.Path)
	if errors.Is(err, history.ErrPurged) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	now, want := text.Of(v.Bytes), text.Of(d.Text)
	head := history.Hash{}
	if v.Exists {
		head = v.Hash
	}
	changes := text.Diff(now, want)
	if head != d.Before && head != d.Head {
		if recorded, err := p.recordedSince(ctx, d); recorded || err != nil {
			return recorded, err
		}
		var fits bool
		if changes, fits, err = p.rebased(ctx, d, now); !fits || err != nil {
			return false, err
		}
	}
	op := history.Op{Author: history.User, Note: "recovered: this was typed while the history could not be written"}
	for _, x := range drafts {
		if x.Path == d.Path {
			op.Drafts = append(op.Drafts, history.Draft{Turn: x.Turn, Path: x.Path, Author: x.Author})
		}
	}
	switch {
	case !v.Exists:
		op.Edits = []history.NewEdit{{Path: d.Path, Kind: history.Create, Content: d.Text, Mode: d.Mode}}
	case changes.Empty():
		return true, p.store.PutDraft(ctx, op.Drafts...)
	default:
		op.Edits = []history.NewEdit{{Path: d.Path, Kind: history.Text, Before: now, Changes: changes}}
	}
	err = p.appendRecovered(ctx, "what was typed when nothing could be recorded", op)
	return err == nil, err
}

// recordedSince reports whether the history got the text after all.
func (p *recovery) recordedSince(ctx context.Context, d spare.Doc) (bool, error) {
	edits, err := p.store.List(ctx, history.Filter{Path: d.Path, Limit: versionsBack})
	if err != nil {
		return false, err
	}
	want := history.HashBytes(d.Text)
	for _, e := range slices.Backward(edits) {
		switch e.Hash {
		case want:
			return true, nil
		case d.Before:
			return false, nil
		}
	}
	return false, nil
}

// rebased is what was typed as a change of a newer version, where the two
// changed different places.
func (p *recovery) rebased(ctx context.Context, d spare.Doc, now text.Text) (text.ChangeSet, bool, error) {
	versions := map[history.Hash][]byte{}
	p.collectVersions(ctx, d.Path, versions)
	base, ok := versions[d.Before]
	if !ok {
		return text.ChangeSet{}, false, nil
	}
	mine, theirs := text.Diff(text.Of(base), text.Of(d.Text)), text.Diff(text.Of(base), now)
	if len(mine.Conflicts(theirs)) > 0 {
		return mine, false, nil
	}
	cs, err := mine.Map(theirs, true)
	return cs, err == nil, err
}

// putBeside keeps a text that has no place in the history as a file of its own.
func (p *recovery) putBeside(d spare.Doc, name string) error {
	at, err := spare.Beside(name, d)
	if err != nil {
		return err
	}
	p.notice(fmt.Sprintf("%s: what was typed while it could not be recorded does not fit what the file holds now; it is kept as %s", d.Path, at))
	return nil
}
