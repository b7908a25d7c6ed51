package editstream

import (
	"path"
	"slices"
	"strings"
)

// Seam joins an answer to one that broke off in an edit, which was taken back. A model may do three
// things, and its first lines tell which:
//
//	it goes on at the byte              the edit's text comes first: the answer is complete in itself
//	it begins the edit again            without the lines around it, which come first then
//	it begins its answer, or a patch    the text stays as it is: Landed keeps out what is in place
//
// What comes out is always a text that any parser of the format reads: the new answer, in its order, with
// the head of the section, the edit's complete lines and the line that broke off put before it, or none of
// these. Nothing of the new answer is left out but a fence that opens the block's once more. A line that may
// be words around an edit is never joined to the line that broke off. The text is held back until one of the
// three is certain, and passes from then on.
//
// A nil Seam passes everything.
type Seam struct {
	answer string
	call   bool

	shape shape
	path  string   // of the edit
	name  string   // the same as a block names it
	op    Op       // of its section
	head  string   // what opens a section of the edit
	lines string   // the edit's complete lines
	line  string   // its last one, as far as it came
	body  []string // the lines of the hunk that broke off
	heads []string // the first lines of the hunks of its section
	fence string   // that a diff is in, as its line; "": none
	ended bool     // a whole file has a fence that may end it

	paths map[string]bool // all files of the answer

	certain bool // the model goes on at the byte: see Rejoin

	held  string
	whole string // what comes before the text where it goes on; "": head, lines and line
	was   string // the file of the edit before it, when whole is set
	over  bool
}

// shape is where an answer broke off.
type shape int

const (
	shapeProse  shape = iota // outside of edits
	shapePatch               // in a V4A patch
	shapeSearch              // in a search/replace block
	shapeWhole               // in a whole file
	shapeDiff                // in a unified diff
)

// beginSearch is how models mark a search/replace block.
const beginSearch = "<<<<<<<"

// maxSeam bounds what is held back until it is certain how a model goes on.
const maxSeam = 1 << 16

// NewSeam returns the seam behind an answer; call: it is the input of a call, and so a patch. It is nil where
// an edit can only begin again.
func NewSeam(answer string, call bool) *Seam {
	s := &Seam{answer: answer, call: call, paths: map[string]bool{}}
	p, ok := NewAuto().(*blocks)
	if !ok {
		return nil
	}
	t := brokenText{lines: strings.SplitAfter(answer, "\n")}
	s.line = t.lines[len(t.lines)-1]
	if call {
		p.patch = &v4a{}
		p.patch.Push([]byte(answer), s.follow(&t))
	} else {
		p.Push([]byte(answer), s.follow(&t))
	}
	s.name = p.path
	switch {
	case p.diff.active():
		if !s.inDiff(&p.diff, t) {
			return nil
		}
	case p.patch != nil:
		s.inPatch(p.patch, t)
	default:
		s.inBlock(p, t)
	}
	if s.shape == shapeProse && s.headOfDiff() {
		s.shape = shapeDiff
	}
	if s.unnamed(p) {
		return nil
	}
	return s
}

// Rejoin returns the seam behind an answer for a model that goes on with it at the byte, for certain: nothing
// is held back. It is false where an edit can only begin again.
func Rejoin(answer string, call bool) (*Seam, bool) {
	s := NewSeam(answer, call)
	if s == nil {
		return nil, false
	}
	s.certain = true
	return s, true
}

// Before returns what stands before the text of a model that goes on at the byte.
func (s *Seam) Before() string { return s.joined("") }

// brokenText is the text that broke off. Its last line is not complete, and perhaps empty.
type brokenText struct {
	lines []string // with their line breaks
	hunk  int      // the line that begins the newest hunk, from 1
}

// from returns the complete lines from line no on.
func (t brokenText) from(no int) string {
	last := len(t.lines) - 1
	return strings.Join(t.lines[min(max(no-1, 0), last):last], "")
}

// follow notes the files and the hunks of the answer.
func (s *Seam) follow(t *brokenText) func(Event) {
	return func(ev Event) {
		switch ev := ev.(type) {
		case FileBegin:
			s.path, s.op, s.heads = path.Clean(ev.Path), ev.Op, nil
			s.paths[s.path] = true
		case HunkBegin:
			t.hunk = ev.Line
			if at := bodyAt(t.lines, t.hunk); at < len(t.lines)-1 {
				s.heads = append(s.heads, lineText(t.lines[at]))
			}
		}
	}
}

