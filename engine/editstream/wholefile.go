package editstream

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// inside follows the fences inside a whole-file block, to know which fence ends the block. A fence
// that could close the block is one of three things:
//
//	the end of a fence inside   when one is open: an opening fence has an info string, or another character
//	the end of the block        when the file is no document, or the next fence has an info string or is below
//	                            the name of another file, or none follows
//	uncertain                   when the next fence is bare: it may close what this one opens, or open what is prose
//
// A fence shorter than the block's is content, so a model that writes four backticks outside may
// have three inside. The rest of an uncertain answer is prose: where its blocks begin is uncertain, too.
type inside struct {
	document bool
	marks    [3]int   // how often each multi-line quote occurred
	open     []string // runs of the fences inside that are open
	held     []piece  // from the fence on that may be the end
	comment  bool     // the line before is a comment
}

// quotes delimit strings of several lines, in which code has fences.
var quotes = [3]string{`"""`, "'''", "`"}

// newInside returns the state at the beginning of a block.
func newInside(name, info string) inside {
	in := inside{document: bareNames[name] && !strings.HasSuffix(name, "file")}
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx", ".mkd", ".rst", ".txt", ".adoc":
		in.document = true
	}
	switch lang, _, _ := strings.Cut(strings.ToLower(info), " "); lang {
	case "md", "markdown", "mdx":
		in.document = true
	}
	return in
}

// dots reports whether a line is only dots, which stand for code that is left out. Indented dots are code
// in Python, and those within a comment are its own.
func (in *inside) dots(line string) bool {
	switch {
	case in.document:
		return false
	case commentLine.MatchString(line):
		return !in.comment && dotsAlone.MatchString(line)
	}
	return dotsAlone.MatchString(line)
}

var (
	commentLine = regexp.MustCompile(`^\s*(#|//|/\*|\*|<!--|--)`)
	dotsAlone   = regexp.MustCompile(`^([\[(]?(\.{3}|…)[\])]?|(#|//|/\*|<!--|--)\s*(\.{3}|…)\s*(\*/|-->)?)\s*$`)
)

// next takes a line of the block, without the block's indentation, and reports whether it may end
// the block.
func (in *inside) next(line, run string) bool {
	r, info := fence(line)
	if r == "" || line[0] == ' ' || line[0] == '\t' {
		for i, q := range quotes {
			in.marks[i] += strings.Count(line, q)
		}
		return false
	}
	n := len(in.open)
	switch {
	case n > 0 && closes(line, in.open[n-1]):
		in.open = in.open[:n-1]
	case n == 0 && closes(line, run):
		return true
	case info != "" && r[0] == run[0] && len(r) >= len(run), n == 0 && in.document && r[0] != run[0]:
		in.open = append(in.open, r)
	}
	return false
}

// certain reports whether a fence that may end the block does, whatever follows: code has no bare
// fences outside of its strings.
func (in *inside) certain() bool {
	for _, n := range in.marks {
		if n%2 == 1 {
			return false
		}
	}
	return !in.document
}

// content takes a line of a whole-file block.
func (p *blocks) content(l piece) {
	if len(p.inside.held) > 0 {
		p.afterEnd(l)
		return
	}
	line, within := strings.CutPrefix(l.text, p.indent)
	switch {
	case !within && strings.TrimSpace(line) != "":
		p.fail(l.no, "line %d of the block for %s is indented less than its fence", l.no, p.path)
		p.state, p.sealed = blockOutside, true
		return
	case !within:
		line = ""
	}
	if p.inside.next(line, p.run) {
		if p.inside.held = append(p.inside.held, l); p.inside.certain() {
			p.endWhole()
		}
		return
	}
	if leftOut(line) || p.inside.dots(line) {
		p.fail(l.no, "the block for %s leaves text out (%s): write the whole file, or a patch with hunks", p.path,
			strings.TrimSpace(line))
		p.state, p.sealed = blockOutside, true // the rest of the block is prose
		return
	}
	p.begun = true
	p.inside.comment = commentLine.MatchString(line)
	p.emit(Line{'+', line})
}

// afterEnd takes a line after a fence that may be the end of the block.
func (p *blocks) afterEnd(l piece) {
	held := &p.inside.held
	*held = append(*held, l)
	switch run, info := fence(l.text); {
	case run == "" || l.long():
	case info != "", namesNext((*held)[1 : len(*held)-1]):
		p.endWhole()
	default:
		at := (*held)[0].no
		p.fail(at, "the block for %s has fences of its own, so whether line %d ends it is uncertain: this file and all that "+
			"follows it in the answer were not made; write them again, the file as a patch or in a fence of four backticks",
			p.path, at)
		p.state = blockLost
		for _, l := range *held {
			p.emit(Prose{l.whole()})
		}
		*held = nil
	}
}

// namesNext reports whether the last of some lines, but for empty ones, names the file of the fence below it.
func namesNext(lines []piece) bool {
	for _, l := range slices.Backward(lines) {
		if strings.TrimSpace(l.text) != "" {
			_, is := fileLine(l.text)
			return is
		}
	}
	return false
}

// endWhole ends a whole file before the lines that are held, of which the first is its closing fence.
func (p *blocks) endWhole() {
	held := p.inside.held
	p.state, p.run, p.inside = blockOutside, "", inside{}
	if p.begun {
		p.emit(HunkEnd{})
		p.emit(FileEnd{})
	} else {
		p.fail(held[0].no, "the block for %s is empty", p.path)
	}
	for _, l := range held[1:] {
		p.line(l)
	}
}
