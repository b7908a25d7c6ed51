package editstream

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/workspace/text"
)

// endLine is a line and its line break; "" only at the end of a file.
type endLine struct{ body, eol string }

// mixedEdit is a file with line breaks of both kinds, and replacements of runs of its
// lines. All lines differ, so that it is clear which ones stay.
type mixedEdit struct {
	doc    []endLine
	blocks []mixedBlock
}

// mixedBlock keeps some lines, then replaces drop lines by the new ones.
type mixedBlock struct {
	keep, drop int
	add        []string
}

func drawMixed(t *rapid.T) mixedEdit {
	var e mixedEdit
	line := func() { // a "\r" alone ends no line
		body := fmt.Sprintf("line %d%s", len(e.doc), rapid.SampledFrom([]string{"", "", " é世界", "\rx", " {"}).Draw(t, "body"))
		e.doc = append(e.doc, endLine{body, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")})
	}
	for n := range rapid.IntRange(1, 4).Draw(t, "blocks") {
		b := mixedBlock{keep: rapid.IntRange(3, 6).Draw(t, "keep"), drop: rapid.IntRange(0, 4).Draw(t, "drop")}
		if n == 0 && rapid.Bool().Draw(t, "at the top") {
			b.keep = 0
		}
		for range rapid.IntRange(0, 4).Draw(t, "add") {
			b.add = append(b.add, fmt.Sprintf("new %d of block %d", len(b.add), n))
		}
		e.blocks = append(e.blocks, b)
		for range b.keep + b.drop {
			line()
		}
	}
	for range rapid.SampledFrom([]int{0, 3, 5}).Draw(t, "rest") {
		line()
	}
	if k := len(e.doc) - 1; k >= 0 && rapid.IntRange(0, 3).Draw(t, "open") == 0 {
		e.doc[k].eol = ""
	}
	return e
}

func (e mixedEdit) before() string { return joined(e.doc) }

func joined(lines []endLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.body + l.eol)
	}
	return b.String()
}

// want is the edited file: kept lines as they were, a new line with the line
// break of the line that it stands for, else of the line above, else below.
// closed says that the file ends with a line break afterwards.
func (e mixedEdit) want(closed bool) string {
	var out []endLine
	usual := "\n"
	if len(e.doc) > 0 && e.doc[0].eol != "" {
		usual = e.doc[0].eol
	}
	above := func() string {
		for i := len(out) - 1; i >= 0; i-- {
			if out[i].eol != "" {
				return out[i].eol
			}
		}
		return ""
	}
	rest := e.doc
	for _, b := range e.blocks {
		out, rest = append(out, rest[:b.keep]...), rest[b.keep:]
		gone := rest[:b.drop]
		rest = rest[b.drop:]
		for i, s := range b.add {
			if k := len(out) - 1; k >= 0 && out[k].eol == "" {
				out[k].eol = first(above(), usual)
			}
			own, below := "", ""
			if i < len(gone) {
				own = gone[i].eol
			}
			if len(rest) > 0 {
				below = rest[0].eol
			}
			out = append(out, endLine{s, first(own, above(), below, usual)})
		}
	}
	out = append(out, rest...)
	if k := len(out) - 1; closed && k >= 0 && out[k].eol == "" {
		out[k].eol = first(above(), usual)
	}
	return joined(out)
}

func first(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// lines is the edit line by line: kept with ' ', removed with '-', new with '+'.
func (e mixedEdit) lines() (out []Line) {
	at := 0
	take := func(kind byte, n int) {
		for range n {
			out = append(out, Line{kind, e.doc[at].body})
			at++
		}
	}
	for _, b := range e.blocks {
		take(' ', b.keep)
		take('-', b.drop)
		for _, s := range b.add {
			out = append(out, Line{'+', s})
		}
	}
	take(' ', len(e.doc)-at)
	return out
}

func (e mixedEdit) text(kinds string) string {
	var b strings.Builder
	for _, l := range e.lines() {
		if strings.IndexByte(kinds, l.Kind) >= 0 {
			b.WriteString(l.Text + "\n")
		}
	}
	return b.String()
}

// in returns the edit in a format.
func (e mixedEdit) in(format string) string {
	switch format {
	case "v4a":
		var b strings.Builder
		for _, l := range e.lines() {
			b.WriteString(string(l.Kind) + l.Text + "\n")
		}
		return bp + "*** Update File: f.go\n@@\n" + b.String() + ep
	case "blocks":
		return "f.go\n<<<<<<< SEARCH\n" + e.text(" -") + "=======\n" + e.text(" +") + ">>>>>>> REPLACE\n"
	}
	return "f.go\n```\n" + e.text(" +") + "```\n"
}

// TestMixedLineEndsStay edits files whose lines end in two ways, in every format.
func TestMixedLineEndsStay(t *testing.T) {
	for _, format := range []string{"v4a", "blocks", "whole"} {
		t.Run(format, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				e := drawMixed(t)
				if e.text(" -") == "" || e.text(" +") == "" || e.text("-+") == "" {
					t.Skip("no edit of a file")
				}
				if n := strings.Count(e.text(" +"), "\n"); format == "whole" && n*4 < len(e.doc)*3 {
					t.Skip("an excerpt of the file")
				}
				enc := rapid.SampledFrom([]text.Encoding{text.UTF8, text.UTF8, text.UTF8BOM, text.UTF16LE}).Draw(t, "encoding")
				doc, _, ok := inEncoding(enc, e.before(), nil)
				want, _, _ := inEncoding(enc, e.want(format == "whole"), nil)
				if !ok {
					t.Skip("not in this encoding")
				}
				m := memFiles{"f.go": {Text: doc, Encoding: enc}}
				r, pl := newReplica2(t, m), NewPlacer(m, Options{})
				stream(parsers[format](), pl, e.in(format), rapid.IntRange(1, 50).Draw(t, "chunk"), r.take)
				if len(r.failed) > 0 || r.String("f.go") != want.String() {
					t.Fatalf("%q\nedited by\n%s\ngot  %q %v\nwant %q", doc.String(), e.in(format), r.String("f.go"),
						r.failed, want.String())
				}
				if got, _ := pl.View("f.go"); got.String() != r.String("f.go") {
					t.Fatalf("the placer has %q, its receiver %q", got.String(), r.String("f.go"))
				}
			})
		})
	}
}
