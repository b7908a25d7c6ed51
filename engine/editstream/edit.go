package editstream

import "waferpair/workspace/text"

// Edit is an event of the Placer: *where* a file changes. One hunk of one file is one edit,
// numbered in stream order. Its events come in this order:
//
//	Opened Changed* Closed              placed and applied
//	Failed                              no place was found, nothing was applied
//	Opened Changed* Changed Failed      the last Changed reverted everything
//	Created Opened Changed* Closed      a new file
//	Created Opened Changed* Deleted Failed   a new file that was reverted
//	Deleted | Moved                     a file that was deleted or renamed
type Edit interface{ isEdit() }

// Opened means that a hunk has found its place. Line, from 1, is its first line.
type Opened struct {
	Hunk int
	Path string
	Line int
}

// Changed is a change of the file's bytes, based on the file as all earlier Changed (and
// Rebase calls) left it.
type Changed struct {
	Hunk    int
	Path    string
	Changes text.ChangeSet
}

// Closed ends a hunk. Partial means that the stream was cut inside it.
type Closed struct {
	Hunk           int
	Path           string
	Added, Removed int // lines
	Partial        bool
}

// Reason is why a hunk was not applied.
type Reason string

const (
	Missing      Reason = "missing"      // no such lines, or no such file
	Ambiguous    Reason = "ambiguous"    // the lines occur more than once
	Refused      Reason = "refused"      // the file may not be changed that way
	Barred       Reason = "barred"       // the file may not be changed in any way
	Contradicted Reason = "contradicted" // later lines of the hunk do not match where its first ones did
	Unencodable  Reason = "encoding"     // the file's encoding has no such character
	Malformed    Reason = "malformed"    // the text does not follow the format
)

// Failed ends a hunk that was not applied; the placer has reverted its changes.
type Failed struct {
	Hunk    int
	Path    string
	Reason  Reason
	Message string
	Near    *Nearest // for Missing: the most similar place, if there is one
}

// Nearest is the place of a file that matches a hunk best, and the first line where the two
// differ.
type Nearest struct {
	Line     int    // line number in the file, from 1, of the difference
	Expected string // the line of the hunk
	Got      string // the line of the file; "" beyond its end
	Matched  int    // number of old lines that match
	Of       int    // number of old lines of the hunk
}

// Created means that the file now exists and is empty.
type Created struct {
	Hunk int
	Path string
}

// Deleted means that the file no longer exists.
type Deleted struct {
	Hunk int
	Path string
}

// Moved means that the file has a new name.
type Moved struct {
	Hunk     int
	Path, To string
}

func (Prose) isEdit()   {}
func (Bad) isEdit()     {}
func (Opened) isEdit()  {}
func (Changed) isEdit() {}
func (Closed) isEdit()  {}
func (Failed) isEdit()  {}
func (Created) isEdit() {}
func (Deleted) isEdit() {}
func (Moved) isEdit()   {}
