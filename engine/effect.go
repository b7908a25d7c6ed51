package engine

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// Effect identifies what exact edits do: to which files, which text they replace by which, and the
// lines around it. It stays the same while the files change elsewhere.
func Effect(of []model.FileEdit) string {
	h := sha256.New()
	put := func(parts ...string) {
		for _, p := range parts {
			_ = binary.Write(h, binary.LittleEndian, int64(len(p))) // a hash takes everything
			h.Write([]byte(p))
		}
	}
	of = slices.SortedFunc(slices.Values(of), func(a, b model.FileEdit) int { return cmp.Compare(a.Path, b.Path) })
	for _, e := range of {
		put(e.Path, fmt.Sprint(e.Create, e.Delete))
		if e.Delete {
			put(e.Base.String())
			continue
		}
		for c := range e.Changes.Changes {
			from, to := around(e.Base, c)
			put(fmt.Sprint(c.From-from, c.To-from), e.Base.Slice(from, to).String(), c.Insert)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// around returns the lines of a change, and of an insertion, which has no text of its own, one more
// on each side.
func around(t text.Text, c text.Change) (from, to text.Byte) {
	more := 0
	if c.From == c.To {
		more = 1
	}
	return t.LineStart(t.LineAt(c.From) - more), t.LineStart(t.LineAt(c.To) + 1 + more)
}

// ChangedError means that a request would not do any more what it did when it was tried.
type ChangedError struct{}

func (*ChangedError) Error() string {
	return "the files changed since this was offered, and it would do something else now; nothing was changed. " +
		"Send the first request again"
}

// offered returns a refusal whose candidates say what their trials did, and do not hold the edits.
func offered(r *model.Refusal) *model.Refusal {
	out := *r
	out.Candidates = slices.Clone(r.Candidates)
	for i := range out.Candidates {
		c := &out.Candidates[i]
		if c.Edits == nil {
			continue
		}
		var sum tally
		for _, e := range c.Edits {
			sum.count(e.Path, 0, 0)
			if added, removed, err := counts(e); err == nil { // it was applied in the trial
				sum.count(e.Path, added, removed)
			}
		}
		c.Files, c.Does, c.Edits = sum.files, Effect(c.Edits), nil
	}
	return &out
}

// counts returns the lines that an exact edit adds and removes.
func counts(e model.FileEdit) (added, removed int, err error) {
	if e.Delete {
		return 0, e.Base.Lines() - 1, nil
	}
	if e.Create {
		content, err := e.Changes.Apply(text.Text{})
		return content.Lines() - 1, 0, err
	}
	places, err := Places(e.Base, e.Changes)
	for _, p := range places {
		added, removed = added+p.Added, removed+p.Removed
	}
	return added, removed, err
}
