package history

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"waferpair/history/plan"
	"waferpair/history/version"
	"waferpair/workspace/text"
)

// reviewFile is the review's view of one file: the difference to its accepted base,
// computed from all edits since the first one that waits.
type reviewFile struct {
	net       net
	number    map[EditID]int // the model's edits and their numbers in the net
	base, now presence
	whole     int // the model's edit that created, deleted, moved or set the mode of the file; -1: none
}

// presence is the state of a file without its text.
type presence struct {
	exists bool
	path   string
	mode   fs.FileMode
}

func (f *reviewFile) clone() *reviewFile {
	c := *f
	c.net = net{slices.Clone(f.net.hunks), slices.Clone(f.net.parent)}
	return &c
}

// reviewCache caches each file until it has a new edit.
type reviewCache struct {
	mu    sync.Mutex
	stamp Stamp
	files map[string]*reviewFile
}

// reviewed returns the review of the file at a path; open are its waiting edits.
func (s *Store) reviewed(ctx context.Context, path string, open []Edit) (*reviewFile, error) {
	now, err := s.Stamp(ctx) // of what is queued, too
	if err == nil {
		err = s.settled(ctx)
	}
	if err != nil {
		return nil, err
	}
	c := &s.reviews
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.refresh(ctx, s.read, now); err != nil {
		return nil, err
	}
	if f := c.files[path]; f != nil {
		return f, nil
	}
	f, err := s.foldReview(ctx, path, open)
	if err == nil {
		c.files[path] = f
	}
	return f, err
}

// refresh drops the files that were edited since; all of them, if the stamp changed
// otherwise.
func (c *reviewCache) refresh(ctx context.Context, q querier, now Stamp) error {
	if c.files == nil || !c.stamp.since(now) {
		c.stamp, c.files = now, map[string]*reviewFile{}
		return nil
	}
	if c.stamp == now {
		return nil
	}
	rows, err := q.QueryContext(ctx, `SELECT DISTINCT p.path, coalesce(t.path, '') FROM edit e
		JOIN path p ON p.id = e.path LEFT JOIN path t ON t.id = e.to_path WHERE e.id >= ?`, int64(c.stamp.edit))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var path, to string
		if err := rows.Scan(&path, &to); err != nil {
			return err
		}
		delete(c.files, path)
		delete(c.files, to)
	}
	c.stamp = now
	return rows.Err()
}

// foldReview folds all edits of a file since the first one that waits.
func (s *Store) foldReview(ctx context.Context, path string, open []Edit) (*reviewFile, error) {
	pid, lin, err := s.pinned(ctx, path)
	if err != nil {
		return nil, err
	}
	f := &folder{s: s, ctx: ctx, file: &reviewFile{number: map[EditID]int{}, whole: -1}}
	if f.reverts, err = s.rows().Reverts(ctx, lin); err != nil {
		return nil, err
	}
	if f.ours, err = s.oursToReview(ctx, open[0].ID); err != nil {
		return nil, err
	}
	edits, begins, err := s.rows().reviewLife(ctx, pid, lin, open[0].ID)
	if err != nil {
		return nil, err
	}
	if err := f.begin(begins, lin, edits); err != nil {
		return nil, err
	}
	for _, e := range f.standing(edits) {
		if err := f.fold(e); err != nil {
			return nil, err
		}
	}
	f.file.net.settle()
	if f.file.net.balanced() {
		_, head, err := version.Read(ctx, s.rows(), pid, lin)
		if err != nil {
			return nil, err
		}
		f.file.net.settleWith(head)
	}
	return f.file, nil
}

// oursToReview returns the model's edits from since on that are not accepted, reverted or
// not. An older edit that was reverted, and its revert, count as the user's.
func (s *Store) oursToReview(ctx context.Context, since EditID) (map[EditID]bool, error) {
	open, err := s.openEdits(ctx)
	ours := make(map[EditID]bool, len(open))
	for _, e := range open {
		if e.ID >= since {
			ours[e.ID] = true
		}
	}
	return ours, err
}

// folder goes through the edits of one file.
type folder struct {
	s       *Store
	ctx     context.Context
	file    *reviewFile
	reverts plan.Reverts
	ours    map[EditID]bool // the model's edits that are not accepted, and the reverts of those
	start   fileState
}

