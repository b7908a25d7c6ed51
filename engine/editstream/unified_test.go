package editstream

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestUnified checks diffs as tools and models write them.
func TestUnified(t *testing.T) {
	head := "--- a/f.go\n+++ b/f.go\n"
	const b = "a\nb\nc\n"
	for _, c := range []struct{ name, text, want, prose, fails string }{
		{"plain", head + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n", "", ""},
		{"fenced", "Sure:\n\n```diff\n" + head + "@@ -1,3 +1,3 @@ func x()\n a\n-b\n+B\n c\n```\nDone.\n", "a\nB\nc\n",
			"Sure:\n\nDone.\n", ""},
		{"a heading above", "**f.go**\n```diff\n" + head + "@@ -1 +1 @@\n-b\n+B\n```\n", "a\nB\nc\n", "**f.go**\n", ""},
		{"git", "diff --git a/f.go b/f.go\nindex 123..456 100644\n" + head + "@@ -1 +1 @@\n-b\n+B\n", "a\nB\nc\n", "", ""},
		{"wrong counts", head + "@@ -7,1 +9,20 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n", "", ""},
		{"no numbers", head + "@@\n a\n-b\n+B\n", "a\nB\nc\n", "", ""},
		{"dots", head + "@@ ... @@\n a\n-b\n+B\n", "a\nB\nc\n", "", ""},
		{"a header as in V4A", head + "@@ a\n-b\n+B\n", "a\nB\nc\n", "", ""},
		{"no @@", head + " a\n-b\n+B\n", "a\nB\nc\n", "", ""},
		{"no prefixes", "--- f.go\t2024-01-02 10:00:00\n+++ f.go\t2024-01-02 10:00:01\n@@ -1 +1 @@\n-b\n+B\n",
			"a\nB\nc\n", "", ""},
		{"the path before the fence", "f.go:\n```diff\n@@ -1,2 +1,2 @@\n-b\n+B\n```\n", "a\nB\nc\n", "", ""},
		{"the path before the fence, no @@", "### `f.go`\n\n```diff\n a\n-b\n+B\n```\n", "a\nB\nc\n", "", ""},
		{"context without its space", "```diff\n" + head + "@@ -1,3 +1,3 @@\na\n-b\n+B\nc\n```\n", "a\nB\nc\n", "", ""},
		{"two hunks", head + "@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -3 +3 @@\n-c\n+C\n", "A\nb\nC\n", "", ""},
		{"no newline at the end", head + "@@ -3 +3 @@\n-c\n\\ No newline at end of file\n+C\n\\ No newline at end of file\n",
			"a\nb\nC\n", "", ""},
		{"text after it", head + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\nThat was it.\n- one\n", "a\nB\nc\n",
			"That was it.\n- one\n", ""},
		{"a list after it", head + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\n- one\n", "a\nB\nc\n", "- one\n", ""},
		{"a mail", head + "@@ -1,2 +1,2 @@\n a\n-b\n+B\n-- \n2.39.0\n", "a\nB\nc\n", "-- \n2.39.0\n", ""},
		{"more after the counts", head + "@@ -1,1 +1,1 @@\n-a\n+A\n\n+x\n", "A\nb\nc\n", "+x\n",
			"line 7 seems to go on with the diff that ended before line 7; each line of a hunk begins with ' ', '-' or '+': " +
				"write what is missing in a fence"},
		{"no place", head + "@@ -1 +1 @@\n-z\n+Z\n", b, "", "Failed to find expected lines in f.go:\nz"},
		{"no context", head + "@@ -2,0 +3 @@\n+x\n", b, "",
			"the hunk before line 4 has no line of f.go: it needs lines of the file around the new ones"},
		{"two names", "--- a/f.go\n+++ b/g.go\n@@ -1 +1 @@\n-b\n+B\n", b, "",
			"the diff before line 3 cannot be applied: it has two names, f.go and g.go: a file is renamed with " +
				"'rename from' and 'rename to'"},
		{"no name", "```diff\n@@ -1 +1 @@\n-b\n+B\n```\n", b, "",
			"the diff before line 2 cannot be applied: it names no file: begin it with '--- a/PATH' and '+++ b/PATH'"},
		{"no hunks", head + "\n", b, "", "the diff before line 3 cannot be applied: it has no hunks"},
		{"modes", "diff --git a/f.go b/f.go\nold mode 100644\nnew mode 100755\n", b, "",
			"the diff before line 3 cannot be applied: it has no hunks"},
		{"binary", "diff --git a/f.go b/f.go\nindex 12..34\nBinary files a/f.go and b/f.go differ\n", b, "",
			"the diff before line 3 cannot be applied: it is binary"},
		{"code in a diff's fence without a path", "```diff\n-b\n+B\n```\n", b, "```diff\n-b\n+B\n```\n", ""},
		{"rules of Markdown", "---\nfoo\n--- f.go\nbar\n", b, "---\nfoo\n--- f.go\nbar\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkStream(t, NewUnified, b, c.text, c.want, c.prose, c.fails)
			checkStream(t, NewAuto, b, c.text, c.want, c.prose, c.fails)
		})
	}
}

// TestUnifiedFiles checks diffs that make, delete and rename files.
func TestUnifiedFiles(t *testing.T) {
	for _, c := range []struct{ name, text, log string }{
		{"new", "--- /dev/null\n+++ b/n.go\n@@ -0,0 +1,3 @@\n+x\n\n+y\n\n", `n.go="x\n\ny\n"`},
		{"new, by git",
			"diff --git a/n.go b/n.go\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/n.go\n@@ -0,0 +1 @@\n+x\n",
			`n.go="x\n"`},
		{"new, by its numbers", "--- a/n.go\n+++ b/n.go\n@@ -0,0 +1 @@\n+x\n", `n.go="x\n"`},
		{"empty", "diff --git a/n.go b/n.go\nnew file mode 100644\nindex 0..1\n", `n.go=""`},
		{"deleted",
			"diff --git a/d/g.go b/d/g.go\ndeleted file mode 100644\n--- a/d/g.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
			`no d/g.go`},
		{"renamed", "diff --git a/d/g.go b/n.go\nsimilarity index 100%\nrename from d/g.go\nrename to n.go\n",
			`n.go="a\n" no d/g.go`},
		{"renamed and changed", "diff --git a/d/g.go b/n.go\nrename from d/g.go\nrename to n.go\n--- a/d/g.go\n+++ b/n.go\n" +
			"@@ -1 +1 @@\n-a\n+b\n", `n.go="b\n" no d/g.go`},
		{"several",
			"```diff\ndiff --git a/n.go b/n.go\nnew file mode 100644\n--- /dev/null\n+++ b/n.go\n@@ -0,0 +1 @@\n+x\n" +
				"diff --git a/d/g.go b/d/g.go\n--- a/d/g.go\n+++ b/d/g.go\n@@ -1 +1,2 @@\n a\n+b\n```\n",
			`d/g.go="a\nb\n" n.go="x\n"`},
		{"a removed line of dashes", "--- a/d/g.go\n+++ b/d/g.go\n@@ -1 +1,2 @@\n a\n+-- x\n--- a/q.sql\n+++ b/q.sql\n" +
			"@@ -1,2 +1,2 @@\n--- old.\n+-- new\n x\n", `d/g.go="a\n-- x\n" q.sql="-- new\nx\n"`},
		{"a rename of a file that is not there", "diff --git a/z.go b/n.go\nrename from z.go\nrename to n.go\n", `1 failed`},
	} {
		for _, n := range []int{1, 7, 1000} {
			m := files("d/g.go", "a\n", "q.sql", "-- old.\nx\n")
			r := newReplica(t, m)
			stream(NewAuto(), NewPlacer(m, Options{}), c.text, n, r.take)
			var got []string
			for path := range r.text {
				if was, is := m[path]; !is || was.Text.String() != r.String(path) {
					got = append(got, fmt.Sprintf("%s=%q", path, r.String(path)))
				}
			}
			slices.Sort(got)
			for path := range m {
				if _, is := r.text[path]; !is {
					got = append(got, "no "+path)
				}
			}
			if k := len(r.failed) + len(r.bad); k > 0 {
				got = append(got, fmt.Sprintf("%d failed", k))
			}
			if s := strings.Join(got, " "); s != c.log {
				t.Errorf("%s, in %d: %s, want %s; %v %v", c.name, n, s, c.log, r.failed, r.bad)
			}
		}
	}
}

// TestUnifiedIsV4A checks that hunks mean the same in a unified diff, whatever its numbers say, as in
// a patch, cut anywhere.
func TestUnifiedIsV4A(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := drawDoc(t)
		var diff, patch strings.Builder
		diff.WriteString("```diff\n--- a/f.go\n+++ b/f.go\n")
		patch.WriteString("*** Begin Patch\n*** Update File: f.go\n")
		for range rapid.IntRange(1, 3).Draw(t, "hunks") {
			fmt.Fprintf(&diff, "@@ -%d,0 +%d,0 @@ x\n", rapid.IntRange(1, 9).Draw(t, "at"), rapid.IntRange(1, 9).Draw(t, "to"))
			patch.WriteString("@@\n")
			lines := append([]string{" " + rapid.SampledFrom(append(strings.Split(doc, "\n"), "x")).Draw(t, "first")},
				rapid.SliceOfN(rapid.Map(word, func(s string) string {
					return rapid.SampledFrom([]string{" ", "-", "+"}).Draw(t, "kind") + s
				}), 1, 6).Draw(t, "lines")...)
			for _, l := range lines {
				if strings.ContainsAny(l, "\r") || l == " *** End Patch" {
					l = " x"
				}
				diff.WriteString(l + "\n")
				patch.WriteString(l + "\n")
			}
		}
		m := files("f.go", doc)
		want := newReplica(nil, m)
		want.fatalf = t.Fatalf
		stream(NewV4A(), NewPlacer(m, Options{}), patch.String()+"*** End Patch\n", 1<<20, want.take)
		got := newReplica(nil, m)
		got.fatalf = t.Fatalf
		p, pl := NewUnified(), NewPlacer(m, Options{})
		for _, c := range cuts(t, diff.String()+"```\n") {
			p.Push([]byte(c), func(ev Event) { pl.Handle(ev, got.take) })
		}
		p.Close(func(ev Event) { pl.Handle(ev, got.take) })
		if d := cmp.Diff(want.String("f.go"), got.String("f.go")); d != "" {
			t.Fatalf("%s%s\n%s", diff.String(), patch.String(), d)
		}
		if len(want.failed) != len(got.failed) {
			t.Fatalf("%v, want %v", got.failed, want.failed)
		}
	})
}

// TestNumbersInAPatch checks that the "@@" line of a unified diff is no header in a patch.
func TestNumbersInAPatch(t *testing.T) {
	checkStream(t, NewV4A, "a\nb\n", "*** Begin Patch\n*** Update File: f.go\n@@ -1,2 +1,2 @@\n-a\n+A\n*** End Patch\n",
		"A\nb\n", "", "")
	checkStream(t, NewAuto, "a\nb\n", "*** Update File: f.go\n@@\n-a\n+A\n*** End Patch\n", "A\nb\n", "", "")
}
