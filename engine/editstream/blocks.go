package editstream

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// maxPending is the maximum number of lines held back because a block may follow them: a path,
// a fence, and empty lines between.
const maxPending = 4

type blockState int

const (
	blockOutside blockState = iota
	blockOpened             // after a path and a fence: the next line decides what it is
	blockSearch
	blockReplace
	blockWhole
	blockMalformed // a malformed block, until its end
	blockLost      // after a block whose end is uncertain: prose
)

// blocks parses search/replace blocks and whole files, and recognises the start of a patch and of
// a unified diff (diffblock.go).
//
//	outside --<<<<<<< SEARCH--> search --=======--> replace --'>>>>>>> REPLACE'--> outside
//	        --path + fence----> opened --content--> whole --closing fence--> outside
//
// It holds back lines that may announce a block (a path, a fence) until the line after them
// decides. Every other line outside a block is Prose at once.
type blocks struct {
	in    lineBuffer
	emit  func(Event)
	sr    bool // reads search/replace blocks
	whole bool // reads whole files
	diffs bool // reads unified diffs
	auto  bool // the first marker decides which format it is
	patch *v4a // set once the text is known to be a patch
	diff  unified

	state   blockState
	pending []piece
	path    string // of the last block
	marks   int    // length of the block's markers: 7 for "<<<<<<<"
	run     string // the open fence, or ""
	indent  string // white space before it
	sealed  bool   // the open fence belongs to a block: its end is no prose
	info    string // of the open fence
	fresh   bool   // it has had no line yet
	named   string // the path before it
	bare    bool   // nothing but that says that it has the file
	begun   bool   // the whole-file block has a line
	inside  inside // of the whole-file block
	void    func(line string) bool
	thought thought
	cline   bool   // its block is "------- SEARCH" to "+++++++ REPLACE"
	label   piece  // the first line in the fence, a comment that names the file
	said    string // the last line of prose that is not empty
}

// NewSearchReplace returns a parser of search/replace blocks.
func NewSearchReplace() Parser { return &blocks{sr: true} }

// NewWholeFile returns a parser of whole files, each in a fenced block after its path.
func NewWholeFile() Parser { return &blocks{whole: true} }

// NewUnified returns a parser of unified diffs, with text around them.
func NewUnified() Parser { return &blocks{diffs: true} }

// NewAuto returns a parser of all formats. A whole file has no marker of its own, so fenced files
// are read only as long as nothing else came; after a patch, only patches are read.
func NewAuto() Parser { return &blocks{sr: true, whole: true, diffs: true, auto: true} }

func (p *blocks) Push(chunk []byte, emit func(Event)) {
	p.emit = emit
	p.in.push(chunk, p.line)
}

func (p *blocks) Close(emit func(Event)) {
	p.emit = emit
	p.in.close(p.line)
	if len(p.inside.held) > 0 {
		p.endWhole()
	}
	if p.diff.active() {
		p.diff.emit = emit
		p.diff.end()
	}
	switch p.state {
	case blockOpened:
		p.flush()
	case blockSearch, blockReplace:
		p.fail(p.in.no, "the search/replace block for %s has no end: '%s REPLACE' is missing", p.path,
			strings.Repeat(">", p.marks))
	case blockWhole:
		p.fail(p.in.no, "the block for %s has no end: '%s' is missing", p.path, p.run)
	case blockOutside, blockMalformed, blockLost:
	}
	if p.state = blockOutside; p.patch != nil {
		p.patch.emit = emit
		p.patch.finish()
		return
	}
	p.flush()
}

// fail voids the open block and ends its section.
func (p *blocks) fail(no int, format string, args ...any) {
	p.emit(Bad{no, fmt.Sprintf(format, args...)})
	p.emit(FileEnd{})
}

func (p *blocks) line(l piece) {
	if p.auto && p.thinks(l) {
		return
	}
	if p.patch != nil {
		p.patchLine(l)
		return
	}
	if p.diff.active() {
		if p.diff.emit = p.emit; p.diff.line(l) {
			return
		}
	}
	if l.long() && p.state != blockOutside && p.state != blockLost {
		p.longLine(l)
		return
	}
	switch p.state {
	case blockOutside:
		p.outside(l)
	case blockOpened:
		p.opened(l)
	case blockSearch:
		p.search(l)
	case blockReplace:
		p.replace(l)
	case blockWhole:
		p.content(l)
	case blockMalformed:
		if p.void(l.text) {
			p.state = blockOutside
		}
	case blockLost:
		p.emit(Prose{l.whole()})
	}
}

