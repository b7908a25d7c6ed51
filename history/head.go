package history

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// head is the newest version of a path on the current branch, for checks of new edits.
// Heads are loaded on first use and updated by every append, so they are ahead of the
// database by the edits in the queue.
type head struct {
	path    string
	id      int64 // of the path; the row may not be written yet
	unsaved bool  // the path's row must be inserted with the next job
	exists  bool
	purged  bool // the history no longer has its content
	sum     *version.Digest
	mode    fs.FileMode
	edit    EditID
	since   int      // edits since the last version stored whole
	bytes   int      // of deltas since then
	changed bool     // in a prepared operation: edit is an index into its edits
	job     *promise // the newest job that changed it
}

// maxHeads bounds the cache. Only heads without a queued job may be evicted.
const maxHeads = 20_000

// head returns the newest version of path. The caller holds s.mu.
func (s *Store) head(ctx context.Context, path string) (*head, error) {
	if h := s.heads[path]; h != nil {
		return h, nil
	}
	h, err := s.loadHead(ctx, path)
	if err != nil {
		return nil, err
	}
	if len(s.heads) >= maxHeads {
		s.evict()
	}
	s.heads[path] = h
	return h, nil
}

func (s *Store) evict() {
	for k, h := range s.heads {
		if !h.unsaved && (h.job == nil || h.job.isDone()) {
			delete(s.heads, k)
		}
		if len(s.heads) < maxHeads*3/4 {
			return
		}
	}
}

// loadHead reads a head from the database. No edit of the path is in the queue, otherwise
// its head would be cached.
func (s *Store) loadHead(ctx context.Context, path string) (*head, error) {
	h := &head{path: path}
	err := s.read.QueryRowContext(ctx, "SELECT id FROM path WHERE path = ?", path).Scan(&h.id)
	if errors.Is(err, sql.ErrNoRows) {
		h.id, h.unsaved = s.next.path, true
		s.next.path++
		s.next.baselineEmpty = false
		return h, nil
	}
	if err != nil {
		return nil, err
	}
	st, err := version.Walk(ctx, s.rows(), h.id, s.lineageOf(s.current, Newest), false)
	if errors.Is(err, ErrPurged) {
		h.purged = true
		return h, nil
	}
	if err != nil {
		return nil, err
	}
	h.exists, h.sum, h.mode, h.edit = st.Exists, version.Known(st.Hash), st.Mode, st.Edit
	h.since, h.bytes = st.Deltas, st.DeltaBytes
	return h, nil
}

// rollback drops all cached state that was not committed, after a failed commit. IDs that
// were assigned are not used again. The caller holds s.mu.
func (s *Store) rollback() {
	clear(s.heads)
	clear(s.turns)
	s.recent = recentTexts{}
	s.last = nil
}

// recentTexts caches the newest texts of the few files being edited, so that checking an
// edit's Before mostly compares shared storage. Texts are found by their digests, so a
// stale one does no harm.
type recentTexts struct {
	ring [32]recentText
	next int
}

type recentText struct {
	path string
	sum  *version.Digest
	text text.Text
}

func (r *recentTexts) is(h *head, t text.Text) bool {
	for i := range r.ring {
		if e := &r.ring[i]; e.path == h.path && e.sum == h.sum {
			return e.text.Equal(t)
		}
	}
	return false
}

func (r *recentTexts) keep(h *head, t text.Text) {
	for i := range r.ring {
		if r.ring[i].path == h.path {
			r.ring[i] = recentText{h.path, h.sum, t}
			return
		}
	}
	r.ring[r.next] = recentText{h.path, h.sum, t}
	r.next = (r.next + 1) % len(r.ring)
}
