package findings

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
)

// write writes a finding as Form says.
func write(f Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s %s\n", f.Severity, f.At())
	if f.Quote != "" {
		b.WriteString("> " + f.Quote + "\n")
	}
	b.WriteString(f.Title + "\n")
	if f.Why != "" {
		b.WriteString("\n" + f.Why + "\n")
	}
	if f.Suggests {
		b.WriteString("\n````suggestion\n" + f.Replacement + "````\n")
	}
	return b.String()
}

// TestParseReadsTheForm checks that findings in the form are read as they were written, with prose in
// front of them.
func TestParseReadsTheForm(t *testing.T) {
	word := rapid.StringMatching(`[A-Za-z][a-z ]{0,20}[a-z.]`)
	rapid.Check(t, func(t *rapid.T) {
		var want []Finding
		said := rapid.SampledFrom([]string{"", "Two things.\n\n", "# Summary\nIt is *fine*.\n\n"}).Draw(t, "prose")
		for range rapid.IntRange(1, 6).Draw(t, "findings") {
			f := Finding{Path: rapid.SampledFrom([]string{"a.go", "src/my cart.ts", "docs/a-1.md", "Makefile"}).Draw(t, "path"),
				From:     rapid.IntRange(1, 5000).Draw(t, "from"),
				Severity: rapid.SampledFrom([]Severity{Error, Warning, Note}).Draw(t, "severity"),
				Title:    word.Draw(t, "title"), Quote: word.Draw(t, "quote")}
			f.To = f.From + rapid.IntRange(0, 5).Draw(t, "more")
			if rapid.Bool().Draw(t, "why") {
				f.Why = word.Draw(t, "why") + "\n\n```go\n## error b.go:1\n```\n- and so on"
			}
			if f.Suggests = rapid.Bool().Draw(t, "suggests"); f.Suggests {
				f.Replacement = rapid.SampledFrom([]string{"", "\treturn nil\n", "\n# a heading\n```\n\n"}).Draw(t, "lines")
			}
			want = append(want, f)
			said += write(f) + "\n"
		}
		got := Parse(said)
		if !reflect.DeepEqual(got.Findings, want) || len(got.Problems) > 0 {
			t.Fatalf("%s\n got %+v\nwant %+v\n%q", said, got.Findings, want, got.Problems)
		}
	})
}

// TestParseReadsWhatModelsWrite checks other ways to write a finding.
func TestParseReadsWhatModelsWrite(t *testing.T) {
	want := Finding{Path: "src/a.go", From: 3, To: 5, Severity: Error, Title: "It leaks."}
	for _, said := range []string{
		"## error src/a.go:3-5\nIt leaks.\n",
		"### [Error] `src/a.go:3-5`\n\nIt leaks.",
		"## **Critical**: src/a.go:3–5\r\n\r\nIt leaks.\r\n",
		"## 1. HIGH — src/a.go:3-5 — It leaks.\n",
		"**error: src/a.go:3-5**\nIt leaks.",
		"- **src/a.go:3-5 (error)**\n\n**It leaks.**",
		"## src/a.go#L3-L5 [critical]\nIt leaks.",
		"## error ./src/a.go: lines 3-5\nIt leaks.",
		"Here is the list:\n```json\n[{\"path\":\"src/a.go\",\"line\":3,\"end_line\":5,\"severity\":\"high\",\"title\":\"It leaks.\"}]\n```",
		`{"findings":[{"file":"src/a.go","start":3,"end":5,"severity":"ERROR","message":"It leaks."}]}`,
	} {
		got := Parse(said)
		if len(got.Findings) != 1 || got.Findings[0] != want {
			t.Errorf("%q\n got %+v %q", said, got.Findings, got.Problems)
		}
	}
}

// TestParseKeepsTheRest checks that what cannot be read is said, and that the findings around it stay.
func TestParseKeepsTheRest(t *testing.T) {
	r := Parse(
		"## error a.go:1\nOne.\n\n## error: a.go is bad\nTwo.\n\n## note b.go:2\n\n" +
			"## warning c.go:3\nFour \x1b[31mred\x1b[0m.\n\n```suggestion\ncut o",
	)
	if len(r.Findings) != 2 || r.Findings[0].Title != "One." || r.Findings[1].Title != "Four [31mred[0m." ||
		r.Findings[1].Suggests {
		t.Errorf("%+v", r.Findings)
	}
	if said := strings.Join(r.Problems, "\n"); len(r.Problems) != 3 || !strings.Contains(said, "a.go is bad") ||
		!strings.Contains(said, "b.go:2") || !strings.Contains(said, "breaks off") {
		t.Errorf("%q", r.Problems)
	}
	for said, clean := range map[string]bool{
		"No findings.": true, "**No findings**\n": true,
		"I looked at it. No findings.": true,
		"It looks good to me.":         false, "": false, "## error a.go:1\nOne.\n\nNo findings": false,
	} {
		if r := Parse(said); r.Clean() != clean {
			t.Errorf("%q: clean is %v, prose %q", said, r.Clean(), r.Prose)
		}
	}
	many := Parse(strings.Repeat("## note a.go:1\nOne.\n\n", Most+7))
	if len(many.Findings) != Most || len(many.Problems) != 1 {
		t.Errorf("%d findings, %q", len(many.Findings), many.Problems)
	}
}

