package editstream

import (
	"strings"
	"testing"
)

// TestSloppyPatch has what models write in a patch though its format has no such thing.
func TestSloppyPatch(t *testing.T) {
	const abcd = "a\nb\nc\nd\n"
	const twice = "class A:\n    def f(self):\n        x\nclass B:\n    def f(self):\n        x\n"
	for _, c := range []struct{ name, file, text, want, prose string }{
		{"no end, words", abcd, "*** Begin Patch\n*** Update File: f.go\n@@\n-b\n+B\n\nThat is it.\n\n- one\n- two\n",
			"a\nB\nc\nd\n", "That is it.\n\n- one\n- two\n"},
		{"no end in a fence", abcd, "```\n*** Begin Patch\n*** Update File: f.go\n@@\n-b\n+B\n```\nDone.\n",
			"a\nB\nc\nd\n", "Done.\n"},
		{"context without its space", abcd, bp + "*** Update File: f.go\n@@\na\n-b\n+B\nc\n" + ep, "a\nB\nc\nd\n", ""},
		{"the same after an empty line", "a\n\nb\nc\n", bp + "*** Update File: f.go\n@@\na\n\nb\n-c\n+C\n" + ep,
			"a\n\nb\nC\n", ""},
		{"quoted path", abcd, bp + "*** Update File: `f.go`\n@@\n-b\n+B\n" + ep, "a\nB\nc\nd\n", ""},
		{"path of a diff", abcd, bp + "*** Update File: b/f.go\n@@\n-b\n+B\n" + ep, "a\nB\nc\nd\n", ""},
		{"path from the root", abcd, bp + "*** Update File: /f.go\n@@\n-b\n+B\n" + ep, "a\nB\nc\nd\n", ""},
		{"in a list", abcd, "1. So:\n   ```\n   *** Begin Patch\n   *** Update File: f.go\n   @@\n    a\n   -b\n   +B\n   *** End Patch\n   ```\n",
			"a\nB\nc\nd\n", "1. So:\n"},
		{"out of order", abcd, bp + "*** Update File: f.go\n@@\n-d\n+D\n@@\n-a\n+A\n@@\n-c\n+C\n" + ep, "A\nb\nC\nD\n", ""},
		{"header with a tail", twice,
			bp + "*** Update File: f.go\n@@ class B: @@\n     def f(self):\n-        x\n+        y\n" + ep,
			strings.TrimSuffix(twice, "x\n") + "y\n", ""},
		{"header without its end", twice,
			bp + "*** Update File: f.go\n@@ class B\n     def f(self):\n-        x\n+        y\n" + ep,
			strings.TrimSuffix(twice, "x\n") + "y\n", ""},
		{"two headers", twice, bp + "*** Update File: f.go\n@@ class B:\n@@ def f(self)\n-        x\n+        y\n" + ep,
			strings.TrimSuffix(twice, "x\n") + "y\n", ""},
		{"a line's number", abcd, bp + "*** Update File: f.go\n@@ line 2\n-b\n+B\n" + ep, "a\nB\nc\nd\n", ""},
		{"below a header", abcd, bp + "*** Update File: f.go\n@@ b\n+x\n" + ep, "a\nb\nx\nc\nd\n", ""},
		{"not at the end", abcd, bp + "*** Update File: f.go\n@@\n-b\n+B\n*** End of File\n" + ep, "a\nB\nc\nd\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) { checkStream(t, NewAuto, c.file, c.text, c.want, c.prose, "") })
	}
}

// TestSloppyBlocks has search/replace blocks as several tools teach them.
func TestSloppyBlocks(t *testing.T) {
	body := func(open, end string) string { return open + "\nb\n=======\nB\n" + end + "\n" }
	plain := body("<<<<<<< SEARCH", ">>>>>>> REPLACE")
	for name, text := range map[string]string{
		"other words": "f.go\n" + body("<<<<<<< ORIGINAL", ">>>>>>> UPDATED"),
		"colons":      "f.go\n" + body("<<<<<<< SEARCH:", ">>>>>>> REPLACE:"),
		"lower case":  "f.go\n" + body("<<<<<<< search", ">>>>>>> replace"),
		"dashes":      "f.go\n" + body("------- SEARCH", "+++++++ REPLACE"),
		"path":        body("<<<<<<< SEARCH f.go", ">>>>>>> REPLACE"),
		"sentence":    "Now update `f.go` to do that:\n\n```go\n" + plain + "```\n",
		"list":        "- f.go\n```go\n" + plain + "```\n",
		"number":      "### 1. `f.go`\n```go\n" + plain + "```\n",
		"comment":     "```go\n// f.go\n" + plain + "```\n",
	} {
		m := files("f.go", "a\nb\nc\n", "g.go", "b\n")
		r := newReplica(t, m)
		// the block's file is not that of the one before it
		before := "`g.go`\n<<<<<<< SEARCH\nzz\n=======\n>>>>>>> REPLACE\n"
		stream(NewAuto(), NewPlacer(m, Options{}), before+text, 3, r.take)
		if r.String("f.go") != "a\nB\nc\n" || len(r.bad) > 0 || len(r.failed) != 1 {
			t.Errorf("%s: got %q, %v %v", name, r.String("f.go"), r.failed, r.bad)
		}
	}
}

// TestWholeFileNamedInWords names the file of a whole block elsewhere than on a line of its own.
func TestWholeFileNamedInWords(t *testing.T) {
	for _, c := range []struct{ name, text, want, prose, fails string }{
		{"sentence", "Here is the complete `f.go`:\n\n```go\na\nB\nc\n```\n", "a\nB\nc\n",
			"Here is the complete `f.go`:\n\n", ""},
		{"comment", "```go\n// f.go\na\nB\nc\n```\n", "a\nB\nc\n", "", ""},
		{"comment, something else", "```go\n// f.go\nx\ny\nz\nq\n```\n", "a\nb\nc\n", "",
			"f.go: only a comment in the block names it, and the block does not begin as it does; write the whole file " +
				"below its path, or a patch with hunks"},
		{"comment, new file", "```go\n// g.go\na\n```\n", "a\nb\nc\n", "",
			"g.go does not exist: a comment in a block makes no file; write the path above the fence, on a line of its own, " +
				"or the file as a patch"},
		{"sentence about a part", "Here is the new `f.go`:\n\n```go\nx\n```\n", "a\nb\nc\n",
			"Here is the new `f.go`:\n\n```go\nx\n```\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) { checkStream(t, NewAuto, "a\nb\nc\n", c.text, c.want, c.prose, c.fails) })
	}
}
