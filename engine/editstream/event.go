package editstream

// Event is an event of a Parser: *what* the model wants to change. The Placer finds where
// that is in the file.
//
// A stream is a sequence of Prose and Bad events and of files. A file is
//
//	FileBegin { HunkBegin { Narrow } { Line } HunkEnd } FileEnd
//
// A parser emits each event as soon as it is certain. It emits a Line when its line break
// has arrived, never a part of a line, so a line is inserted whole or not at all, and no
// event depends on the boundaries of chunks.
type Event interface{ isEvent() }

// Op is what a section does to its file.
type Op int

const (
	Update Op = iota // change an existing file
	Add              // create a file from its '+' lines
	Delete           // delete the file; there are no hunks
	Whole            // the '+' lines are the whole new content, whether or not the file exists
)

func (o Op) String() string { return [...]string{"update", "add", "delete", "whole"}[o] }

// Prose is text outside of any edit: whole lines with their line breaks. A line beyond the
// line limit comes in several pieces.
type Prose struct{ Text string }

// FileBegin opens the section of one file. MoveTo is the new path, or "". Label is the line of a Whole that
// names its file in a comment: the file must exist, and the line is only part of it where it begins with it.
// Bare means that only a name above a Whole says that it is the file.
type FileBegin struct {
	Op     Op
	Path   string
	MoveTo string
	Label  string
	Bare   bool
}

// HunkBegin opens a hunk. In a hunk with Replace, all '-' lines come first and the '+'
// lines replace them: lines that occur in both stay untouched. Otherwise ' ', '-' and '+'
// lines alternate as in a diff.
type HunkBegin struct {
	Header  string // text after "@@ ", a whole line of the file; "" when there is none
	Replace bool
	Line    int // line of the patch text, from 1
}

// Narrow is one more header of the hunk that has just begun, as in "@@ class A", "@@ def f(self):": a
// line behind that of the header before it.
type Narrow struct{ Header string }

// Line is one complete line of a hunk, without its line break.
type Line struct {
	Kind byte // ' ', '-' or '+'
	Text string
}

// HunkEnd closes the hunk. AtEOF means that its old lines are the file's last ones.
type HunkEnd struct{ AtEOF bool }

// FileEnd closes the section of a file.
type FileEnd struct{}

// Bad is text that does not follow the format. It voids and ends the open hunk; the parser
// goes on at the next hunk or file.
type Bad struct {
	Line    int // line of the patch text, from 1
	Message string
}

// Thought says that all before it was thought: its end came without a beginning, which the server has put
// into the model's prompt. Edits before it are drafts.
type Thought struct{}

func (Thought) isEvent()   {}
func (Prose) isEvent()     {}
func (FileBegin) isEvent() {}
func (HunkBegin) isEvent() {}
func (Narrow) isEvent()    {}
func (Line) isEvent()      {}
func (HunkEnd) isEvent()   {}
func (FileEnd) isEvent()   {}
func (Bad) isEvent()       {}

// Parser is a push parser of one format. Push takes the next bytes of the stream, cut
// anywhere, even inside a character. Close ends a complete stream, so that a last line
// without a line break is complete. A stream that was cut off is not closed: the caller
// drops its Parser and calls Placer.Cut.
type Parser interface {
	Push(chunk []byte, emit func(Event))
	Close(emit func(Event))
}