// inPatch finds what of a patch the answer broke off in: its head is what opens the section once more.
func (s *Seam) inPatch(v *v4a, t brokenText) {
	if v.state == v4aOutside {
		if v.wrap != nil {
			s.lines = t.from(v.wrap.no)
		}
		return
	}
	s.shape, s.head = shapePatch, beginPatch+"\n"
	if v.state == v4aTop || v.fileAt == 0 { // between sections, or before the first
		s.path = ""
		return
	}
	s.path, s.op = path.Clean(v.file.Path), v.file.Op
	s.head += t.lines[v.fileAt-1]
	move := ""
	if v.file.MoveTo != "" {
		move = moveTo + v.file.MoveTo + "\n"
	}
	switch v.state {
	case v4aHunk:
		s.head += move
		s.lines = t.from(t.hunk)
		last := len(t.lines) - 1
		for _, l := range t.lines[min(bodyAt(t.lines, t.hunk), last):last] {
			s.body = append(s.body, lineText(l))
		}
	case v4aUpdate: // the move, if there is one, is among the lines
		s.heads = nil
		s.lines = t.from(v.fileAt + 1)
	case v4aAdd:
		s.lines = t.from(v.fileAt + 1)
	default: // between hunks
		s.head += move
	}
}

// inBlock finds the block that the answer broke off in, or what may announce one.
func (s *Seam) inBlock(p *blocks, t brokenText) {
	switch {
	case p.state == blockSearch || p.state == blockReplace:
		s.shape, s.head = shapeSearch, p.path+"\n"
		if p.run != "" {
			s.head += p.run + "\n"
		}
		s.lines = t.from(t.hunk)
	case p.state == blockWhole:
		opens := t.hunk - 2
		if run, _ := fence(t.lines[opens]); run == "" && opens > 0 { // a comment with the path is between
			opens--
		}
		if !p.bare { // the words that say that it is the file do not come again
			s.name = "File: " + p.path
		}
		s.shape, s.head, s.lines = shapeWhole, s.name+"\n"+t.lines[opens], t.from(t.hunk)
		s.heads = []string{lineText(t.lines[t.hunk-1])}
		s.ended = len(p.inside.held) > 0
	case p.state == blockOpened && len(p.pending) > 0:
		s.shape, s.path, s.lines = shapeWhole, path.Clean(p.path), t.from(p.pending[0].no)
	case len(p.pending) > 0:
		s.lines = t.from(p.pending[0].no)
	}
}

// headOfDiff reports whether the last lines begin a diff, perhaps.
func (s *Seam) headOfDiff() bool {
	text := "\n" + s.lines + s.line
	return strings.Contains(text, "\n--- ") || strings.Contains(text, "\n+++ ") || strings.Contains(text, "\ndiff ")
}

// unnamed reports whether no line can name the file of the block once more: its name is in a fence, or quoted.
func (s *Seam) unnamed(p *blocks) bool {
	_, ok := pathLine(p.path)
	return !ok && (s.shape == shapeSearch || s.shape == shapeWhole)
}

// bodyAt returns the index of a hunk's first line; no is the line that begins the hunk, from 1.
func bodyAt(raw []string, no int) int {
	if no < 1 || no > len(raw) || !hunkHeader(lineText(raw[no-1])) {
		return max(no-1, 0)
	}
	return no
}

func hunkHeader(line string) bool {
	return strings.HasPrefix(line, "@@ ") || strings.TrimRight(line, " \t") == "@@"
}

func lineText(raw string) string { return strings.TrimSuffix(strings.TrimSuffix(raw, "\n"), "\r") }

// Push takes the next text of the answer, and returns what is certain by now.
func (s *Seam) Push(text string) string {
	if s == nil || s.over {
		return text
	}
	if s.certain {
		s.over = true
		return s.joined(text)
	}
	s.held += text
	out, ok := s.decide(false)
	if !ok && len(s.held) < maxSeam {
		return ""
	}
	if !ok {
		out = s.held
	}
	s.over, s.held = true, ""
	return out
}

