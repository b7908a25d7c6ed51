package app

import (
	"reflect"
	"testing"

	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace/text"
)

// TestLostEditsAreCounted checks that the pieces of a hunk, which were recorded while its model paused,
// count as one edit.
func TestLostEditsAreCounted(t *testing.T) {
	piece := func(path, insert string, partial bool) history.Detail {
		cs, err := text.NewChangeSet(0, text.Change{Insert: insert})
		if err != nil {
			t.Fatal(err)
		}
		return history.Detail{Edit: history.Edit{Path: path, Kind: history.Text, Partial: partial}, Changes: cs}
	}
	got := lostIn([]history.Detail{piece("a", "1\n", true), piece("b", "x\n", false), piece("a", "\t2\n\n", false),
		piece("a", "3\n", true), {Edit: history.Edit{Path: "c", Kind: history.Create}}, piece("c", "y\n", true)})
	want := []engine.Lost{{Path: "a", Hunks: 2, Lines: []string{"1", "2", "3"}},
		{Path: "b", Hunks: 1, Lines: []string{"x"}}, {Path: "c", Hunks: 1, Lines: []string{"y"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}
