package live

import (
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/workspace/text"
)

// TestComposerIsComposition checks that any folding of the parts gives the same total as
// composing them one by one.
func TestComposerIsComposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := text.OfString(rapid.StringN(0, 30, -1).Draw(t, "doc"))
		c, plain, now := startingAt(doc.Len()), text.Retain(doc.Len()), doc
		for range rapid.IntRange(0, 40).Draw(t, "changes") {
			from := rapid.IntRange(0, int(now.Len())).Draw(t, "from")
			to := rapid.IntRange(from, min(from+5, int(now.Len()))).Draw(t, "to")
			cs, err := text.NewChangeSet(now.Len(), text.Change{From: text.Byte(from), To: text.Byte(to),
				Insert: rapid.StringN(0, 5, -1).Draw(t, "insert")})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.add(cs); err != nil {
				t.Fatal(err)
			}
			if plain, err = plain.Compose(cs); err != nil {
				t.Fatal(err)
			}
			if now, err = cs.Apply(now); err != nil {
				t.Fatal(err)
			}
			if rapid.IntRange(0, 9).Draw(t, "look") == 0 {
				if _, err := c.total(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if c.empty() != plain.Empty() && !plain.Empty() {
			t.Fatalf("empty: %v, want %v", c.empty(), plain.Empty())
		}
		got, err := c.total()
		if err != nil {
			t.Fatal(err)
		}
		after, err := got.Apply(doc)
		if err != nil || !after.Equal(now) {
			t.Fatalf("%q, want %q (%v)", after.String(), now.String(), err)
		}
	})
}