// Close returns what was held back. A few bytes of an answer that was cut may be anything: the next
// answer tells. If they are the first ones of the line that broke off, that line has more of it.
func (s *Seam) Close(cut bool) string {
	if s == nil || s.over {
		return ""
	}
	if s.certain {
		s.over = true
		return s.joined("")
	}
	out, ok := s.decide(!cut) // the last line of an answer that was cut is none yet
	first, _, whole := strings.Cut(s.held, "\n")
	switch {
	case ok:
	case cut && !whole && (s.held == "" || len(s.held) > 1 && strings.HasPrefix(s.line, s.held)):
		out = s.joined("")
	case s.held == "":
	case cut && repeats(first, s.line):
		again := *s
		again.line = ""
		out = again.joined(s.held)
	case cut, s.line != "" && strings.TrimSpace(s.held) == "" && s.ends():
		out = s.joined(s.held)
	default:
		out = s.held
	}
	s.over, s.held = true, ""
	return out
}

// ends reports whether the last line, once it is whole, ends the edit.
func (s *Seam) ends() bool {
	after := NewSeam(s.answer+"\n", s.call)
	return after != nil && after.shape == shapeProse
}

// joined returns the edit with what follows it.
func (s *Seam) joined(text string) string {
	if s.whole != "" {
		return s.whole + text
	}
	return s.head + s.lines + s.line + text
}

// seamLine is a line of the answer, and where it begins in it.
type seamLine struct {
	text string
	at   int
}

// decide returns what becomes of the held text; false: more of it must come.
func (s *Seam) decide(end bool) (string, bool) {
	var all []seamLine
	at := 0
	for l := range strings.SplitAfterSeq(s.held, "\n") {
		if strings.HasSuffix(l, "\n") || end && l != "" {
			all = append(all, seamLine{lineText(l), at})
		}
		at += len(l)
	}
	if len(all) > 0 && (repeats(all[0].text, s.line) || s.markerAgain(all[0].text)) {
		again := *s // it begins with the line that broke off
		again.line = ""
		return again.decide(end)
	}
	if s.line != "" && len(all) > 0 && all[0].text == "" { // the line was complete but for its end
		again := NewSeam(s.answer+"\n", s.call)
		if again == nil {
			return s.held, true
		}
		again.was = s.path
		again.whole = s.head + s.lines + s.line + s.held[:strings.IndexByte(s.held, '\n')+1]
		again.held = s.held[strings.IndexByte(s.held, '\n')+1:]
		return again.decide(end)
	}
	switch s.shape {
	case shapePatch:
		return s.patch(all, end)
	case shapeDiff:
		return s.diff(all, end)
	case shapeSearch:
		return s.block(all)
	case shapeWhole:
		return s.file(all, end)
	}
	return s.prose(all, end)
}

// repeats reports whether a line begins with all of the one that broke off, and so is that line again. What
// is little, all white space or all one mark may also go on by what it began with: deeper, or longer.
func repeats(line, broken string) bool {
	marks := strings.Join(strings.Fields(broken), "")
	return len(marks) >= 3 && strings.Trim(marks, marks[:1]) != "" && strings.HasPrefix(line, broken)
}

// markerAgain reports whether a line is a marker that broke off in its first bytes.
func (s *Seam) markerAgain(line string) bool {
	line = strings.TrimRight(line, " \t")
	if s.line == "" || !strings.HasPrefix(line, s.line) {
		return false
	}
	switch s.shape {
	case shapePatch:
		return strings.HasPrefix("*** ", s.line) && strings.HasPrefix(line, "*** ")
	case shapeSearch:
		return line == "=======" || line == ">>>>>>> REPLACE"
	case shapeProse, shapeWhole, shapeDiff:
	}
	return false
}

// nextLine returns the index of the next line that is not empty, or -1.
func nextLine(all []seamLine, from int) int {
	for k := from; k < len(all); k++ {
		if strings.TrimSpace(all[k].text) != "" {
			return k
		}
	}
	return -1
}

