package editstream

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSearchReplace(t *testing.T) {
	abc := "a\nb\nc\n"
	for _, c := range []struct {
		name, file, text string
		want, prose      string
		fails            string
	}{
		{"plain", abc, "Look:\n\nf.go\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\nDone.\n", "a\nB\nc\n",
			"Look:\n\nDone.\n", ""},
		{"fenced", abc, "f.go\n```go\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n```\n", "a\nB\nc\n", "", ""},
		{"fence first", abc, "Now:\n```go\nf.go\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n```\nbye",
			"a\nB\nc\n", "Now:\nbye", ""},
		{"two in one fence", abc, "**f.go**\n```\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE\n```\n", "A\nB\nc\n", "", ""},
		{"same file again", abc,
			"`f.go`:\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\nand\n<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE\n",
			"A\nB\nc\n", "and\n", ""},
		{"delete", abc, "f.go\n<<<<<<< SEARCH\nb\n=======\n>>>>>>> REPLACE\n", "a\nc\n", "", ""},
		{"insert", abc, "f.go\n<<<<<<< SEARCH\nb\n=======\nb\nx\n>>>>>>> REPLACE\n", "a\nb\nx\nc\n", "", ""},
		{"white space", "\ta\n\tb\n", "f.go\n<<<<<<< SEARCH\n  b\n=======\n\tB\n>>>>>>> REPLACE\n", "\ta\n\tB\n", "", ""},
		{"kept lines keep their bytes", "a\r\nb\nc\r\n", "f.go\n<<<<<<< SEARCH\na\nb\nc\n=======\na\nB\nc\n>>>>>>> REPLACE\n",
			"a\r\nB\nc\r\n", "", ""},
		{"longer markers", "=======\nx\n", "f.go\n<<<<<<<< SEARCH\n=======\n========\n-------\n>>>>>>>> REPLACE\n",
			"-------\nx\n", "", ""},
		{"no final newline kept", "a\nb", "f.go\n<<<<<<< SEARCH\na\nb\n=======\nA\nb\n>>>>>>> REPLACE\n", "A\nb", "", ""},
		{"ambiguous", "a\nb\na\n", "f.go\n<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE\n", "a\nb\na\n", "", "Failed to place the hunk in f.go: its lines occur 2 times, at lines 1, 3; add context lines or an @@ header that tell them apart"},
		{"missing", abc, "f.go\n<<<<<<< SEARCH\nz\n=======\nA\n>>>>>>> REPLACE\n", abc, "",
			"Failed to find expected lines in f.go:\nz"},
		{"new over old", abc, "f.go\n<<<<<<< SEARCH\n=======\nA\n>>>>>>> REPLACE\n", abc, "",
			"Failed to create f.go: it exists already; an empty SEARCH is for new files"},
		{"no path", abc, "Hi\n<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE\nx\n", abc, "Hi\nx\n",
			"the search/replace block on line 2 has no file: put the path on the line before it"},
		{"unfinished", abc, "f.go\n<<<<<<< SEARCH\na\n=======\nA\n", abc, "",
			"the search/replace block for f.go has no end: '>>>>>>> REPLACE' is missing"},
		{"no middle", abc, "f.go\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", abc, "",
			"the search/replace block for f.go has no '======='"},
		{"prose with a path", abc, "See f.go for it.\nf.go\nThat was it.\n", abc,
			"See f.go for it.\nf.go\nThat was it.\n", ""},
		{"prose with code", abc, "f.go\n```go\na\n```\n", abc, "f.go\n```go\na\n```\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, parser := range []func() Parser{NewSearchReplace, NewAuto} {
				if c.name == "prose with code" && parser().(*blocks).auto {
					continue
				}
				checkStream(t, parser, c.file, c.text, c.want, c.prose, c.fails)
			}
		})
	}
}

func checkStream(t *testing.T, parser func() Parser, file, stream_, want, prose, fails string) {
	t.Helper()
	for _, n := range []int{1, 3, 1000} {
		m := files("f.go", file)
		r := newReplica(t, m)
		stream(parser(), NewPlacer(m, Options{}), stream_, n, r.take)
		if r.String("f.go") != want {
			t.Errorf("chunks of %d: got %q, want %q", n, r.String("f.go"), want)
		}
		if r.prose.String() != prose {
			t.Errorf("chunks of %d: got prose %q, want %q", n, r.prose.String(), prose)
		}
		message := ""
		if len(r.failed) > 0 {
			message = r.failed[0].Message
		}
		if len(r.bad) > 0 {
			message = r.bad[0].Message
		}
		if message != fails {
			t.Errorf("chunks of %d: got message %q, want %q", n, message, fails)
		}
	}
}

func TestSearchReplaceCreates(t *testing.T) {
	m := files()
	r := newReplica(t, m)
	stream(NewSearchReplace(), NewPlacer(m, Options{}),
		"dir/x.go\n<<<<<<< SEARCH\n=======\npackage x\n\nvar X int\n>>>>>>> REPLACE\n", 5, r.take)
	if got := r.String("dir/x.go"); got != "package x\n\nvar X int\n" {
		t.Errorf("got %q", got)
	}
}

