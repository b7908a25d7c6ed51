package prompt

import (
	"bytes"
	"errors"
	"fmt"
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

// filePart returns a file as the prompt shows it, of which at most a number of bytes: then the lines
// around those that matter.
func (b *builder) filePart(file, reason string, most int) (Part, error) {
	s, err := b.readText(file)
	if err != nil {
		return Part{}, err
	}
	p := Part{Kind: File, Name: file, Path: file, Reason: reason, Removable: true, Pinned: b.pinned[file]}
	lines := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		lines++
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n", file)
	switch {
	case s == "":
		out.WriteString("The file is empty.\n")
	case len(s) <= most:
		fmt.Fprintf(&out, "%s%s", b.heading(file, lines), fenced(language(file), s))
		if !strings.HasSuffix(s, "\n") {
			out.WriteString("(no line break at the end of the file)\n")
		}
	default:
		from, to := b.region(file, s, most)
		p.Cut = fmt.Sprintf("lines %d to %d of %d: the file is too long", from, to, lines)
		fmt.Fprintf(&out, "%sOnly lines %d to %d:\n%s", b.heading(file, lines), from, to,
			fenced(language(file), linesOf(s, from, to)))
	}
	p.Text = out.String()
	return b.counted(p), nil
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

// region returns lines of a file that matter most: around the selection, or around what the request
// names in it, or the first ones.
func (b *builder) region(file, s string, most int) (from, to int) {
	at := 1
	if t := b.r.Target; t.File == file && t.From > 0 {
		at = t.From
	} else if i, ok := b.index(file); ok {
		for _, d := range b.of(i) {
			if _, is := b.named[d.Name]; is {
				at = d.Line
				break
			}
		}
	}
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
