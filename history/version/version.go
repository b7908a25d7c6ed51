package version

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math"

	"waferpair/workspace/text"
)

// EditID names one edit. Later edits have larger IDs. 0 is the baseline, the
// moment before the first edit.
type EditID int64

// Newest stands for the newest edit of a branch where a moment is asked for.
const Newest EditID = math.MaxInt64

// Kind says what an edit does to its file.
type Kind string

const (
	Text    Kind = "text"    // Changes applied to Before
	Create  Kind = "create"  // a file appears with Content and Mode
	Delete  Kind = "delete"  // the file is gone
	Rename  Kind = "rename"  // the file at Path is at To now, content unchanged
	Mode    Kind = "mode"    // the permissions are Mode now
	Symlink Kind = "symlink" // the path is a link whose target is Content
	Blob    Kind = "blob"    // the whole content is replaced, as for binary files
)

// Version is a file at a moment.
type Version struct {
	Exists bool
	Bytes  []byte
	Mode   fs.FileMode // with fs.ModeSymlink the bytes are the target of the link
	Hash   Hash
	Edit   EditID // the edit that made it; 0 is the baseline
}

// Hash is the SHA-256 of a version's bytes.
type Hash [32]byte

// IsZero reports whether h is not set.
func (h Hash) IsZero() bool { return h == Hash{} }

// String is the hash in hexadecimal.
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
