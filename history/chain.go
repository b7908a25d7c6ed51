package history

import (
	"crypto/sha256"
	"encoding/binary"
	"io/fs"
)

// opRow, editRow and baseRow are rows as the database stores them, with paths as text.
type opRow struct {
	id     int64
	kind   opKind
	branch int64
	turn   TurnID
	author int
	at     int64
	note   string
}

type editRow struct {
	id             EditID
	branch         int64
	path, to       string
	kind           int
	state          int
	mode           fs.FileMode
	hasMode        bool
	added, removed int
	after          Hash
	exists         bool
	delta          []byte
	reverts        []EditID
}

type baseRow struct {
	path  string
	since EditID
	mode  fs.FileMode
	after Hash
}

// link returns the chain value of an operation: the SHA-256 of the previous value and the
// canonical form of the whole operation. Contents are covered through their hashes. If an
// operation is changed, dropped or inserted, every later value differs.
func link(prev Hash, canon []byte) Hash {
	h := sha256.New()
	h.Write(prev[:])
	h.Write(canon)
	var out Hash
	h.Sum(out[:0])
	return out
}

// canon builds a canonical form: every field has a fixed place and strings carry their
// length, so that two different rows never have the same form.
type canon struct{ b []byte }

func (c *canon) num(n int64) { c.b = binary.AppendVarint(c.b, n) }

func (c *canon) str(s string) {
	c.num(int64(len(s)))
	c.b = append(c.b, s...)
}

func (c *canon) bytes(b []byte) {
	c.num(int64(len(b)))
	c.b = append(c.b, b...)
}

func (c *canon) op(o opRow) {
	c.num(o.id)
	c.num(int64(o.kind))
	c.num(o.branch)
	c.num(int64(o.turn))
	c.num(int64(o.author))
	c.num(o.at)
	c.str(o.note)
}

func (c *canon) edit(e editRow) {
	c.num(int64(e.id))
	c.num(e.branch)
	c.str(e.path)
	c.str(e.to)
	c.num(int64(e.kind))
	c.num(int64(e.state &^ statePurgeMask))
	c.num(int64(e.modeOrNone()))
	c.num(int64(e.added))
	c.num(int64(e.removed))
	if e.exists {
		c.bytes(e.after[:])
	} else {
		c.bytes(nil)
	}
	c.bytes(e.delta)
	c.num(int64(len(e.reverts)))
	for _, r := range e.reverts {
		c.num(int64(r))
	}
}

func (e editRow) modeOrNone() int64 {
	if !e.hasMode {
		return -1
	}
	return int64(e.mode)
}

func (c *canon) base(b baseRow) {
	c.str(b.path)
	c.num(int64(b.since))
	c.num(int64(b.mode))
	c.bytes(b.after[:])
}
