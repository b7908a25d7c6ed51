package kit

import (
	"bytes"
	"slices"
	"strings"
)

// Move is a declaration on its way to another file.
type Move struct {
	Job   *Job
	Decl  *Decl
	From  *File
	To    string // the path of the other file
	Into  *File  // the other file, nil where it is made
	Parts []Part // in the order of the source
	Head  string // of a new file: what stands above the parts, with \n
	At    int    // in Into: the parts go before the line that begins here
	Gap   int    // blank lines between declarations
}

// Part is one declaration that moves: whole lines without the last line break, and what the
// other file gets for them.
type Part struct {
	From, To int
	Text     string
}

// Holds reports whether the offset of the source moves.
func (m *Move) Holds(at int) bool {
	return slices.ContainsFunc(m.Parts, func(p Part) bool { return p.From <= at && at < p.To })
}

// Write takes the parts out of the one file and puts them in the other.
func (m *Move) Write() {
	var cuts []Part
	for _, p := range m.Parts {
		from, to := m.From.without(p.From, p.To)
		if n := len(cuts); n > 0 && from <= cuts[n-1].To {
			cuts[n-1].To = max(to, cuts[n-1].To)
			continue
		}
		cuts = append(cuts, Part{From: from, To: to})
	}
	for _, c := range cuts {
		m.Job.Edits.Replace(m.From, c.From, c.To, "")
	}
	gap := strings.Repeat("\n", m.Gap+1)
	texts := make([]string, len(m.Parts))
	for i, p := range m.Parts {
		texts[i] = p.Text
	}
	text := strings.Join(texts, gap)
	if m.Into == nil {
		if m.Head != "" {
			text = m.Head + gap + text
		}
		m.Job.Edits.Create(m.To, strings.ReplaceAll(text+"\n", "\n", m.From.EOL()))
		return
	}
	m.insert(text)
}

// insert puts the text before the line that begins at m.At, with blank lines around it.
func (m *Move) insert(text string) {
	f, at := m.Into, m.At
	before, after := 0, 0
	for p := at; p > f.top() && f.Blank(f.LineStart(p-1)); p = f.LineStart(p - 1) {
		before++
	}
	for p := at; p < len(f.Src) && f.Blank(p); p = f.NextLine(p) {
		after++
	}
	if at > f.top() {
		text = strings.Repeat("\n", max(0, m.Gap-before)) + text
	}
	if end := len(bytes.TrimRight(f.Src, " \t\r\n")); at < end {
		text += strings.Repeat("\n", max(0, m.Gap-after))
	}
	m.Job.Edits.InsertLines(f, at, strings.Split(text, "\n")...)
}

// without is what goes with the lines of [from, to): the blank lines on the side that has fewer
// of them, all of them where the file begins or ends.
func (f *File) without(from, to int) (int, int) {
	to = f.NextLine(to)
	start, end, above, below := from, to, 0, 0
	for start > f.top() && f.Blank(f.LineStart(start-1)) {
		start = f.LineStart(start - 1)
		above++
	}
	for end < len(f.Src) && f.Blank(end) {
		end = f.NextLine(end)
		below++
	}
	switch {
	case end == len(f.Src):
		return start, to
	case start == f.top() || below < above && below > 0:
		return from, end
	case below > 0:
		return start, to
	}
	return from, to
}

// Notice is the comment about rights that a file begins with, "" if it has none.
func (f *File) Notice() string {
	end := f.top()
	for end < len(f.Src) && !f.Blank(end) {
		line := strings.TrimSpace(string(f.Src[end:f.LineEnd(end)]))
		if c := f.remarkAt(end + len(f.Indent(end))); c == nil || strings.HasPrefix(line, "#!") {
			break
		}
		end = f.NextLine(end)
	}
	text := strings.ReplaceAll(strings.TrimSpace(string(f.Src[f.top():end])), "\r\n", "\n")
	if low := strings.ToLower(text); !strings.Contains(low, "copyright") && !strings.Contains(low, "spdx-") {
		return ""
	}
	return text
}

// Patch replaces bytes of the parts, by their offsets in the source. It is called once.
func (m *Move) Patch(ps ...Patch) error {
	slices.SortFunc(ps, func(a, b Patch) int { return a.From - b.From })
	for i, p := range m.Parts {
		var b strings.Builder
		at, same := p.From, true
		for _, c := range ps {
			if c.From >= p.From && c.To <= p.To {
				b.Write(m.From.Src[at:c.From])
				b.WriteString(c.With)
				at, same = c.To, false
			}
		}
		if same {
			continue
		}
		if p.Text != strings.ReplaceAll(string(m.From.Src[p.From:p.To]), "\r\n", "\n") {
			return m.Job.Declined("%s uses names that are other ones in %s, and is one of a group", m.Decl.Title, m.To)
		}
		b.Write(m.From.Src[at:p.To])
		m.Parts[i].Text = strings.ReplaceAll(b.String(), "\r\n", "\n")
	}
	return nil
}
