package live

// State tells whether a document's file exists, whether history tracks it, and how far
// its saves are. Only the events below change it.
//
//	Absent --Made--> Newborn --Recorded--> Present --Moves--> Moving --Moved--> Present
//	   ^                |                     |
//	   +----Dropped-----+---Deleted, Vanished-+
//
//	Clean --Recorded--> Due --SaveBegan--> Saving --SaveEnded--> Clean
//	                     ^                   |  \--Recorded--> SavingMore --SaveEnded--> Due
//	                     +----Retry--- Stuck <--SaveFailed
//
// Unrecorded text is not part of the state; the layers hold it.
type State struct {
	Track Track
	Life  Life
	Save  Save
}

// Track tells whether history tracks a document. It never changes: to change it, the
// document is closed and opened again.
type Track uint8

const (
	Tracked   Track = iota
	Untracked       // ignored, or it may hold secrets: typing goes to the disk only
	Shown           // opened while nothing could be recorded: read only
)

// Life tells whether the file exists, and whether history has it.
type Life uint8

const (
	Absent  Life = iota
	Newborn      // created, and not in history yet
	Present
	Moving // history has its new name, the disk does not yet
)

// Save tells how far the saves of a document are.
type Save uint8

const (
	Clean      Save = iota // nothing to write
	Due                    // head must be written, or the file deleted
	Saving                 // a save is running
	SavingMore             // a save is running, and head is newer
	Stuck                  // the last save failed; it will be retried
	StuckMore              // the last save failed, and head is newer: a save is due
)

// Event is what happens to a document.
type Event uint8

const (
	Made       Event = iota // the file was created; history does not have it yet
	Typed                   // the user created it while nothing could be recorded: it is not saved either
	Created                 // history has the new file
	Recorded                // history has a newer head
	Same                    // everything is recorded, and head is unchanged
	Dropped                 // a file that history never had was discarded
	Deleted                 // history has the deletion; the disk follows
	Vanished                // another program deleted it
	Moves                   // history has the new name
	Moved                   // the disk has it too, or both have the old one
	Merged                  // another program's version is in head; nothing is left to save
	MergedMore              // another program's version is in head beside unsaved changes, which are due
	SaveBegan
	SaveEnded // head as of the beginning of the save is on disk, or somebody else's version
	SaveFailed
	Retry
)

// After returns the state after an event. An event that cannot happen changes nothing.
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
	default: // events of text and disk
	}
	return l
}

func (s Save) after(e Event, was Life) Save {
	switch e {
	case Created, Recorded, Deleted:
		return s.more()
	case Same:
		if was == Newborn { // an empty new file must be written, too
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
	default: // events of the file's name alone
	}
	return s
}

// more is the state after head changed.
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

// settled is the state when head needs no writing.
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

// Exists reports whether the file exists now.
func (s State) Exists() bool { return s.Life != Absent }

// Known reports whether history has the file.
func (s State) Known() bool { return s.Life == Present || s.Life == Moving }

// Dirty reports whether a change is waiting that no save has begun to write.
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
