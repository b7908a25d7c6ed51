package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"

	"waferpair/workspace/text"
)

// readText returns the text of a file for a model: as characters, with LF line ends, without a byte
// order mark. Patches are placed whatever the line ends are.
func (b *builder) readText(file string) (string, error) {
	if t, read := b.texts[file]; read {
		return t.text, t.err
	}
	s, err := func() (string, error) {
		raw, err := b.r.Files.Read(file)
		if err != nil {
			return "", err
		}
		if text.IsBinary(raw) {
			return "", errors.New("it is not a text file")
		}
		e := text.DetectEncoding(raw)
		s := e.Decode(bytes.TrimPrefix(raw, e.BOM()))
		return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n"), nil
	}()
	b.texts[file] = readText{s, err}
	return s, err
}

type readText struct {
	text string
	err  error
}

// steadyPart is filePart, or the part that the last prompt had, if the file has not changed and the lines that
// matter are in it.
func (b *builder) steadyPart(file, reason string, most int) (Part, error) {
	s, err := b.readText(file)
	if err != nil {
		return Part{}, err
	}
	was := b.memory.find(File, file)
	if was == nil {
		return b.filePart(file, reason, s, most), nil
	}
	if at := b.matters(file); was.from == 0 || reason == kept || at == 0 || was.from <= at && at <= was.to {
		to := min(was.to, lineCount(s))
		if p := b.excerpt(file, reason, s, min(was.from, to), to); was.is(p.Text) || reason == kept && to > 0 {
			return p, nil
		}
	}
	return b.filePart(file, reason, s, most), nil
}

// filePart returns a file as the prompt shows it, of which at most a number of bytes: then the lines
// around those that matter.
func (b *builder) filePart(file, reason, s string, most int) Part {
	if len(s) <= most {
		return b.excerpt(file, reason, s, 0, 0)
	}
	from, to := b.region(file, s, most)
	return b.excerpt(file, reason, s, from, to)
}

// excerpt returns lines of a file as the prompt shows them; from 0: all of them.
func (b *builder) excerpt(file, reason, s string, from, to int) Part {
	p := Part{Kind: File, Name: file, Path: file, Reason: reason, Removable: true, Pinned: b.pinned[file],
		from: from, to: to}
	lines := lineCount(s)
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n", file)
	switch {
	case s == "":
		out.WriteString("The file is empty.\n")
	case from == 0:
		fmt.Fprintf(&out, "%s%s", b.heading(file, lines), fenced(language(file), s))
		if !strings.HasSuffix(s, "\n") {
			out.WriteString("(no line break at the end of the file)\n")
		}
	default:
		p.Cut = fmt.Sprintf("lines %d to %d of %d: the file is too long", from, to, lines)
		fmt.Fprintf(&out, "%sOnly lines %d to %d:\n%s", b.heading(file, lines), from, to,
			fenced(language(file), linesOf(s, from, to)))
	}
	p.Text = out.String()
	return b.counted(p)
}

func lineCount(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// heading describes a file above its text: models count lines badly, so that answers cite these.
func (b *builder) heading(file string, lines int) string {
	s := fmt.Sprintf("%d lines", lines)
	if i, ok := b.index(file); ok {
		if d := declares(b.of(i)); d != "" {
			s += "; declared at line: " + clip(d, 3000)
		}
	}
	return s + "\n"
}

// matters returns the line of a file that matters most: of the selection, that the request names, of what it
// names in the file, or of the declaration that its words fit to best; 0: none does.
func (b *builder) matters(file string) int {
	if t := b.r.Target; t.File == file && t.From > 0 {
		return t.From
	}
	i, ok := b.index(file)
	if !ok {
		return 0
	}
	for _, m := range b.mentioned {
		if m.file == i && m.line > 0 {
			return m.line
		}
	}
	for _, d := range b.of(i) {
		if _, is := b.named[d.Name]; is {
			return d.Line
		}
	}
	return b.bestLine(i)
}

// bestLine returns the line of the declaration that the request's words fit to best, together with those around
// it; 0: none has any. A word says the less the more of the file's declarations have it; those of its path are the
// subject of all of it.
func (b *builder) bestLine(file int) (line int) {
	list := b.of(file)
	has := make([]uint64, len(list))
	in := make([]int, len(b.words.list))
	for i, d := range list {
		has[i] = b.words.in(d.Name) &^ b.about[file].path
		for w := range b.words.each(has[i]) {
			in[w]++
		}
	}
	best := 0.0
	for i, d := range list {
		if has[i] == 0 {
			continue
		}
		near := uint64(0)
		for _, set := range has[max(0, i-3):min(i+4, len(list))] {
			near |= set
		}
		score := 0.0
		for w := range b.words.each(near) {
			say := math.Log(1 + float64(len(list))/float64(in[w]))
			if has[i]>>w&1 == 0 {
				say /= 4
			}
			score += say
		}
		if score > best {
			best, line = score, d.Line
		}
	}
	return line
}

// region returns lines of a file that matter most: around the one that matters, or the first ones.
func (b *builder) region(file, s string, most int) (from, to int) {
	at := max(1, b.matters(file))
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	from = min(at, len(lines))
	to = from
	for size := len(lines[from-1]); ; { // one line in front for each two behind
		grew := false
		for n := range 3 {
			next := to + 1
			if n == 0 {
				next = from - 1
			}
			if next < 1 || next > len(lines) || size+len(lines[next-1]) > most {
				continue
			}
			size += len(lines[next-1])
			from, to, grew = min(from, next), max(to, next), true
		}
		if !grew {
			return from, to
		}
	}
}

// linesOf returns lines of a text, from 1, inclusive.
func linesOf(s string, from, to int) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(s) {
		if n++; n >= from && n <= to {
			b.WriteString(line)
		}
	}
	return b.String()
}

// language returns the name of a file's language for a fence. It must not look like a path.
func language(file string) string {
	ext := strings.TrimPrefix(path.Ext(file), ".")
	for _, c := range ext {
		if !isLetter(byte(min(c, 0x7f))) && (c < '0' || c > '9') {
			return ""
		}
	}
	return strings.ToLower(ext)
}
