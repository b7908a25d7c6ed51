package history

import (
	"crypto/sha256"

	"waferpair/workspace/text"
)

// HashBytes is the hash of a version that holds b.
func HashBytes(b []byte) Hash { return sha256.Sum256(b) }

// HashText is the hash of a version that holds t, without copying it.
func HashText(t text.Text) Hash {
	h := sha256.New()
	t.Chunks(func(b []byte) bool {
		h.Write(b)
		return true
	})
	var out Hash
	h.Sum(out[:0])
	return out
}
