package live

// State is what a document is to the history and to the disk: what is known of it,
// whether there is such a file, and how far its saves are. It changes by events
// alone, all of which are here.
//
//	Absent --Made--> Newborn --Recorded--> Present --Moves--> Moving --Moved--> Present
//	   ^                |                     |
//	   +----Dropped-----+---Deleted, Vanished-+
//
//	Clean --Recorded--> Due --SaveBegan--> Saving --SaveEnded--> Clean
//	                     ^                   |  \--Recorded--> SavingMore --SaveEnded--> Due
//	                     +----Retry--- Stuck <--SaveFailed
//
// What of it is being typed or streams in is not part of it: the layers tell.
type State struct {
	Track Track
	Life  Life
	Save  Save
}

// Track is whether the history keeps a document. It never changes: a document of
// which that is to change is closed, and opened again.
type Track uint8

const (
	Tracked   Track = iota
	Untracked       // ignored, or it may hold secrets: what is typed goes to the disk only
	Shown           // opened while nothing could be recorded: it is only looked at
)

// Life is whether there is such a file now, and whether history has it.
type Life uint8

const (
	Absent  Life = iota
	Newborn      // made, and history does not have it yet
	Present
	Moving // history has its new name already, the disk not yet
)

// Save is how far the saves of a document are.
type Save uint8

const (
	Clean      Save = iota // nothing is to be written
	Due                    // head is to be written, or the file to be deleted
	Saving                 // it is being written
	SavingMore             // it is being written, and has become another since
	Stuck                  // it could not be written; that is tried again
	StuckMore              // it could not be written as it was; as it is now, it is due
)

// Event is what happens to a document.
type Event uint8

const (
	Made       Event = iota // there is a file now, which history does not have yet
	Typed                   // the same by the user, while nothing can be recorded: nothing of it is saved either
	Created                 // history has a new file, made by the user
	Recorded                // history has a newer head
	Same                    // history has everything, and nothing of it is new on disk
	Dropped                 // what history never had is taken back
	Deleted                 // history has that the file is gone; the disk follows
	Vanished                // another program deleted it
	Moves                   // history has its new name
	Moved                   // and so has the disk, or both have the old one
	Merged                  // another program's version is in head, and nothing else is
	MergedMore              // it is in head beside what was not saved, which is due
	SaveBegan
	SaveEnded // head is on disk as it was when the save began, or somebody else's version is
	SaveFailed
	Retry
)

// After is the state after an event. One that cannot happen leaves it as it is.
func (s State) After(e Event) State {
	s.Life, s.Save = s.Life.after(e), s.Save.after(e, s.Life)
	return s
}

func (l Life) after(e Event) Life {
	switch e {
	case Made, Typed:
		if l == Absent {
			return Newborn
		}
	case Created:
		if l == Absent {
			return Present
		}
	case Recorded, Same:
		if l == Newborn {
			return Present
		}
	case Dropped:
		if l == Newborn {
			return Absent
		}
	case Deleted, Vanished:
		return Absent
	case Moves:
		if l == Present {
			return Moving
		}
	case Moved:
		if l == Moving {
			return Present
		}
	default: // what happens between text and disk
	}
	return l
}

func (s Save) after(e Event, was Life) Save {
	switch e {
	case Created, Recorded, Deleted:
		return s.more()
	case Same:
		if was == Newborn { // also an empty file is one
			return s.more()
		}
	case MergedMore:
		return s.settled().more()
	case Typed, Merged, Vanished:
		return s.settled()
	case SaveBegan:
		return Saving
	case SaveEnded:
		return s.ended()
	case SaveFailed:
		return s.failed()
	case Retry:
		if s == Stuck || s == StuckMore {
			return Due
		}
	default: // what happens to the place alone
	}
	return s
}

// more is the state when head has become another.
func (s Save) more() Save {
	switch s {
	case Clean:
		return Due
	case Saving:
		return SavingMore
	case Stuck:
		return StuckMore
	}
	return s
}

// settled is the state when head, as it is now, is not to be written.
func (s Save) settled() Save {
	switch s {
	case Due:
		return Clean
	case SavingMore:
		return Saving
	case StuckMore:
		return Stuck
	}
	return s
}

func (s Save) ended() Save {
	switch s {
	case Saving:
		return Clean
	case SavingMore:
		return Due
	}
	return s
}

func (s Save) failed() Save {
	switch s {
	case Clean, Saving:
		return Stuck
	case Due, SavingMore:
		return StuckMore
	}
	return s
}

// Exists reports whether there is such a file now.
func (s State) Exists() bool { return s.Life != Absent }

// Known reports whether history has the file.
func (s State) Known() bool { return s.Life == Present || s.Life == Moving }

// Dirty reports whether something is to be written that no save has begun with.
func (s State) Dirty() bool { return s.Save == Due || s.Save == SavingMore || s.Save == StuckMore }

// Failed reports whether the last save failed.
func (s State) Failed() bool { return s.Save == Stuck || s.Save == StuckMore }

func (t Track) String() string { return [...]string{"kept", "untracked", "shown"}[t] }

func (l Life) String() string { return [...]string{"absent", "newborn", "present", "moving"}[l] }

func (s Save) String() string {
	return [...]string{"clean", "due", "saving", "saving more", "stuck", "stuck more"}[s]
}

func (s State) String() string {
	return s.Track.String() + ", " + s.Life.String() + ", " + s.Save.String()
}
