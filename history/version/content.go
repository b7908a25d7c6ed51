package version

// partSize is how much of a content goes into one part.
const partSize = 1 << 20

// Content is a whole version ready to be stored. It is compressed in the caller's
// goroutine, so that the writer only inserts.
type Content struct {
	Hash  Hash
	Size  int
	Parts [][]byte // at least one
}

// Pack compresses a whole version.
func Pack(hash Hash, b []byte) *Content {
	c := &Content{Hash: hash, Size: len(b)}
	for first := true; first || len(b) > 0; first = false {
		n := min(len(b), partSize)
		c.Parts = append(c.Parts, encoder().EncodeAll(b[:n], nil))
		b = b[n:]
	}
	return c
}

// Stored returns the size of the parts.
func (c *Content) Stored() (n int) {
	for _, p := range c.Parts {
		n += len(p)
	}
	return n
}

// Unpack appends the content of a part to out.
func Unpack(out, part []byte) ([]byte, error) { return decoder().DecodeAll(part, out) }
