package editstream

import (
	"strings"
	"testing"
)

// TestBegun cuts answers at each byte: those that say by their end that an edit comes have begun one, from
// the byte at which that is certain to the first line of the edit.
func TestBegun(t *testing.T) {
	for _, c := range []struct {
		name, text, from, to string
		call                 bool
	}{
		{name: "a diff", text: "So:\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n", from: "/a.txt\n+++", to: "\n-x"},
		{name: "a diff in a fence", text: "```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n",
			from: "/a.txt\n+++", to: "\n-x"},
		{name: "a patch", text: "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n", from: "Begin", to: "\n-x"},
		{name: "a call", text: "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n", from: "\n***", to: "\n-x", call: true},
	} {
		from, to := strings.Index(c.text, c.from)+1, strings.Index(c.text, c.to)
		for cut := range c.text {
			want := cut >= from && cut <= to
			if got := Begun(c.text[:cut], c.call); got != want {
				t.Errorf("%s: after %q it has begun: %v", c.name, c.text[:cut], got)
			}
		}
	}
	for _, text := range []string{"", "Done.", "I use a.txt", "It is done.\n---\n",
		"*** Begin Patch\n*** Delete File: a\n", "a.txt\n```\nx\n```\n",
		"*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\n", "| --- | --- |\n"} {
		if Begun(text, false) {
			t.Errorf("%q has begun an edit", text)
		}
	}
	if !Begun("a.txt\n```\n", false) {
		t.Error("a path and its fence begin a file")
	}
}