// longLine voids a block with a line beyond the limit.
func (p *blocks) longLine(l piece) {
	switch p.state {
	case blockOpened:
		p.flush()
		p.emit(Prose{l.whole()})
		p.state = blockOutside
	case blockSearch, blockReplace:
		p.fail(l.no, "line %d is longer than %d bytes", l.no, LineLimit)
		p.skipTo(p.isReplaceEnd)
	case blockWhole:
		p.fail(l.no, "line %d is longer than %d bytes", l.no, LineLimit)
		p.inside = inside{}
		p.skipTo(p.closes)
	case blockOutside, blockMalformed, blockLost:
	}
}

func (p *blocks) skipTo(end func(line string) bool) {
	p.state, p.void = blockMalformed, end
}

func (p *blocks) outside(l piece) {
	text := strings.TrimSpace(l.text)
	p.mindDoubt(l)
	if text != "" {
		defer func(fresh bool) { p.fresh = p.fresh && !fresh }(p.fresh)
	}
	n, label := 0, ""
	if p.sr && !l.long() {
		n = searchMark(text)
	}
	if p.whole && p.run != "" && p.fresh && p.named == "" && !l.long() && !isDiff(p.info) {
		label = labelOf(l.text)
	}
	switch {
	case l.long():
		p.flush()
		p.emit(Prose{l.whole()})
	case p.auto && text == beginPatch:
		p.beginPatch(l)
	case n > 0:
		p.beginSearch(l, n)
	case p.auto && headless(text):
		p.beginPatch(l)
	case p.run != "" && p.closes(l.text):
		p.endFence(l)
	case label != "" && !commands(label, p.info):
		p.state, p.path, p.label = blockOpened, label, l
	case p.diffs && p.beginsDiff(l):
		p.beginDiff(l)
	case p.run == "" && p.opensFence(l):
		p.beginFence(l)
	default:
		p.prose(l, text)
	}
}

// prose emits a line as Prose, unless it may announce a block.
func (p *blocks) prose(l piece, text string) {
	_, isPath := pathLine(text)
	isPath = isPath || p.diffs && p.diff.announces(p.unindented(l))
	if !isPath && (text != "" || len(p.pending) == 0 && !p.sealed) && !(p.auto && heredoc(text) != "") {
		p.flush()
		p.emit(Prose{l.whole()})
		if text != "" {
			p.said = text
		}
		return
	}
	p.suspend(l)
}

func (p *blocks) suspend(l piece) {
	p.pending = append(p.pending, l)
	if over := len(p.pending) - maxPending; over > 0 {
		p.release(over)
	}
}

// release emits the first n held lines as Prose.
func (p *blocks) release(n int) {
	for _, l := range p.pending[:n] {
		p.emit(Prose{l.whole()})
	}
	p.pending = append(p.pending[:0], p.pending[n:]...)
}

func (p *blocks) flush() { p.release(len(p.pending)) }

func (p *blocks) opensFence(l piece) bool {
	run, _ := fence(l.text)
	return run != ""
}

// beginFence handles the start of a fence: with a path, it may begin a whole file.
func (p *blocks) beginFence(l piece) {
	run, info := fence(l.text)
	p.run, p.info, p.sealed = run, info, false
	p.indent = l.text[:len(l.text)-len(strings.TrimLeft(l.text, " \t"))]
	path := infoPath(info)
	p.fresh, p.named, p.bare = true, path, false
	if k := p.lastPending(); path == "" && k >= 0 {
		p.named, _ = pathLine(p.pending[k].text)
		path, _ = fileLine(p.pending[k].text)
		p.bare = p.auto && p.isBare(k)
	} else if path == "" && p.run != "" {
		path = p.announcesAll()
	}
	p.suspend(l)
	if p.whole && path != "" && !isDiff(info) && !commands(path, info) {
		p.path, p.state = path, blockOpened
	}
}

// lastPending returns the index of the held path line that only empty lines follow, or -1.
func (p *blocks) lastPending() int {
	for k := len(p.pending) - 1; k >= 0; k-- {
		if _, ok := pathLine(p.pending[k].text); ok {
			return k
		}
		if strings.TrimSpace(p.pending[k].text) != "" {
			break
		}
	}
	return -1
}

