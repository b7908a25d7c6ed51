package editstream

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waferpair/workspace/text"
)

func TestFailures(t *testing.T) {
	doc := "func a() {\n\tx := 1\n\treturn x\n}\n\nfunc b() {\n\tx := 2\n\treturn x\n}\n"
	locked := Doc{Text: text.OfString("x\n"), Editable: errors.New("the file is binary")}
	for _, c := range []struct {
		name, patch string
		want        Failed
	}{
		{"near", upf + "@@\n func b() {\n-\tx := 3\n+\tx := 4\n" + ep,
			Failed{1, "f", Contradicted,
				"Failed to find expected lines in f: expected `\tx := 3`, file has `\tx := 2` at line 7",
				&Nearest{7, "\tx := 3", "\tx := 2", 1, 2}}},
		{"nearest of several", upf + "@@\n-\tx := 3\n \treturn x\n }\n \n func b() {\n" + ep,
			Failed{1, "f", Missing, "Failed to find expected lines in f:\n\tx := 3\n\treturn x\n}\n\nfunc b() {",
				&Nearest{2, "\tx := 3", "\tx := 1", 4, 5}}},
		{"beyond the end", upf + "@@\n \treturn x\n }\n-func c() {\n" + ep,
			Failed{1, "f", Missing, "Failed to find expected lines in f:\n\treturn x\n}\nfunc c() {",
				&Nearest{5, "func c() {", "", 2, 3}}},
		{"nothing near", upf + "@@\n-zzz\n" + ep, Failed{1, "f", Missing, "Failed to find expected lines in f:\nzzz", nil}},
		{"header near", upf + "@@ func b(\n-zzz\n" + ep,
			Failed{1, "f", Missing, "Failed to find expected lines in f:\nzzz", nil}},
		{"header in a word", upf + "@@ unc b()\n-zzz\n" + ep, Failed{1, "f", Missing, "Failed to find context 'unc b()' in f",
			&Nearest{6, "unc b()", "func b() {", 0, 1}}},
		{"not editable", bp + "*** Update File: bin\n@@\n-x\n+y\n" + ep,
			Failed{1, "bin", Barred, "bin: the file is binary", nil}},
		{"not to be added", bp + "*** Add File: bin\n+y\n" + ep, Failed{1, "bin", Barred, "bin: the file is binary", nil}},
		{"not to be deleted", bp + "*** Delete File: bin\n" + ep,
			Failed{1, "bin", Barred, "Failed to delete file bin: the file is binary", nil}},
		{"not to be opened", bp + "*** Update File: ../x\n@@\n-x\n+y\n" + ep,
			Failed{1, "../x", Barred, "../x: the path leaves the project", nil}},
		{"not to be moved to", upf + "*** Move to: ../x\n@@\n+y\n" + ep,
			Failed{2, "f", Barred, "Failed to move f to ../x: the path leaves the project", nil}},
		{"same file by another name", upf + "*** Move to: d/../f\n@@\n+y\n" + ep,
			Failed{2, "f", Refused, "Failed to move f to f: it is the same file", nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := fenced{memFiles{"f": {Text: text.OfString(doc)}, "bin": locked}}
			_, failed, err := Plan(NewV4A(), []byte(c.patch), m)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]Failed{c.want}, failed); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// fenced refuses paths that leave the project, as an application does.
type fenced struct{ memFiles }

func (f fenced) Open(path string) (Doc, error) {
	if strings.HasPrefix(path, "..") {
		return Doc{}, errors.New("the path leaves the project")
	}
	return f.memFiles.Open(path)
}

func TestStreamsEarly(t *testing.T) {
	m := files("f", "a\nb\nc\nb\n")
	r := newReplica(t, m)
	pl := NewPlacer(m, Options{FirstHunk: 7})
	p := NewV4A()
	for _, step := range []struct{ push, want string }{
		{upf + "@@\n", "a\nb\nc\nb\n"},
		{"-b\n", "a\nb\nc\nb\n"},         // two places: not certain yet
		{" c\n", "a\nc\nb\n"},            // now it is
		{"+x", "a\nc\nb\n"},              // a part of a line
		{"\n", "a\nc\nx\nb\n"},           // the line
		{"+y\n", "a\nc\nx\ny\nb\n"},      // and so on
		{" z\n", "a\nb\nc\nb\n"},         // contradiction: all reverted
		{"+never\n", "a\nb\nc\nb\n"},     // the rest is ignored
		{"@@\n-a\n+A\n", "A\nb\nc\nb\n"}, // the next one works
	} {
		p.Push([]byte(step.push), func(ev Event) { pl.Handle(ev, r.take) })
		if got := r.String("f"); got != step.want {
			t.Fatalf("after %q: got %q, want %q", step.push, got, step.want)
		}
	}
	want := []string{"Opened", "Changed", "Changed", "Changed", "Changed", "Failed", "Opened", "Changed", "Changed"}
	if d := cmp.Diff(want, r.log); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	if r.open != 8 {
		t.Errorf("last hunk is %d", r.open)
	}
}

func TestEncodings(t *testing.T) {
	for _, enc := range []text.Encoding{text.UTF16LE, text.UTF16BE, text.Latin1} {
		doc, _ := enc.Encode("é = 1\r\nü = 2\r\n")
		before := append(enc.BOM(), doc...)
		want, _ := enc.Encode("é = 1\r\nö = 3\r\n")
		m := memFiles{"f": {Text: text.Of(before), Encoding: enc}}
		results, failed, err := Plan(NewV4A(), []byte(upf+"@@\n é = 1\n-ü = 2\n+ö = 3\n"+ep), m)
		if err != nil || len(failed) > 0 {
			t.Fatal(enc, err, failed)
		}
		if got := results[0].After.String(); got != string(enc.BOM())+string(want) {
			t.Errorf("%v: got %q", enc, got)
		}
	}
	m := memFiles{"f": {Text: text.OfString("a\n"), Encoding: text.Latin1}}
	_, failed, _ := Plan(NewV4A(), []byte(upf+"@@\n-a\n+世\n"+ep), m)
	if len(failed) != 1 || failed[0].Reason != Unencodable {
		t.Errorf("got %+v", failed)
	}
}

func TestPlanIsAllOrNothing(t *testing.T) {
	m := files("f", "a\n", "g", "b\n")
	results, failed, err := Plan(NewStrictV4A(), []byte(upf+"@@\n-a\n+A\n*** Update File: g\n@@\n-x\n+y\n"+ep), m)
	if err != nil || results != nil || len(failed) != 1 || failed[0].Path != "g" {
		t.Errorf("got %v, %v, %v", results, failed, err)
	}
}

func TestPlanResults(t *testing.T) {
	m := files("f", "a\nb\n", "d", "gone\n", "m", "old\n", "same", "s\n")
	patch := upf + "@@\n-a\n+A\n*** Delete File: d\n*** Update File: m\n*** Move to: n\n@@\n-old\n+new\n" +
		"*** Add File: e\n+x\n*** Update File: same\n@@\n s\n" + ep
	results, failed, err := Plan(NewStrictV4A(), []byte(patch), m)
	if err != nil || len(failed) > 0 {
		t.Fatal(err, failed)
	}
	type row struct {
		Path, Op, MoveTo, After string
		Hunks                   int
	}
	var got []row
	for _, r := range results {
		got = append(got, row{r.Path, r.Op.String(), r.MoveTo, r.After.String(), len(r.Hunks)})
	}
	want := []row{{"f", "update", "", "A\nb\n", 1}, {"d", "delete", "", "", 0}, {"m", "update", "n", "new\n", 1},
		{"e", "add", "", "x\n", 1}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestCutPutsBack(t *testing.T) {
	for _, c := range []struct{ push, want string }{
		{"@@\n a\n-b\n-c\n", "a\nb\nc\nd\n"},
		{"@@\n a\n-b\n-c\n+B\n", "a\nB\nc\nd\n"},
		{"@@\n a\n-b\n-c\n+B\n+C\n+D\n", "a\nB\nC\nD\nd\n"},
		{"@@\n a\n-b\n+B\n-c\n", "a\nB\nc\nd\n"},
		{"@@\n a\n-b\n c\n", "a\nc\nd\n"},
		{"@@\n a\n+x\n", "a\nx\nb\nc\nd\n"},
	} {
		m := files("f", "a\nb\nc\nd\n")
		r := newReplica(t, m)
		pl := NewPlacer(m, Options{})
		NewV4A().Push([]byte(upf+c.push), func(ev Event) { pl.Handle(ev, r.take) })
		pl.Cut(r.take)
		if got := r.String("f"); got != c.want {
			t.Errorf("cut after %q: got %q, want %q", c.push, got, c.want)
		}
		if len(r.closed) != 1 || !r.closed[0].Partial {
			t.Errorf("cut after %q: closed %+v", c.push, r.closed)
		}
	}
}

// TestWholeFileIsMinimal checks that lines that stay are not touched.
func TestWholeFileIsMinimal(t *testing.T) {
	doc := bigFile(6000)
	for _, c := range []struct {
		name string
		edit func(string) string
		most int // lines removed and added
	}{
		{"nothing", func(s string) string { return s }, 0},
		{"one line", func(s string) string { return strings.Replace(s, "y := x + 7\n", "y := 7\n", 1) }, 2},
		{"a function more", func(s string) string {
			return strings.Replace(s, "// F9 does",
				"func N(z int) int {\n\tif z < 0 {\n\t\treturn 0\n\t}\n\treturn z\n}\n\n// F9 does", 1)
		}, 7},
		{"a function less", func(s string) string {
			a, b := strings.Index(s, "// F9 does"), strings.Index(s, "// F10 does")
			return s[:a] + s[b:]
		}, 9},
		{"the start less", func(s string) string { return s[strings.Index(s, "// F5 does"):] }, 45},
		{"the end less", func(s string) string { return s[:2*len(s)/3] + "\n" }, 2500},
	} {
		m := files("f.go", doc)
		r := newReplica(t, m)
		stream(NewWholeFile(), NewPlacer(m, Options{}), "f.go\n```go\n"+c.edit(doc)+"```\n", 100, r.take)
		if r.String("f.go") != c.edit(doc) {
			t.Fatalf("%s: wrong content", c.name)
		}
		if got := r.closed[0].Added + r.closed[0].Removed; got > c.most {
			t.Errorf("%s: %d lines touched, at most %d expected", c.name, got, c.most)
		}
	}
}
