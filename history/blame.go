package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// Unrecorded stands for the edit of lines that history does not have yet.
const Unrecorded EditID = -1

// BlameRun is a run of lines that the same edit last changed.
type BlameRun struct {
	From   int       `json:"from"` // the first line, counted from 1
	Lines  int       `json:"lines"`
	Edit   EditID    `json:"edit"` // 0: the baseline; or Unrecorded
	Author Author    `json:"author,omitempty"`
	Turn   TurnID    `json:"turn,omitempty"`
	Time   time.Time `json:"time,omitzero"`
}

// Blame returns which edit each line of a text comes from. The text is what the file holds
// now, masked as history has it; lines that differ from the newest version of the current
// branch are Unrecorded.
//
// Blame replays all edits once, oldest first, and afterwards only new ones: while edits
// stream in, another call costs what is new.
func (s *Store) Blame(ctx context.Context, path string, now text.Text) ([]BlameRun, error) {
	tr, err := s.trace(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("blame %s: %w", path, err)
	}
	cs := text.Diff(tr.text, now)
	lines := splice(slices.Clone(tr.lines), touchedLines(tr.text, cs, now), Unrecorded)
	runs := runsOf(lines, now)
	if err := s.rows().explainRuns(ctx, runs); err != nil {
		return nil, fmt.Errorf("blame %s: %w", path, err)
	}
	return runs, nil
}

// runsOf joins equal neighbours. The empty line after the last line break does not count.
func runsOf(lines []EditID, t text.Text) []BlameRun {
	t = text.Plain(t)
	if n := t.Lines(); t.LineStart(n-1) == t.Len() {
		lines = lines[:n-1]
	}
	var out []BlameRun
	for i, id := range lines {
		if n := len(out) - 1; n >= 0 && out[n].Edit == id {
			out[n].Lines++
			continue
		}
		out = append(out, BlameRun{From: i + 1, Lines: 1, Edit: id})
	}
	return out
}

// explainRuns fills in the authors, turns and times of the edits.
func (r reader) explainRuns(ctx context.Context, runs []BlameRun) error {
	known := map[EditID]BlameRun{}
	for i := range runs {
		run := &runs[i]
		if run.Edit <= 0 {
			continue
		}
		e, ok := known[run.Edit]
		if !ok {
			var author int
			var at int64
			err := r.q.QueryRowContext(ctx, "SELECT o.author, o.turn, o.at FROM edit e JOIN op o ON o.id = e.op WHERE e.id = ?",
				int64(run.Edit)).Scan(&author, &e.Turn, &at)
			if err != nil {
				return err
			}
			e.Author, e.Time = word(authors, author), time.UnixMilli(at)
			known[run.Edit] = e
		}
		run.Author, run.Turn, run.Time = e.Author, e.Turn, e.Time
	}
	return nil
}

// traced is the newest version of a file with the edit that each line comes from.
type traced struct {
	branch int64
	resets int64
	last   EditID // the newest edit of the file that it includes
	text   text.Text
	lines  []EditID
	exists bool
}

// traces caches the files that were traced last.
type traces struct {
	mu     sync.Mutex
	byPath map[string]*traced
}

const maxTraces = 64

func (c *traces) get(path string) *traced {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byPath[path]
}

func (c *traces) put(path string, t *traced) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byPath == nil || len(c.byPath) >= maxTraces {
		c.byPath = map[string]*traced{}
	}
	c.byPath[path] = t
}

// trace updates the traced lines of a file to its newest version.
func (s *Store) trace(ctx context.Context, path string) (*traced, error) {
	now, err := s.Stamp(ctx) // first: what is purged meanwhile makes the trace outdated
	if err != nil {
		return nil, err
	}
	pid, lin, err := s.pinned(ctx, path)
	if err != nil || pid == 0 {
		return &traced{}, err
	}
	old := s.traces.get(path)
	if old == nil || old.branch != lin[0].Branch || old.resets != now.resets {
		old = &traced{branch: lin[0].Branch, resets: now.resets}
	}
	t, err := s.replay(ctx, pid, lin, old)
	if err == nil {
		s.traces.put(path, t)
	}
	return t, err
}

