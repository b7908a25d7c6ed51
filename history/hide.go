package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// The detector does not recognize a secret that is typed with pauses until its last
// letters arrive: its beginning is recorded like any text. The edit that completes the
// secret says so (Hide), and its part is masked in the earlier versions, too:
//
//	edit 5  token=AB     the deltas of 5 to 7 and the hashes of the versions that
//	edit 6  token=ABCD   5 and 6 made are rewritten, as if the mask had been there
//	edit 7  token=****   from the first letter on
//
// The task is committed together with the edit that asks for it, and carried out when the
// writer is idle: a crash in between only postpones it. All versions can still be rebuilt.
// The links of the rewritten operations can no longer be verified, which a note in the
// chain declares, as for a purge.

// Hide lists what an edit turns into secrets in the text before it.
type Hide struct {
	Ranges []text.Range // of Before: the parts of secrets that are now complete
	Since  time.Time    // the earliest time at which the first letter may have been journaled or recorded
}

// hideTask is a Hide as stored in table meta, under hidePrefix and the edit's ID.
type hideTask struct {
	Ranges []text.Range `json:"ranges"`
	Since  int64        `json:"since"` // ms
}

const hidePrefix = "hide."

func (g *group) putHide(id EditID, h *Hide) error {
	b, err := json.Marshal(hideTask{h.Ranges, h.Since.UnixMilli()})
	if err != nil {
		return err
	}
	g.w.hiding = true
	return g.exec("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
		hidePrefix+strconv.FormatInt(int64(id), 10), string(b))
}

// hide carries out the pending tasks.
func (w *writer) hide() {
	if !w.hiding || w.conn == nil || w.lost != nil {
		return
	}
	since, err := w.hideAll()
	if since != 0 { // after s.mu is unlocked: a backup may be running
		err = errors.Join(err, w.dropBackups(since))
	}
	if err != nil {
		w.store.notice("mask what was recorded of a secret before it was whole: %v; it is tried again at the next start", err)
	}
}

// hideAll masks, and returns the time since when copies may contain what it masked, or 0 if
// it masked nothing. It holds s.mu, so that nothing is appended meanwhile.
func (w *writer) hideAll() (since int64, err error) {
	w.quiet()
	s := w.store
	defer w.stallInDoubt()
	defer s.mu.Unlock()
	if len(w.stalled) > 0 {
		return 0, nil // later: held jobs build on the versions as they are
	}
	defer s.rollback()
	tasks, err := w.hideTasks()
	if err != nil {
		return 0, err
	}
	w.hiding = false // after an error, the next start tries again
	for id, t := range tasks {
		h := &hider{purger: &purger{s: s, ctx: context.Background(), w: w}, edit: id}
		err := h.within(func(g *group) error { return h.run(g, t) })
		if err != nil && w.doubt == nil {
			return since, err
		}
		w.wipe, since = true, earliest(since, t.Since, h.first) // also when nobody knows: it may have happened
		if err != nil {
			return since, err
		}
	}
	return since, nil
}

// earliest returns the earliest of some times; 0 is none.
func earliest(moments ...int64) (first int64) {
	for _, m := range moments {
		if m != 0 && (first == 0 || m < first) {
			first = m
		}
	}
	return first
}

func (w *writer) hideTasks() (map[EditID]hideTask, error) {
	rows, err := w.conn.QueryContext(context.Background(), "SELECT key, value FROM meta WHERE key GLOB ?", hidePrefix+"*")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[EditID]hideTask{}
	for rows.Next() {
		var key, value string
		if err := rows.Scan(&key, &value); err != nil {
			return nil, err
		}
		id, err := strconv.ParseInt(strings.TrimPrefix(key, hidePrefix), 10, 64)
		var t hideTask
		if err == nil {
			err = json.Unmarshal([]byte(value), &t)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		out[EditID(id)] = t
	}
	return out, rows.Err()
}

// dropBackups removes the backups that may contain what was masked since a time, and makes
// a new one due.
func (w *writer) dropBackups(since int64) error {
	s := w.store
	s.backup.mu.Lock()
	defer s.backup.mu.Unlock()
	for n := range backups + 1 {
		fi, err := os.Stat(s.files.backup(n))
		if err != nil || fi.ModTime().UnixMilli() < since {
			continue
		}
		if err := os.Remove(s.files.backup(n)); err != nil {
			return err
		}
		s.backup.last = time.Time{}
	}
	return nil
}

// wipeLog removes overwritten bytes from the write-ahead log. If a reader blocks it, the
// next idle moment or Close tries again.
func (w *writer) wipeLog() {
	if !w.wipe || w.conn == nil {
		return
	}
	var busy, log, done int
	err := w.conn.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &done)
	w.wipe = err != nil || busy != 0
}

// hider masks the beginnings of the secrets that one edit completed.
type hider struct {
	*purger
	edit  EditID
	past  []pastVersion // newest first
	first int64         // the time when the oldest of them was recorded, in ms; 0: none
}

