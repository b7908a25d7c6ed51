package editstream

import (
	"fmt"
	"strings"
)

const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	endOfFile  = "*** End of File"
	addFile    = "*** Add File: "
	deleteFile = "*** Delete File: "
	updateFile = "*** Update File: "
	moveTo     = "*** Move to: "
	envID      = "*** Environment ID: "

	msgFirst  = "Invalid patch: The first line of the patch must be '*** Begin Patch'"
	msgLast   = "Invalid patch: The last line of the patch must be '*** End Patch'"
	msgNone   = "No files were modified."
	msgHeader = "'%s' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'"
	msgLine   = "Unexpected line found in update hunk: '%s'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)"
	msgStart  = "Expected update hunk to start with a @@ context marker, got: '%s'"
	msgEmpty  = "Update file hunk for path '%s' is empty"
	msgNoLine = "Update hunk does not contain any lines"
)

// v4aState is the place of the next line in the patch.
type v4aState int

const (
	v4aOutside v4aState = iota // before Begin, or after End: prose
	v4aTop                     // between file sections
	v4aUpdate                  // after an Update header: a move, "@@" or the first lines
	v4aHunk                    // inside a hunk
	v4aBetween                 // after *** End of File: "@@" or the next section
	v4aAdd                     // inside an added file
	v4aSkip                    // after a Bad: until the next "@@" or "***"
	v4aFailed                  // strict, after a fatal error: the rest is ignored
)

// v4a parses the apply_patch format.
//
//	outside --Begin--> top --Update--> update --line--> hunk --EOF--> between
//	   ^                |  --Add-----> add               |
//	   '-----End--------'<-------------- "***" ----------'
type v4a struct {
	in         lineBuffer
	strict     bool
	state      v4aState
	file       FileBegin
	fileAt     int     // patch line of the file's header
	pending    bool    // file has not been emitted yet: its move may follow
	open       bool    // a FileBegin was emitted and not yet ended
	lines      int     // lines of the open hunk
	files      int     // sections seen in this patch
	ended      bool    // an End was seen
	begun      bool    // a Begin was seen
	wrap       *piece  // a heredoc or fence line that may turn out to wrap the patch
	unwrap     string  // the line that closes the wrapper, which is not emitted
	blanks     int     // empty lines inside an added file that may not belong to it
	pendingEnd *piece  // an indented End inside a hunk: the end only if nothing follows
	pendingGap int     // empty lines after held
	blank      bool    // the line before is empty
	kept       []piece // lines that may be words behind the patch
	indent     string  // white space before each line of the patch
	emit       func(Event)
}

// NewV4A returns a parser of the apply_patch format as a model streams it: text before and
// after a patch is Prose, several patches may follow each other, a patch may be in a
// heredoc or a fence, and after a malformed line the parser tries the next hunk.
func NewV4A() Parser { return &v4a{} }

// NewStrictV4A returns a parser of exactly one patch: any other text is Bad, with the
// messages of the apply_patch tool.
func NewStrictV4A() Parser { return &v4a{strict: true} }

func (p *v4a) Push(chunk []byte, emit func(Event)) {
	p.emit = emit
	p.in.push(chunk, p.line)
}

func (p *v4a) Close(emit func(Event)) {
	p.emit = emit
	p.in.close(p.line)
	p.finish()
}

// finish ends whatever is open. A patch without an End keeps its hunks, because the model
// stopped by itself and they are whole.
func (p *v4a) finish() {
	if p.pendingEnd != nil {
		p.pendingEnd = nil
		p.end()
	}
	p.dropKept()
	p.flushWrap()
	switch {
	case p.state == v4aFailed:
	case p.state != v4aOutside:
		if p.closeFile(p.in.no) && p.strict {
			p.bad(p.in.no, msgLast)
		}
	case p.strict && !p.begun:
		p.bad(1, msgFirst)
	}
	p.state = v4aOutside
}

func (p *v4a) bad(no int, message string) {
	p.emit(Bad{no, message})
	if p.strict {
		p.state = v4aFailed
	}
}

// badHunk reports a line that the patch may not have there, and skips on.
func (p *v4a) badHunk(no int, format string, args ...any) {
	p.state = v4aSkip
	p.bad(no, fmt.Sprintf("Invalid patch hunk on line %d: %s", no, fmt.Sprintf(format, args...)))
}

