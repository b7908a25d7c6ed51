package editstream

import "strings"

// Begun reports whether an answer broke off in what announces an edit, of which no line has come: the
// header of a diff, a patch's Begin or the header of its first section, a path with its fence. call: it is the
// input of a call, and so a patch.
//
// Where it is doubtful, such as in a word that may become a path, nothing has begun.
func Begun(answer string, call bool) bool {
	p, ok := NewAuto().(*blocks)
	if !ok {
		return false
	}
	drop := func(Event) {}
	if call {
		p.patch = &v4a{}
		p.patch.Push([]byte(answer), drop)
	} else {
		p.Push([]byte(answer), drop)
	}
	last := answer[strings.LastIndexByte(answer, '\n')+1:]
	switch {
	case p.diff.active():
		return !p.diff.open && p.diff.state == unifiedHeader && p.diff.headed()
	case p.patch != nil:
		return p.patch.state == v4aUpdate || p.patch.state == v4aTop && p.patch.files == 0 ||
			p.patch.state != v4aOutside && announcesSection(last)
	case p.state == blockOpened:
		return true
	case p.state != blockOutside:
		return false
	}
	return p.announcesDiff(last) || len(last) > len("*** ") && strings.HasPrefix(beginPatch, last)
}

// headed reports whether the header of a file has come, or some of it.
func (u *unified) headed() bool { return u.git || u.old != "" || u.now != "" }

// announcesSection reports whether a line begins as the header of a section does.
func announcesSection(line string) bool {
	for _, mark := range []string{updateFile, addFile, deleteFile} {
		if strings.HasPrefix(line, mark) || len(line) > len("*** ") && strings.HasPrefix(mark, line) {
			return true
		}
	}
	return false
}

// announcesDiff reports whether the answer ends in the first lines of a diff's header.
func (p *blocks) announcesDiff(last string) bool {
	if strings.HasPrefix(last, "--- a/") || strings.HasPrefix(last, "diff --git a/") {
		return true
	}
	n := len(p.pending)
	return n > 0 && p.diff.announces(p.unindented(p.pending[n-1])) &&
		(strings.HasPrefix(last, "+++ ") || strings.HasPrefix("+++ ", last))
}
