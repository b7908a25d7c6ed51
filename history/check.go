package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// Damage is one defect that Check found.
type Damage struct {
	Op   int64
	Edit EditID // 0: not about a single edit
	Path string
	Of   string // a row of the conversation, such as "turn 5"
	What string
}

func (d Damage) String() string {
	switch {
	case d.Edit != 0:
		return fmt.Sprintf("edit %d of %s: %s", d.Edit, d.Path, d.What)
	case d.Path != "":
		return fmt.Sprintf("first content of %s: %s", d.Path, d.What)
	case d.Of != "":
		return d.Of + ": " + d.What
	}
	return fmt.Sprintf("operation %d: %s", d.Op, d.What)
}

// Report is the result of Check.
type Report struct {
	Ops, Edits, Files int
	Good              int // versions that were rebuilt and match their hash
	Tombstones        int // edits and first contents whose content was purged
	Said              int // rows of the conversation that match what was recorded
	Unsaid            int // rows from before the chain covered conversations
	Damage            []Damage
}

// OK reports whether nothing is damaged or lost.
func (r Report) OK() bool { return len(r.Damage) == 0 }

// Check verifies the whole history: SQLite's own structure, the chain over all operations,
// the tail marker, every version by rebuilding it, the tables of edits by file and of
// newest versions, and the conversation. The report lists the damage; an error means that
// Check itself could not continue. If progress is not nil, Check calls it now and then with
// the number of operations checked and the total.
func (s *Store) Check(ctx context.Context, progress func(done, total int)) (Report, error) {
	if err := s.settled(ctx); err != nil {
		return Report{}, err
	}
	c := &checker{s: s, ctx: ctx, progress: progress, purged: map[int64]bool{}, texts: map[textKey]text.Text{}}
	// before the snapshot, which so has every operation that it names
	c.mark, c.marked = readTail(s.files.tail)
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one snapshot
	if err != nil {
		return Report{}, fmt.Errorf("check the history: %w", err)
	}
	defer tx.Rollback()
	c.q = tx
	if err := c.run(); err != nil {
		if ctx.Err() != nil {
			return c.report, ctx.Err()
		}
		c.damage(Damage{Op: c.last, What: fmt.Sprintf("nothing beyond it can be read: %v", err)})
	}
	if c.badHeads && !s.ReadOnly() {
		if err := errors.Join(tx.Rollback(), s.clearHeads(ctx)); err != nil {
			return c.report, fmt.Errorf("check the history: %w", err)
		}
	}
	return c.report, nil
}

type checker struct {
	s        *Store
	ctx      context.Context
	q        querier
	report   Report
	progress func(done, total int)
	total    int
	prev     Hash
	last     int64
	purged   map[int64]bool // operations whose link can no longer be computed
	texts    map[textKey]text.Text
	size     int
	rows     conversationCheck
	badHeads bool
	mark     mark // the marker beside the database, if marked
	marked   bool
}

// textKey is a file of a branch.
type textKey struct{ branch, path int64 }

func (c *checker) damage(d Damage) {
	const maxDamages = 1000 // a broken disk need not fill the screen
	if len(c.report.Damage) < maxDamages {
		c.report.Damage = append(c.report.Damage, d)
	}
}

func (c *checker) run() error {
	if err := c.structure(); err != nil {
		return err
	}
	if err := c.purges(); err != nil {
		return err
	}
	if err := c.q.QueryRowContext(c.ctx, "SELECT count(*) FROM op").Scan(&c.total); err != nil {
		return err
	}
	if err := scan(c.ctx, c.q, 0, c.op); err != nil {
		return err
	}
	if err := c.steps(); err != nil {
		return err
	}
	if err := c.heads(); err != nil {
		return err
	}
	if err := c.conversation(); err != nil {
		return err
	}
	return c.tail()
}

func (c *checker) structure() error {
	rows, err := c.q.QueryContext(c.ctx, "PRAGMA integrity_check(20)")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var what string
		if err := rows.Scan(&what); err != nil {
			return err
		}
		if what != "ok" {
			c.damage(Damage{What: "database structure: " + what})
		}
	}
	return rows.Err()
}

// purges collects the operations that purges declared. A tombstone without such a
// declaration is damage.
func (c *checker) purges() error {
	rows, err := c.q.QueryContext(c.ctx, "SELECT note FROM op WHERE kind = ?", int(opPurge))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var note string
		var n purgeNote
		if err := rows.Scan(&note); err != nil {
			return err
		}
		if json.Unmarshal([]byte(note), &n) == nil {
			for _, op := range n.Ops {
				c.purged[op] = true
			}
		}
	}
	return rows.Err()
}

