package plan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// Between plans the way from one moment to another. Only paths with edits can differ: the
// baseline belongs to every moment, even for files that history saw later, because a file
// that history had not noticed yet must not be deleted.
func Between(ctx context.Context, r Reader, from, to version.Lineage) (Plan, error) {
	var plan, deletes Plan
	pids, err := r.Edited(ctx)
	if err != nil {
		return Plan{}, err
	}
	for _, pid := range pids {
		files, err := planPath(ctx, r, pid, from, to)
		if err != nil {
			return Plan{}, err
		}
		for _, f := range files {
			if f.Kind == version.Delete && len(files) == 1 {
				deletes.Files = append(deletes.Files, f)
			} else {
				plan.Files = append(plan.Files, f)
			}
		}
	}
	byPath := func(a, b Edit) int { return strings.Compare(a.Path, b.Path) }
	slices.SortStableFunc(plan.Files, byPath)
	slices.SortStableFunc(deletes.Files, byPath)
	return Plan{append(plan.Files, deletes.Files...)}, nil // deletions last
}

func planPath(ctx context.Context, r Reader, pid int64, from, to version.Lineage) ([]Edit, error) {
	a, errA := version.Walk(ctx, r, pid, from, false)
	b, errB := version.Walk(ctx, r, pid, to, false)
	if isPurged(errA) && isPurged(errB) {
		return nil, nil
	}
	path, err := r.Path(ctx, pid)
	if err = errors.Join(err, errA, errB); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if a.Exists == b.Exists && a.Hash == b.Hash && (a.Mode == b.Mode || !a.Exists) {
		return nil, nil
	}
	was, wasText, err := version.Read(ctx, r, pid, from)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	will, willText, err := version.Read(ctx, r, pid, to)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return planVersion(path, was, wasText, will, willText), nil
}

// planVersion returns the edits that lead from one version of a path to another.
func planVersion(path string, was version.Version, wasText text.Text, will version.Version, willText text.Text) []Edit {
	linkWas, linkWill := was.Mode&fs.ModeSymlink != 0, will.Mode&fs.ModeSymlink != 0
	gone := Edit{Path: path, Kind: version.Delete, Expect: was.Hash}
	appear := Edit{Path: path, Kind: version.Create, Content: willText.Bytes(), Mode: will.Mode}
	switch {
	case !will.Exists:
		return []Edit{gone}
	case linkWill:
		return []Edit{{Path: path, Kind: version.Symlink, Content: willText.Bytes(), Mode: will.Mode, Expect: was.Hash}}
	case !was.Exists:
		return []Edit{appear}
	case linkWas:
		return []Edit{gone, appear}
	}
	var out []Edit
	if was.Hash != will.Hash {
		out = append(out, planContent(path, was, wasText, willText))
	}
	if was.Mode != will.Mode {
		out = append(out, Edit{Path: path, Kind: version.Mode, Mode: will.Mode, Expect: will.Hash})
	}
	return out
}

func planContent(path string, was version.Version, wasText, willText text.Text) Edit {
	a, b := wasText.Bytes(), willText.Bytes()
	p := Edit{Path: path, Kind: version.Text, Before: wasText, Expect: was.Hash}
	if isBinary(a) || isBinary(b) {
		p.Kind, p.Before, p.Content = version.Blob, text.Text{}, b
		return p
	}
	p.Changes = diffTexts(a, b)
	return p
}

// isBinary uses git's rule: a NUL among the first bytes.
func isBinary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 }
