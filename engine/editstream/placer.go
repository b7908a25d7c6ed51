package editstream

import (
	"fmt"
	"path"
	"strings"

	"waferpair/workspace/text"
)

// Options configure a Placer. The zero value has the defaults.
type Options struct {
	FirstHunk int // number of the first hunk; 0 means 1
	// Finish, if there is one, is called when all Changed of a hunk have been emitted, before its
	// Closed. The hunk is reverted if it returns why. It may call Rebase.
	Finish func(hunk int, path string) (refused string)
}

// Placer turns parser events into located changes. It has its own view of every file it
// opened; Rebase updates the view with the changes of others. It is not safe for concurrent
// use: one goroutine owns it.
//
//	FileBegin  open the file, cursor to the top
//	HunkBegin  look the header up
//	Line       searching: buffer it, narrow the candidates; one left -> placed
//	           placed: '-' deletes, '+' inserts, old lines must go on matching
//	HunkEnd    still searching: the closest pass decides, or the hunk fails
//	FileEnd    move the file
type Placer struct {
	files Files
	known map[string]*file
	order []string // paths in the order in which they were opened
	last  int      // number of the last hunk
	done  func(hunk int, path string) string

	sec  *section
	hunk *hunk
	emit func(Edit)

	busy    *file            // the file whose Changed is being emitted
	refused string           // the reason of a Drop for it
	late    []text.ChangeSet // the changes of Rebase calls for it
}

// section is the open file section.
type section struct {
	FileBegin
	f      *file
	failed bool // one of its hunks failed
	hunks  int
	behind behind
}

// NewPlacer returns a Placer for the given files.
func NewPlacer(files Files, opt Options) *Placer {
	return &Placer{files: files, known: make(map[string]*file), last: max(opt.FirstHunk, 1) - 1, done: opt.Finish}
}

// Handle handles the next parser event and emits all of its consequences before it returns.
// Inside emit and Options.Finish, only Rebase and Drop may be called.
func (p *Placer) Handle(ev Event, emit func(Edit)) {
	p.emit = emit
	switch ev := ev.(type) {
	case Prose:
		emit(ev)
	case Bad:
		if p.hunk != nil {
			p.fail(Malformed, fmt.Sprintf("line %d of the patch: %s", ev.Line, ev.Message), nil)
			p.hunk = nil
		}
		emit(ev)
	case FileBegin:
		p.beginFile(ev)
	case Behind:
		p.goBehind(ev)
	case HunkBegin:
		p.beginHunk(ev)
	case Narrow:
		p.narrow(ev.Header)
	case Line:
		p.line(ev)
	case HunkEnd:
		p.endHunk(ev)
	case FileEnd:
		p.endFile()
	}
}

// locate returns the path of the file that a model means: some write the prefixes of a diff, or take the
// project folder for the root, where there is no such file.
func (p *Placer) locate(name string) string {
	plain := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(name, "/"), "a/"), "b/")
	if plain == name || plain == "" || name[0] != '/' && p.has(name) || !p.has(plain) {
		return name
	}
	return plain
}

// has reports whether a file exists.
func (p *Placer) has(name string) bool {
	if f := p.known[name]; f != nil {
		return f.exists
	}
	_, err := p.files.Open(name)
	return err == nil
}

// file returns the view of path, which it opens the first time.
func (p *Placer) file(path string) *file {
	f := p.known[path]
	if f == nil {
		f = openFile(p.files, path)
		p.known[path] = f
		p.order = append(p.order, path)
	}
	return f
}

// Evict forgets the view of a file, so that the next section about it opens it again.
func (p *Placer) Evict(path string) { delete(p.known, path) }

// View returns the placer's current view of a file that it opened.
func (p *Placer) View(path string) (t text.Text, exists bool) {
	f := p.known[path]
	if f == nil || !f.exists {
		return text.Text{}, false
	}
	return f.view(), true
}

func (p *Placer) number() int {
	p.last++
	return p.last
}

// Skip counts a hunk that the caller does not pass on, so that numbers stay those of Numbering.
func (p *Placer) Skip() int { return p.number() }

// beginFile opens a section. Paths are compared cleaned: "./f" and "d/../f" are f.
func (p *Placer) beginFile(ev FileBegin) {
	ev.Path = p.locate(path.Clean(ev.Path))
	if ev.MoveTo != "" {
		ev.MoveTo = path.Clean(ev.MoveTo)
	}
	f := p.file(ev.Path)
	p.sec, p.hunk = &section{FileBegin: ev, f: f}, nil
	f.restart()
	if ev.Op == Delete {
		p.delete(f)
	}
}

func (p *Placer) delete(f *file) {
	n := p.number()
	switch {
	case f.refusal != nil:
		p.emit(Failed{n, f.path, Barred, fmt.Sprintf("Failed to delete file %s: %v", f.path, f.refusal), nil})
	case !f.exists:
		p.emit(Failed{n, f.path, Missing, fmt.Sprintf("Failed to delete file %s", f.path), nil})
	default:
		p.drop(f)
		p.emit(Deleted{n, f.path})
	}
}

// drop makes f a file that does not exist.
func (p *Placer) drop(f *file) {
	before := f.before
	f.setContent(Doc{}, false)
	f.before = before
}

// endFile moves the file, if all of its hunks were applied. It never moves a file onto
// another one or onto itself, because both lose data.
func (p *Placer) endFile() {
	s := p.sec
	p.sec, p.hunk = nil, nil
	if s == nil || s.MoveTo == "" {
		return
	}
	n := p.number()
	reason := Refused
	refuse := func(format string, args ...any) {
		why := fmt.Sprintf(format, args...)
		p.emit(Failed{n, s.Path, reason, fmt.Sprintf("Failed to move %s to %s: %s", s.Path, s.MoveTo, why), nil})
	}
	to := p.file(s.MoveTo)
	switch {
	case s.failed || !s.f.exists:
		refuse("a hunk of it failed")
	case to == s.f:
		refuse("it is the same file")
	case to.refusal != nil:
		reason = Barred
		refuse("%v", to.refusal)
	case to.exists:
		refuse("a file is already there")
	default:
		p.move(s.f, to)
		p.emit(Moved{n, s.Path, s.MoveTo})
	}
}

// move moves the content of f to the path of to.
func (p *Placer) move(f, to *file) {
	content, enc := f.view(), f.enc
	p.drop(f)
	before := to.before
	to.setContent(Doc{Text: content, Encoding: enc.kind}, true)
	to.before = before
}
