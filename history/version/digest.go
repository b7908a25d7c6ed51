package version

import (
	"sync"

	"waferpair/workspace/text"
)

// Digest is the hash of a version, computed when it is first asked for: hashing a
// whole file is most of the work of recording an edit, and whoever makes a version
// need not wait for it.
type Digest struct {
	once sync.Once
	text text.Text
	hash Hash
}

// DigestOf is the digest of a version that holds t.
func DigestOf(t text.Text) *Digest { return &Digest{text: t} }

// Known is the digest of a version whose hash is at hand.
func Known(h Hash) *Digest {
	d := &Digest{hash: h}
	d.once.Do(func() {})
	return d
}

// Hash returns the hash; that of no version (nil) is zero.
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
