package text

import (
	"bytes"
	"fmt"
	"io"
)

// leafIter visits the leaves of a tree from the left.
type leafIter struct {
	todo []*node // remaining subtrees, the next one last
}

func (t Text) leaves() leafIter {
	if t.root == nil {
		return leafIter{}
	}
	return leafIter{[]*node{t.root}}
}

// next returns the next leaf, or nil after the last.
func (it *leafIter) next() []byte {
	for len(it.todo) > 0 {
		last := len(it.todo) - 1
		n := it.todo[last]
		it.todo = it.todo[:last]
		if n.height == 0 {
			return n.leaf
		}
		it.todo = append(it.todo, n.right, n.left)
	}
	return nil
}

// Reader returns a reader of the whole text from its start.
func (t Text) Reader() io.Reader { return &reader{leaves: t.leaves()} }

type reader struct {
	leaves leafIter
	rest   []byte
}

func (r *reader) Read(p []byte) (int, error) {
	total := 0
	for len(p) > 0 {
		if len(r.rest) == 0 {
			r.rest = r.leaves.next()
		}
		n := copy(p, r.rest)
		if n == 0 {
			break
		}
		p, r.rest, total = p[n:], r.rest[n:], total+n
	}
	if total == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return total, nil
}

// ReadAt implements io.ReaderAt, so t works with io.NewSectionReader.
func (t Text) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("text: read at %d", off)
	}
	if off >= int64(t.Len()) {
		return 0, io.EOF
	}
	from := Byte(off)
	to := min(t.Len(), from+Byte(len(p)))
	n := len(t.root.appendTo(p[:0], from, to))
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Index returns the offset of the first sep that starts at from or later, or -1. It panics
// if from is not in the text.
func (t Text) Index(sep string, from Byte) Byte {
	t.check(from, t.Len())
	var carry []byte // the last bytes before the chunk, as many as sep may overlap
	pos, found := from, Byte(-1)
	t.root.chunks(from, t.Len(), func(chunk []byte) bool {
		window := append(carry, chunk[:min(len(chunk), max(0, len(sep)-1))]...)
		if i := bytes.Index(window, []byte(sep)); i >= 0 {
			found = pos - Byte(len(carry)) + Byte(i)
		} else if i := bytes.Index(chunk, []byte(sep)); i >= 0 {
			found = pos + Byte(i)
		}
		carry = lastBytes(append(carry, chunk...), len(sep)-1)
		pos += Byte(len(chunk))
		return found < 0
	})
	if sep == "" {
		return from
	}
	return found
}

// lastBytes returns the last n bytes of b, moved to its start.
func lastBytes(b []byte, n int) []byte {
	return append(b[:0], b[max(0, len(b)-max(0, n)):]...)
}
