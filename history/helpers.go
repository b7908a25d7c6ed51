package history

import (
	"runtime"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// The next edit of a file can be checked without the hash of the version that it
// is for (recentTexts). So hashing is left to helpers that run beside Append and
// the writer; the writer waits for what it stores.

// startHelpers begins computing digests in the background until the channel is
// closed. A digest that finds the channel full is left to the writer.
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

// digest returns the digest of t, under way. The caller holds s.mu.
func (s *Store) digest(t text.Text) *version.Digest {
	d := version.DigestOf(t)
	select {
	case s.digests <- d:
	default:
	}
	return d
}
