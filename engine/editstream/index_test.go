package editstream

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

// TestRenewIndex compares a renewed index with a new one.
func TestRenewIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		enc := rapid.SampledFrom([]text.Encoding{text.UTF8, text.UTF8BOM, text.UTF16LE, text.UTF16BE, text.Latin1}).
			Draw(t, "encoding")
		doc := drawDoc(t)
		a, changes, ok := inEncoding(enc, doc, drawChanges(t, doc))
		cs, err := text.NewChangeSet(a.Len(), changes...)
		if !ok || err != nil {
			t.Skip("no change")
		}
		b, err := cs.Apply(a)
		if err != nil {
			t.Fatal(err)
		}
		was := newIndex(encoding{enc}, a, 0, a.Len())
		was.hashes(loose)
		was.hashes(exact)
		got, want := renewIndex(was, b, b.Len()), newIndex(encoding{enc}, b, 0, b.Len())
		want.hashes(loose)
		want.hashes(exact)
		if d := cmp.Diff(want.lines, got.lines, cmp.AllowUnexported(lineAt{}), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("lines of %q after %q:\n%s", b.String(), a.String(), d)
		}
		for l := exact; l < levels; l++ {
			if !slices.Equal(got.hash[l], want.hash[l]) {
				t.Fatalf("hashes of %q after %q at level %d", b.String(), a.String(), l)
			}
		}
	})
}