// begin sets the state of the file before the first edit.
func (f *folder) begin(pid int64, lin version.Lineage, edits []reviewEdit) error {
	if len(edits) == 0 {
		return nil
	}
	st, err := version.Walk(f.ctx, f.s.rows(), pid, lin.UpTo(edits[0].id-1), false)
	if err != nil && !errors.Is(err, ErrPurged) {
		return err
	}
	path, err := f.s.rows().Path(f.ctx, pid)
	if err != nil {
		return err
	}
	f.file.base = presence{exists: st.Exists, path: path, mode: st.Mode}
	f.file.now = f.file.base
	f.start = fileState{path: path, hash: st.Hash, mode: st.Mode, exists: st.Exists}
	return nil
}

// fileState is the complete state of a file at a moment.
type fileState struct {
	path   string
	hash   Hash
	mode   fs.FileMode
	exists bool
}

// standing returns the edits that led to the present file. If somebody brought the file
// back to an earlier state, by a restore, a revert or by hand, the edits in between are
// left out, unless that change was itself reverted. A restore of a moment before all of
// these edits leaves none.
func (f *folder) standing(edits []reviewEdit) []reviewEdit {
	type node struct{ prev, edit int }
	nodes := []node{{-1, -1}}
	now := f.start
	seen := map[fileState]int{now: 0}
	at := 0
	for i, e := range edits {
		now = e.after(now)
		f.judge(e)
		stays := len(f.reverts.By[e.id]) == 0
		if back, ok := seen[now]; ok && stays && e.author != Model {
			at = back
			continue
		}
		nodes = append(nodes, node{at, i})
		at = len(nodes) - 1
		edits[i].restored = stays && f.isRestore(e)
		seen[now] = at
	}
	var out []reviewEdit
	for ; at > 0; at = nodes[at].prev {
		out = append(out, edits[nodes[at].edit])
	}
	slices.Reverse(out)
	return out
}

// judge decides whose an edit is: a revert of the model's edits counts as the model's, and
// so does a restore that was reverted later.
func (f *folder) judge(e reviewEdit) {
	for _, id := range f.reverts.Of[e.id] {
		if f.ours[id] {
			f.ours[e.id] = true
		}
	}
	if f.isRestore(e) && len(f.reverts.By[e.id]) > 0 {
		f.ours[e.id] = true
	}
}

func (f *folder) isRestore(e reviewEdit) bool {
	return e.author == Revert && len(f.reverts.Of[e.id]) == 0
}

// fold folds one edit.
func (f *folder) fold(e reviewEdit) error {
	now := e.after(fileState{path: f.file.now.path, mode: f.file.now.mode, exists: f.file.now.exists})
	was := f.file.now
	f.file.now = presence{now.exists, now.path, now.mode}
	if e.restored || !f.ours[e.id] && e.kind != Text && e.kind != Rename && e.kind != Mode ||
		e.kind == Text && e.delta == nil {
		f.reset()
		return nil
	}
	d, err := f.delta(e, was.exists)
	if err != nil {
		return err
	}
	if f.ours[e.id] {
		f.foldOurs(e, d.Hunks)
		return nil
	}
	f.foldTheirs(e, d.Hunks)
	if e.kind == Rename {
		f.file.base.path = now.path
	}
	if e.kind == Mode {
		f.file.base.mode = now.mode
	}
	return nil
}

// reset handles whole content set by somebody else, which contains nothing of the model's.
func (f *folder) reset() {
	f.file.net.hunks, f.file.base, f.file.whole = nil, f.file.now, -1
}

func (f *folder) foldOurs(e reviewEdit, hunks []version.Hunk) {
	n := f.file.net.newEdit()
	f.file.number[e.id] = n
	f.file.net.change(hunks, n)
	if e.kind == Text {
		return
	}
	if f.file.whole >= 0 { // created and moved: one thing to decide
		f.file.net.join(n, f.file.whole)
	}
	f.file.whole = n
}

// foldTheirs also folds edits of the model that the user accepted: one on top of text that
// still waits becomes part of it.
func (f *folder) foldTheirs(e reviewEdit, hunks []version.Hunk) {
	n := -1
	for _, h := range slices.Backward(hunks) {
		if e.author != Model || !f.file.net.covers(h) {
			f.file.net.replaceBoth(h)
			continue
		}
		if n < 0 {
			n = f.file.net.newEdit()
			f.file.number[e.id] = n
		}
		f.file.net.replace(h, n)
	}
}

