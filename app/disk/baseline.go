package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"waferpair/history"
	"waferpair/workspace"
)

// usableAfter bounds the files that a first opening stores before it returns; it stores
// more in the background.
const usableAfter = 3000

// baselineMark says that the first opening has stored every file.
const baselineMark = "baseline"

// firstOpening stores the content of every file. Until that is done, Sync stores a file
// before it changes. If it is interrupted, the next opening continues.
func (k *Intake) firstOpening(ctx context.Context, fresh []workspace.Entry) error {
	k.baseline = background{done: make(chan struct{})}
	go func() {
		defer close(k.baseline.done)
		k.baseline.err = k.storeBaseline(ctx, fresh)
	}()
	if len(fresh) > usableAfter {
		return nil
	}
	return k.baseline.wait()
}

func (k *Intake) storeBaseline(ctx context.Context, fresh []workspace.Entry) error {
	var noText []string
	defer func() { k.List.Drop(noText...) }()
	_, err := k.Store.Baseline(ctx, func(yield func(history.BaseFile) bool) {
		for i, e := range fresh {
			f, err := k.Folder.Read(ctx, e.Path)
			if err != nil && ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
				k.Notice(leftOut(e.Path, err))
			}
			if err == nil && f.Class != workspace.Text {
				noText = append(noText, e.Path)
			}
			if err == nil && !yield(baseFile(f)) {
				return
			}
			if n := i + 1; n%256 == 0 || n == len(fresh) {
				k.Progress("storing the files as they are", n, len(fresh))
			}
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("store the files as they are: %w; the next opening goes on with it", err)
	}
	states, err := k.Store.Files(ctx)
	if err != nil {
		return err
	}
	k.List.Learn(states) // as at the next opening
	return k.Store.SetMark(ctx, baselineMark, "complete")
}

func leftOut(path string, err error) string {
	return fmt.Sprintf("%s could not be read and is left out: %v", path, err)
}
