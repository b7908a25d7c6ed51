package editstream

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// unified parses unified diffs, as diff -u and git write them, and as models do:
//
//	outside --'diff --git', '--- a' and '+++ b'--> header --'@@' or a line--> hunk --'@@'--> hunk
//	   ^                                              |                         |
//	   '------ its fence closes, or text follows -----'<------- the next file --'
//
// Models miscount: the line numbers and counts of an "@@ -1,3 +1,4 @@" place nothing, and end
// nothing by themselves. A hunk is placed by its old lines alone, so one without any is Bad.
//
//	@@ def f():        an @@ header as in the apply_patch format
//	a line without its ' '    is context, where the diff cannot have ended
//	"\ No newline..."  is ignored: whatever a hunk writes ends with a line break
//
// Paths lose the prefixes "a/" and "b/" when both have them. A diff that only changes modes, copies
// a file, or is binary is Bad.
type unified struct {
	emit   func(Event)
	run    string // of the fence that it is in, or ""
	indent string // of that fence

	state  unifiedState
	no     int    // of the newest line
	name   string // the path before the fence, for hunks without a header of their own
	git    bool   // the header began with "diff --git"
	old    string // after "---"; "" when there was none
	now    string // after "+++"
	from   string // of a rename
	to     string
	made   bool // "new file mode"
	gone   bool // "deleted file mode"
	file   FileBegin
	open   bool // a FileBegin was emitted
	inside bool // a HunkBegin was emitted
	hunks  int

	olds, news int // lines that the hunk has
	wantOld    int // lines that its "@@" says it has; -1: it does not say
	wantNew    int
	blanks     int    // empty lines of the hunk that are not emitted yet
	minus      *piece // "--- x": a header if "+++ y" follows
	doubt      int    // line at which a diff in no fence ended; 0: none
}

type unifiedState int

const (
	unifiedOutside unifiedState = iota
	unifiedHeader
	unifiedHunk
	unifiedSkip // after a Bad, or the lines of a deleted file: until the next "@@" or file
)

var (
	hunkNumbers = regexp.MustCompile(`^@@+ *-\d+(?:,(\d+))? +\+\d+(?:,(\d+))? *@@`)
	gitHeader   = regexp.MustCompile(`^(index [0-9a-f]|(old|new|deleted|new file|deleted file) mode \d|` +
		`(dis)?similarity index |(rename|copy) (from|to) |Binary files |GIT binary patch|--- )`)
	fileDate = regexp.MustCompile(`\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$`)
)

// diffPath returns the path in "--- a/path" or "+++ b/path", with its prefix.
func diffPath(line, mark string) (string, bool) {
	s, ok := strings.CutPrefix(line, mark)
	if !ok {
		return "", false
	}
	s, _, _ = strings.Cut(strings.TrimRight(s, " "), "\t")
	s = fileDate.ReplaceAllString(s, "")
	if strings.HasPrefix(s, `"`) {
		if q, err := strconv.Unquote(s); err == nil {
			s = q
		}
	}
	s = strings.Trim(s, "`")
	return s, s == "/dev/null" || looksLikePath(s, true)
}

// begins reports whether two lines that follow each other begin the diff of a file.
func (u *unified) begins(first, second string) bool {
	if strings.HasPrefix(first, "diff --git ") {
		return gitHeader.MatchString(second)
	}
	_, old := diffPath(first, "--- ")
	_, now := diffPath(second, "+++ ")
	return old && now
}

// announces reports whether a line may be the first of a diff.
func (u *unified) announces(line string) bool {
	_, old := diffPath(line, "--- ")
	return old || strings.HasPrefix(line, "diff --git ")
}

// active reports whether the lines that come belong to a diff.
func (u *unified) active() bool { return u.state != unifiedOutside }

// begin opens a diff in a fence, or in none; name is the file that its hunks are of, if it does not
// say so itself.
func (u *unified) begin(emit func(Event), run, indent, name string) {
	*u = unified{emit: emit, run: run, indent: indent, state: unifiedHeader, name: name}
}

// line takes a line and reports whether it belongs to the diff. Where it does not, the diff has
// ended.
func (u *unified) line(l piece) bool {
	u.no = l.no
	l.text = strings.TrimPrefix(l.text, u.indent)
	if m := u.minus; m != nil {
		u.minus = nil
		if _, is := diffPath(l.text, "+++ "); is && !l.long() {
			u.endFile()
			u.header(*m)
			u.header(l)
			return true
		}
		u.hunkLine(*m)
	}
	switch {
	case l.long():
		u.bad(l.no, "line %d is longer than %d bytes", l.no, LineLimit)
		return true
	case u.run != "" && closes(l.text, u.run):
		u.end()
		return false
	case strings.HasPrefix(l.text, "diff --git "):
		u.endFile()
		u.header(l)
		return true
	}
	switch u.state {
	case unifiedHeader:
		return u.header(l)
	case unifiedHunk:
		return u.body(l)
	case unifiedSkip:
		return u.skip(l)
	case unifiedOutside:
	}
	return false
}

