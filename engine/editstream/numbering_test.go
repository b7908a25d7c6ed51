package editstream

import (
	"testing"

	"pgregory.net/rapid"
)

// TestNumberingIsThePlacers checks that, whatever the text, Numbering gives a hunk the
// number that the placer gives it, and that the events of all hunks have the effect of the
// whole text.
func TestNumberingIsThePlacers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		said, all := drawStream(t), files("f", drawDoc(t), "d", "x\n", "f.go", "a\nb\n")
		var n Numbering
		placer := NewPlacer(all, Options{})
		at := 0
		look := func(ev Event) {
			if next := n.Next(ev); next > 0 {
				at = next
			}
			placer.Handle(ev, func(ed Edit) {
				if hunk := numberOf(ed); hunk > 0 && hunk != at {
					t.Fatalf("%#v makes %#v, but is counted as %d", ev, ed, at)
				}
			})
		}
		parser := NewAuto()
		parser.Push([]byte(said), look)
		parser.Close(look)

		read := Only(NewAuto(), []byte(said), func(FileBegin, int) bool { return true })
		want, wantFailed, err := Plan(NewAuto(), []byte(said), all)
		if err != nil || len(wantFailed) > 0 {
			return // Only may omit malformed parts
		}
		got, failed, err := Plan(Replay(read), nil, all)
		if err != nil || len(failed) > 0 || len(got) != len(want) {
			t.Fatalf("%v %v: %d files, want %d", err, failed, len(got), len(want))
		}
		for i := range want {
			if got[i].Path != want[i].Path || got[i].MoveTo != want[i].MoveTo || got[i].Op != want[i].Op ||
				!got[i].After.Equal(want[i].After) {
				t.Fatalf("%+v, want %+v", got[i], want[i])
			}
		}
		if none := Only(NewAuto(), []byte(said), func(FileBegin, int) bool { return false }); hasFile(none) {
			t.Fatalf("of no hunk it reads %#v", none)
		}
	})
}

func hasFile(events []Event) bool {
	for _, ev := range events {
		if _, file := ev.(FileBegin); file {
			return true
		}
	}
	return false
}

func numberOf(ed Edit) int {
	switch ed := ed.(type) {
	case Opened:
		return ed.Hunk
	case Changed:
		return ed.Hunk
	case Closed:
		return ed.Hunk
	case Failed:
		return ed.Hunk
	case Created:
		return ed.Hunk
	case Deleted:
		return ed.Hunk
	case Moved:
		return ed.Hunk
	}
	return 0
}
