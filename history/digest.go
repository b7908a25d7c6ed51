package history

import (
	"runtime"
	"sync"

	"waferpair/workspace/text"
)

// digest is the hash of a version, computed when it is first asked for. Hashing a
// whole file is most of the work of recording an edit, and the next edit of the
// file can be checked without it (recentTexts), so it is left to helpers that run
// beside Append and the writer; the writer waits for what it stores.
type digest struct {
	once sync.Once
	text text.Text
	hash Hash
}

// known is the digest of a version whose hash is at hand.
func known(h Hash) *digest {
	d := &digest{hash: h}
	d.once.Do(func() {})
	return d
}

// get returns the hash; that of no version (nil) is zero.
func (d *digest) get() Hash {
	if d == nil {
		return Hash{}
	}
	d.once.Do(func() {
		d.hash = HashText(d.text)
		d.text = text.Text{}
	})
	return d.hash
}

// startHelpers begins computing digests in the background until the channel is
// closed. A digest that finds the channel full is left to the writer.
func (s *Store) startHelpers() {
	s.digests = make(chan *digest, 256)
	for range max(1, runtime.GOMAXPROCS(0)-1) {
		go func() {
			for d := range s.digests {
				d.get()
			}
		}()
	}
}

// digest returns the digest of t, under way. The caller holds s.mu.
func (s *Store) digest(t text.Text) *digest {
	d := &digest{text: t}
	select {
	case s.digests <- d:
	default:
	}
	return d
}
