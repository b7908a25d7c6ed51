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

// saidTable is a table of the conversation.
type saidTable struct {
	letter  string // names its rows in notes
	name    string
	columns string // the ID first
}

var saidTables = []saidTable{
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

// saidRow identifies a row of the conversation.
type saidRow struct {
	letter string
	id     int64
}

func sessionRow(id SessionID) saidRow { return saidRow{"s", int64(id)} }
func turnRow(id TurnID) saidRow       { return saidRow{"t", int64(id)} }
func itemIn(id int64) saidRow         { return saidRow{"i", id} }

// saidHash is a prefix of a SHA-256, long enough to detect a change of a row.
type saidHash [16]byte

// tableOf returns the table of a letter.
func tableOf(letter string) (saidTable, bool) {
	i := slices.IndexFunc(saidTables, func(t saidTable) bool { return t.letter == letter })
	if i < 0 {
		return saidTable{}, false
	}
	return saidTables[i], true
}

// hash returns the hash of a row whose columns were read as they are stored.
func (t saidTable) hash(row []any) saidHash {
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
	return saidHash(sum[:len(saidHash{})])
}

// running returns the hash that an interrupted turn had while it ran: a crash can come
// before the chain covers the interruption.
func (t saidTable) running(row []any) (h saidHash, ok bool) {
	if t.letter != "t" || row[turnStatus] != Interrupted {
		return h, false
	}
	row[turnStatus], row[turnEnded] = nil, nil
	return t.hash(row), true
}

// matches reports whether a row matches a note.
func (t saidTable) matches(values []any, r saidRow, note string) bool {
	for word := range strings.FieldsSeq(note) {
		if !strings.HasPrefix(word, r.name()) {
			continue
		}
		_, want, gone, ok := parseSaid(strings.TrimSuffix(word, alteredMark))
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

func (t saidTable) scan(row interface{ Scan(...any) error }) ([]any, error) {
	values := make([]any, strings.Count(t.columns, ",")+1)
	to := make([]any, len(values))
	for i := range values {
		to[i] = &values[i]
	}
	err := row.Scan(to...)
	return values, err
}

// say is like send, for a change of the conversation; it adds the operation that covers it.
func (s *Store) say(ctx context.Context, bytes int, run func(*group) error, rows ...saidRow) (*promise, error) {
	return s.sendBy(ctx, bytes, func(size int64) *promise { return s.queueSaid(run, size, rows...) })
}

// queueSaid cannot fail. The caller holds s.mu.
func (s *Store) queueSaid(run func(*group) error, size int64, rows ...saidRow) *promise {
	return s.enqueueJob(&job{run: s.covered(run, rows...), size: size})
}

// covered returns run followed by the operation that covers it. The caller holds s.mu.
func (s *Store) covered(run func(*group) error, rows ...saidRow) func(*group) error {
	op := s.saidOp()
	return func(g *group) error {
		altered, err := g.altered(rows)
		if err == nil {
			err = run(g)
		}
		if err != nil {
			return err
		}
		return g.said(op, rows, altered)
	}
}

// saidOp returns the next operation, for a change of the conversation. The caller holds
// s.mu.
func (s *Store) saidOp() opRow {
	author, _ := code(authors, User)
	row := opRow{id: s.next.op, kind: opSaid, branch: s.current, author: author, at: s.now()}
	s.next.op++
	return row
}

// altered returns the rows that do not match their newest hash.
func (g *group) altered(rows []saidRow) (map[saidRow]bool, error) {
	var out map[saidRow]bool
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
			int(opSaid), " "+r.name()).Scan(&note)
		if errors.Is(err, sql.ErrNoRows) {
			continue // not covered yet
		}
		if err != nil {
			return nil, err
		}
		if !t.matches(values, r, note) {
			if out == nil {
				out = map[saidRow]bool{}
			}
			out[r] = true
		}
	}
	return out, nil
}

// said writes the operation that covers the rows as they are now.
func (g *group) said(op opRow, rows []saidRow, altered map[saidRow]bool) error {
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
	return g.insertSaid(op, notes)
}

func (g *group) insertSaid(op opRow, notes []string) error {
	op.note = strings.Join(notes, " ")
	var c canon
	c.op(op)
	return g.insertOp(op, c.b)
}

// alteredMark follows the hash of a row that was altered before.
const alteredMark = "!"

func (r saidRow) name() string { return r.letter + strconv.FormatInt(r.id, 10) + ":" }

func (r saidRow) note(hash []byte) string { return r.name() + hex.EncodeToString(hash) }

// parseSaid is the inverse of note.
func parseSaid(word string) (r saidRow, h saidHash, gone, ok bool) {
	name, sum, ok := strings.Cut(word, ":")
	if !ok || len(name) < 2 {
		return r, h, false, false
	}
	id, err := strconv.ParseInt(name[1:], 10, 64)
	n, e := hex.Decode(h[:], []byte(sum[:min(len(sum), 2*len(h))]))
	return saidRow{name[:1], id}, h, sum == "", err == nil && e == nil && (n == len(h) || n == 0)
}

// saidMark is the key in table meta that says that every row is covered.
const saidMark = "said"

// anchorSaid covers the rows from before the chain covered conversations. It does so in one
// operation, once per database.
func (s *Store) anchorSaid(ctx context.Context) error {
	var n int
	err := s.w.conn.QueryRowContext(ctx, "SELECT count(*) FROM meta WHERE key = ?", saidMark).Scan(&n)
	if err != nil || n > 0 {
		return err
	}
	s.mu.Lock()
	op := s.saidOp()
	s.mu.Unlock()
	p, err := s.submit(ctx, 0, func(g *group) error {
		notes, err := saidNotes(ctx, g.w.conn)
		if err != nil {
			return err
		}
		if err := g.exec("INSERT OR REPLACE INTO meta (key, value) VALUES (?, 1)", saidMark); err != nil || len(notes) == 0 {
			return err
		}
		return g.insertSaid(op, notes)
	})
	if err != nil {
		return err
	}
	return p.wait(ctx)
}

// saidNotes returns notes for all rows.
func saidNotes(ctx context.Context, q querier) (notes []string, err error) {
	err = eachSaid(ctx, q, func(r saidRow, h saidHash, _ func(saidHash) bool) { notes = append(notes, r.note(h[:])) })
	return notes, err
}

func eachSaid(ctx context.Context, q querier, take func(r saidRow, h saidHash, was func(saidHash) bool)) error {
	for _, t := range saidTables {
		if err := t.each(ctx, q, take); err != nil {
			return fmt.Errorf("read the conversation (%ss): %w", t.name, err)
		}
	}
	return nil
}

func (t saidTable) each(ctx context.Context, q querier, take func(r saidRow, h saidHash,
	was func(saidHash) bool)) error {
	return t.eachWhere(ctx, q, "true ORDER BY id", nil, take)
}

func (t saidTable) eachWhere(ctx context.Context, q querier, where string, args []any, take func(r saidRow, h saidHash,
	was func(saidHash) bool)) error {
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
		take(saidRow{t.letter, id}, t.hash(values), func(want saidHash) bool {
			h, ok := t.running(values)
			return ok && h == want
		})
	}
	return rows.Err()
}

