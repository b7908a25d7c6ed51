package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// ReviewHunk is one place where a file differs from its accepted base, which is the file
// without the model's edits that wait for review. Text that the model changed and changed
// back, that the user restored, or that a restore replaced is no difference and no hunk.
type ReviewHunk struct {
	// Edits made the hunk, oldest first; with them are the edits that meet them elsewhere,
	// because all of these are accepted and reverted together.
	Edits []EditID `json:"edits"`
	Turns []TurnID `json:"turns"`         // of each of the edits
	Place int      `json:"place"`         // numbers the places with the same edits, from 0
	Path  string   `json:"path"`          // the file's present path
	Was   string   `json:"was,omitempty"` // its path in the accepted base, if Kind is Rename
	Kind  Kind     `json:"kind"`          // Text, or what happened to the file as a whole

	// From and To delimit the model's text in the present file; Removed is the text in its
	// place in the accepted base.
	From    text.Byte `json:"from"`
	To      text.Byte `json:"to"`
	Removed string    `json:"removed,omitempty"`
	Partial bool      `json:"partial,omitempty"`
	Time    time.Time `json:"time"` // of the newest edit
}

// ReviewAll returns the places in all files that wait for review, as recorded.
func (s *Store) ReviewAll(ctx context.Context) ([]ReviewHunk, error) {
	open, err := s.openByPath(ctx)
	if err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	var out []ReviewHunk
	for _, path := range open.paths {
		f, err := s.reviewed(ctx, path, open.edits[path])
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("review %s: %w", path, ctx.Err())
		case err != nil: // Review reports the error; here the other files count, too
			out = append(out, unplaced(path, open.edits[path])...)
		default:
			out = append(out, f.hunks(path, open.edits[path])...)
		}
	}
	return out, nil
}

// unplaced returns the waiting edits of a file whose history cannot be read.
func unplaced(path string, open []Edit) (out []ReviewHunk) {
	for _, e := range open {
		out = append(out, ReviewHunk{Edits: []EditID{e.ID}, Turns: []TurnID{e.Turn}, Path: path, Kind: e.Kind,
			Partial: e.Partial, Time: e.Time})
	}
	return out
}

// Review returns the places in one file that wait for review, in order. now is the file's
// present text, masked as history has it; it may be ahead of the recorded edits.
func (s *Store) Review(ctx context.Context, path string, now text.Text) ([]ReviewHunk, error) {
	open, err := s.openByPath(ctx)
	if err != nil || open.edits[path] == nil {
		return nil, err
	}
	f, err := s.reviewed(ctx, path, open.edits[path])
	if err != nil {
		return nil, fmt.Errorf("review %s: %w", path, err)
	}
	_, head, err := version.ReadPath(ctx, s.rows(), path, s.lineage())
	if err != nil {
		return nil, fmt.Errorf("review %s: %w", path, err)
	}
	f = f.clone()
	f.net.changeBoth(changesOf(text.Diff(head, now)))
	return f.hunks(path, open.edits[path]), nil
}

// AcceptedBase returns the file without the model's edits that wait for review.
func (s *Store) AcceptedBase(ctx context.Context, path string) (Version, error) {
	v, now, err := version.ReadPath(ctx, s.rows(), path, s.lineage())
	if err != nil {
		return v, err
	}
	v.Bytes = now.Bytes()
	open, err := s.openByPath(ctx)
	if err != nil || open.edits[path] == nil {
		return v, err
	}
	f, err := s.reviewed(ctx, path, open.edits[path])
	if err != nil || !f.base.exists {
		return Version{}, err
	}
	f = f.clone()
	f.net.hunks = slices.DeleteFunc(f.net.hunks, func(h netHunk) bool { return !f.waits(h.edit, open.edits[path]) })
	return Version{Exists: true, Mode: f.base.mode, Bytes: f.net.base(now).Bytes()}, nil
}

// openFiles are the edits that wait for review, by the present paths of their files.
type openFiles struct {
	paths []string
	edits map[string][]Edit
}

func (s *Store) openByPath(ctx context.Context) (openFiles, error) {
	edits, err := s.Unreviewed(ctx)
	if err != nil {
		return openFiles{}, err
	}
	open := openFiles{edits: map[string][]Edit{}}
	if len(edits) == 0 {
		return open, nil
	}
	names, err := s.rows().Names(ctx, s.lineage(), edits[0].ID)
	for _, e := range edits {
		path := names.Of(e.ID, e.Path)
		if open.edits[path] == nil {
			open.paths = append(open.paths, path)
		}
		open.edits[path] = append(open.edits[path], e)
	}
	return open, err
}

// hunks returns the places of the open edits.
func (f *reviewFile) hunks(path string, open []Edit) []ReviewHunk {
	r := renderer{f: f, path: path, groups: f.groups(open), places: map[EditID]int{}}
	whole := r.whole()
	for _, h := range f.net.hunks {
		kind := Text
		if !f.base.exists {
			kind = Create
		} else if !f.now.exists {
			kind = Delete
		}
		r.add(h.edit, ReviewHunk{Kind: kind, From: h.at, To: h.end(), Removed: h.removed})
	}
	if len(r.out) == 0 || whole.Kind == Rename || whole.Kind == Mode {
		r.add(f.whole, whole)
	}
	return r.out
}

// whole returns the hunk for what happened to the file as a whole.
func (r *renderer) whole() ReviewHunk {
	switch base, now := r.f.base, r.f.now; {
	case !base.exists && now.exists:
		return ReviewHunk{Kind: Create}
	case base.exists && !now.exists:
		return ReviewHunk{Kind: Delete}
	case base.exists && base.path != now.path:
		return ReviewHunk{Kind: Rename, Was: base.path}
	case base.exists && base.mode != now.mode:
		return ReviewHunk{Kind: Mode}
	}
	return ReviewHunk{}
}

// renderer turns the net of a file into hunks.
type renderer struct {
	f      *reviewFile
	path   string
	groups map[int][]Edit
	places map[EditID]int
	out    []ReviewHunk
}

// add adds a hunk if one of its edits waits.
func (r *renderer) add(edit int, h ReviewHunk) {
	if edit < 0 || h.Kind == "" {
		return
	}
	edits := r.groups[r.f.net.group(edit)]
	if len(edits) == 0 {
		return
	}
	newest := edits[len(edits)-1]
	h.Path, h.Time, h.Place = r.path, newest.Time, r.places[newest.ID]
	r.places[newest.ID]++
	for _, e := range edits {
		h.Edits, h.Turns, h.Partial = append(h.Edits, e.ID), append(h.Turns, e.Turn), h.Partial || e.Partial
	}
	r.out = append(r.out, h)
}

// groups returns the waiting edits by group of the net.
func (f *reviewFile) groups(open []Edit) map[int][]Edit {
	out := map[int][]Edit{}
	for _, e := range open {
		if n, ok := f.number[e.ID]; ok {
			g := f.net.group(n)
			out[g] = append(out[g], e)
		}
	}
	return out
}

// waits reports whether an open edit is in the group of an edit.
func (f *reviewFile) waits(edit int, open []Edit) bool {
	return slices.ContainsFunc(open, func(e Edit) bool {
		n, ok := f.number[e.ID]
		return ok && f.net.group(n) == f.net.group(edit)
	})
}