// pastVersion is a version that contains a part of a secret.
type pastVersion struct {
	edit   EditID // the edit that made it; 0: the baseline
	path   int64
	op     int64
	kind   Kind
	delta  []byte
	blob   int64
	text   text.Text
	ranges []text.Range
	masked text.Text
}

func (h *hider) run(g *group, t hideTask) error {
	h.past, h.first = nil, 0
	if err := h.exec("DELETE FROM meta WHERE key = ?", hidePrefix+strconv.FormatInt(int64(h.edit), 10)); err != nil {
		return err
	}
	if len(t.Ranges) == 0 {
		return nil
	}
	newest, branch, err := h.row(h.edit)
	if err != nil || newest.kind != Text || newest.delta == nil {
		return err // purged meanwhile
	}
	if err := h.collect(newest.path, branch, t.Ranges); err != nil || len(h.past) == 0 {
		return err
	}
	if other, err := h.needed(branch); err != nil || other != 0 {
		if other != 0 {
			h.s.notice("edit %d finished a secret whose first letters edits before it hold, "+
				"and edit %d of another fork needs those: they stay; `waferpair history purge --path` removes them",
				h.edit, other)
		}
		return err
	}
	if err := h.rewrite(g, newest); err != nil {
		return err
	}
	if err := g.dropOutlines(); err != nil { // a declared name may contain letters of the secret
		return err
	}
	return h.note(g, purgeNote{Masked: true})
}

// row reads an edit as it is stored.
func (h *hider) row(id EditID) (v pastVersion, branch int64, err error) {
	var kind, state int
	v.edit = id
	err = h.w.conn.QueryRowContext(h.ctx, "SELECT path, branch, op, kind, state, "+deltaOf+
		", coalesce(blob, 0) FROM edit e WHERE id = ?", int64(id)).
		Scan(&v.path, &branch, &v.op, &kind, &state, &v.delta, &v.blob)
	if v.kind = word(kinds, kind); state&statePurged != 0 {
		v.delta, v.blob = nil, 0
	}
	return v, branch, err
}

// maxHidden bounds how many versions back hide looks for the beginning of a secret.
const maxHidden = 1000

// collect goes back from the edit until a version contains none of the secrets.
func (h *hider) collect(path, branch int64, ranges []text.Range) error {
	for before := h.edit - 1; len(ranges) > 0 && len(h.past) < maxHidden; {
		st, err := version.Walk(h.ctx, reader{h.w.conn}, path, h.s.lineageOf(branch, before), true)
		if errors.Is(err, ErrPurged) || err == nil && !st.Exists {
			return nil
		}
		if err != nil {
			return err
		}
		v := pastVersion{path: path, blob: st.Blob}
		if st.Edit != 0 {
			v, _, err = h.row(st.Edit)
		} else {
			err = h.w.conn.QueryRowContext(h.ctx, "SELECT op FROM baseline WHERE path = ?", path).Scan(&v.op)
		}
		if err == nil {
			v.text, err = st.Rebuild(h.ctx, reader{h.w.conn})
		}
		if err != nil {
			return err
		}
		v.ranges = wholeWords(v.text, ranges)
		h.past = append(h.past, v)
		if ranges, err = v.before(); err != nil || v.edit == 0 {
			return err
		}
		path, before = v.path, v.edit-1
	}
	return nil
}

// wholeWords extends ranges to the ends of their words: letters that were typed and removed
// again are part of the secret, too.
func wholeWords(t text.Text, ranges []text.Range) (out []text.Range) {
	for _, r := range ranges {
		if r.From < 0 || r.From >= r.To || r.To > t.Len() {
			continue
		}
		tail := t.Slice(r.To, min(t.Len(), r.To+1000)).Bytes()
		n := 0
		for n < len(tail) && isWord(tail[n]) {
			n++
		}
		out = append(out, text.Range{From: r.From, To: r.To + text.Byte(n)})
	}
	return out
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-+/=.", c) >= 0
}

// before maps the ranges to the version that the edit changed, without what the edit
// inserted.
func (v *pastVersion) before() (out []text.Range, err error) {
	switch {
	case v.edit == 0:
		return nil, nil
	case v.kind == Rename || v.kind == Mode:
		return v.ranges, nil
	case v.kind != Text || v.delta == nil:
		return nil, nil
	}
	d, err := version.DecodeDelta(v.delta)
	if err != nil {
		return nil, err
	}
	return d.KeptOf(v.ranges), nil
}

// needed returns an edit outside past that builds on one of the versions to mask: one on
// another fork. Edits after the one that completed the secret build on that one.
func (h *hider) needed(branch int64) (EditID, error) {
	mine := map[EditID]bool{h.edit: true}
	paths := map[int64]bool{}
	oldest := h.edit
	for _, v := range h.past {
		mine[v.edit], paths[v.path] = true, true
		oldest = min(oldest, v.edit)
	}
	for path := range paths {
		var ids []EditID
		if err := h.column(&ids, "SELECT edit FROM step WHERE path = ? AND edit >= ?", path, int64(oldest)); err != nil {
			return 0, err
		}
		for _, id := range ids {
			if mine[id] {
				continue
			}
			if through, err := h.through(id, branch); err != nil || !through {
				return id, err
			}
		}
	}
	return 0, nil
}

