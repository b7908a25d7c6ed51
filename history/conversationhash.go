package history

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The chain covers the conversation, although its rows change: each change of a row is
// recorded with an operation of its own, in the same commit, whose note has the row's new
// hash:
//
//	op 17  said  t5:09f2... m12:77ab...     turn 5 began, message 12 was its request
//	op 19  said  t5:4c01...                 the parts that turn 5 shows
//	op 23  said  t5:e0d7...                 it ended
//
// The newest hash of a row counts; a note without a hash means that a purge removed the
// row. If a row does not match its hash when it is changed again, its new hash gets a mark,
// and it stays known as altered. Check compares the hashes with the rows. Edits have their
// own operations and are not slowed down.

// conversationTable is a table of the conversation.
type conversationTable struct {
	letter  string // names its rows in notes
	name    string
	columns string // the ID first
}

var conversationTables = []conversationTable{
	{"s", "session", "id, title, created"},
	{"t", "turn",
		"id, session, request, model, settings, status, message, timing, started, ended, first_op, last_op, branch, parts"},
	{"m", "message", "id, turn, role, text, at"}, // from before there were items
	{"i", "item", "id, turn, round, status, tokens, at, hash, blob, body"},
}

// The indexes of the columns in table turn that the next start sets for a turn that a crash
// interrupted.
const (
	turnStatus = 5
	turnEnded  = 9
)

// conversationRow identifies a row of the conversation.
type conversationRow struct {
	letter string
	id     int64
}

func sessionRow(id SessionID) conversationRow { return conversationRow{"s", int64(id)} }
func turnRow(id TurnID) conversationRow       { return conversationRow{"t", int64(id)} }
func itemIn(id int64) conversationRow         { return conversationRow{"i", id} }

// rowHash is a prefix of a SHA-256, long enough to detect a change of a row.
type rowHash [16]byte

// tableOf returns the table of a letter.
func tableOf(letter string) (conversationTable, bool) {
	i := slices.IndexFunc(conversationTables, func(t conversationTable) bool { return t.letter == letter })
	if i < 0 {
		return conversationTable{}, false
	}
	return conversationTables[i], true
}

// hash returns the hash of a row whose columns were read as they are stored.
func (t conversationTable) hash(row []any) rowHash {
	var c canon
	c.str(t.letter)
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			c.num(0)
		case int64:
			c.num(1)
			c.num(v)
		case string:
			c.num(2)
			c.str(v)
		case []byte:
			c.num(3)
			c.bytes(v)
		default: // no intact column has this type
			c.num(4)
			c.str(fmt.Sprint(v))
		}
	}
	sum := sha256.Sum256(c.b)
	return rowHash(sum[:len(rowHash{})])
}

// running returns the hash that an interrupted turn had while it ran: a crash can come
// before the chain covers the interruption.
func (t conversationTable) running(row []any) (h rowHash, ok bool) {
	if t.letter != "t" || row[turnStatus] != Interrupted {
		return h, false
	}
	row[turnStatus], row[turnEnded] = nil, nil
	return t.hash(row), true
}

// matches reports whether a row matches a note.
func (t conversationTable) matches(values []any, r conversationRow, note string) bool {
	for word := range strings.FieldsSeq(note) {
		if !strings.HasPrefix(word, r.name()) {
			continue
		}
		_, want, gone, ok := parseRowNote(strings.TrimSuffix(word, alteredMark))
		if !ok || gone {
			return false
		}
		if t.hash(values) == want {
			return true
		}
		h, ok := t.running(values)
		return ok && h == want
	}
	return false
}

func (t conversationTable) scan(row interface{ Scan(...any) error }) ([]any, error) {
	values := make([]any, strings.Count(t.columns, ",")+1)
	to := make([]any, len(values))
	for i := range values {
		to[i] = &values[i]
	}
	err := row.Scan(to...)
	return values, err
}

// sendConversation is like send, for a change of the conversation; it adds the operation that covers it.
func (s *Store) sendConversation(ctx context.Context, bytes int, run func(*group) error,
	rows ...conversationRow) (*promise, error) {
	return s.sendBy(ctx, bytes, func(size int64) *promise { return s.queueConversation(run, size, rows...) })
}

// queueConversation cannot fail. The caller holds s.mu.
func (s *Store) queueConversation(run func(*group) error, size int64, rows ...conversationRow) *promise {
	return s.enqueueJob(&job{run: s.covered(run, rows...), size: size})
}

// covered returns run followed by the operation that covers it. The caller holds s.mu.
func (s *Store) covered(run func(*group) error, rows ...conversationRow) func(*group) error {
	op := s.conversationOp()
	return func(g *group) error {
		altered, err := g.altered(rows)
		if err == nil {
			err = run(g)
		}
		if err != nil {
			return err
		}
		return g.coverRows(op, rows, altered)
	}
}

