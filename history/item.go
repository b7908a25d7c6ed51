package history

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"waferpair/history/version"
)

// Item is one item of a conversation: a message, a tool call, its output, the outcome of
// the edits in an answer. Its body is JSON in the shape of the Responses API; the store
// reads only the role and text of messages in it.
type Item struct {
	ID     ItemID // 0: a new item
	Turn   TurnID
	Round  int // the round of the model's answers within the turn, from 0; a steer begins the next
	Status ItemStatus
	Tokens int       // as the model counts them
	Time   time.Time // when it began; zero means now
	Body   json.RawMessage
}

// ItemStatus says how far an item got.
type ItemStatus string

// The states of an item. An item in progress may be put again with a longer body; in any
// other state it is final.
const (
	ItemCompleted  ItemStatus = "completed"
	ItemIncomplete ItemStatus = "incomplete" // cut, by the user or by a crash
	ItemInProgress ItemStatus = "in_progress"
)

// largeBody is the size from which a body is stored like the content of a file: compressed,
// and once per hash.
const largeBody = 64 << 10

// itemRow is an item ready for the writer.
type itemRow struct {
	Item
	id, at int64
	status int
	large  *version.Content
}

// PutItems records items of a turn, all in one commit: it assigns IDs to new items and
// updates items in progress. It returns once they are queued; they are written before
// anything that is recorded later.
func (s *Store) PutItems(ctx context.Context, turn TurnID, items ...Item) ([]ItemID, error) {
	rows, size, err := itemRows(turn, items)
	if err == nil {
		err = s.unfinished(rows)
	}
	if err != nil {
		return nil, err
	}
	ids := make([]ItemID, len(rows))
	_, err = s.sendBy(ctx, size, func(size int64) *promise {
		covered := s.number(rows)
		for i, r := range rows {
			ids[i] = ItemID(r.id)
		}
		return s.queueConversation(func(g *group) error { return g.putItems(rows) }, size, covered...)
	})
	if err != nil {
		return nil, fmt.Errorf("record what was said in turn %d: %w", turn, err)
	}
	return ids, nil
}

func itemRows(turn TurnID, items []Item) (rows []itemRow, size int, err error) {
	for _, it := range items {
		r := itemRow{Item: it, id: int64(it.ID)}
		r.Turn = turn
		if r.status, err = code(itemStates, it.Status); err != nil {
			return nil, 0, err
		}
		if !json.Valid(it.Body) {
			return nil, 0, fmt.Errorf("record an item of turn %d: its body is no JSON", turn)
		}
		if len(it.Body) > largeBody && it.Status != ItemInProgress {
			r.large = version.Pack(HashBytes(it.Body), it.Body)
		}
		rows, size = append(rows, r), size+len(it.Body)
	}
	return rows, size, nil
}

// unfinished refuses to change items that have ended, also by a crash or with their turn.
func (s *Store) unfinished(rows []itemRow) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rows {
		if r.id != 0 && s.growing[r.id] != r.Turn {
			return fmt.Errorf("record item %d of turn %d: it has ended and cannot change", r.id, r.Turn)
		}
	}
	return nil
}

// number assigns IDs to new items. The caller holds s.mu.
func (s *Store) number(rows []itemRow) (covered []conversationRow) {
	now := s.now()
	for i := range rows {
		r := &rows[i]
		if r.id == 0 {
			r.id = s.next.item
			s.next.item++
		}
		if delete(s.growing, r.id); r.Status == ItemInProgress {
			s.growing[r.id] = r.Turn
		}
		if r.at = now; !r.Time.IsZero() {
			r.at = r.Time.UnixMilli()
		}
		covered = append(covered, itemIn(r.id))
	}
	return covered
}

func (g *group) putItems(rows []itemRow) error {
	for _, r := range rows {
		var hash, blob, body any = nil, nil, string(r.Body)
		if r.large != nil {
			id, err := g.blob(r.large)
			if err != nil {
				return err
			}
			hash, blob, body = r.large.Hash[:], id, nil
		}
		err := g.exec(`INSERT INTO item (id, turn, round, status, tokens, at, hash, blob, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET status = excluded.status, tokens = excluded.tokens, hash = excluded.hash, blob = excluded.blob, body = excluded.body`,
			r.id, int64(r.Turn), r.Round, r.status, r.Tokens, r.at, hash, blob, body)
		if err != nil {
			return err
		}
	}
	return nil
}

// messageIn returns the role and text of an item that is a message. A user message with a
// receipt interrupted a turn; its role is "steer".
func messageIn(body []byte) (role, words string) {
	var it struct {
		Role, Receipt string
		Content       []struct{ Text string }
	}
	if json.Unmarshal(body, &it) != nil {
		return "", ""
	}
	for _, c := range it.Content {
		words += c.Text
	}
	if it.Receipt != "" {
		it.Role = "steer"
	}
	return it.Role, words
}

// itemsOf returns the items of turns, each turn's in the order in which they began. An item that was in
// progress when its turn ended or crashed is incomplete.
func (r reader) itemsOf(ctx context.Context, turns []TurnID) (map[TurnID][]Item, error) {
	out := make(map[TurnID][]Item, len(turns))
	for some := range slices.Chunk(turns, 1000) {
		if err := r.addItemsOf(ctx, some, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r reader) addItemsOf(ctx context.Context, turns []TurnID, out map[TurnID][]Item) error {
	rows, err := r.q.QueryContext(ctx, `SELECT i.id, i.turn, i.round, i.status, t.status IS NOT NULL, i.tokens, i.at, coalesce(i.blob, 0), i.hash, i.body
		FROM item i JOIN turn t ON t.id = i.turn WHERE i.turn IN (`+numbersOf(turns)+") ORDER BY i.id")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var it Item
		var at, blob int64
		var status int
		var over bool
		var hash []byte
		var body sql.NullString
		if err := rows.Scan(&it.ID, &it.Turn, &it.Round, &status, &over, &it.Tokens, &at, &blob, &hash, &body); err != nil {
			return err
		}
		if it.Body = rawJSON(body); blob != 0 {
			if it.Body, err = r.largeBody(ctx, blob, hash); err != nil {
				return fmt.Errorf("item %d: %w", it.ID, err)
			}
		}
		it.Time, it.Status = time.UnixMilli(at), word(itemStates, status)
		if over && it.Status == ItemInProgress {
			it.Status = ItemIncomplete
		}
		out[it.Turn] = append(out[it.Turn], it)
	}
	return rows.Err()
}

func (r reader) largeBody(ctx context.Context, blob int64, hash []byte) (json.RawMessage, error) {
	b, err := r.Content(ctx, blob)
	if sum := HashBytes(b); err == nil && !bytes.Equal(sum[:], hash) {
		err = fmt.Errorf("%w: its content does not match its hash", ErrDamaged)
	}
	return b, err
}

// largeItems compares large bodies with their hashes.
func (c *checker) largeItems() error {
	rows, err := c.q.QueryContext(c.ctx, "SELECT id, blob, hash FROM item WHERE blob IS NOT NULL ORDER BY id")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id, blob int64
		var sum []byte
		if err := rows.Scan(&id, &blob, &sum); err != nil {
			return err
		}
		var hash Hash
		copy(hash[:], sum)
		if _, what := c.blob(blob, hash); what != "" {
			c.damage(Damage{Of: fmt.Sprintf("item %d", id), What: what})
		}
	}
	return rows.Err()
}
