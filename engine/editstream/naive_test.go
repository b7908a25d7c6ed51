package editstream

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

// naive applies hunks in the obvious way: arrays of lines, every place tried. The streaming
// placer must agree with it.
type naive struct {
	lines   []string // with their line breaks
	cursor  int
	end     int // lines that may be searched
	eol     string
	fromTop bool // the newest hunk was searched from the top
}

func newNaive(doc string) *naive {
	n := &naive{lines: slices.Collect(strings.Lines(doc)), eol: "\n"}
	if len(n.lines) > 0 && strings.HasSuffix(n.lines[0], "\r\n") {
		n.eol = "\r\n"
	}
	n.end = len(n.lines)
	return n
}

func body(line string) string {
	if s, ok := strings.CutSuffix(line, "\r\n"); ok {
		return s
	}
	return strings.TrimSuffix(line, "\n")
}

// fits reports whether all old lines match at line at.
func (n *naive) fits(old []string, at int, l level) bool {
	if at < 0 || at+len(old) > n.end {
		return false
	}
	for i, want := range old {
		if normal(body(n.lines[at+i]), l) != normal(want, l) {
			return false
		}
	}
	return true
}

// all returns every place from line start on, in the closest pass that has one.
func (n *naive) all(old []string, start int) []int {
	for l := exact; l < levels; l++ {
		var out []int
		for at := start; at+len(old) <= n.end; at++ {
			if n.fits(old, at, l) {
				out = append(out, at)
			}
		}
		if out != nil {
			return out
		}
	}
	return nil
}

// places returns the places that a hunk matches: none is missing, more than one ambiguous.
func (n *naive) places(header string, old []string, atEOF bool) []int {
	starts := []int{n.cursor}
	if header != "" {
		starts = n.all([]string{header}, n.cursor)
		for i := range starts {
			starts[i]++
		}
	}
	if at := n.end - len(old); atEOF && len(starts) > 0 && at >= starts[0] && n.fits(old, at, loose) {
		return []int{at}
	}
	var out []int
	for _, s := range starts {
		all := n.all(old, s)
		if header != "" {
			all = all[:min(1, len(all))]
		}
		for _, at := range all {
			if !slices.Contains(out, at) {
				out = append(out, at)
			}
		}
	}
	return out
}

// lastHunk collects the lines of the last hunk in evs.
func lastHunk(evs []Event) (h HunkBegin, lines []Line, end *HunkEnd) {
	for _, ev := range evs {
		switch ev := ev.(type) {
		case HunkBegin:
			h, lines, end = ev, nil, nil
		case Line:
			lines = append(lines, ev)
		case HunkEnd:
			end = &ev
		}
	}
	return h, lines, end
}

// apply applies lines at line at.
func (n *naive) apply(at int, lines []Line) {
	var gone []string // the group's removed lines
	come := 0         // how many of its new lines came
	last := ""        // line break of the newest
	for i, l := range lines {
		if l.Kind != '+' && (l.Kind == ' ' || come > 0) {
			gone, come = nil, 0
		}
		switch {
		case l.Kind == ' ' || l.Kind == '-':
			if at >= n.end || normal(body(n.lines[at]), loose) != normal(l.Text, loose) {
				if l.Text == "" && i+1 == len(lines) {
					continue // the trailing empty line
				}
				panic(fmt.Sprintf("line %d is %q, not %q", at, n.lines[at:min(at+1, len(n.lines))], l.Text))
			}
			if l.Kind == '-' {
				gone = append(gone, n.lines[at])
				n.lines = slices.Delete(n.lines, at, at+1)
				n.end--
			} else {
				at++
			}
		default:
			above := n.above(at)
			if at > 0 && !strings.HasSuffix(n.lines[at-1], "\n") {
				above = first(above, n.eol)
				n.lines[at-1] += above
			}
			if come == 0 {
				last = ""
			}
			eol := first(last, above, lineBreak(n.lines[at:min(at+1, max(at, n.end))]), n.eol)
			if come < len(gone) {
				eol = first(lineBreak(gone[come:come+1]), eol)
			}
			come, last = come+1, eol
			n.lines = slices.Insert(n.lines, at, l.Text+eol)
			n.end++
			at++
		}
	}
	n.cursor = at
}

// above returns the last line break before line at.
func (n *naive) above(at int) string { return lineBreak(n.lines[:at]) }

