package version

import (
	"sync"

	"waferpair/workspace/text"
)

// Digest is the hash of a version, computed on first use: hashing a whole file is most of
// the work of recording an edit, and Append need not wait for it.
type Digest struct {
	once sync.Once
	text text.Text
	hash Hash
}

// DigestOf returns the digest of a version that contains t.
func DigestOf(t text.Text) *Digest { return &Digest{text: t} }

// Known returns the digest of a version whose hash is known.
func Known(h Hash) *Digest {
	d := &Digest{hash: h}
	d.once.Do(func() {})
	return d
}

// Hash returns the hash; that of a nil digest is zero.
func (d *Digest) Hash() Hash {
	if d == nil {
		return Hash{}
	}
	d.once.Do(func() {
		d.hash = HashText(d.text)
		d.text = text.Text{}
	})
	return d.hash
}
