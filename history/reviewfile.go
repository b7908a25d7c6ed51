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

// reviewFile is one file as the review sees it: the difference to its accepted
// base, made of all edits since the first one that waits.
type reviewFile struct {
	net       net
	number    map[EditID]int // in the net, of the model's edits
	base, now presence
	whole     int // the model's edit that made, deleted, moved or set the mode of the file; -1: none
}

// presence is what a file is beside its text.
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

// reviewCache keeps what was worked out as long as the file has no new edit.
type reviewCache struct {
	mu    sync.Mutex
	stamp Stamp
	files map[string]*reviewFile
}

// reviewed is the file at a path; open are its edits that wait.
func (s *Store) reviewed(ctx context.Context, path string, open []Edit) (*reviewFile, error) {
	now, err := s.Stamp(ctx)
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

// refresh forgets the files that were edited since; all, if more than that happened.
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

// foldReview takes in all that happened to a file since the first edit that waits.
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
		if err := f.take(e); err != nil {
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

// oursToReview are the model's edits since one that are not accepted, taken back
// or not. Both an older one that was taken back and what took it back are the user's.
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
	ours    map[EditID]bool // the model's that are not accepted, and what takes those back
	start   fileState
}

// begin sets what the file was before the first edit.
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

// fileState is all that a file is at a moment.
type fileState struct {
	path   string
	hash   Hash
	mode   fs.FileMode
	exists bool
}

// standing are the edits that led to the file as it is. Where somebody made it
// again what it was before, by a restore, a revert or by hand, all that came in
// between is as if it had not been, unless that was taken back in its turn. A
// restore of a moment before all of these edits leaves none.
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
		edits[i].anew = stays && f.isRestore(e)
		seen[now] = at
	}
	var out []reviewEdit
	for ; at > 0; at = nodes[at].prev {
		out = append(out, edits[nodes[at].edit])
	}
	slices.Reverse(out)
	return out
}

// judge says whose an edit is: what takes back the model's counts as the model's,
// and so does a restore that was taken back later.
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

// take takes one edit in.
func (f *folder) take(e reviewEdit) error {
	now := e.after(fileState{path: f.file.now.path, mode: f.file.now.mode, exists: f.file.now.exists})
	was := f.file.now
	f.file.now = presence{now.exists, now.path, now.mode}
	if e.anew || !f.ours[e.id] && e.kind != Text && e.kind != Rename && e.kind != Mode ||
		e.kind == Text && e.delta == nil {
		f.reset()
		return nil
	}
	d, err := f.delta(e, was.exists)
	if err != nil {
		return err
	}
	if f.ours[e.id] {
		f.takeOurs(e, d.Hunks)
		return nil
	}
	f.takeTheirs(e, d.Hunks)
	if e.kind == Rename {
		f.file.base.path = now.path
	}
	if e.kind == Mode {
		f.file.base.mode = now.mode
	}
	return nil
}

// reset: somebody else set the whole content, and nothing of the model's is in it.
func (f *folder) reset() {
	f.file.net.hunks, f.file.base, f.file.whole = nil, f.file.now, -1
}

func (f *folder) takeOurs(e reviewEdit, hunks []version.Hunk) {
	n := f.file.net.newEdit()
	f.file.number[e.id] = n
	f.file.net.change(hunks, n)
	if e.kind == Text {
		return
	}
	if f.file.whole >= 0 { // made and moved: one thing to decide
		f.file.net.join(n, f.file.whole)
	}
	f.file.whole = n
}

// takeTheirs also takes in what the model did and the user accepted: where that is
// on top of something that waits, it is part of it.
func (f *folder) takeTheirs(e reviewEdit, hunks []version.Hunk) {
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

// delta is what an edit did to the text.
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

// reviewEdit is one edit of the life that a review looks at.
type reviewEdit struct {
	id     EditID
	author Author
	kind   Kind
	to     string // the path after it
	hash   []byte // the content after it; nil: gone
	mode   sql.NullInt64
	blob   int64
	delta  []byte
	anew   bool // a restore to what the file was before all this
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

// reviewLife collects what happened to the file at a path since an edit, oldest
// first, and the path that it had before. Unlike a lifeline it goes on through
// deletions, up to where another file had the name.
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

// reviewSegment is a path's own edits on one branch, newest first; not all, where
// the file that was there went elsewhere or was purged.
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