func (p *v4a) line(l piece) {
	if p.keeps(l) || p.pendingEnd != nil && !p.releasePending(l) {
		return
	}
	l = p.outdented(l)
	defer func(text string) { p.blank = strings.TrimSpace(text) == "" }(l.text)
	if l.long() && p.state != v4aOutside {
		if !l.rest && p.state != v4aFailed {
			p.badHunk(l.no, "the line is longer than %d bytes", LineLimit)
		}
		return
	}
	switch p.state {
	case v4aOutside:
		p.outside(l)
	case v4aTop:
		p.top(l)
	case v4aUpdate:
		p.updateLine(l)
	case v4aHunk:
		p.hunkLine(l)
	case v4aBetween:
		p.between(l)
	case v4aAdd:
		p.addLine(l)
	case v4aSkip:
		p.skip(l)
	case v4aFailed:
	}
}

// outside handles a line around the patch.
func (p *v4a) outside(l piece) {
	trimmed := strings.TrimSpace(l.text)
	switch {
	case !l.long() && trimmed == beginPatch && !(p.strict && p.ended):
		p.begin()
		p.indent = p.indentOf(l)
	case p.unwrap != "" && trimmed == p.unwrap:
		p.unwrap = ""
	case p.strict && (trimmed == "" || p.ended && trimmed == endPatch):
	case p.strict && p.ended:
		p.bad(l.no, msgLast)
	case p.strict && (p.wrap != nil || heredoc(trimmed) != "EOF" || strings.HasPrefix(trimmed, "a")):
		p.bad(1, msgFirst)
	case !l.long() && p.opensWrap(trimmed):
		p.flushWrap()
		p.wrap = &l
	default:
		p.unwrap = ""
		p.flushWrap()
		p.emit(Prose{l.whole()})
	}
}

func (p *v4a) begin() {
	p.unwrap = ""
	if p.wrap != nil {
		p.unwrap = wrapEnd(strings.TrimSpace(p.wrap.text))
		p.wrap = nil
	}
	p.state, p.begun, p.ended, p.files = v4aTop, true, false, 0
}

// end handles the End marker.
func (p *v4a) end() {
	if !p.closeFile(p.in.no) {
		return
	}
	if p.files == 0 {
		p.bad(p.in.no, msgNone)
	}
	if p.state != v4aFailed {
		p.state, p.ended = v4aOutside, true
	}
}

// top handles a line between file sections: a header or the end.
func (p *v4a) top(l piece) {
	head := strings.TrimSpace(l.text)
	switch {
	case head == endPatch:
		p.end()
	case !p.strict && (head == "" || head == beginPatch):
	case p.files == 0 && strings.HasPrefix(head, envID):
	case p.header(l, head, addFile, Add):
		p.flushFile()
		p.state, p.blanks = v4aAdd, 0
		p.emit(HunkBegin{Line: l.no})
	case p.header(l, head, deleteFile, Delete):
		p.flushFile()
		p.closeFile(l.no)
	case p.header(l, head, updateFile, Update):
		p.state, p.lines = v4aUpdate, 0
	default:
		p.badHunk(l.no, msgHeader, head)
	}
}

// header recognises a file header and opens its section, without emitting it.
func (p *v4a) header(l piece, head, prefix string, op Op) bool {
	path, ok := strings.CutPrefix(head, prefix)
	if path = p.plainPath(path); !ok || path == "" {
		return false
	}
	p.file, p.fileAt, p.pending = FileBegin{Op: op, Path: path}, l.no, true
	p.files++
	return true
}

func (p *v4a) flushFile() {
	if p.pending {
		p.pending, p.open = false, true
		p.emit(p.file)
	}
}

// closeFile ends the open hunk and section, if any, because line no follows. It reports
// whether the parser may go on.
func (p *v4a) closeFile(no int) bool {
	switch p.state {
	case v4aAdd:
		p.emit(HunkEnd{})
	case v4aUpdate:
		if p.file.MoveTo != "" && !p.strict {
			p.flushFile()
			break
		}
		p.pending = false
		p.badHunk(p.fileAt, msgEmpty, p.file.Path)
	case v4aHunk:
		p.closeHunk(no)
	default: // nothing is open in the file
	}
	if p.open && p.state != v4aFailed {
		p.emit(FileEnd{})
	}
	p.open = false
	return p.state != v4aFailed
}

// closeHunk ends a hunk of an Update section.
func (p *v4a) closeHunk(no int) {
	if p.lines == 0 {
		p.badHunk(no, msgNoLine)
		return
	}
	p.emit(HunkEnd{})
}

// section handles a line that starts with "***" inside a file section.
func (p *v4a) section(l piece) {
	if !p.closeFile(l.no) {
		return
	}
	p.state = v4aTop
	p.top(l)
}

