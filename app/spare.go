package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/adrg/xdg"

	"waferpair/history"
	"waferpair/workspace/text"
)

// What the history cannot take for now is kept in a spare file outside of it,
// where there is space: one per project, replaced as a whole, and removed once
// everything in it is recorded. The next start takes in one that was left. It
// holds text as the history may hold it, with secrets masked.

// spareFile is what a spare file holds, below a line with the SHA-256 of it.
type spareFile struct {
	Root    string // the project folder
	History string // the folder of its history
	At      time.Time
	Docs    []spareDoc
}

// spareDoc is a file of which not everything is recorded.
type spareDoc struct {
	Path   string
	Before history.Hash // the newest version that is durable; zero: none
	Head   history.Hash // the one that was on its way to the history then
	Mode   fs.FileMode
	Text   []byte
}

// spareHomes are the folders in which a spare file may be, in the order of how
// long they last.
func (p *Project) spareHomes() []string {
	return []string{
		filepath.Join(p.opt.StateHome, "waferpair"),
		filepath.Join(xdg.CacheHome, "waferpair"),
		filepath.Join(xdg.RuntimeDir, "waferpair"),
		filepath.Join(os.TempDir(), fmt.Sprintf("waferpair-%d", os.Getuid())),
	}
}

// spareName tells the histories apart, also two of the same project.
func (p *Project) spareName() string {
	dir := history.Dir(p.opt.DataHome, p.folder.Root())
	sum := sha256.Sum256([]byte(dir))
	return filepath.Base(dir) + "-" + hex.EncodeToString(sum[:6]) + spareEnding
}

const spareEnding = ".unrecorded"

// writeSpare keeps docs in the first place that takes them, and says where.
func (p *Project) writeSpare(docs []spareDoc) (at string, err error) {
	body, err := json.Marshal(spareFile{p.folder.Root(), history.Dir(p.opt.DataHome, p.folder.Root()), time.Now(), docs})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(body)
	data := slices.Concat([]byte(hex.EncodeToString(sum[:])+"\n"), body)
	var errs []error
	for _, home := range p.spareHomes() {
		name := filepath.Join(home, p.spareName())
		if inside(p.folder.Root(), name) {
			continue
		}
		if err := replaceFile(name, data); err != nil {
			errs = append(errs, err)
			continue
		}
		p.removeSpares(name)
		return name, nil
	}
	return "", errors.Join(errs...)
}

// replaceFile makes a private file durable, in one go.
func replaceFile(name string, data []byte) error {
	dir := filepath.Dir(name)
	if err := privateFolder(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// privateFolder makes a folder that only the user can look into; one in a place
// that everybody can write to might be somebody else's.
func privateFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	st, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !st.IsDir() || !ownedByUser(st):
		return fmt.Errorf("%s is not a folder of yours", dir)
	case st.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s can be written by others", dir)
	}
	return nil
}

// removeSpares removes the spare files but the one to keep.
func (p *Project) removeSpares(keep string) {
	for _, home := range p.spareHomes() {
		if name := filepath.Join(home, p.spareName()); name != keep {
			os.Remove(name)
		}
	}
}

// recoverSpares records what spare files hold, and removes them when it is
// durable. What has no place any more is put beside, and the user is told where.
//
// While nothing can be recorded it fails: what is typed on top of files that lack
// it would have no place afterwards.
func (p *Project) recoverSpares(ctx context.Context) error {
	var names []string
	for _, home := range p.spareHomes() {
		list, _ := filepath.Glob(filepath.Join(globQuoted(home), globQuoted(p.spareName())+"*"))
		names = append(names, list...)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		var file spareFile
		if err == nil {
			file, err = parseSpare(data)
		}
		if err == nil {
			err = p.recoverSpare(ctx, file, name)
		}
		var no *errNotRecovered
		switch {
		case errors.As(err, &no):
			return err
		case err != nil:
			name = leaveSpare(name)
			p.notice(fmt.Sprintf("%s holds what was typed in %s while it could not be recorded, and could not be taken in: %v", name, p.Root(), err))
		}
	}
	return nil
}

// leaveSpare renames a spare file that could not be taken in, so that a new one
// does not replace it; the next start tries again.
func leaveSpare(name string) string {
	if !strings.HasSuffix(name, spareEnding) {
		return name
	}
	to := fmt.Sprintf("%s-%x", name, time.Now().UnixNano())
	if os.Rename(name, to) != nil {
		return name
	}
	return to
}

// globQuoted is a name that a pattern takes literally.
func globQuoted(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

func parseSpare(data []byte) (file spareFile, err error) {
	head, body, ok := bytes.Cut(data, []byte("\n"))
	sum := sha256.Sum256(body)
	if !ok || string(head) != hex.EncodeToString(sum[:]) {
		return file, errors.New("it is damaged")
	}
	return file, json.Unmarshal(body, &file)
}

func (p *Project) recoverSpare(ctx context.Context, file spareFile, name string) error {
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
func (p *Project) recoverUnrecorded(ctx context.Context, d spareDoc, drafts []history.Draft) (bool, error) {
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
func (p *Project) recordedSince(ctx context.Context, d spareDoc) (bool, error) {
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
func (p *Project) rebased(ctx context.Context, d spareDoc, now text.Text) (text.ChangeSet, bool, error) {
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
func (p *Project) putBeside(d spareDoc, spare string) error {
	sum := sha256.Sum256(d.Text)
	name := fmt.Sprintf("%s-%x-%s", filepath.Join(filepath.Dir(spare), "kept"), sum[:4], filepath.Base(d.Path))
	if err := replaceFile(name, d.Text); err != nil {
		return err
	}
	p.notice(fmt.Sprintf("%s: what was typed while it could not be recorded does not fit what the file holds now; it is kept as %s", d.Path, name))
	return nil
}