// through reports whether an edit's lineage includes the edit that completed the secret.
func (h *hider) through(id EditID, branch int64) (bool, error) {
	_, b, err := h.row(id)
	if err != nil {
		return false, err
	}
	for _, seg := range h.s.lineageOf(b, id) {
		if seg.Branch == branch {
			return seg.Max >= h.edit, nil
		}
	}
	return false, nil
}

// rewrite rewrites the versions and the edits that made them, oldest first.
func (h *hider) rewrite(g *group, newest pastVersion) error {
	var was, before text.Text // the previous version, unmasked and masked
	known := false
	for i := len(h.past) - 1; i >= 0; i-- {
		v := &h.past[i]
		if err := g.dropHeads(v.path); err != nil { // another fork may leave here and have it as its newest version
			return err
		}
		v.masked = mask(v.text, v.ranges)
		if !known && v.delta != nil {
			if err := v.previous(&was); err != nil {
				return err
			}
			before = was
		}
		if err := h.store(g, v, before); err != nil {
			return err
		}
		was, before, known = v.text, v.masked, true
	}
	after, err := version.ApplyDelta(was, newest.delta)
	if err != nil {
		return err
	}
	newest.masked = after
	b, err := newest.remade(before)
	if err != nil {
		return err
	}
	h.ops = append(h.ops, newest.op)
	return h.setDelta(newest.edit, b)
}

// previous computes the version that the edit changed.
func (v *pastVersion) previous(to *text.Text) error {
	d, err := version.DecodeDelta(v.delta)
	if err != nil {
		return err
	}
	back, err := d.Inverse()
	if err == nil {
		*to, err = back.Apply(v.text)
	}
	return err
}

// store writes one version and the edit that made it.
func (h *hider) store(g *group, v *pastVersion, before text.Text) error {
	hash := HashText(v.masked)
	var blob any
	if v.blob != 0 {
		id, err := g.blob(version.Pack(hash, v.masked.Bytes()))
		if err != nil {
			return err
		}
		blob = id
	}
	var at int64
	if err := h.w.conn.QueryRowContext(h.ctx, "SELECT at FROM op WHERE id = ?", v.op).Scan(&at); err != nil {
		return err
	}
	h.ops = append(h.ops, v.op)
	if h.first == 0 || at < h.first {
		h.first = at
	}
	if v.edit == 0 {
		return errors.Join(h.exec("UPDATE baseline SET after = ?, blob = ? WHERE path = ?", hash[:], blob, v.path),
			h.dropBlob(v.blob))
	}
	if v.delta != nil {
		b, err := v.remade(before)
		if err == nil {
			err = h.setDelta(v.edit, b)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(h.exec("UPDATE edit SET after = ?, blob = ? WHERE id = ?", hash[:], blob, int64(v.edit)),
		h.dropBlob(v.blob))
}

// remade returns the edit's delta between the masked versions.
func (v *pastVersion) remade(before text.Text) ([]byte, error) {
	d, err := version.DecodeDelta(v.delta)
	if err != nil {
		return nil, err
	}
	cs, err := d.Changes()
	if err != nil {
		return nil, err
	}
	next, err := cs.Apply(before)
	if err != nil {
		return nil, err
	}
	fix, err := text.NewChangeSet(next.Len(), differing(next.Bytes(), v.masked.Bytes())...)
	if err == nil {
		cs, err = cs.Compose(fix)
	}
	return version.MakeDelta(before, cs).Encode(), err
}

// differing returns the runs in which two texts of equal length differ.
func differing(a, b []byte) (out []text.Change) {
	for i := 0; i < len(a) && i < len(b); i++ {
		j := i
		for j < len(a) && j < len(b) && a[j] != b[j] {
			j++
		}
		if j > i {
			out = append(out, text.Change{From: text.Byte(i), To: text.Byte(j), Insert: string(b[i:j])})
			i = j
		}
	}
	return out
}

// hidden is repeated over the masked part of a secret. It is the mask of whole secrets, so
// that users recognize it.
const hidden = "<masked>"

func mask(t text.Text, ranges []text.Range) text.Text {
	b := append([]byte(nil), t.Bytes()...)
	for _, r := range ranges {
		for i := r.From; i < r.To; i++ {
			if b[i] != '\n' && b[i] != '\r' {
				b[i] = hidden[int(i-r.From)%len(hidden)]
			}
		}
	}
	return text.Of(b)
}

// dropBlob deletes a content that nothing refers to any more.
func (h *hider) dropBlob(id int64) error {
	if id == 0 {
		return nil
	}
	err := h.exec(`DELETE FROM blob WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM edit WHERE blob = ?1)
		AND NOT EXISTS (SELECT 1 FROM baseline WHERE blob = ?1) AND NOT EXISTS (SELECT 1 FROM item WHERE blob = ?1)`, id)
	return errors.Join(err,
		h.exec("DELETE FROM chunk WHERE id >> 20 = ?1 AND NOT EXISTS (SELECT 1 FROM blob WHERE id = ?1)", id))
}