func TestWholeFile(t *testing.T) {
	abc := "a\nb\nc\n"
	for _, c := range []struct {
		name, file, text string
		want, prose      string
		fails            string
	}{
		{"plain", abc, "Here:\n\nf.go\n```go\na\nB\nc\n```\nDone.\n", "a\nB\nc\n", "Here:\n\nDone.\n", ""},
		{"decorated", abc, "### File: `f.go`:\n\n```\nx\n```\n", "x\n", "", ""},
		{"info", abc, "Text\n```go f.go\nx\n```\n", "x\n", "Text\n", ""},
		{"info with colon", abc, "```go:f.go\nx\n```\n", "x\n", "", ""},
		{"info with key", abc, "```go title=\"f.go\"\nx\n```\n", "x\n", "", ""},
		{"longer fence", abc, "File: f.go\n````md\n```go\nx\n```\n````\n", "```go\nx\n```\n", "", ""},
		{"tildes", abc, "File: f.go\n~~~\n```\n~~~\n", "```\n", "", ""},
		{"indented fence is content", abc, "File: f.go\n```go\nx\n  ```\ny\n```\n", "x\n  ```\ny\n", "", ""},
		{"final newline added", "a\nb", "f.go\n```\na\nb\n```\n", "a\nb\n", "", ""},
		{"line endings", "a\r\nb\r\n", "f.go\n```\na\nx\nb\n```\n", "a\r\nx\r\nb\r\n", "", ""},
		{"same", abc, "f.go\n```\na\nb\nc\n```\n", abc, "", ""},
		{"code without a path", abc, "Use it:\n```go\nf.go\n```\n", abc, "Use it:\n```go\nf.go\n```\n", ""},
		{"a diff is no content", abc, "f.go\n```diff\n-a\n```\n", abc, "f.go\n```diff\n-a\n```\n", ""},
		{"empty", abc, "f.go\n```\n```\n", abc, "", "the block for f.go is empty"},
		{"unfinished", abc, "f.go\n```\nx\n", abc, "", "the block for f.go has no end: '```' is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkStream(t, NewWholeFile, c.file, c.text, c.want, c.prose, c.fails)
			if c.name == "a diff is no content" {
				return // for NewAuto it is an edit
			}
			checkStream(t, NewAuto, c.file, c.text, c.want, c.prose, c.fails)
		})
	}
}

func TestAuto(t *testing.T) {
	patch := upf + "@@\n-a\n+A\n" + ep
	f := func(s string) string { return strings.ReplaceAll(s, "f\n", "f.go\n") }
	for _, c := range []struct{ name, text, want, prose string }{
		{"patch", f("Sure.\n" + patch + "Done.\n"), "A\nb\n", "Sure.\nDone.\n"},
		{"patch in a fence", f("Sure.\n```\n" + patch + "```\nDone.\n"), "A\nb\n", "Sure.\nDone.\n"},
		{"patch in a heredoc", f("apply_patch <<'PATCH'\n" + patch + "PATCH\n"), "A\nb\n", ""},
		{"patch in a fence with a path", f("f\n```\n" + patch + "```\nDone.\n"), "A\nb\n", "f.go\nDone.\n"},
		{"two patches", f(patch + "and\n" + strings.ReplaceAll(strings.ReplaceAll(patch, "-a", "-b"), "+A", "+B")),
			"A\nB\n", "and\n"},
		{"code after a patch is prose", f(patch + "f\n```\nx\n```\n"), "A\nb\n", "f.go\n```\nx\n```\n"},
		{"code after a block is prose", "f.go\n<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE\nf.go\n```\nx\n```\n", "A\nb\n",
			"f.go\n```\nx\n```\n"},
		{"nothing", "Nothing to do.", "a\nb\n", "Nothing to do."},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkStream(t, NewAuto, "a\nb\n", c.text, c.want, c.prose, "")
		})
	}
}

func TestLenient(t *testing.T) {
	m := files("f", "a\nb\nc\n")
	text := upf + "@@\n-a\nforgot\n+A\n@@\n-b\n+B\n*** Add File: n\n+x\n\n+y\n\n*** End Patch\n"
	r := newReplica(t, m)
	stream(NewV4A(), NewPlacer(m, Options{}), text, 4, r.take)
	if got := r.String("f"); got != "a\nB\nc\n" {
		t.Errorf("f is %q", got)
	}
	if got := r.String("n"); got != "x\n\ny\n" {
		t.Errorf("n is %q", got)
	}
	if len(r.failed) != 1 || r.failed[0].Reason != Contradicted || len(r.bad) != 0 {
		t.Errorf("got failures %+v and errors %+v", r.failed, r.bad)
	}
	want := []string{"Opened", "Changed", "Changed", "Failed", "Opened", "Changed", "Changed", "Closed", "Created",
		"Opened", "Changed", "Changed", "Changed", "Closed"}
	if d := cmp.Diff(want, r.log); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
}