func (c *checker) op(o *storedOp) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if !c.purged[o.id] && link(c.prev, o.canonical()) != o.chain {
		c.damage(Damage{Op: o.id,
			What: "it does not match its link in the chain: it, or the one before it, was altered, or one between them " +
				"is missing"})
	}
	c.prev, c.last = o.chain, o.id
	c.report.Ops++
	if o.kind == opConversation {
		for _, what := range c.rows.op(o.note) {
			c.damage(Damage{Op: o.id, What: what})
		}
	}
	for _, b := range o.bases {
		c.base(o, b)
	}
	for _, e := range o.edits {
		if e.op != o.id {
			c.damage(Damage{Op: e.op, Edit: e.id, Path: e.path, What: "its operation is missing"})
		}
		c.report.Edits++
		c.edit(e)
	}
	if c.progress != nil && c.report.Ops%1000 == 0 {
		c.progress(c.report.Ops, max(c.total, c.report.Ops))
	}
	return nil
}

func (c *checker) base(o *storedOp, b storedBase) {
	c.report.Files++
	if b.purged {
		c.tombstone(Damage{Op: o.id, Path: b.path})
		return
	}
	if _, what := c.blob(b.blob, b.after); what != "" {
		c.damage(Damage{Op: o.id, Path: b.path, What: what})
		return
	}
	c.report.Good++
}

func (c *checker) tombstone(d Damage) {
	c.report.Tombstones++
	if !c.purged[d.Op] {
		d.What = "its content is missing, and no purge says so"
		c.damage(d)
	}
}

// blob reads a whole content, and returns what is wrong with it, or "".
func (c *checker) blob(id int64, hash Hash) (b []byte, what string) {
	b, err := reader{c.q}.Content(c.ctx, id)
	if err != nil {
		return nil, err.Error()
	}
	if HashBytes(b) != hash {
		return nil, "its content does not match its hash"
	}
	return b, ""
}

// edit rebuilds the version that an edit made.
func (c *checker) edit(e storedEdit) {
	key := textKey{e.branch, e.pathID}
	bad := func(what string) {
		c.evict(key)
		c.damage(Damage{Op: e.op, Edit: e.id, Path: e.path, What: what})
	}
	if e.state&statePurgeMask != 0 {
		c.evict(key)
		c.tombstone(Damage{Op: e.op, Edit: e.id, Path: e.path})
		if e.state&statePurged != 0 {
			return
		}
	}
	before, had := c.texts[key]
	if e.blob != 0 {
		b, what := c.blob(e.blob, e.after)
		if what != "" {
			bad(what)
			return
		}
		c.keep(key, text.Of(b))
	}
	switch word(kinds, e.kind) {
	case Text:
		if e.delta != nil {
			if what := c.textEdit(e, key, before, had); what != "" {
				bad(what)
				return
			}
		}
	case Rename:
		c.evict(key)
		c.evict(textKey{e.branch, e.toID})
	case Delete:
		c.evict(key)
	case Create, Blob, Symlink:
		if e.blob == 0 {
			bad("its content is missing")
			return
		}
	case Mode:
	}
	c.report.Good++
}

func (c *checker) textEdit(e storedEdit, key textKey, before text.Text, had bool) (what string) {
	if !had {
		t, err := c.before(e)
		if err != nil {
			return "the version before it cannot be rebuilt: " + err.Error()
		}
		before = t
	}
	after, err := version.ApplyDelta(before, e.delta)
	if err != nil {
		return err.Error()
	}
	if HashText(after) != e.after {
		return "the version it made does not match its hash"
	}
	c.keep(key, after)
	return ""
}

// before rebuilds the version that an edit changed.
func (c *checker) before(e storedEdit) (text.Text, error) {
	c.s.mu.Lock()
	lin := c.s.lineageOf(e.branch, e.id-1)
	c.s.mu.Unlock()
	st, err := version.Walk(c.ctx, reader{c.q}, e.pathID, lin, true)
	if err != nil {
		return text.Text{}, err
	}
	if !st.Exists {
		return text.Text{}, errors.New("the file did not exist")
	}
	return st.Rebuild(c.ctx, reader{c.q})
}

// maxTexts bounds the memory for cached texts; dropping them only costs time.
const maxTexts = 64 << 20

func (c *checker) keep(k textKey, t text.Text) {
	c.evict(k)
	if c.size > maxTexts {
		clear(c.texts)
		c.size = 0
	}
	c.texts[k] = t
	c.size += int(t.Len())
}

func (c *checker) evict(k textKey) {
	if t, ok := c.texts[k]; ok {
		c.size -= int(t.Len())
		delete(c.texts, k)
	}
}

// tail compares the end of the chain with the marker beside the database.
func (c *checker) tail() error {
	m, ok := c.mark, c.marked
	if !ok {
		_, ok = readTail(c.s.files.tail) // the first operation may have been recorded since
	}
	switch {
	case !ok && c.last > 0:
		c.damage(Damage{Op: c.last,
			What: "the tail marker is missing or damaged: whether operations after it were lost cannot be told"})
	case ok && m.op > c.last:
		c.damage(Damage{Op: m.op,
			What: fmt.Sprintf("it was acknowledged and is missing: the history ends with operation %d", c.last)})
	case ok && m.op == c.last && m.chain != c.prev:
		c.damage(Damage{Op: m.op, What: "it is not the operation that was acknowledged"})
	}
	return nil
}
