package editstream

import (
	"errors"
	"fmt"
	"io/fs"

	"waferpair/workspace/text"
)

// Doc is a file for the placer.
type Doc struct {
	Text     text.Text
	Encoding text.Encoding
	Editable error // why the file may not be edited (binary, too large, ignored), or nil
}

// Files provides the files that hunks name. Open returns fs.ErrNotExist when there is none;
// any other error fails every hunk of the file with its text.
type Files interface {
	Open(path string) (Doc, error)
}

// file is the placer's view of one file. Hunks move forward through a file, so the view is
// a base text with one index, and the later changes, in ascending order and in base
// offsets. The current text is assembled only on demand.
//
//	base:   |--- changed by earlier hunks ---|--- not yet reached ---|
//	                                         ^ line cur of x         ^ limit
//	view:   offsets after cur are base offsets + shift
type file struct {
	path    string
	enc     encoding
	eol     string // the file's first line break: that of an inserted line when no other line has one
	exists  bool
	was     bool  // it existed when it was opened
	refusal error // why nothing may be changed, or nil

	before  text.Text // as it was opened
	base    text.Text
	pending []text.Change // base -> view, ascending
	tail    []byte        // appended at the very end by hunks without old lines
	length  text.Byte     // of the view

	x       *index    // of base[from:limit), nil until needed
	full    *index    // the last index from the file's start on
	from    text.Byte // base offset of the first line that may be searched
	limit   text.Byte // base offset where lines appended by this section begin
	cur     int       // line of x that the next old line is, or that the next hunk may start at
	shift   text.Byte // view offset − base offset at line cur
	above   int       // lines of the view before line cur
	openEnd bool      // the view's last searchable line has no line break
	foreign []span    // base ranges that others wrote while lines are being replaced
	gen     int       // counts how often base was replaced
}

// span is a range of the view that a hunk inserted, and the bytes that it removed there.
type span struct {
	at      text.Byte
	n       text.Byte
	removed []byte
}

func openFile(files Files, path string) *file {
	f := &file{path: path}
	doc, err := files.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.setContent(Doc{}, false)
	case err != nil:
		f.refusal = err
	case doc.Editable != nil:
		f.refusal = doc.Editable
	}
	f.was = err == nil
	return f.setContent(doc, f.was)
}

// setContent gives f a content, or makes it a file that does not exist.
func (f *file) setContent(doc Doc, exists bool) *file {
	f.exists, f.before = exists, doc.Text
	f.enc = encoding{doc.Encoding}
	f.setBase(doc.Text)
	f.limit = doc.Text.Len()
	f.from = 0
	return f
}

func (f *file) setBase(t text.Text) {
	f.base, f.pending, f.tail, f.length, f.shift = t, nil, nil, t.Len(), 0
	f.x, f.cur = nil, 0
	f.gen++
}

// view returns the current text.
func (f *file) view() text.Text {
	f.settle()
	return f.base
}

// shown returns the view without making it the base: the marks of hunks stay valid.
func (f *file) shown() text.Text {
	if len(f.pending)+len(f.tail) == 0 {
		return f.base
	}
	t, err := f.changes().Apply(f.base)
	if err != nil {
		panic(fmt.Sprintf("editstream: own changes do not fit %s: %v", f.path, err))
	}
	return t
}

// settle applies the pending changes to base, which drops the index. The cursor and the
// limit keep their places.
func (f *file) settle() {
	if len(f.pending)+len(f.tail) == 0 {
		return
	}
	cs := f.changes()
	cursor, limit := f.cursor(), f.limit+f.shift
	next, err := cs.Apply(f.base)
	if err != nil {
		panic(fmt.Sprintf("editstream: own changes do not fit %s: %v", f.path, err))
	}
	f.foreign = mapSpans(f.foreign, cs)
	f.setBase(next)
	f.from, f.limit = cursor, limit
}

// changes returns pending and tail as one change set, base -> view.
func (f *file) changes() text.ChangeSet {
	list := join(f.pending)
	if len(f.tail) > 0 {
		list = append(list, text.Change{From: f.base.Len(), To: f.base.Len(), Insert: string(f.tail)})
	}
	cs, err := text.NewChangeSet(f.base.Len(), list...)
	if err != nil {
		panic(fmt.Sprintf("editstream: own changes of %s overlap: %v", f.path, err))
	}
	return cs
}

// join merges adjacent changes, so that a long insertion of many lines is one change.
func join(list []text.Change) []text.Change {
	var out []text.Change
	var ins []byte
	for i, c := range list {
		if k := len(out) - 1; k >= 0 && out[k].To == c.From {
			out[k].To = c.To
		} else {
			out = append(out, text.Change{From: c.From, To: c.To})
			ins = ins[:0]
		}
		ins = append(ins, c.Insert...)
		if i+1 == len(list) || list[i+1].From != c.To {
			out[len(out)-1].Insert = string(ins)
		}
	}
	return out
}

// restart moves the cursor to the top for a new section. Lines that the section before
// appended can be searched now.
func (f *file) restart() {
	f.settle()
	f.x, f.cur, f.shift = nil, 0, 0
	f.from, f.limit, f.above = 0, f.base.Len(), 0
	f.eol = ""
	f.index()
}

// fromTop moves the cursor to the top, and returns a function that moves it back.
func (f *file) fromTop() (back func()) {
	line := f.above
	f.settle()
	f.x, f.cur, f.shift, f.from, f.above = nil, 0, 0, 0, 0
	f.index()
	return func() { f.cur, f.above = line, line }
}

// index returns the index of the lines that may still be searched, from the cursor on.
func (f *file) index() *index {
	if f.x != nil {
		return f.x
	}
	f.settle()
	if f.from == 0 && f.full != nil && f.full.enc == f.enc {
		f.x = renewIndex(f.full, f.base, f.limit)
	} else {
		f.x = newIndex(f.enc, f.base, f.from, f.limit)
	}
	if f.from == 0 {
		f.full = f.x
	}
	f.cur, f.shift = 0, 0
	f.openEnd = !f.lineStart(f.limit)
	if f.eol == "" {
		f.eol = f.firstEOL()
	}
	return f.x
}

// firstEOL returns the line break of the file's first line, in its encoding.
func (f *file) firstEOL() string {
	if len(f.x.lines) > 1 || len(f.x.lines) == 1 && !f.x.openEnd() {
		l := f.x.lines[0]
		return f.x.str[l.end:l.next]
	}
	eol, _ := f.enc.encode("\n")
	return eol
}

// cursor returns the view offset of line cur.
func (f *file) cursor() text.Byte {
	if f.x == nil {
		return f.from + f.shift
	}
	return f.x.offset(f.cur) + f.shift
}

// lineNo returns the line number, from 1, that line i of the index has in the view.
func (f *file) lineNo(i int) int { return f.above + i - f.cur + 1 }
