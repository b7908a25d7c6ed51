package live

import (
	"fmt"
	"slices"
	"testing"
)

// flags is the obvious version of State: a boolean for each property.
type flags struct {
	exists, known, moving bool
	dirty, stuck, saving  bool
}

func (f flags) after(e Event) flags {
	newborn := f.exists && !f.known
	switch e {
	case Made:
		f.exists = true
	case Typed:
		f.exists, f.dirty = true, false
	case Created:
		f.known, f.dirty = f.known || !f.exists, true
		f.exists = true
	case Recorded:
		f.known, f.dirty = f.exists, true
	case Same:
		f.known, f.dirty = f.exists, f.dirty || newborn
	case Dropped:
		f.exists = f.exists && !newborn
	case Deleted:
		f.exists, f.known, f.moving, f.dirty = false, false, false, true
	case Vanished:
		f.exists, f.known, f.moving, f.dirty = false, false, false, false
	case Moves:
		f.moving = f.moving || f.known
	case Moved:
		f.moving = false
	case Merged:
		f.dirty = false
	case MergedMore:
		f.dirty = true
	case SaveBegan:
		f.dirty, f.stuck, f.saving = false, false, true
	case SaveEnded:
		f.saving = false
	case SaveFailed:
		f.stuck, f.saving = true, false
	case Retry:
		f.dirty, f.stuck = f.dirty || f.stuck, false
	}
	return f
}

// flagsOf converts a State to flags.
func flagsOf(s State) flags {
	return flags{exists: s.Exists(), known: s.Known(), moving: s.Life == Moving,
		dirty: s.Dirty(), stuck: s.Failed(), saving: s.Save == Saving || s.Save == SavingMore}
}

// events lists the names of all events.
var events = []string{"Made", "Typed", "Created", "Recorded", "Same", "Dropped", "Deleted", "Vanished",
	"Moves", "Moved", "TookIn", "TookInMore", "SaveBegan", "SaveEnded", "SaveFailed", "Retry"}

// TestEveryStateAndEvent checks that each event changes each state as it changes flags, and
// that no event changes whether the history keeps the document. Only an operation that
// records a newborn file makes it known by creating it.
func TestEveryStateAndEvent(t *testing.T) {
	if len(events) != int(Retry)+1 {
		t.Fatal("some event is not tried")
	}
	met := map[State]bool{}
	for _, track := range []Track{Tracked, Untracked, Shown} {
		for life := Absent; life <= Moving; life++ {
			for save := Clean; save <= StuckMore; save++ {
				for e := Made; e <= Retry; e++ {
					s := State{track, life, save}
					got, want := s.After(e), flagsOf(s).after(e)
					if flagsOf(got) != want || got.Track != track {
						t.Errorf("%v after %s is %v, which is not %+v", s, events[e], got, want)
					}
					met[got] = true
				}
			}
		}
	}
	if want := 3 * 4 * 6; len(met) != want {
		t.Errorf("%d states can be reached, of %d", len(met), want)
	}
}

// TestEveryStateHasAName checks that no two states have the same name.
func TestEveryStateHasAName(t *testing.T) {
	var names []string
	for _, track := range []Track{Tracked, Untracked, Shown} {
		for life := Absent; life <= Moving; life++ {
			for save := Clean; save <= StuckMore; save++ {
				names = append(names, fmt.Sprint(State{track, life, save}))
			}
		}
	}
	slices.Sort(names)
	if n := len(slices.Compact(slices.Clone(names))); n != len(names) {
		t.Errorf("%d names for %d states", n, len(names))
	}
}