// conversationOp returns the next operation, for a change of the conversation. The caller holds
// s.mu.
func (s *Store) conversationOp() opRow {
	author, _ := code(authors, User)
	row := opRow{id: s.next.op, kind: opConversation, branch: s.current, author: author, at: s.now()}
	s.next.op++
	return row
}

// altered returns the rows that do not match their newest hash.
func (g *group) altered(rows []conversationRow) (map[conversationRow]bool, error) {
	var out map[conversationRow]bool
	for _, r := range rows {
		t, _ := tableOf(r.letter)
		values, err := t.scan(g.queryRow("SELECT "+t.columns+" FROM "+t.name+" WHERE id = ?", r.id))
		if errors.Is(err, sql.ErrNoRows) {
			continue // a new row
		}
		if err != nil {
			return nil, err
		}
		var note string // a row that changes is usually one of the newest
		err = g.queryRow("SELECT note FROM op WHERE kind = ? AND instr(' ' || note, ?) > 0 ORDER BY id DESC LIMIT 1",
			int(opConversation), " "+r.name()).Scan(&note)
		if errors.Is(err, sql.ErrNoRows) {
			continue // not covered yet
		}
		if err != nil {
			return nil, err
		}
		if !t.matches(values, r, note) {
			if out == nil {
				out = map[conversationRow]bool{}
			}
			out[r] = true
		}
	}
	return out, nil
}

// coverRows writes the operation that covers the rows as they are now.
func (g *group) coverRows(op opRow, rows []conversationRow, altered map[conversationRow]bool) error {
	notes := make([]string, 0, len(rows))
	for _, r := range rows {
		t, _ := tableOf(r.letter)
		values, err := t.scan(g.queryRow("SELECT "+t.columns+" FROM "+t.name+" WHERE id = ?", r.id))
		switch {
		case errors.Is(err, sql.ErrNoRows):
			notes = append(notes, r.note(nil))
		case err != nil:
			return err
		default:
			h := t.hash(values)
			note := r.note(h[:])
			if altered[r] {
				note += alteredMark
			}
			notes = append(notes, note)
		}
	}
	return g.insertConversationOp(op, notes)
}

func (g *group) insertConversationOp(op opRow, notes []string) error {
	op.note = strings.Join(notes, " ")
	var c canon
	c.op(op)
	return g.insertOp(op, c.b)
}

// alteredMark follows the hash of a row that was altered before.
const alteredMark = "!"

func (r conversationRow) name() string { return r.letter + strconv.FormatInt(r.id, 10) + ":" }

func (r conversationRow) note(hash []byte) string { return r.name() + hex.EncodeToString(hash) }

// parseRowNote is the inverse of note.
func parseRowNote(word string) (r conversationRow, h rowHash, gone, ok bool) {
	name, sum, ok := strings.Cut(word, ":")
	if !ok || len(name) < 2 {
		return r, h, false, false
	}
	id, err := strconv.ParseInt(name[1:], 10, 64)
	n, e := hex.Decode(h[:], []byte(sum[:min(len(sum), 2*len(h))]))
	return conversationRow{name[:1], id}, h, sum == "", err == nil && e == nil && (n == len(h) || n == 0)
}

// conversationMark is the key in table meta that says that every row is covered.
const conversationMark = "said"

// anchorConversation covers the rows from before the chain covered conversations. It does so in one
// operation, once per database.
func (s *Store) anchorConversation(ctx context.Context) error {
	var n int
	err := s.w.conn.QueryRowContext(ctx, "SELECT count(*) FROM meta WHERE key = ?", conversationMark).Scan(&n)
	if err != nil || n > 0 {
		return err
	}
	s.mu.Lock()
	op := s.conversationOp()
	s.mu.Unlock()
	p, err := s.submit(ctx, 0, func(g *group) error {
		notes, err := conversationNotes(ctx, g.w.conn)
		if err != nil {
			return err
		}
		if err := g.exec("INSERT OR REPLACE INTO meta (key, value) VALUES (?, 1)", conversationMark); err != nil ||
			len(notes) == 0 {
			return err
		}
		return g.insertConversationOp(op, notes)
	})
	if err != nil {
		return err
	}
	return p.wait(ctx)
}

// conversationNotes returns notes for all rows.
func conversationNotes(ctx context.Context, q querier) (notes []string, err error) {
	err = eachConversationRow(ctx, q, func(r conversationRow, h rowHash, _ func(rowHash) bool) {
		notes = append(notes, r.note(h[:]))
	})
	return notes, err
}

