package version

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math"

	"waferpair/workspace/text"
)

// EditID identifies one edit. Later edits have larger IDs. 0 is the baseline, the moment
// before the first edit.
type EditID int64

// Newest stands for the newest edit of a branch, as a moment.
const Newest EditID = math.MaxInt64

// Kind is what an edit does to its file.
type Kind string

const (
	Text    Kind = "text"    // Changes are applied to Before
	Create  Kind = "create"  // a file appears with Content and Mode
	Delete  Kind = "delete"  // the file is deleted
	Rename  Kind = "rename"  // the file at Path moves to To, content unchanged
	Mode    Kind = "mode"    // the permissions become Mode
	Symlink Kind = "symlink" // the path becomes a link with target Content
	Blob    Kind = "blob"    // the whole content is replaced, as for binary files
)

// Version is a file at a moment.
type Version struct {
	Exists bool
	Bytes  []byte
	Mode   fs.FileMode // with fs.ModeSymlink, Bytes is the target of the link
	Hash   Hash
	Edit   EditID // the edit that made it; 0 is the baseline
}

// Hash is the SHA-256 of a version's bytes.
type Hash [32]byte

// IsZero reports whether h is not set.
func (h Hash) IsZero() bool { return h == Hash{} }

// String returns the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText makes hashes hexadecimal in JSON.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads a hexadecimal hash.
func (h *Hash) UnmarshalText(b []byte) error {
	if len(b) != 2*len(h) {
		return fmt.Errorf("a hash of %d characters", len(b))
	}
	_, err := hex.Decode(h[:], b)
	return err
}

// HashBytes returns the hash of a version that contains b.
func HashBytes(b []byte) Hash { return sha256.Sum256(b) }

// HashText returns the hash of a version that contains t, without copying it.
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
