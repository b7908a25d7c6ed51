package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"waferpair/history"
	"waferpair/workspace"
)

// Journal stores workspace's save intents in the history's database: they become durable
// after the edits that they save, and before the disk changes.
type Journal struct{ *Core }

// noIntent stands for the intent of saving only untracked files while the history cannot be
// written. Without it, what the user typed in them would stay in memory only.
const noIntent = -1

func (j Journal) Intend(ctx context.Context, writes []workspace.IntentWrite) (int64, error) {
	if j.Store.Stalled() != nil && j.noneKept(writes) {
		return noIntent, nil
	}
	out := make([]history.IntentWrite, len(writes))
	for i, w := range writes {
		out[i] = history.IntentWrite{Path: w.Path, To: w.To, Op: w.Op.String(), Before: w.Before, After: w.After,
			Temp: w.Temp, Part: w.Part, Whole: w.Whole, Made: w.Made}
	}
	return j.Store.Intend(ctx, out)
}

func (j Journal) Done(ctx context.Context, id int64, outcomes []workspace.Outcome) error {
	if id == noIntent {
		return nil
	}
	var odd []string
	for _, o := range outcomes {
		if o.State != workspace.Written {
			odd = append(odd, fmt.Sprintf("%s: %s", o.Path, o.State))
		}
	}
	return j.Store.IntentDone(ctx, id, strings.Join(odd, "; "))
}

func (j Journal) Pending(ctx context.Context) ([]workspace.Intent, error) {
	pending, err := j.Store.PendingIntents(ctx)
	if err != nil {
		return nil, err
	}
	known, err := j.Store.Files(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]workspace.Intent, len(pending))
	for i, in := range pending {
		out[i].ID, out[i].Recorded = in.ID, in.Recorded
		for _, w := range in.Writes {
			next := workspace.IntentWrite{Path: w.Path, To: w.To, Op: opOf(w.Op), Before: w.Before, After: w.After,
				Temp: w.Temp, Part: w.Part, Whole: w.Whole, Made: w.Made}
			next.Taken = w.Whole && !in.Recorded && j.takenIn(known, next)
			out[i].Writes = append(out[i].Writes, next)
		}
	}
	return out, nil
}

func (c *Core) noneKept(writes []workspace.IntentWrite) bool {
	return !slices.ContainsFunc(writes, func(w workspace.IntentWrite) bool { return c.Excluded(w.Path) == "" })
}

// takenIn reports whether history has seen the content on disk at the place of a write. A
// change is rolled back before anybody looks, so this is true only if the rollback failed,
// for example because the disk became read-only.
func (c *Core) takenIn(known map[string]history.FileState, w workspace.IntentWrite) bool {
	name := cmp.Or(w.To, w.Path)
	st := known[name]
	e, err := c.Folder.Stat(name)
	if w.Op == workspace.Delete {
		return errors.Is(err, fs.ErrNotExist) && st.Disk.IsZero()
	}
	return err == nil && (st.Disk == history.Hash(w.After) || lastSeen(st, e) && st.Disk != history.Hash(w.Before))
}

func opOf(name string) workspace.Op {
	for _, op := range []workspace.Op{workspace.Create, workspace.Update, workspace.Delete, workspace.Rename,
		workspace.Discard} {
		if op.String() == name {
			return op
		}
	}
	return 0
}