// delta returns what an edit did to the text.
func (f *folder) delta(e reviewEdit, existed bool) (version.Delta, error) {
	if e.kind == Text {
		return version.DecodeDelta(e.delta)
	}
	if e.kind == Rename || e.kind == Mode {
		return version.Delta{}, nil
	}
	var h version.Hunk
	if existed {
		edit, err := f.s.Get(f.ctx, e.id)
		if err != nil {
			return version.Delta{}, err
		}
		h.Removed = string(edit.Before.Bytes)
		h.To = text.Byte(len(h.Removed))
	}
	if e.blob != 0 {
		b, err := f.s.rows().Content(f.ctx, e.blob)
		if err != nil {
			return version.Delta{}, err
		}
		h.Inserted = string(b)
	}
	if h.Removed == h.Inserted {
		return version.Delta{}, nil
	}
	return version.Delta{Hunks: []version.Hunk{h}}, nil
}

func changesOf(cs text.ChangeSet) []version.Hunk {
	var out []version.Hunk
	for c := range cs.Changes {
		out = append(out, version.Hunk{From: c.From, To: c.To, Inserted: c.Insert})
	}
	return out
}

// reviewEdit is one edit of a file under review.
type reviewEdit struct {
	id       EditID
	author   Author
	kind     Kind
	to       string // the path after the edit
	hash     []byte // of the content after the edit; nil: the file is gone
	mode     sql.NullInt64
	blob     int64
	delta    []byte
	restored bool // a restore to the file's state before all of these edits
}

func (e reviewEdit) after(was fileState) fileState {
	now := fileState{path: e.to, mode: was.mode, exists: e.hash != nil}
	copy(now.hash[:], e.hash)
	if e.mode.Valid {
		now.mode = fs.FileMode(e.mode.Int64)
	}
	if !now.exists {
		now.mode = 0
	}
	return now
}

// reviewLife returns the edits of the file at a path since an edit, oldest first, and the
// path that it had before. Unlike a lifeline it continues through deletions, back to where
// another file had the name.
func (r reader) reviewLife(ctx context.Context, path int64,
	lin version.Lineage, since EditID) ([]reviewEdit, int64, error) {
	var out []reviewEdit
	for done := false; len(lin) > 0 && !done && lin[0].Max >= since; {
		from, at, err := r.Renamed(ctx, path, lin[0])
		if err != nil {
			return nil, 0, err
		}
		if at.ID < since {
			from, at.ID = 0, 0
		}
		own, all, err := r.reviewSegment(ctx, path, lin[0], max(at.ID, since-1))
		if err != nil {
			return nil, 0, err
		}
		out, done = append(out, own...), !all
		if done || from == 0 {
			lin = lin[1:]
			continue
		}
		moved, _, err := r.reviewRows(ctx, "e.id = ?", at.ID)
		if err != nil {
			return nil, 0, err
		}
		out = append(out, moved...)
		path, lin = from, lin.UpTo(at.ID-1)
	}
	slices.Reverse(out)
	return out, path, nil
}

// reviewSegment returns a path's own edits on one branch, newest first; not all of them if
// the file was renamed away or purged.
func (r reader) reviewSegment(ctx context.Context, path int64,
	seg version.Segment, after EditID) ([]reviewEdit, bool, error) {
	return r.reviewRows(ctx, "e.id IN (SELECT edit FROM step WHERE path = ? AND branch = ? AND edit <= ? AND edit > ?)",
		path, seg.Branch, int64(seg.Max), int64(after))
}

func (r reader) reviewRows(ctx context.Context, where string, args ...any) (out []reviewEdit, all bool, err error) {
	rows, err := r.q.QueryContext(ctx,
		`SELECT e.id, o.author, e.kind, e.state, coalesce(t.path, p.path), e.after, e.mode, coalesce(e.blob, 0), `+deltaOf+`
		FROM edit e JOIN op o ON o.id = e.op JOIN path p ON p.id = e.path LEFT JOIN path t ON t.id = e.to_path
		WHERE `+where+` ORDER BY e.id DESC`, args...)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	for rows.Next() {
		var e reviewEdit
		var author, kind, state int
		if err := rows.Scan(&e.id, &author, &kind, &state, &e.to, &e.hash, &e.mode, &e.blob, &e.delta); err != nil {
			return nil, false, err
		}
		e.author, e.kind = word(authors, author), word(kinds, kind)
		if state&statePurged != 0 || e.kind == Rename && len(args) > 1 {
			return out, false, errors.Join(rows.Close(), rows.Err())
		}
		out = append(out, e)
	}
	return out, true, rows.Err()
}
