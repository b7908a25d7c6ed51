package history

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"waferpair/history/version"
)

// Export writes the whole history, all branches, as JSON lines: one object per first
// content, branch, session, turn and edit. Bytes that are not UTF-8 are in a field base64.
func (s *Store) Export(ctx context.Context, w io.Writer) error {
	if err := s.settled(ctx); err != nil {
		return err
	}
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer tx.Rollback()
	buf := bufio.NewWriterSize(w, 1<<16)
	x := &exporter{s: s, ctx: ctx, q: tx, out: json.NewEncoder(buf)}
	x.out.SetEscapeHTML(false)
	if err := x.run(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return buf.Flush()
}

type exporter struct {
	s   *Store
	ctx context.Context
	q   querier
	out *json.Encoder
}

// blobJSON is text if the bytes are UTF-8, otherwise base64.
type blobJSON struct {
	Text   *string `json:"text,omitempty"`
	Base64 []byte  `json:"base64,omitempty"`
}

func jsonBytes(b []byte) *blobJSON {
	if utf8.Valid(b) {
		s := string(b)
		return &blobJSON{Text: &s}
	}
	return &blobJSON{Base64: b}
}

type changeJSON struct {
	From     int64     `json:"from"`
	To       int64     `json:"to"`
	Removed  *blobJSON `json:"removed"`
	Inserted *blobJSON `json:"inserted"`
}

type editJSON struct {
	Type    string       `json:"type"`
	ID      EditID       `json:"id"`
	Op      int64        `json:"op"`
	Branch  string       `json:"branch"`
	Turn    TurnID       `json:"turn,omitempty"`
	Author  Author       `json:"author"`
	Kind    Kind         `json:"kind"`
	Path    string       `json:"path"`
	To      string       `json:"to,omitempty"`
	Mode    string       `json:"mode,omitempty"`
	Time    time.Time    `json:"time"`
	Note    string       `json:"note,omitempty"`
	Reverts []EditID     `json:"reverts,omitempty"`
	Partial bool         `json:"partial,omitempty"`
	Purged  bool         `json:"purged,omitempty"`
	Hash    string       `json:"hash,omitempty"`
	Changes []changeJSON `json:"changes,omitempty"`
	Content *blobJSON    `json:"content,omitempty"`
}

type itemJSON struct {
	ID     ItemID          `json:"id"`
	Round  int             `json:"round"`
	Status ItemStatus      `json:"status"`
	Tokens int             `json:"tokens,omitempty"`
	Time   time.Time       `json:"time"`
	Item   json.RawMessage `json:"item"`
}

func (x *exporter) run() error {
	branches, err := x.s.Branches(x.ctx)
	if err != nil {
		return err
	}
	for _, b := range branches {
		if err := x.out.Encode(map[string]any{"type": "branch", "name": b.Name, "parent": b.Parent, "at": b.At,
			"current": b.Current}); err != nil {
			return err
		}
	}
	if err := x.sessions(); err != nil {
		return err
	}
	return scan(x.ctx, x.q, 0, x.op)
}

func (x *exporter) sessions() error {
	all, err := x.s.Sessions(x.ctx)
	if err != nil {
		return err
	}
	for _, one := range all {
		if err := x.out.Encode(map[string]any{"type": "session", "id": one.ID, "title": one.Title,
			"created": one.Created}); err != nil {
			return err
		}
		turns, err := x.s.rows().queryTurns(x.ctx, "t.session = ?", int64(one.ID)) // on every line
		if err == nil {
			err = x.s.addItems(x.ctx, turns)
		}
		if err != nil {
			return fmt.Errorf("read session %d: %w", one.ID, err)
		}
		for _, t := range turns {
			if err := x.turn(t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *exporter) turn(t Turn) error {
	items, msgs := []itemJSON{}, []map[string]any{}
	for _, it := range t.Items {
		if role, words := messageIn(it.Body); words != "" {
			msgs = append(msgs, map[string]any{"role": role, "text": words, "time": it.Time})
		}
		items = append(items, itemJSON{it.ID, it.Round, it.Status, it.Tokens, it.Time, it.Body})
	}
	return x.out.Encode(map[string]any{"type": "turn", "id": t.ID, "session": t.Session, "branch": t.Branch,
		"request": t.Request, "model": t.Model, "status": t.Status, "message": t.Message, "started": t.Started,
		"timing": t.Timing, "messages": msgs, "items": items})
}

func (x *exporter) op(o *storedOp) error {
	for _, b := range o.bases {
		line := map[string]any{"type": "baseline", "path": b.path, "mode": fmt.Sprintf("%o", b.mode), "purged": b.purged}
		if !b.purged {
			body, err := reader{x.q}.Content(x.ctx, b.blob)
			if err != nil {
				return err
			}
			line["hash"], line["content"] = b.after.String(), jsonBytes(body)
		}
		if err := x.out.Encode(line); err != nil {
			return err
		}
	}
	for _, e := range o.edits {
		line, err := x.edit(o, e)
		if err != nil {
			return fmt.Errorf("edit %d: %w", e.id, err)
		}
		if err := x.out.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) edit(o *storedOp, e storedEdit) (editJSON, error) {
	x.s.mu.Lock()
	b, _ := x.s.branchByID(e.branch)
	x.s.mu.Unlock()
	line := editJSON{Type: "edit", ID: e.id, Op: e.op, Branch: b.Name, Turn: o.turn, Author: word(authors, o.author),
		Kind: word(kinds, e.kind), Path: e.path, To: e.to, Time: time.UnixMilli(o.at).UTC(), Note: o.note, Reverts: e.reverts,
		Partial: e.state&statePartial != 0, Purged: e.state&statePurgeMask != 0}
	if e.exists {
		line.Hash = e.after.String()
	}
	if e.hasMode && line.Kind != Text {
		line.Mode = fmt.Sprintf("%o", e.mode)
	}
	if e.delta != nil {
		d, err := version.DecodeDelta(e.delta)
		if err != nil {
			return line, err
		}
		for _, h := range d.Hunks {
			line.Changes = append(line.Changes, changeJSON{int64(h.From), int64(h.To), jsonBytes([]byte(h.Removed)),
				jsonBytes([]byte(h.Inserted))})
		}
	} else if e.blob != 0 {
		body, err := reader{x.q}.Content(x.ctx, e.blob)
		if err != nil {
			return line, err
		}
		line.Content = jsonBytes(body)
	}
	return line, nil
}
