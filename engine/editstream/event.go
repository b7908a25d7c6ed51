package editstream

// Event is what a Parser reads out of a model's text: *what* it wants changed.
// Where that is in the file is the Placer's business.
//
// A stream is a sequence of Prose and Bad events and of files. A file is
//
//	FileBegin { HunkBegin { Line } HunkEnd } FileEnd
//
// Events come as soon as they are certain: a Line when its line break has
// arrived, never a part of a line, so that a line is inserted whole or not at
// all and no event depends on how the text was cut into chunks.
type Event interface{ isEvent() }

// Op is what a file section does to its file.
type Op int

const (
	Update Op = iota // change an existing file
	Add              // create a file from its '+' lines
	Delete           // remove the file; there are no hunks
	Whole            // the '+' lines are the whole new content, whether or not the file exists
)

func (o Op) String() string { return [...]string{"update", "add", "delete", "whole"}[o] }

// Prose is text outside of any edit: whole lines with their line breaks. A line
// beyond the line limit comes in several pieces.
type Prose struct{ Text string }

// FileBegin opens the section of one file. MoveTo is the new path, or "".
type FileBegin struct {
	Op     Op
	Path   string
	MoveTo string
}

// HunkBegin opens a hunk. In a hunk with Replace, the '-' lines all come first
// and the '+' lines are what stands in their place afterwards: lines that occur
// in both stay untouched. Otherwise ' ', '-' and '+' lines alternate as in a diff.
type HunkBegin struct {
	Header  string // text after "@@ ", a whole line of the file; "" when there is none
	Replace bool
	Line    int // line of the patch text, from 1
}

// Line is one complete line of a hunk, without its line break.
type Line struct {
	Kind byte // ' ', '-' or '+'
	Text string
}

// HunkEnd closes the hunk. AtEOF says that its old lines are the file's last ones.
type HunkEnd struct{ AtEOF bool }

// FileEnd closes the section of a file.
type FileEnd struct{}

// Bad is text that does not follow the format. When a hunk is open, it ends
// here and is void; the parser goes on at the next hunk or file.
type Bad struct {
	Line    int // line of the patch text, from 1
	Message string
}

func (Prose) isEvent()     {}
func (FileBegin) isEvent() {}
func (HunkBegin) isEvent() {}
func (Line) isEvent()      {}
func (HunkEnd) isEvent()   {}
func (FileEnd) isEvent()   {}
func (Bad) isEvent()       {}

// Parser reads one format by push. Push takes the next bytes of the stream, cut
// anywhere, also inside a character; Close says that the stream ended by itself,
// so that a last line without a line break is complete. A stream that was cut
// off is not closed: its Parser is dropped and Placer.Cut called.
type Parser interface {
	Push(chunk []byte, emit func(Event))
	Close(emit func(Event))
}
