package sql

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// released has a prefix of the SHA-256 of each migration, without comments and line breaks.
// A new migration adds a line here. No line changes: databases that have a migration do not
// run it again, so they would differ from new ones for ever.
var released = map[string]string{
	"00001_first.sql":    "78b5cd20734e9c06",
	"00002_review.sql":   "71a35e5a17e601bf",
	"00003_lines.sql":    "f35253ed9dba2e19",
	"00004_parts.sql":    "c96577b4aacef676",
	"00005_said.sql":     "1fdfa7dc5a0f293b",
	"00006_heads.sql":    "9fa9015d300ef3bb",
	"00008_items.sql":    "d5dc5513a586d64d",
	"00009_outlines.sql": "f7af5fbbf94b6f2c",
	"00010_steps.sql":    "d0ee023d627821a9",
}

var comment = regexp.MustCompile(`(?m)(^|\s)--( [^+].*)?$`)

// TestReleasedMigrationsStay checks that the statements of a released migration never change.
func TestReleasedMigrationsStay(t *testing.T) {
	names, err := fs.Glob(Files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	if want := slices.Sorted(maps.Keys(released)); !slices.Equal(names, want) {
		t.Fatalf("the migrations are %q, released are %q", names, want)
	}
	for _, name := range names {
		b, err := Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(comment.ReplaceAllString(string(b), ""))
		sum := sha256.Sum256([]byte(strings.Join(words, " ")))
		if got := hex.EncodeToString(sum[:8]); got != released[name] {
			t.Errorf("%s: its statements have the hash %s, not %s; put the change into a new migration", name,
				got, released[name])
		}
	}
}
