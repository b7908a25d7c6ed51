package engine

import (
	"fmt"
	"strings"

	"waferpair/engine/editstream"
)

// Receipt is the result of edits.
type Receipt struct {
	Hunks []HunkReceipt // in the order in which they ended
	Cut   string        // why the text is incomplete: "cut by the user"; "" for a complete text
	// Thought means that the text began with thought, which only its end said: what Hunks has came after it.
	Thought bool
}

// inPlaceWords is the What of a hunk that an earlier turn made.
const inPlaceWords = "in place"

// HunkReceipt is the result of one edit of a file.
type HunkReceipt struct {
	Hunk           int // numbered from 1 within the turn
	Path           string
	What           string // created, deleted or moved, for a whole file
	To             string // the new path of a moved file
	From, Until    int    // the lines in place, from 1; 0: none
	Added, Removed int
	Partial        bool              // it was cut
	Refused        string            // why it was not made; "" when it was
	Reason         editstream.Reason // the same as a keyword
	Near           int               // of a refused one: the likeliest line, from 1; 0: unknown
	Lines          int               // and how many lines of the file the edit expected there
	Try            int               // as in HunkFailed
}

// Returns reports whether the model can write the edit better: its text did not fit the file.
// What somebody else decided, the user's typing, the scope, another turn, is not the model's to
// change, and a file that may not be edited does not become one that may.
func (h HunkReceipt) Returns() bool {
	switch h.Reason {
	case editstream.Missing, editstream.Ambiguous, editstream.Contradicted, editstream.Refused, editstream.Malformed,
		editstream.Unencodable:
		return h.Try < 2
	}
	return false
}

// String returns the receipt as a text for the model.
func (r Receipt) String() string {
	if r.Cut != "" {
		return r.cut()
	}
	var b strings.Builder
	made := 0
	for _, h := range r.Hunks {
		if h.Refused == "" {
			made++
		}
	}
	switch {
	case len(r.Hunks) == 0:
		return "Nothing was changed: there was no edit in it."
	case made == len(r.Hunks):
		b.WriteString("Done.")
	case made == 0:
		b.WriteString("Nothing was changed.")
	default:
		fmt.Fprintf(&b, "%d of %d edits were made.", made, len(r.Hunks))
	}
	for _, h := range r.Hunks {
		b.WriteString("\n" + h.String())
	}
	return b.String()
}

// cut describes how far an answer got. It begins with the reason for the cut.
func (r Receipt) cut() string {
	why, last, refused := r.Cut, 0, ""
	var part *HunkReceipt
	for i, h := range r.Hunks {
		switch {
		case h.Partial:
			part = &r.Hunks[i]
		case h.Refused != "":
			refused += "\n" + h.String()
		case h.What == "":
			last = h.Hunk
		}
	}
	if last > 0 {
		why += fmt.Sprintf(" after hunk %d", last)
	} else {
		why += " before a hunk was complete"
	}
	switch {
	case part == nil || part.From == 0:
		why += "; nothing more is in place"
	case part.From == part.Until:
		why += fmt.Sprintf("; line %d of %s is in place", part.From, part.Path)
	default:
		why += fmt.Sprintf("; lines %d to %d of %s are in place", part.From, part.Until, part.Path)
	}
	return why + refused
}

func (h HunkReceipt) String() string {
	switch {
	case h.Refused != "" && h.Hunk == 0:
		return "an edit was not made: " + h.Refused
	case h.Reason == editstream.Barred:
		return fmt.Sprintf(
			"hunk %d was not made: %s. No edit of this file is allowed here: do not try it again, in no other "+
				"way either; tell the user if the request needs it", h.Hunk, h.Refused)
	case h.Refused != "":
		return fmt.Sprintf("hunk %d was not made: %s", h.Hunk, h.Refused)
	case h.What == inPlaceWords:
		return fmt.Sprintf("hunk %d: %s had it already", h.Hunk, h.Path)
	case h.What == "moved":
		return fmt.Sprintf("%s was moved to %s", h.Path, h.To)
	case h.What != "":
		return fmt.Sprintf("%s was %s", h.Path, h.What)
	case h.From == 0 || h.From == h.Until:
		return fmt.Sprintf("hunk %d: %s, line %d, +%d -%d", h.Hunk, h.Path, max(h.From, 1), h.Added, h.Removed)
	}
	return fmt.Sprintf("hunk %d: %s, lines %d to %d, +%d -%d", h.Hunk, h.Path, h.From, h.Until, h.Added, h.Removed)
}