// TestPlace checks that the quoted text decides where a finding is.
func TestPlace(t *testing.T) {
	lines := strings.Split("package a\n\nfunc f() {\n\treturn 1\n}\n\nfunc g() {\n\treturn 1\n}", "\n")
	for _, c := range []struct {
		f        Finding
		from, to int // 0: it has no place
		says     string
	}{
		{Finding{From: 4, To: 4, Quote: "return 1"}, 4, 4, ""},
		{Finding{From: 7, To: 8, Quote: "func g() {"}, 7, 8, ""},
		{Finding{From: 9, To: 9, Quote: "return 1"}, 8, 8, "moved"},
		{Finding{From: 400, To: 402, Quote: "\tfunc f() {\n\treturn 1"}, 3, 5, "moved"},
		{Finding{From: 4, To: 4, Quote: "4 +     return 1"}, 4, 4, ""},
		{Finding{From: 3, To: 3, Quote: "func f() {\nreturn 2"}, 3, 3, ""},
		{Finding{From: 4, To: 4, Quote: "return 2"}, 0, 0, "is not in"},
		{Finding{From: 9, To: 20}, 9, 9, ""},
		{Finding{From: 10, To: 10}, 0, 0, "has 9 lines"},
	} {
		got, says, ok := Place(c.f, lines)
		if ok != (c.from > 0) || ok && (got.From != c.from || got.To != c.to) || !strings.Contains(says, c.says) ||
			(c.says == "") != (says == "") {
			t.Errorf("%+v is at %d-%d, %v: %s", c.f, got.From, got.To, ok, says)
		}
	}
}

// FuzzParse checks that any answer is read, and that what is read can be placed without harm.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"## error a.go:1-2\n> x\nT\n\nw\n```suggestion\ny\n```\n",
		`[{"path":"a","line":1,"title":"t"}]`,
		"**a:1**\n~~~\n", "## error a.go:999999999-1\n\x00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		r := Parse(said)
		for _, one := range r.Findings {
			if one.Path == "" || one.Title == "" || one.From < 0 || one.To < one.From ||
				strings.ContainsAny(one.Title+one.Why, "\x00\x1b") {
				t.Errorf("%+v", one)
			}
			if got, _, ok := Place(one, []string{"a", "b"}); ok && (got.From < 1 || got.To > 2 || got.To < got.From) {
				t.Errorf("%+v is placed at %d-%d", one, got.From, got.To)
			}
		}
	})
}

// TestParseReadsLists checks findings that are items of a list, the objects of another tool, and what a model
// thinks before it answers.
func TestParseReadsLists(t *testing.T) {
	for answer, want := range map[string]string{
		"1. **a.go:3** (High): It fails.\n   When it is late.\n2. `b.go`, lines 4-5: It is slow\n":                                        "error a.go:3 It fails.; warning b.go:4-5 It is slow",
		"- `a.go`, line 3: **Critical** – It fails\n":                                                                                     "error a.go:3 It fails",
		"## error a.go:3\nIt fails.\n\n- b.go:4: as here\n":                                                                               "error a.go:3 It fails.",
		"<think>\n## error b.go:1\nHm.\n</think>\n## error a.go:3\nIt fails.\n":                                                           "error a.go:3 It fails.",
		`{"findings":[{"title":"It fails","priority":1,"code_location":{"absolute_file_path":"a.go","line_range":{"start":3,"end":4}}}]}`: "error a.go:3-4 It fails",
	} {
		var got []string
		for _, f := range Parse(answer).Findings {
			got = append(got, fmt.Sprintf("%s %s %s", f.Severity, f.At(), f.Title))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: got %q", answer, got)
		}
	}
	for _, answer := range []string{"LGTM!", "Looks good to me. No issues found.", "No problems were found."} {
		if !Parse(answer).Clean() {
			t.Errorf("%s: not clean", answer)
		}
	}
}