// saidCheck compares the conversation with the newest hashes of the chain.
type saidCheck struct {
	want map[saidRow]saidHash
	gone map[saidRow]bool // purged

	altered []saidRow
}

// op adds the note of an operation. It returns what is wrong with it.
func (k *saidCheck) op(note string) (what []string) {
	if k.want == nil {
		k.want, k.gone = map[saidRow]saidHash{}, map[saidRow]bool{}
	}
	for word := range strings.FieldsSeq(note) {
		word, bad := strings.CutSuffix(word, alteredMark)
		r, h, gone, ok := parseSaid(word)
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

func (k *saidCheck) has(r saidRow) bool {
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
	_, err := s.say(ctx, 0, func(*group) error { return nil }, s.w.interrupted...)
	return err
}

// conversation compares every row of the conversation with its newest hash.
func (c *checker) conversation() error {
	var anchored int
	if err := c.q.QueryRowContext(c.ctx, "SELECT count(*) FROM meta WHERE key = ?", saidMark).Scan(&anchored); err != nil {
		return err
	}
	bad := func(r saidRow, what string) {
		t, _ := tableOf(r.letter)
		c.damage(Damage{Of: fmt.Sprintf("%s %d", t.name, r.id), What: what})
	}
	err := eachSaid(c.ctx, c.q, func(r saidRow, h saidHash, was func(saidHash) bool) {
		want, known := c.said.want[r]
		delete(c.said.want, r)
		switch {
		case known && (want == h || was(want)):
			c.report.Said++
		case known:
			bad(r, "it is not what was recorded")
		case c.said.gone[r]:
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
	for _, r := range c.said.altered {
		if !c.said.gone[r] {
			bad(r, "it was altered, and changed again since")
		}
	}
	for r := range c.said.want {
		bad(r, "it was recorded and is missing")
	}
	return nil
}
