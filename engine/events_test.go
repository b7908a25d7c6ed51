package engine

import "testing"

// TestEventsAreReadAgain checks that UnmarshalEvent returns every event as far as JSON has
// its fields, and nil for a kind of a later version.
func TestEventsAreReadAgain(t *testing.T) {
	for _, ev := range []Event{
		Started{3, "m", ""}, Prose{"<a>\n"}, HunkOpened{1, "a", 2}, HunkChanged{1, "a", 2, "x", "y"},
		HunkClosed{1, "a", 2, 3, true}, HunkFailed{0, "a", "missing", "why", 2}, HunkReturned{3, "a", 7}, FileCreated{"a"},
		FileDeleted{"a"}, FileMoved{"a", "b"}, EditAcked{7, "a"}, Steered{"s", SteerSent, 3, 2},
		Cited{"a:3-5", "a", 3, 5, false, "why"}, Note{"n"},
	} {
		b, err := MarshalEvent(ev)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := UnmarshalEvent(b); err != nil || got != ev {
			t.Errorf("%s is %#v, %v", b, got, err)
		}
	}
	if ev, err := UnmarshalEvent([]byte(`{"event":"later","x":1}`)); ev != nil || err != nil {
		t.Error(ev, err)
	}
	for _, bad := range []string{"", "{", `{"event":"note","text":1}`} {
		if _, err := UnmarshalEvent([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
