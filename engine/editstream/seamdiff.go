package editstream

import (
	"path"
	"strings"
)

// How a seam joins a unified diff. Its counts of lines are those of the whole hunk, so what comes out has all
// of the hunk, under the header of its file.

// inDiff finds what of a diff the answer broke off in; false where it can only begin again.
func (s *Seam) inDiff(u *unified, t brokenText) bool {
	if u.indent != "" || u.state == unifiedSkip {
		return false
	}
	s.shape = shapeDiff
	if u.run != "" {
		s.fence = u.run + "diff\n"
	}
	last := len(t.lines) - 1
	if !u.open {
		from := last
		for from > 0 && !strings.HasPrefix(t.lines[from-1], "@@") && isDiffHeader(t.lines[from-1]) {
			from--
		}
		s.path, s.head, s.lines = "", s.fence, t.from(from+1)
		return true
	}
	s.path = path.Clean(u.file.Path)
	s.head = s.fence + headerOf(u.file)
	s.lines = t.from(t.hunk)
	for _, l := range t.lines[min(bodyAt(t.lines, t.hunk), last):last] {
		s.body = append(s.body, lineText(l))
	}
	return true
}

// isDiffHeader reports whether a line may be one of the header of a file.
func isDiffHeader(line string) bool {
	for _, mark := range []string{"--- ", "+++ ", "diff --git "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return gitHeader.MatchString(line) || strings.HasPrefix(line, "rename to ")
}

// headerOf returns the lines that begin a section of a diff.
func headerOf(f FileBegin) string {
	switch {
	case f.Op == Add:
		return "--- /dev/null\n+++ b/" + f.Path + "\n"
	case f.MoveTo != "":
		return "diff --git a/" + f.Path + " b/" + f.MoveTo + "\nrename from " + f.Path + "\nrename to " + f.MoveTo + "\n"
	}
	return "--- a/" + f.Path + "\n+++ b/" + f.Path + "\n"
}

// diff decides in a unified diff.
func (s *Seam) diff(all []seamLine, end bool) (string, bool) {
	k := nextLine(all, 0)
	if k < 0 {
		return "", false
	}
	first := all[k].text
	before, rest := s.held[:all[k].at], s.held[all[k].at:]
	run, info := fence(first)
	joinedRun, _ := fence(s.line + first)
	switch {
	case run != "" && info == "" && s.line == "", k == 0 && joinedRun != "" && strings.Trim(s.line, "`~") == "" &&
		strings.Trim(first, "`~") == "":
		return s.joined(s.held), true // its fence closes
	case run != "":
		return s.held, true
	case strings.HasPrefix(first, "diff --git "), strings.HasPrefix(first, "--- ") && (s.line == "" || k > 0):
		if k+1 >= len(all) && !end {
			return "", false
		}
		if s.headed() && s.line == "" && len(s.body) > 0 && !s.sameDiff(all[k:]) {
			return s.joined(s.held), true
		}
		return before + s.fence + rest, true
	case hunkHeader(first) && (s.line == "" || k > 0):
		return s.nextHunk(all, k, end)
	}
	if s.line == "" && strings.ContainsRune("+- \\", rune(first[0])) {
		return s.joined(s.held), true
	}
	return s.restOfLine(all, k, end)
}

// headed reports whether the diff broke off behind the header of a file.
func (s *Seam) headed() bool { return s.path != "" }

// sameDiff reports whether lines begin the file of the diff once more.
func (s *Seam) sameDiff(all []seamLine) bool {
	for _, l := range all[:min(2, len(all))] {
		if name, is := diffPath(l.text, "+++ "); is && path.Clean(strings.TrimPrefix(name, "b/")) == s.path {
			return true
		}
	}
	return false
}

// nextHunk decides where a hunk begins: the one that broke off, or the one behind it.
func (s *Seam) nextHunk(all []seamLine, k int, end bool) (string, bool) {
	before, rest := s.held[:all[k].at], s.held[all[k].at:]
	for i, l := range s.body {
		switch {
		case k+1+i >= len(all) && !end:
			return "", false
		case k+1+i >= len(all), all[k+1+i].text != l:
			if s.line != "" {
				return before + s.head + rest, true
			}
			return s.joined(s.held), true
		}
	}
	if !s.headed() {
		return s.joined(s.held), true
	}
	return before + s.head + rest, true
}

// restOfLine decides where the first line may be the rest of the one that broke off, or words: by the line
// behind it.
func (s *Seam) restOfLine(all []seamLine, k int, end bool) (string, bool) {
	n := nextLine(all, k+1)
	if n < 0 {
		return s.held, end
	}
	next := all[n].text
	run, info := fence(next)
	switch {
	case s.line == "" && run == "" && strings.ContainsRune("+-@", rune(next[0])):
		return s.held[:all[n].at] + s.joined(s.held[all[n].at:]), true // words before it goes on
	case s.line != "" && k == 0 && (run != "" && info == "" || strings.ContainsRune("+- @", rune(next[0]))):
		return s.joined(s.held), true
	}
	return s.held, true
}
