package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// removeSession removes the words of a session and the content of its edits. Other edits of
// the same files stay readable: before an edit's content goes, a later version that was
// rebuilt through it is stored whole. The content of such versions, and of the newest state
// of each branch, is kept; the report names it.

func (p *purger) removeSession(g *group) error {
	id := int64(p.what.Session)
	const ofSession = "IN (SELECT id FROM turn WHERE session = ?)"
	if err := p.column(&p.ops, "SELECT id FROM op WHERE turn "+ofSession, id); err != nil {
		return err
	}
	if err := p.column(&p.report.Edits, "SELECT e.id FROM edit e JOIN op o ON o.id = e.op WHERE o.turn "+ofSession+
		" ORDER BY e.id", id); err != nil {
		return err
	}
	if err := p.removeEdits(g); err != nil {
		return err
	}
	if err := p.addConversation(id); err != nil {
		return err
	}
	if err := p.removeQuotes(id); err != nil {
		return err
	}
	for _, q := range []string{
		"UPDATE op SET note = NULL WHERE turn " + ofSession,
		"DELETE FROM message WHERE turn " + ofSession,
		"DELETE FROM item WHERE turn " + ofSession,
		"DELETE FROM draft WHERE turn " + ofSession,
		"UPDATE turn SET request = '', settings = NULL, message = NULL, parts = NULL WHERE session = ?",
		"UPDATE session SET title = '(purged)' WHERE id = ?",
	} {
		if err := p.exec(q, id); err != nil {
			return err
		}
	}
	return nil
}

// addConversation notes the rows of the conversation that the purge changes or removes.
func (p *purger) addConversation(session int64) error {
	p.rows = append(p.rows, sessionRow(SessionID(session)))
	for letter, query := range map[string]string{
		"t": "SELECT id FROM turn WHERE session = ?",
		"m": "SELECT id FROM message WHERE turn IN (SELECT id FROM turn WHERE session = ?)",
		"i": "SELECT id FROM item WHERE turn IN (SELECT id FROM turn WHERE session = ?)",
	} {
		var ids []int64
		if err := p.column(&ids, query, session); err != nil {
			return err
		}
		for _, id := range ids {
			p.rows = append(p.rows, conversationRow{letter, id})
		}
	}
	return nil
}

// removeQuotes removes the session's words from the state that pages keep: the list of
// earlier requests, and the draft of the next one.
func (p *purger) removeQuotes(session int64) error {
	phrases, err := p.words(`SELECT title FROM session WHERE id = ?1 UNION SELECT request FROM turn WHERE session = ?1
		UNION SELECT text FROM message WHERE turn IN (SELECT id FROM turn WHERE session = ?1)`, session)
	if err != nil {
		return err
	}
	bodies, err := p.words(
		"SELECT body FROM item WHERE body IS NOT NULL AND turn IN (SELECT id FROM turn WHERE session = ?)", session)
	if err != nil {
		return err
	}
	for _, body := range bodies { // no page keeps a quote of a larger body
		_, words := messageIn([]byte(body))
		phrases = append(phrases, words)
	}
	marks, err := p.words(
		"SELECT key FROM meta WHERE key GLOB 'app.*' AND json_valid(value) AND json_type(value) = 'object'")
	if err != nil {
		return err
	}
	for _, key := range marks {
		stored, err := p.words("SELECT value FROM meta WHERE key = ?", key)
		if err != nil || len(stored) == 0 {
			return err
		}
		without, err := withoutWords([]byte(stored[0]), phrases)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if err := p.exec("UPDATE meta SET value = ? WHERE key = ?", string(without), key); err != nil {
			return err
		}
	}
	return nil
}