// end ends the diff.
func (u *unified) end() {
	if m := u.minus; m != nil {
		u.minus = nil
		u.hunkLine(*m)
	}
	u.endFile()
	u.state = unifiedOutside
}

// header takes a line before the first hunk of a file.
func (u *unified) header(l piece) bool {
	u.state = unifiedHeader
	t := l.text
	if path, ok := diffPath(t, "--- "); ok {
		u.old = path
		return true
	}
	if path, ok := diffPath(t, "+++ "); ok {
		u.now = path
		return true
	}
	switch {
	case strings.HasPrefix(t, "diff --git "):
		u.git = true
		u.gitPaths(t)
	case strings.HasPrefix(t, "rename from "):
		u.from, _ = diffPath(t, "rename from ")
	case strings.HasPrefix(t, "rename to "):
		u.to, _ = diffPath(t, "rename to ")
	case strings.HasPrefix(t, "new file mode "):
		u.made = true
	case strings.HasPrefix(t, "deleted file mode "):
		u.gone = true
	case strings.HasPrefix(t, "copy "):
		u.unfit(l.no, "it copies a file: write the new file with its content")
	case strings.HasPrefix(t, "Binary files "), strings.HasPrefix(t, "GIT binary patch"):
		u.unfit(l.no, "it is binary")
	case strings.HasPrefix(t, "old mode "), strings.HasPrefix(t, "new mode "), strings.HasPrefix(t, "index "),
		strings.HasPrefix(t, "similarity index "), strings.HasPrefix(t, "dissimilarity index "):
	case strings.HasPrefix(t, "@@"):
		u.beginHunk(l)
	case strings.TrimSpace(t) == "":
	case strings.ContainsRune("+- ", rune(t[0])), u.run != "":
		u.beginHunk(piece{text: "@@", no: l.no})
		if u.state == unifiedHunk {
			return u.body(l)
		}
	default:
		u.end()
		return false
	}
	return true
}

// section returns what the header says happens to the file, or why it does not.
func (u *unified) section(add bool) (FileBegin, string) {
	old, now := u.old, u.now
	if old == now+".orig" || strings.TrimPrefix(old, "a/") == strings.TrimPrefix(now, "b/")+".orig" {
		old = strings.TrimSuffix(old, ".orig") // as diff -u with a copy
	}
	switch a, b := strings.TrimPrefix(old, "a/"), strings.TrimPrefix(now, "b/"); {
	case old == now:
	case old == "/dev/null":
		now = b
	case now == "/dev/null":
		old = a
	case old != a && now != b, a == now, b == old:
		old, now = a, b
	}
	switch {
	case u.from != "" && u.to != "":
		return FileBegin{Op: Update, Path: u.from, MoveTo: u.to}, ""
	case old == "" && now == "" && u.name != "":
		return FileBegin{Op: Update, Path: u.name}, ""
	case old == "" && now == "":
		return FileBegin{}, "it names no file: begin it with '--- a/PATH' and '+++ b/PATH'"
	case old == "/dev/null" && now == "/dev/null":
		return FileBegin{}, "it names no file"
	case old == "/dev/null" || u.made:
		return FileBegin{Op: Add, Path: now}, ""
	case now == "/dev/null" || u.gone:
		return FileBegin{Op: Delete, Path: old}, ""
	case old != now:
		return FileBegin{}, fmt.Sprintf("it has two names, %s and %s: a file is renamed with 'rename from' and 'rename to'",
			old, now)
	case add:
		return FileBegin{Op: Add, Path: now}, ""
	}
	return FileBegin{Op: Update, Path: now}, ""
}

// gitPaths takes the names of a file from "diff --git a/x b/x" where nothing else has them.
func (u *unified) gitPaths(line string) {
	names := strings.TrimPrefix(line, "diff --git ")
	half := len(names) / 2
	if len(names)%2 == 1 && names[half] == ' ' && strings.HasPrefix(names, "a/") && names[half+1:half+3] == "b/" &&
		names[2:half] == names[half+3:] {
		u.old, u.now = names[:half], names[half+1:]
	}
}

// openFile emits the FileBegin of a section.
func (u *unified) openFile(no int, add bool) bool {
	if u.open {
		return true
	}
	file, why := u.section(add)
	if why != "" {
		u.unfit(no, why)
		return false
	}
	u.file, u.open = file, true
	u.emit(file)
	return true
}

// beginHunk opens a hunk with its "@@" line.
func (u *unified) beginHunk(l piece) {
	u.endHunk(l.no)
	m := hunkNumbers.FindStringSubmatch(l.text)
	created := m != nil && strings.Contains(m[0], "-0,0 ")
	if !u.openFile(l.no, created && u.hunks == 0) {
		return
	}
	if u.hunks++; u.file.Op == Delete {
		u.state = unifiedSkip
		return
	}
	if u.file.Op == Add && u.hunks > 1 {
		u.bad(l.no, "line %d: a new file has one hunk", l.no)
		return
	}
	h := HunkBegin{Line: l.no}
	u.wantOld, u.wantNew = -1, -1
	if m != nil {
		u.wantOld, u.wantNew = count(m[1]), count(m[2])
	} else if head := strings.Trim(l.text, "@ "); strings.Trim(head, ".…") != "" && u.file.Op == Update {
		h.Header = head
	}
	u.olds, u.news, u.blanks = 0, 0, 0
	u.state, u.inside = unifiedHunk, true
	u.emit(h)
}