// closes reports whether a line ends the open fence: at the same indentation.
func (p *blocks) closes(line string) bool {
	rest, ok := strings.CutPrefix(line, p.indent)
	return ok && closes(rest, p.run) && strings.TrimLeft(rest, " \t") == rest
}

func (p *blocks) endFence(l piece) {
	p.run = ""
	if p.sealed {
		p.sealed, p.pending = false, p.pending[:0]
		return
	}
	p.flush()
	p.emit(Prose{l.whole()})
}

// opened decides by its first line what a fence with a path contains.
func (p *blocks) opened(l piece) {
	text := strings.TrimSpace(l.text)
	label := p.label
	p.state, p.label = blockOutside, piece{}
	if n := searchMark(text); p.sr && n > 0 || p.auto && (text == beginPatch || headless(text)) ||
		p.diffs && p.announcesOwn(l) || prompted(l.text) {
		if label.no > 0 && searchMark(text) > 0 {
			p.suspend(label)
		} else if label.no > 0 {
			p.flush()
			p.emit(Prose{label.whole()})
		}
		p.outside(l)
		return
	}
	at := p.announced()
	if p.callsExample(at) {
		p.emit(Bad{l.no, fmt.Sprintf("the words before the block for %s call it an example, so it was not made: if it is an "+
			"edit, write it without them, or as a patch", p.path)})
		p.outside(l)
		return
	}
	p.releaseBefore(at)
	p.emit(FileBegin{Op: Whole, Path: p.path, Label: label.text, Bare: p.bare})
	p.emit(HunkBegin{Replace: true, Line: l.no})
	p.said = ""
	p.state, p.begun, p.inside = blockWhole, false, newInside(p.path, p.info)
	p.content(l)
}

// announced returns the first held line that belongs to the block that begins: its path
// line, or its fence when that contains the path.
func (p *blocks) announced() int {
	first := len(p.pending)
	for k := len(p.pending) - 1; k >= 0; k-- {
		text := p.pending[k].text
		path, isPath := pathLine(text)
		run, info := fence(text)
		switch {
		case run != "" && first == len(p.pending):
			if first = k; infoPath(info) != "" {
				return k
			}
		case isPath && path == p.path && k > 0 && first == len(p.pending) && p.opensFence(p.pending[k-1]):
			return k - 1
		case isPath && path == p.path:
			return k
		case strings.TrimSpace(text) != "" && run == "":
			return first
		}
	}
	return first
}

// releaseBefore emits the held lines before k as Prose and drops the others.
func (p *blocks) releaseBefore(k int) {
	p.release(k)
	p.pending = p.pending[:0]
}

// elision matches a comment that stands for lines that are left out: dots, and words that say so.
var elision = regexp.MustCompile(
	`(?i)^\s*(#|//|/\*|\{/\*|<!--|--|;|%)\s*((\.{3}|…).*\b(existing|rest|remaining|unchanged|same|omitted|as before)\b` +
		`|\(?(the )?(rest|remaining|remainder|existing|other)\b.*\b(unchanged|same|omitted|here|as before)\b.*(\.{3}|…)` +
		`|.*\b(unchanged|omitted)\b.*(\.{3}|…))`)

// leftOut reports whether a line of a whole file stands for others, which the file then lacks.
func leftOut(line string) bool {
	return len(line) < 200 && (strings.Contains(line, "...") || strings.Contains(line, "…")) && elision.MatchString(line)
}

// searchLine matches the marker that begins a block: the words of several tools, and perhaps the path.
var searchLine = regexp.MustCompile(`^(<{5,}|-{5,}) *(?i:SEARCH|ORIGINAL):?( +\S+)?$`)

// searchMark returns the length of the marker in "<<<<<<< SEARCH", or 0.
func searchMark(text string) int {
	m := searchLine.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0
	}
	if _, isPath := pathLine(m[2]); m[2] != "" && !isPath {
		return 0
	}
	return len(m[1])
}

// markedPath returns the path in "<<<<<<< SEARCH path", or "".
func markedPath(line string) string {
	m := searchLine.FindStringSubmatch(strings.TrimSpace(line))
	if m == nil {
		return ""
	}
	path, _ := pathLine(m[2])
	return path
}