// prose joins the pieces of a marker, a path, or a word.
func (s *Seam) prose(all []seamLine, end bool) (string, bool) {
	if s.lines+s.line+s.whole == "" {
		return s.held, true
	}
	k := nextLine(all, 0)
	if k < 0 {
		return "", false
	}
	text := strings.TrimSpace(all[k].text)
	switch mark := searchMark(text); {
	case mark > 0 && k == 0 && searchMark(s.line+text) == len(beginSearch):
		return s.joined(s.held), true
	case mark > 0 && s.lines != "":
		return s.held[:all[k].at] + s.lines + s.held[all[k].at:], true
	case mark > 0, strings.HasPrefix(text, "--- "), strings.HasPrefix(text, "diff --git "):
		return s.held, true
	}
	run, info := fence(text)
	name := infoPath(info)
	if text == beginPatch || run != "" && (s.line != "" || s.lines == "" || name != "") && s.mayBe(name) {
		return s.held, true
	}
	if name, named := pathLine(text); named && s.line != "" && (s.paths[path.Clean(name)] || s.line[0] == '<' ||
		strings.HasPrefix(s.line, "```") || strings.HasPrefix(text, s.line)) {
		return s.held, true
	} else if named && s.mayBe(name) && strings.Trim(s.line, "`~<* ") == "" {
		return s.held, true
	}
	run, info = fence(s.line + all[0].text)
	if run == "" {
		return s.joined(s.held), true
	}
	if strings.Contains(info, " ") && infoPath(info) == "" {
		return s.held, true
	}
	seen := 0 // the fence is the block's, or words follow what there is of it
	for _, l := range all {
		if name, named := pathLine(l.text); named && (s.paths[path.Clean(name)] || strings.Contains(s.lines, name)) {
			return s.held, true
		}
		if strings.TrimSpace(l.text) != "" {
			seen++
		}
	}
	return s.joined(s.held), seen > 3 || end
}

// mayBe reports whether a block of a file may be the one that broke off.
func (s *Seam) mayBe(name string) bool {
	return s.whole == "" || name != "" && (s.was == "" || path.Clean(name) == s.was)
}

// patch decides in a V4A patch.
func (s *Seam) patch(all []seamLine, end bool) (string, bool) {
	k := nextLine(all, 0)
	if k < 0 {
		return "", false
	}
	if text, anew, ok := s.begun(all, k, end); !ok || anew {
		return text, ok
	}
	first := all[k].text
	words := strings.TrimSpace(first)
	if s.line == "" {
		switch {
		case s.op == Update && hunkHeader(first), words == endPatch, words == endOfFile,
			strings.IndexByte("+- ", first[0]) >= 0, strings.HasPrefix(words, moveTo), strings.HasPrefix(words, "*** "):
			return s.joined(s.held), true
		}
	} else if k == 0 && strings.TrimSpace(s.line+first) == endPatch {
		return s.joined(s.held), true
	}
	n := nextLine(all, k+1)
	if n < 0 {
		return "", false
	}
	text, anew, ok := s.begun(all, n, end)
	switch next := all[n].text; {
	case !ok || anew:
		return text, ok
	case !hunkHeader(next) && !strings.HasPrefix(next, "*** ") && strings.IndexByte("+- ", next[0]) < 0:
		return s.held, true
	case s.line == "": // words before it goes on
		return s.held[:all[n].at] + s.joined(s.held[all[n].at:]), true
	}
	return s.joined(s.held), true
}

// begun reports whether line k begins the answer, the section or the hunk anew, and returns the text
// that does so; ok is false when that is not certain yet.
func (s *Seam) begun(all []seamLine, k int, end bool) (out string, anew, ok bool) {
	line := strings.TrimSpace(all[k].text)
	before, rest := s.held[:all[k].at], s.held[all[k].at:]
	if run, _ := fence(line); line == beginPatch || run != "" {
		return s.held, true, true
	}
	for _, h := range []struct {
		head string
		op   Op
	}{{updateFile, Update}, {addFile, Add}, {deleteFile, Delete}} {
		name, is := strings.CutPrefix(line, h.head)
		if !is {
			continue
		}
		anew = s.line != "" && k == 0
		if h.op == s.op && path.Clean(strings.TrimSpace(name)) == s.path {
			same, certain := s.sameSection(all, k, end)
			if !certain {
				return "", false, false
			}
			anew = anew || same
		}
		return before + beginPatch + "\n" + rest, anew, true
	}
	if !hunkHeader(all[k].text) || s.op != Update || s.path == "" {
		return "", false, true
	}
	for i, l := range s.body {
		switch {
		case k+1+i >= len(all) && !end:
			return "", false, false
		case k+1+i >= len(all), all[k+1+i].text != l:
			return before + s.head + rest, s.line != "" && k == 0, true
		}
	}
	if len(s.body) == 0 && s.line != "" && k > 0 { // the line before it goes on with the one that broke off
		return "", false, true
	}
	return before + s.head + rest, s.lines+s.line != "", true
}