// count returns a count of lines, which is 1 when a hunk's header leaves it out.
func count(s string) int {
	if s == "" {
		return 1
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// met reports whether the hunk has the lines that its header says, if it does.
func (u *unified) met() bool { return u.wantOld >= 0 && u.olds >= u.wantOld && u.news >= u.wantNew }

// body takes a line of a hunk, or the one after it.
func (u *unified) body(l piece) bool {
	t := l.text
	switch {
	case strings.TrimRight(t, " \t") == "" && (t == "" || u.file.Op == Add):
		u.blanks++
		return true
	case strings.HasPrefix(t, "@@"):
		u.beginHunk(l)
		return true
	case strings.HasPrefix(t, "--- ") && u.announces(t):
		u.minus = &l
		return true
	case strings.TrimRight(t, " ") == "--" && u.met(): // the signature of a mail
	case u.run == "" && u.blanks > 0 && u.met():
	case strings.HasPrefix(t, `\ `):
		return true
	case strings.ContainsRune("+- ", rune(t[0])):
		u.hunkLine(l)
		return true
	case u.run == "" && (u.blanks > 0 || u.met()):
	default: // it lacks its ' '
		u.hunkLine(piece{text: " " + t, no: l.no})
		return true
	}
	u.end()
	u.doubt = l.no
	return false
}

// hunkLine emits a line of the hunk, after the empty ones before it.
func (u *unified) hunkLine(l piece) {
	if u.state != unifiedHunk {
		return
	}
	if u.file.Op == Add && l.text[0] != '+' {
		u.bad(l.no, "line %d: each line of the new file %s begins with '+'", l.no, u.file.Path)
		return
	}
	u.flushBlanks(u.blanks)
	u.put(l.text[0], l.text[1:])
}

func (u *unified) put(kind byte, text string) {
	if kind != '+' {
		u.olds++
	}
	if kind != '-' {
		u.news++
	}
	u.emit(Line{kind, text})
}

func (u *unified) flushBlanks(n int) {
	kind := byte(' ')
	if u.file.Op == Add {
		kind = '+'
	}
	for range n {
		u.put(kind, "")
	}
	u.blanks = 0
}

// endHunk ends the open hunk. Empty lines at its end are its own as far as its counts say so.
func (u *unified) endHunk(no int) {
	if !u.inside {
		return
	}
	missing := u.wantOld - u.olds
	if u.file.Op == Add {
		missing = u.wantNew - u.news
	}
	u.flushBlanks(min(u.blanks, max(missing, 0)))
	u.inside = false
	if u.file.Op == Update && u.olds == 0 {
		u.bad(no, "the hunk before line %d has no line of %s: it needs lines of the file around the new ones", no,
			u.file.Path)
		return
	}
	u.emit(HunkEnd{})
}

// bad reports a hunk, or a file, that cannot be applied.
func (u *unified) bad(no int, format string, args ...any) {
	if u.state != unifiedSkip {
		u.emit(Bad{no, fmt.Sprintf(format, args...)})
	}
	u.inside, u.state = false, unifiedSkip
}

// unfit reports a diff of a file that cannot be applied.
func (u *unified) unfit(no int, why string) {
	u.bad(no, "the diff before line %d cannot be applied: %s", no, why)
}

// skip looks for the next hunk or file.
func (u *unified) skip(l piece) bool {
	t := l.text
	switch {
	case strings.HasPrefix(t, "--- ") && u.announces(t):
		u.minus = &l
	case strings.HasPrefix(t, "@@") && u.open && u.file.Op == Update:
		u.beginHunk(l)
	case u.run == "" && t != "" && !strings.ContainsRune("+- \\@", rune(t[0])) && !gitHeader.MatchString(t):
		u.end()
		return false
	}
	return true
}

// endFile ends the section of a file.
func (u *unified) endFile() {
	u.endHunk(u.no)
	switch {
	case u.open || u.state != unifiedHeader || !u.git && u.old == "" && u.now == "":
	case u.from != "" && u.to != "" || u.made || u.gone || u.now == "/dev/null":
		if u.openFile(u.no, false) && u.file.Op == Add {
			u.emit(HunkBegin{Line: u.no})
			u.emit(HunkEnd{})
		}
	default:
		u.unfit(u.no, "it has no hunks")
	}
	if u.open {
		u.emit(FileEnd{})
	}
	*u = unified{emit: u.emit, run: u.run, indent: u.indent, no: u.no, state: unifiedHeader}
}
