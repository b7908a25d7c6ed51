package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"os"
)

// The tail is a small file beside the database with the newest operation and its chain
// value. SQLite silently drops the transactions behind a damaged place in its write-ahead
// log; comparing the tail with the database at Open detects that loss.
//
// It is written after each COMMIT has returned, so it never names an operation that is not
// durable. It is not fsynced per commit: the page cache survives any end of the process,
// and after a power cut a tail that lags behind the database is harmless (less is checked),
// while an fsync would double the latency of every edit. The writer syncs it when it
// becomes idle, and at Close.
//
// The two slots are written in turn, so that a torn write leaves the other one intact.

const (
	tailMagic = "WPtail1\n"
	slotSize  = 512
)

// mark is the content of one slot.
type mark struct {
	store [16]byte // identifies the database
	seq   uint64   // of the two slots, the one with the larger seq is valid
	op    int64
	edit  EditID
	chain Hash
}

func (m mark) encode() []byte {
	b := make([]byte, 0, slotSize)
	b = append(b, tailMagic...)
	b = append(b, m.store[:]...)
	b = binary.LittleEndian.AppendUint64(b, m.seq)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.op))
	b = binary.LittleEndian.AppendUint64(b, uint64(m.edit))
	b = append(b, m.chain[:]...)
	sum := sha256.Sum256(b)
	b = append(b, sum[:]...)
	return append(b, make([]byte, slotSize-len(b))...)
}

func decodeMark(b []byte) (m mark, ok bool) {
	const body = 8 + 16 + 8 + 8 + 8 + 32
	if len(b) < body+32 || string(b[:8]) != tailMagic {
		return m, false
	}
	if sum := sha256.Sum256(b[:body]); !bytes.Equal(sum[:], b[body:body+32]) {
		return m, false
	}
	copy(m.store[:], b[8:])
	m.seq = binary.LittleEndian.Uint64(b[24:])
	m.op = int64(binary.LittleEndian.Uint64(b[32:]))
	m.edit = EditID(binary.LittleEndian.Uint64(b[40:]))
	copy(m.chain[:], b[48:])
	return m, true
}

// readTail returns the newest valid mark of the file, if there is one.
func readTail(path string) (m mark, ok bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return mark{}, false
	}
	for ; len(b) > 0; b = b[min(slotSize, len(b)):] {
		if n, good := decodeMark(b[:min(slotSize, len(b))]); good && (!ok || n.seq > m.seq) {
			m, ok = n, true
		}
	}
	return m, ok
}

// tail is the open file; only the writer's goroutine uses it.
type tail struct {
	f     *os.File
	last  mark
	dirty bool
}

func openTail(path string, last mark) (*tail, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &tail{f: f, last: last}, nil
}

func (t *tail) write(op int64, edit EditID, chain Hash) error {
	t.last.seq++
	t.last.op, t.last.edit, t.last.chain = op, edit, chain
	t.dirty = true
	_, err := t.f.WriteAt(t.last.encode(), int64(t.last.seq%2)*slotSize)
	return err
}

func (t *tail) sync() error {
	if !t.dirty {
		return nil
	}
	t.dirty = false
	return t.f.Sync()
}

func (t *tail) close() error {
	err := t.sync()
	if e := t.f.Close(); err == nil {
		err = e
	}
	return err
}