// lineBreak returns the last line break in lines.
func lineBreak(lines []string) string {
	for _, l := range slices.Backward(lines) {
		if eol := l[len(body(l)):]; eol != "" {
			return eol
		}
	}
	return ""
}

func (n *naive) append(lines []Line) {
	cursor, end := n.cursor, n.end
	n.apply(len(n.lines), lines)
	n.cursor, n.end = cursor, end
}

func (n *naive) String() string { return strings.Join(n.lines, "") }

// drawHunk draws a hunk, mostly of lines of the file.
func drawHunk(t *rapid.T, doc []string) []Event {
	h := HunkBegin{}
	if rapid.IntRange(0, 3).Draw(t, "header") == 0 && len(doc) > 0 {
		if h.Header = body(rapid.SampledFrom(doc).Draw(t, "header line")); strings.TrimSpace(h.Header) == "" {
			h.Header = ""
		}
	}
	evs := []Event{h}
	at := rapid.IntRange(0, len(doc)).Draw(t, "at")
	n := rapid.IntRange(0, min(6, len(doc)-at)).Draw(t, "n")
	for _, l := range doc[at : at+n] {
		l = body(l)
		switch rapid.IntRange(0, 30).Draw(t, "mutate") {
		case 0:
			l = word.Draw(t, "other")
		case 1:
			l = " " + l + "\t"
		}
		for rapid.IntRange(0, 4).Draw(t, "insert") == 0 {
			evs = append(evs, Line{'+', word.Draw(t, "new")})
		}
		evs = append(evs, Line{rapid.SampledFrom([]byte{' ', '-'}).Draw(t, "kind"), l})
	}
	for n == 0 || rapid.IntRange(0, 2).Draw(t, "insert") == 0 {
		evs = append(evs, Line{'+', word.Draw(t, "new")})
		n++
	}
	if rapid.IntRange(0, 8).Draw(t, "phantom") == 0 {
		evs = append(evs, Line{' ', ""})
	}
	return append(evs, HunkEnd{AtEOF: rapid.IntRange(0, 8).Draw(t, "eof") == 0})
}

func oldLines(lines []Line) (old []string) {
	for _, l := range lines {
		if l.Kind != '+' {
			old = append(old, l.Text)
		}
	}
	return old
}

// hunk does what the placer must do with a complete hunk, and returns the reason for which
// it fails. What is nowhere behind the hunk before it may be above it.
func (n *naive) hunk(h HunkBegin, lines []Line, atEOF bool) Reason {
	n.fromTop = false
	why := n.behind(h, lines, atEOF)
	if why != Missing || n.cursor == 0 || h.Header != "" && n.all([]string{h.Header}, n.cursor) != nil {
		return why
	}
	cursor := n.cursor
	n.cursor, n.fromTop = 0, true
	if why = n.behind(h, lines, atEOF); why == Missing {
		n.cursor = cursor
	}
	return why
}

func (n *naive) behind(h HunkBegin, lines []Line, atEOF bool) Reason {
	old := oldLines(lines)
	if h.Header != "" && n.all([]string{h.Header}, n.cursor) == nil {
		return Missing
	}
	if headers := n.all([]string{h.Header}, n.cursor); len(old) == 0 && h.Header != "" && !atEOF {
		if len(headers) > 1 {
			return Ambiguous
		}
		n.apply(headers[0]+1, lines)
		return ""
	}
	if len(old) == 0 {
		n.append(lines)
		return ""
	}
	places := n.places(h.Header, old, atEOF)
	if k := len(old) - 1; len(places) == 0 && k > 0 && old[k] == "" {
		places = n.places(h.Header, old[:k], atEOF)
		if len(places) == 1 && lines[len(lines)-1].Kind == '+' {
			return "skip" // an empty line that is counted on
		}
	}
	if headers := n.all([]string{h.Header}, n.cursor); len(places) == 0 && len(old) == 1 && old[0] == "" &&
		h.Header != "" && len(headers) == 1 && !atEOF {
		if lines[len(lines)-1].Kind == '+' {
			return "skip"
		}
		places = []int{headers[0] + 1}
	}
	switch {
	case len(places) == 0:
		return Missing
	case len(places) > 1:
		return Ambiguous
	}
	n.apply(places[0], lines)
	return ""
}

func TestPlacesLikeNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := drawDoc(t)
		m := memFiles{"f": {Text: text.OfString(doc)}}
		r, n := newReplica2(t, m), newNaive(doc)
		pl := NewPlacer(m, Options{})
		pl.Handle(FileBegin{Path: "f"}, r.take)
		for range rapid.IntRange(1, 5).Draw(t, "hunks") {
			evs := drawHunk(t, n.lines[min(n.cursor, len(n.lines)):])
			failures := len(r.failed)
			for _, ev := range evs {
				pl.Handle(ev, r.take)
			}
			h, lines, end := lastHunk(evs)
			want, got := n.hunk(h, lines, end.AtEOF), Reason("")
			old := oldLines(lines)
			if want == "skip" || end.AtEOF && len(old) > 0 && old[len(old)-1] == "" {
				return // the empty line may have decided the place before the end of file was named
			}
			if len(r.failed) > failures {
				if got = r.failed[failures].Reason; got == Contradicted && want == "" && n.fromTop {
					return // its first lines had a place behind the hunk before it
				}
				if got == Contradicted {
					got = Missing
				}
			}
			if got != want || outdented(r.String("f")) != outdented(n.String()) {
				t.Fatalf("hunk %+v of %q\ngot  %q (%v)\nwant %q (%v)", evs, doc, r.String("f"), r.failed, n.String(), want)
			}
			// with its indentation, which TestIndentationOfNewLines checks
			n.lines = slices.Collect(strings.Lines(r.String("f")))
		}
		if got, _ := pl.View("f"); got.String() != r.String("f") {
			t.Fatalf("the placer has %q, its receiver %q", got.String(), r.String("f"))
		}
	})
}

// outdented takes the indentation off all lines.
func outdented(doc string) string {
	var b strings.Builder
	for l := range strings.Lines(doc) {
		b.WriteString(strings.TrimLeft(l, " \t"))
	}
	return b.String()
}

// TestCut cuts a stream after every byte and compares with the lines that had arrived,
// applied as Cut documents it.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := drawDoc(t)
		changes := drawChanges(t, doc)
		patch := drawnPatch(t, doc, changes)
		for cut := range patch {
			checkCut(t, doc, patch[:cut])
		}
	})
}

func checkCut(t *rapid.T, doc, patch string) {
	m := memFiles{"f": {Text: text.OfString(doc)}}
	r, n := newReplica2(t, m), newNaive(doc)
	pl := NewPlacer(m, Options{})
	var evs []Event
	place := -1
	r.hook = func(e Edit) {
		if o, ok := e.(Opened); ok {
			place = o.Line - 1
		}
	}
	p := NewV4A()
	p.Push([]byte(patch), func(ev Event) {
		evs = append(evs, ev)
		pl.Handle(ev, r.take)
		if _, ok := ev.(HunkEnd); ok {
			if _, lines, _ := lastHunk(evs); len(oldLines(lines)) > 0 {
				n.apply(place, lines)
			} else {
				n.append(lines)
			}
			evs, place = nil, -1
		}
	})
	pl.Cut(r.take)
	if _, lines, end := lastHunk(evs); end == nil && place >= 0 {
		n.apply(place, settled(lines))
	}
	if r.String("f") != n.String() {
		t.Fatalf("cut after %q\ngot  %q\nwant %q", patch, r.String("f"), n.String())
	}
	if got, ok := pl.View("f"); ok && got.String() != r.String("f") {
		t.Fatalf("the placer has %q, its receiver %q", got.String(), r.String("f"))
	}
}

// settled turns the removed lines of the last group that have no replacement yet
// into context.
func settled(lines []Line) []Line {
	lines = slices.Clone(lines)
	come := 0
	for i := len(lines) - 1; i >= 0 && lines[i].Kind == '+'; i-- {
		come++
	}
	last := len(lines) - come
	first := last
	for first > 0 && lines[first-1].Kind == '-' {
		first--
	}
	keep := min(first+come, last)
	out := slices.Clone(lines[:keep])
	out = append(out, lines[last:]...)
	for _, l := range lines[keep:last] {
		l.Kind = ' '
		out = append(out, l)
	}
	return out
}

func TestNaiveIsRight(t *testing.T) {
	n := newNaive("a\r\nb")
	n.apply(1, []Line{{' ', "b"}, {'+', "c"}})
	if n.String() != "a\r\nb\r\nc\r\n" {
		t.Errorf("got %q", n.String())
	}
}
