package app

import (
	"crypto/sha256"
	"sync"

	"waferpair/workspace/secrets"
)

// covers remembers which texts hold no secret: looking for some costs more than the rest of a prompt.
type covers struct {
	mu    sync.Mutex
	clean map[[sha256.Size]byte]bool
}

// maxClean bounds the texts that are remembered; with as many again, it begins anew.
const maxClean = 1 << 15

// masked returns a file's text without its secrets.
func (c *covers) masked(path string, b []byte) []byte {
	h := sha256.New()
	h.Write([]byte(path + "\x00")) // the rules depend on it
	h.Write(b)
	sum := [sha256.Size]byte(h.Sum(nil))
	c.mu.Lock()
	known := c.clean[sum]
	c.mu.Unlock()
	if known {
		return b
	}
	m, found := secrets.Mask(path, b)
	if len(found) == 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.clean == nil || len(c.clean) >= maxClean {
			c.clean = map[[sha256.Size]byte]bool{}
		}
		c.clean[sum] = true
	}
	return m
}
