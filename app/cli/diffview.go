package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// diffView prints a diff as it streams: a header per hunk, then the removed
// and inserted lines with their line numbers. On a terminal the lines carry
// the colours of their language; into a pipe goes plain text, so that it can
// be read, searched and compared.
type diffView struct {
	out   io.Writer
	color bool
	path  string
	lexer chroma.Lexer
	grown map[string]int // lines that each file has gained so far

	opened bool // a hunk that has changed nothing yet
}

// ANSI sequences of the few colours that are not the highlighter's.
const (
	ansiReset  = "\x1b[0m"
	ansiDim    = "\x1b[2m"
	ansiBold   = "\x1b[1m"
	ansiRed    = "\x1b[31m"
	ansiGreen  = "\x1b[32m"
	ansiYellow = "\x1b[33m"
	ansiCyan   = "\x1b[36m"
	bgRemoved  = "\x1b[48;5;52m"
	bgInserted = "\x1b[48;5;22m"
)

func newDiffView(out io.Writer, color bool) *diffView {
	return &diffView{out: out, color: color, grown: map[string]int{}}
}

// paint wraps s in an ANSI sequence when the view is coloured.
func (v *diffView) paint(seq, s string) string {
	if !v.color || s == "" {
		return s
	}
	return seq + s + ansiReset
}

// hunk starts a hunk of a file.
func (v *diffView) hunk(path string) {
	if path != v.path {
		v.path = path
		v.lexer = nil
		if v.color {
			if v.lexer = lexers.Match(path); v.lexer != nil {
				v.lexer = chroma.Coalesce(v.lexer)
			}
		}
		fmt.Fprintf(v.out, "%s\n", v.paint(ansiBold, cleanName(path)))
	}
	v.opened = true
}

// place prints the place of a hunk at its first change, because the hunk may begin with context.
func (v *diffView) place(line int) {
	if v.opened {
		v.opened = false
		fmt.Fprintf(v.out, "%s\n", v.paint(ansiCyan, fmt.Sprintf("@@ line %d @@", line)))
	}
}

// change prints the text that one change removed and inserted. line is its place in the file
// as it is now; removed lines show their old number.
func (v *diffView) change(line int, removed, inserted string) {
	v.place(line)
	v.lines('-', line-v.grown[v.path], removed)
	v.lines('+', line, inserted)
	v.grown[v.path] += strings.Count(inserted, "\n") - strings.Count(removed, "\n")
}

func (v *diffView) lines(sign byte, line int, body string) {
	if body == "" {
		return
	}
	body = strings.TrimSuffix(body, "\n")
	for i, l := range strings.Split(body, "\n") {
		v.line(sign, line+i, clean(strings.TrimSuffix(l, "\r")))
	}
}

func (v *diffView) line(sign byte, n int, l string) {
	if !v.color {
		fmt.Fprintf(v.out, "%5d %c %s\n", n, sign, l)
		return
	}
	fg, bg := ansiGreen, bgInserted
	if sign == '-' {
		fg, bg = ansiRed, bgRemoved
	}
	fmt.Fprintf(v.out, "%s%5d%s %s%c %s%s\n", ansiDim, n, ansiReset, fg, sign, v.highlight(l, bg), ansiReset)
}

// highlight colours one line by its language on the given background. It sees one line at a
// time, because the next lines have not arrived yet.
func (v *diffView) highlight(l, bg string) string {
	if v.lexer == nil || len(l) > 2000 {
		return bg + l
	}
	it, err := v.lexer.Tokenise(nil, l)
	if err != nil {
		return bg + l
	}
	var b strings.Builder
	for tok := it(); tok != chroma.EOF; tok = it() {
		b.WriteString(ansiReset + bg + tokenColor(tok.Type))
		b.WriteString(strings.TrimRight(tok.Value, "\n"))
	}
	return b.String()
}

// tokenColor is the foreground of a token. The colours are Monokai's, written
// out here because chroma's package of styles parses all of them at every start
// of the program, which costs more than the rest of a short command.
func tokenColor(t chroma.TokenType) string {
	switch {
	case t == chroma.KeywordType, t == chroma.KeywordDeclaration:
		return "\x1b[38;2;102;217;239m" // blue
	case t.InCategory(chroma.Keyword), t.InCategory(chroma.Operator):
		return "\x1b[38;2;249;38;114m" // red
	case t.InSubCategory(chroma.NameFunction), t == chroma.NameClass, t == chroma.NameDecorator:
		return "\x1b[38;2;166;226;46m" // green
	case t.InSubCategory(chroma.LiteralString):
		return "\x1b[38;2;230;219;116m" // yellow
	case t.InSubCategory(chroma.LiteralNumber), t == chroma.KeywordConstant, t == chroma.NameConstant:
		return "\x1b[38;2;174;129;255m" // violet
	case t.InCategory(chroma.Comment):
		return "\x1b[38;2;150;145;130m" // grey, light enough on both backgrounds
	}
	return "\x1b[38;2;248;248;242m"
}

// clean makes text from a file or a model safe to print: control characters,
// and the invisible ones that reorder or hide text, show as escapes.
func clean(s string) string {
	if !strings.ContainsFunc(s, unsafeRune) && utf8.ValidString(s) { // a lone byte can be a control code, too
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unsafeRune(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cleanName makes a file's name safe to print within a line.
func cleanName(s string) string { return strings.ReplaceAll(clean(s), "\n", `\n`) }

func unsafeRune(r rune) bool {
	switch {
	case r == '\t', r == '\n':
		return false
	case r < 0x20, r == 0x7f, r >= 0x80 && r < 0xa0: // C0 and C1 controls
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2069, r == 0xfeff:
		return true // zero-width and bidirectional controls
	}
	return false
}
