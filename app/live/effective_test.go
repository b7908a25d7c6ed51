package live

import (
	"testing"

	"waferpair/workspace/text"
)

// TestEffective checks that reverted changes do not count as changes.
func TestEffective(t *testing.T) {
	old := text.OfString("one two")
	cs, _ := text.NewChangeSet(old.Len(), text.Change{From: 0, To: 3, Insert: "one"},
		text.Change{From: 4, To: 7, Insert: "TWO"})
	got, err := effective(cs, old)
	after, _ := got.Apply(old)
	n := 0
	for range got.Changes {
		n++
	}
	if err != nil || n != 1 || after.String() != "one TWO" {
		t.Fatalf("%v %v", got, err)
	}
}