// pinned returns a path's ID, 0 if history does not know it, and the current branch's
// lineage up to its newest edit: edits recorded while a question is answered are not part
// of the answer.
func (s *Store) pinned(ctx context.Context, path string) (int64, version.Lineage, error) {
	lin, err := s.moment(ctx, Newest)
	if err != nil {
		return 0, nil, err
	}
	if lin[0].Max, err = s.rows().headOf(ctx, lin); err != nil {
		return 0, nil, err
	}
	pid, err := s.rows().PathID(ctx, path)
	return pid, lin, err
}

// replay continues a trace, or starts over if the path got another file.
func (s *Store) replay(ctx context.Context, pid int64, lin version.Lineage, old *traced) (*traced, error) {
	since := EditID(0)
	if old.exists && old.last > 0 {
		since = old.last + 1
	}
	life, err := version.Life(ctx, s.rows(), pid, lin, since)
	if err != nil {
		return nil, err
	}
	gone, err := s.rows().goneSince(ctx, pid, lin, since)
	if err != nil {
		return nil, err
	}
	if since > 0 && gone {
		return s.replay(ctx, pid, lin, &traced{branch: old.branch, resets: old.resets})
	}
	t := *old
	t.lines = slices.Clone(old.lines)
	if since == 0 {
		if err := t.begin(ctx, s.rows(), life); err != nil {
			return nil, err
		}
	}
	for _, e := range life.Edits {
		if err := t.add(ctx, s.rows(), e); err != nil {
			return nil, fmt.Errorf("edit %d: %w", e.ID, err)
		}
	}
	return &t, s.rows().sameAsHead(ctx, pid, lin, &t)
}

// goneSince reports whether the path lost its file or got another one since an edit.
func (r reader) goneSince(ctx context.Context, pid int64, lin version.Lineage, since EditID) (bool, error) {
	if since == 0 {
		return false, nil
	}
	var n int
	err := r.q.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM edit WHERE (kind IN (1, 2, 3, 5) OR state & 4 <> 0)
		AND id IN (SELECT edit FROM step WHERE path = ?1 AND branch = ?2 AND edit >= ?3)) +
		(SELECT count(*) FROM edit WHERE to_path = ?1 AND branch = ?2 AND id >= ?3)`, pid, lin[0].Branch, int64(since)).Scan(&n)
	return n > 0, err
}

// begin starts with the first content of the file.
func (t *traced) begin(ctx context.Context, from version.Reader, l version.Lifeline) error {
	t.text, t.lines, t.exists, t.last = text.Text{}, []EditID{0}, l.Base != 0 || len(l.Edits) > 0, 0
	if l.Base == 0 {
		return nil
	}
	b, err := from.Content(ctx, l.Base)
	if err != nil {
		return err
	}
	t.text = text.Of(b)
	t.lines = make([]EditID, text.Plain(t.text).Lines())
	return nil
}

// add applies one edit.
func (t *traced) add(ctx context.Context, from version.Reader, e version.Row) error {
	t.last = e.ID
	cs := text.Retain(t.text.Len())
	switch {
	case e.Delta != nil && e.Kind == Text:
		d, err := version.DecodeDelta(e.Delta)
		if err == nil {
			cs, err = d.Changes()
		}
		if err != nil {
			return errors.Join(ErrDamaged, err)
		}
	case e.Blob != 0:
		b, err := from.Content(ctx, e.Blob)
		if err != nil {
			return err
		}
		cs = text.Diff(t.text, text.Of(b))
	default:
		return nil
	}
	after, err := cs.Apply(t.text)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	t.lines = splice(t.lines, touchedLines(t.text, finer(t.text, cs), after), e.ID)
	t.text = after
	if e.Kind == Create || e.Kind == Symlink {
		for i := range t.lines {
			t.lines[i] = e.ID
		}
	}
	return nil
}

// sameAsHead compares the replayed text with the hash of the newest version.
func (r reader) sameAsHead(ctx context.Context, pid int64, lin version.Lineage, t *traced) error {
	head, err := version.Walk(ctx, r, pid, lin, false)
	if err != nil {
		return err
	}
	if head.Exists && head.Hash != HashText(t.text) {
		return ErrDamaged
	}
	return nil
}