// words returns the strings that a query returns.
func (p *purger) words(query string, args ...any) (out []string, err error) {
	rows, err := p.w.conn.QueryContext(p.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// withoutWords removes the strings from a JSON value that are, or quote, the given words.
func withoutWords(raw []byte, phrases []string) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	quotes := func(s string) bool {
		return slices.ContainsFunc(phrases, func(w string) bool {
			w = strings.TrimSpace(w)
			return w != "" && (strings.TrimSpace(s) == w || len(w) >= longQuote && strings.Contains(s, w))
		})
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(dropWords(v, quotes))
	return bytes.TrimSpace(out.Bytes()), err
}

// longQuote is the length in bytes from which equal words are no coincidence.
const longQuote = 12

func dropWords(v any, quotes func(string) bool) any {
	switch v := v.(type) {
	case string:
		if quotes(v) {
			return ""
		}
	case []any:
		var out = []any{}
		for _, x := range v {
			if s, is := x.(string); !is || !quotes(s) {
				out = append(out, dropWords(x, quotes))
			}
		}
		return out
	case map[string]any:
		for k, x := range v {
			v[k] = dropWords(x, quotes)
		}
	}
	return v
}

// removeEdits turns the session's edits into tombstones.
func (p *purger) removeEdits(g *group) error {
	gone := map[EditID]bool{}
	for _, id := range p.report.Edits {
		gone[id] = true
	}
	paths, err := p.pathsOf(gone)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := g.dropHeads(path); err != nil {
			return err
		}
	}
	kept, err := p.keepVersions(gone, paths)
	if err != nil {
		return err
	}
	for id := range gone {
		if kept[id] {
			continue
		}
		if err := p.bury(id, statePurged); err != nil {
			return err
		}
	}
	return nil
}

func (p *purger) pathsOf(gone map[EditID]bool) ([]int64, error) {
	var paths []int64
	for id := range gone {
		if err := p.column(&paths,
			"SELECT path FROM edit WHERE id = ?1 UNION SELECT to_path FROM edit WHERE id = ?1 AND to_path IS NOT NULL",
			int64(id)); err != nil {
			return nil, err
		}
	}
	all := map[int64]bool{}
	for len(paths) > 0 { // renames lead to where the content continued
		id := paths[0]
		paths = paths[1:]
		if all[id] {
			continue
		}
		all[id] = true
		if err := p.column(&paths,
			"SELECT to_path FROM edit WHERE id IN (SELECT edit FROM step WHERE path = ?) AND to_path IS NOT NULL", id); err !=
			nil {
			return nil, err
		}
	}
	out := make([]int64, 0, len(all))
	for id := range all {
		out = append(out, id)
	}
	slices.Sort(out)
	return out, nil
}

// wholeVersion is a version to store whole, at the edit that made it.
type wholeVersion struct {
	edit EditID
	st   version.Stack
	text text.Text
}

// keepVersions stores the versions that others still need: those of surviving edits right
// after a purged one, and the newest of each branch. It rebuilds all of them before it
// changes the first row.
func (p *purger) keepVersions(gone map[EditID]bool, paths []int64) (map[EditID]bool, error) {
	var wholes []wholeVersion
	kept := map[EditID]bool{}
	need := func(pid int64, lin version.Lineage, head bool) error {
		st, err := version.Walk(p.ctx, reader{p.w.conn}, pid, lin, true)
		if errors.Is(err, ErrPurged) || err == nil && (!st.Exists || len(st.Content) == 0) {
			return nil
		}
		if err != nil {
			return err
		}
		top := st.Content[0]
		after := !gone[top] && len(st.Content) > 1 && gone[st.Content[1]]
		if kept[top] || !after && !(head && gone[top]) {
			return nil
		}
		kept[top] = true
		t, err := st.Rebuild(p.ctx, reader{p.w.conn})
		wholes = append(wholes, wholeVersion{top, st, t})
		return err
	}
	for _, pid := range paths {
		if err := p.survivors(pid, need); err != nil {
			return nil, err
		}
		if err := p.heads(pid, need, gone); err != nil {
			return nil, err
		}
	}
	for _, v := range wholes {
		if err := p.storeWhole(v); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

func (p *purger) survivors(pid int64, need func(int64, version.Lineage, bool) error) error {
	for _, b := range p.s.branches {
		var ids []EditID
		if err := p.column(&ids,
			"SELECT id FROM edit WHERE id IN (SELECT edit FROM step WHERE path = ? AND branch = ?) AND kind = 0", pid,
			b.id); err != nil {
			return err
		}
		for _, id := range ids {
			if err := need(pid, p.s.lineageOf(b.id, id), false); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *purger) heads(pid int64, need func(int64, version.Lineage, bool) error, gone map[EditID]bool) error {
	for _, b := range p.s.branches {
		lin := p.s.lineageOf(b.id, Newest)
		if err := need(pid, lin, true); err != nil {
			return err
		}
		st, err := version.Walk(p.ctx, reader{p.w.conn}, pid, lin, false)
		if err != nil || !st.Exists || len(st.Content) == 0 || !gone[st.Content[0]] {
			continue
		}
		var name string
		if err := p.w.conn.QueryRowContext(p.ctx, "SELECT path FROM path WHERE id = ?", pid).Scan(&name); err != nil {
			return err
		}
		if !slices.Contains(p.report.Kept, name) {
			p.report.Kept = append(p.report.Kept, name)
		}
	}
	return nil
}

// storeWhole replaces an edit's delta by the version that it made.
func (p *purger) storeWhole(v wholeVersion) error {
	g := &group{w: p.w}
	b := v.text.Bytes()
	id, err := g.blob(version.Pack(HashBytes(b), b))
	if err != nil {
		return err
	}
	var ops []int64
	if err := p.column(&ops, "SELECT op FROM edit WHERE id = ?", int64(v.edit)); err != nil {
		return err
	}
	p.ops = append(p.ops, ops...)
	if err := p.noDelta(v.edit); err != nil {
		return err
	}
	return p.exec("UPDATE edit SET state = state | 2, blob = ?, mode = coalesce(mode, ?) WHERE id = ?",
		id, int64(v.st.Mode), int64(v.edit))
}