func (p *v4a) updateLine(l piece) {
	head := strings.TrimSpace(l.text)
	if to, ok := strings.CutPrefix(head, moveTo); ok && p.file.MoveTo == "" && p.pending {
		p.file.MoveTo = p.plainPath(to)
		return
	}
	if head == "" {
		return
	}
	if strings.HasPrefix(l.text, "***") && !strings.HasPrefix(l.text, moveTo) {
		p.section(l)
		return
	}
	p.flushFile()
	if p.openHunk(l) {
		return
	}
	p.emit(HunkBegin{Line: l.no})
	p.state, p.lines = v4aHunk, 0
	p.hunkLine(l)
}

// openHunk recognises "@@" and "@@ header".
func (p *v4a) openHunk(l piece) bool {
	head, ok := strings.CutPrefix(l.text, "@@ ")
	if !ok && strings.TrimRight(l.text, " \t") != "@@" {
		return false
	}
	if !ok || strings.TrimSpace(head) == "" {
		head = ""
	} else if !p.strict {
		head = plainHead(l.text, head)
	}
	p.emit(HunkBegin{Header: head, Line: l.no})
	p.state, p.lines = v4aHunk, 0
	return true
}

func (p *v4a) hunkLine(l piece) {
	switch {
	case l.text == "":
		p.emitLine(' ', "")
	case l.text[0] == ' ' && strings.TrimSpace(l.text) == endPatch:
		p.pendingEnd, p.pendingGap = &l, 0
	case l.text[0] == ' ' || l.text[0] == '+' || l.text[0] == '-':
		p.emitLine(l.text[0], l.text[1:])
	case p.lines > 0 && strings.TrimSpace(l.text) == endOfFile:
		p.emit(HunkEnd{AtEOF: true})
		p.state = v4aBetween
	case p.lines == 0 && strings.TrimSpace(l.text) == endOfFile:
		p.badHunk(l.no, msgNoLine)
	case strings.HasPrefix(l.text, "***") && !strings.HasPrefix(l.text, moveTo):
		p.section(l)
	default:
		p.hunkBreak(l)
	}
}

// hunkBreak handles a line that no hunk may have: the next "@@", or an error.
func (p *v4a) hunkBreak(l piece) {
	switch {
	case p.lines == 0 && !p.strict && strings.HasPrefix(l.text, "@@ "):
		if head := plainHead(l.text, l.text[len("@@ "):]); head != "" {
			p.emit(Narrow{head})
		}
	case p.lines == 0 && p.strict:
		p.badHunk(l.no, msgLine, l.text)
	case strings.HasPrefix(l.text, "@@ ") || strings.TrimRight(l.text, " \t") == "@@":
		p.emit(HunkEnd{})
		p.openHunk(l)
	case !p.strict:
		p.unmarked(l)
	default:
		p.badHunk(l.no, msgStart, l.text)
	}
}

func (p *v4a) emitLine(kind byte, text string) {
	p.lines++
	p.emit(Line{kind, text})
}

func (p *v4a) between(l piece) {
	switch {
	case strings.TrimSpace(l.text) == "":
	case strings.HasPrefix(l.text, "***"):
		p.section(l)
	case !p.openHunk(l):
		p.badHunk(l.no, msgStart, l.text)
	}
}

// addLine reads the content of an added file. A model that writes an empty line without its
// '+' means an empty line, if more content follows.
func (p *v4a) addLine(l piece) {
	if text, ok := strings.CutPrefix(l.text, "+"); ok {
		for ; p.blanks > 0; p.blanks-- {
			p.emit(Line{'+', ""})
		}
		p.lines++
		p.emit(Line{'+', text})
		return
	}
	head := strings.TrimSpace(l.text)
	switch {
	case !p.strict && head == "":
		p.blanks++
	case !p.strict && head == endOfFile:
	case strings.HasPrefix(head, "***"):
		p.section(l)
	case !p.strict:
		p.unmarked(l)
	default:
		p.badHunk(l.no, msgHeader, head)
	}
}

// skip looks for the next place to resume after an error.
func (p *v4a) skip(l piece) {
	switch {
	case strings.HasPrefix(l.text, "***"):
		p.section(l)
	case p.open && p.file.Op == Update:
		p.openHunk(l)
	}
}

// releasePending handles the line after an indented End marker inside a hunk: the marker is a
// context line when anything but empty lines follows.
func (p *v4a) releasePending(l piece) bool {
	if l.text == "" && !l.long() {
		p.pendingGap++
		return false
	}
	p.emitLine(' ', p.pendingEnd.text[1:])
	p.pendingEnd = nil
	for ; p.pendingGap > 0; p.pendingGap-- {
		p.emitLine(' ', "")
	}
	return true
}