// beginSearch opens a search/replace block. Its path is in the held lines, in its fence, or
// that of the block before it.
func (p *blocks) beginSearch(l piece, n int) {
	path, fenced := p.pendingPath()
	if path = cmp.Or(markedPath(l.text), path, pathIn(p.said)); path != "" {
		p.path = path
	}
	p.said, p.cline = "", strings.HasPrefix(strings.TrimSpace(l.text), "-")
	p.marks, p.whole = n, p.whole && !p.auto
	if p.path == "" {
		p.flush()
		p.emit(Bad{l.no,
			fmt.Sprintf("the search/replace block on line %d has no file: put the path on the line before it", l.no)})
		p.skipTo(p.isReplaceEnd)
		return
	}
	p.sealed = p.sealed || fenced
	k := p.announced()
	for p.sealed && k > 0 && strings.TrimSpace(p.pending[k-1].text) == "" {
		k--
	}
	p.releaseBefore(k)
	p.emit(FileBegin{Op: Update, Path: p.path})
	p.emit(HunkBegin{Replace: true, Line: l.no})
	p.state = blockSearch
}

// pendingPath searches the held lines backwards for the block's path and fence.
func (p *blocks) pendingPath() (path string, fenced bool) {
	for k := len(p.pending) - 1; k >= 0; k-- {
		text := p.pending[k].text
		if run, info := fence(text); run != "" {
			fenced = true
			if path := infoPath(info); path != "" {
				return path, true
			}
		} else if path, ok := pathLine(text); ok {
			return path, fenced || p.fencePending(k)
		}
	}
	return "", fenced
}

// fencePending reports whether a fence opens in the held lines before k.
func (p *blocks) fencePending(k int) bool {
	for _, l := range p.pending[:k] {
		if run, _ := fence(l.text); run != "" {
			return true
		}
	}
	return false
}

func (p *blocks) search(l piece) {
	text := strings.TrimRight(l.text, " \t")
	switch {
	case text == strings.Repeat("=", p.marks):
		p.state = blockReplace
	case p.isReplaceEnd(text):
		p.fail(l.no, "the search/replace block for %s has no '%s'", p.path, strings.Repeat("=", p.marks))
		p.state = blockOutside
	case searchMark(text) == p.marks:
		p.restart(l)
	default:
		p.emit(Line{'-', l.text})
	}
}

func (p *blocks) replace(l piece) {
	text := strings.TrimRight(l.text, " \t")
	switch {
	case p.isReplaceEnd(text):
		p.emit(HunkEnd{})
		p.emit(FileEnd{})
		p.state = blockOutside
	case searchMark(text) == p.marks:
		p.restart(l)
	default:
		p.emit(Line{'+', l.text})
	}
}

// restart begins a block inside an unfinished one.
func (p *blocks) restart(l piece) {
	p.fail(l.no, "the search/replace block for %s has no end before the next one begins", p.path)
	p.state = blockOutside
	p.beginSearch(l, p.marks)
}

func (p *blocks) isReplaceEnd(text string) bool {
	mark := ">"
	if p.cline {
		mark = "+"
	}
	rest, ok := strings.CutPrefix(strings.TrimRight(text, " \t"), strings.Repeat(mark, p.marks))
	word := strings.ToUpper(strings.TrimSuffix(strings.TrimSpace(rest), ":"))
	return ok && (rest == "" || rest[0] == ' ' && (word == "REPLACE" || word == "UPDATED"))
}

// beginPatch passes the rest of the stream to the patch parser, with the lines that may
// wrap the patch.
func (p *blocks) beginPatch(l piece) {
	p.patch = &v4a{}
	pending := p.pending
	p.pending = nil
	for _, h := range pending {
		p.patchLine(h)
	}
	if headless(strings.TrimSpace(l.text)) {
		p.patch.emit = p.emit
		p.patch.begin()
	}
	p.patchLine(l)
}

// headless reports whether a line begins a section of a patch, before which its Begin marker is
// missing.
func headless(text string) bool {
	return strings.HasPrefix(text, updateFile) || strings.HasPrefix(text, addFile)
}

func (p *blocks) patchLine(l piece) {
	p.patch.emit, p.patch.in.no = p.emit, l.no
	p.patch.line(l)
}
