package engine

import (
	"slices"

	"waferpair/engine/editstream"
)

// failedHunk is an edit of the turn that was not made.
//
//	failed -> returned -> an edit of the same file lands: settled, it counts no more
//	             \------> it fails again: failed, the next try
//
// A driver may return it to its model once, with the file's lines. The model then writes other
// lines, so what it writes next for the same file stands for the edit.
type failedHunk struct {
	HunkFailed
	nowhere  bool // there is no such file, so the next try may be for another one
	returned bool
}

// failHunk adds an edit that was not made, and numbers the try.
func (t *tally) failHunk(f HunkFailed, nowhere bool) HunkFailed {
	if f.Reason == string(editstream.Barred) { // said once
		t.failed = slices.DeleteFunc(t.failed, func(old failedHunk) bool {
			return old.Path == f.Path && old.Reason == f.Reason
		})
	}
	i := slices.IndexFunc(t.failed, func(old failedHunk) bool { return old.isSettledBy(f.Path) })
	again := i >= 0
	if again {
		f.Try = max(t.failed[i].Try, 1) + 1
		t.failed = slices.Delete(t.failed, i, i+1)
	}
	t.failed = append(t.failed, failedHunk{f, nowhere || f.Path == "", again})
	return f
}

// giveBack marks the failures that go back to the model.
func (t *tally) giveBack(hunks []HunkReceipt) {
	for i := range t.failed {
		f := &t.failed[i]
		f.returned = f.returned || slices.ContainsFunc(hunks, func(h HunkReceipt) bool {
			return h.Hunk == f.Hunk && h.Path == f.Path || f.Path == "" && h.Reason == editstream.Malformed
		})
	}
}

// settle removes the returned failures that an edit of a file stands for.
func (t *tally) settle(path string) {
	t.failed = slices.DeleteFunc(t.failed, func(f failedHunk) bool { return f.isSettledBy(path) })
}

func (f failedHunk) isSettledBy(path string) bool { return f.returned && (f.nowhere || f.Path == path) }