// sameSection reports whether the section of line k has the hunks of the one that broke off.
func (s *Seam) sameSection(all []seamLine, k int, end bool) (same, certain bool) {
	if s.op != Update || len(s.heads) == 0 {
		return true, true
	}
	for _, l := range all[k+1:] {
		if strings.HasPrefix(l.text, moveTo) || hunkHeader(l.text) || l.text == "" {
			continue
		}
		return slices.Contains(s.heads, l.text), true
	}
	return true, end
}

// block decides in a search/replace block: which marker comes first.
func (s *Seam) block(all []seamLine) (string, bool) {
	for k, l := range all {
		text := strings.TrimSpace(l.text)
		joined := text
		if k == 0 {
			joined = strings.TrimSpace(s.line + l.text)
		}
		switch {
		case text == beginPatch:
			return s.held, true
		case searchMark(text) > 0:
			open := k
			if k > 0 {
				if run, info := fence(all[k-1].text); run != "" {
					if open = k - 1; infoPath(info) != "" {
						return s.held, true
					}
				}
			}
			if open > 0 {
				if _, named := pathLine(all[open-1].text); named {
					return s.held, true
				}
			}
			return s.held[:all[open].at] + s.name + "\n" + s.held[all[open].at:], true
		case strings.Trim(joined, "=") == "" && len(joined) >= 5,
			strings.HasPrefix(joined, ">>>>>") && strings.Trim(strings.TrimSuffix(joined, "REPLACE"), "> ") == "":
			return s.joined(s.held), true
		}
	}
	return "", false
}

// file decides in a whole file: whether its block begins once more within a few lines.
func (s *Seam) file(all []seamLine, end bool) (string, bool) {
	const few = 6
	seen := 0
	for k, l := range all {
		text := strings.TrimSpace(l.text)
		if text == beginPatch {
			return s.held, true
		}
		if run, info := fence(s.line + l.text); k == 0 && s.line != "" && run != "" && info == "" &&
			strings.Trim(s.line, "`~ ") == "" {
			return s.joined(s.held), true
		}
		if s.heads == nil && seen == 0 && searchMark(text) > 0 {
			return s.joined(s.held), true
		}
		run, info := fence(text)
		if run == "" {
			if text != "" {
				seen++
			}
			if seen >= few {
				break
			}
			continue
		}
		name := infoPath(info)
		if name == "" && k > 0 {
			name, _ = pathLine(all[k-1].text)
		}
		switch {
		case name != "" && (path.Clean(name) == s.path || s.paths[path.Clean(name)]):
			return s.held, true
		case seen > 0 || s.line != "" && info == "":
			return s.joined(s.held), true
		case k+1 >= len(all) && !end:
			return "", false
		case k+1 < len(all) && slices.Contains(s.heads, all[k+1].text): // the block, without its path
			return s.held[:l.at] + s.name + "\n" + s.held[l.at:], true
		case info != "" && k+1 < len(all): // it goes on in a fence of its own
			return s.held[:l.at] + s.joined(s.held[all[k+1].at:]), true
		}
		return s.joined(s.held), true
	}
	if seen < few && end {
		return s.wordsBehind()
	}
	return s.joined(s.held), seen >= few
}

// wordsBehind decides for a whole answer of a few words: they follow the block, if the fence had come that
// ends it, perhaps without its line break.
func (s *Seam) wordsBehind() (string, bool) {
	if s.ended {
		return s.joined(s.held), true
	}
	if run, info := fence(s.line); run == "" || info != "" {
		return "", false
	}
	after := NewSeam(s.answer+"\n", s.call)
	if after == nil || !after.ended {
		return "", false
	}
	return s.joined("\n" + s.held), true
}