func eachConversationRow(ctx context.Context, q querier, visit func(r conversationRow, h rowHash,
	was func(rowHash) bool)) error {
	for _, t := range conversationTables {
		if err := t.each(ctx, q, visit); err != nil {
			return fmt.Errorf("read the conversation (%ss): %w", t.name, err)
		}
	}
	return nil
}

func (t conversationTable) each(ctx context.Context, q querier, visit func(r conversationRow, h rowHash,
	was func(rowHash) bool)) error {
	return t.eachWhere(ctx, q, "true ORDER BY id", nil, visit)
}

func (t conversationTable) eachWhere(ctx context.Context, q querier, where string, args []any,
	visit func(r conversationRow, h rowHash,
		was func(rowHash) bool)) error {
	rows, err := q.QueryContext(ctx, "SELECT "+t.columns+" FROM "+t.name+" WHERE "+where, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := t.scan(rows)
		if err != nil {
			return err
		}
		id, _ := values[0].(int64)
		visit(conversationRow{t.letter, id}, t.hash(values), func(want rowHash) bool {
			h, ok := t.running(values)
			return ok && h == want
		})
	}
	return rows.Err()
}

// conversationCheck compares the conversation with the newest hashes of the chain.
type conversationCheck struct {
	want map[conversationRow]rowHash
	gone map[conversationRow]bool // purged

	altered []conversationRow
}

// op adds the note of an operation. It returns what is wrong with it.
func (k *conversationCheck) op(note string) (what []string) {
	if k.want == nil {
		k.want, k.gone = map[conversationRow]rowHash{}, map[conversationRow]bool{}
	}
	for word := range strings.FieldsSeq(note) {
		word, bad := strings.CutSuffix(word, alteredMark)
		r, h, gone, ok := parseRowNote(word)
		if bad {
			k.altered = append(k.altered, r)
		}
		switch {
		case !ok:
			what = append(what, fmt.Sprintf("%q is no note about the conversation", word))
		case gone:
			delete(k.want, r)
			k.gone[r] = true
		case r.letter == "m" && k.has(r):
			what = append(what, fmt.Sprintf("message %d was recorded twice: the first one was lost", r.id))
		default:
			k.want[r] = h
			delete(k.gone, r)
		}
	}
	return what
}

func (k *conversationCheck) has(r conversationRow) bool {
	_, ok := k.want[r]
	return ok
}

// endInterrupted marks the turns that a crash interrupted.
func (s *Store) endInterrupted(ctx context.Context) error {
	var turns []int64
	p := &purger{s: s, ctx: ctx, w: s.w}
	if err := p.column(&turns, "SELECT id FROM turn WHERE status IS NULL"); err != nil || len(turns) == 0 {
		return err
	}
	for _, id := range turns {
		s.w.interrupted = append(s.w.interrupted, turnRow(TurnID(id)))
	}
	return p.exec("UPDATE turn SET status = ?, ended = ? WHERE status IS NULL", Interrupted, s.now())
}

// coverInterrupted adds the changes of endInterrupted to the chain.
func (s *Store) coverInterrupted(ctx context.Context) error {
	if len(s.w.interrupted) == 0 {
		return nil
	}
	_, err := s.sendConversation(ctx, 0, func(*group) error { return nil }, s.w.interrupted...)
	return err
}

// conversation compares every row of the conversation with its newest hash.
func (c *checker) conversation() error {
	var anchored int
	if err := c.q.QueryRowContext(c.ctx, "SELECT count(*) FROM meta WHERE key = ?",
		conversationMark).Scan(&anchored); err != nil {
		return err
	}
	bad := func(r conversationRow, what string) {
		t, _ := tableOf(r.letter)
		c.damage(Damage{Of: fmt.Sprintf("%s %d", t.name, r.id), What: what})
	}
	err := eachConversationRow(c.ctx, c.q, func(r conversationRow, h rowHash, was func(rowHash) bool) {
		want, known := c.rows.want[r]
		delete(c.rows.want, r)
		switch {
		case known && (want == h || was(want)):
			c.report.Said++
		case known:
			bad(r, "it is not what was recorded")
		case c.rows.gone[r]:
			bad(r, "it was purged and is there")
		case anchored == 0:
			c.report.Unsaid++
		default:
			bad(r, "nothing in the chain says that it was recorded")
		}
	})
	if err != nil {
		return err
	}
	if err := c.largeItems(); err != nil {
		return err
	}
	for _, r := range c.rows.altered {
		if !c.rows.gone[r] {
			bad(r, "it was altered, and changed again since")
		}
	}
	for r := range c.rows.want {
		bad(r, "it was recorded and is missing")
	}
	return nil
}
