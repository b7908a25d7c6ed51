package history

import (
	"runtime"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// recentTexts lets Append check the next edit of a file before the hash of the previous
// version is known. So helpers compute the hashes beside Append and the writer; the writer
// waits for those it stores.

// startHelpers computes digests in the background until the channel is closed. When the
// channel is full, the writer computes the digest.
func (s *Store) startHelpers() {
	s.digests = make(chan *version.Digest, 256)
	for range max(1, runtime.GOMAXPROCS(0)-1) {
		go func() {
			for d := range s.digests {
				d.Hash()
			}
		}()
	}
}

// digest returns the digest of t and starts computing it. The caller holds s.mu.
func (s *Store) digest(t text.Text) *version.Digest {
	d := version.DigestOf(t)
	select {
	case s.digests <- d:
	default:
	}
	return d
}
