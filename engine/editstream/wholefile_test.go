package editstream

import "testing"

// TestFencesInsideAFile checks which fence ends a whole file; an uncertain one writes nothing.
func TestFencesInsideAFile(t *testing.T) {
	const uncertain = "?"
	for _, c := range []struct{ name, text, want, prose string }{
		{"with an info string", "README.md\n```markdown\n# T\n```sh\nmake\n```\nend\n```\n",
			"# T\n```sh\nmake\n```\nend\n", ""},
		{"several, then prose", "README.md\n```md\n```go\nx\n```\n\n```sh\ny\n```\n```\nDone.\nBye.\n",
			"```go\nx\n```\n\n```sh\ny\n```\n", "Done.\nBye.\n"},
		{"then another file", "README.md\n```md\n# T\n```\nb.go:\n```go\nx\n```\n", "# T\n", ""},
		{"then a command with an info string", "README.md\n```md\n# T\n```\nRun:\n```sh\nmake\n```\n", "# T\n",
			"Run:\n```sh\nmake\n```\n"},
		{"bare inside", "README.md\n```md\n# T\n```\nmake\n```\nend\n```\n", uncertain, "```\nmake\n```\nend\n```\n"},
		{"bare in the prose", "README.md\n```md\n# T\n```\nRun:\n```\nmake\n```\n", uncertain, "```\nRun:\n```\nmake\n```\n"},
		{"four outside", "README.md\n````md\n# T\n```\nmake\n```\n````\nRun:\n```sh\nx\n```\n", "# T\n```\nmake\n```\n",
			"Run:\n```sh\nx\n```\n"},
		{"tildes outside", "README.md\n~~~md\n```\nmake\n```\n~~~\n", "```\nmake\n```\n", ""},
		{"tildes inside", "README.md\n```md\n~~~\n```\n~~~\n```\n", "~~~\n```\n~~~\n", ""},
		{"the language says it", "File: docs/guide\n```markdown\n# T\n```\nmake\n```\nend\n```\n", uncertain,
			"```\nmake\n```\nend\n```\n"},
		{"code", "b.go\n```go\nx\n```\nRun:\n```\nmake\n```\n", "x\n", "Run:\n```\nmake\n```\n"},
		{"code in a string", "b.py\n```python\nP = \"\"\"\n```json\n{}\n```\n\"\"\"\n```\n",
			"P = \"\"\"\n```json\n{}\n```\n\"\"\"\n", ""},
		{"bare in a string", "b.py\n```python\nP = \"\"\"\n```\n{}\n```\n\"\"\"\n```\n", uncertain,
			"```\n{}\n```\n\"\"\"\n```\n"},
		{"indented", "   b.py\n   ```python\n   x\n\n     y\n   ```\n", "x\n\n  y\n", ""},
		{"outdented", "   b.py\n   ```python\n   x\ny\n   ```\n", uncertain, ""},
		{"no end", "README.md\n```md\n```sh\nmake\n```\n", uncertain, ""},
	} {
		for _, n := range []int{1, 3, 1000} {
			m := files()
			r := newReplica(t, m)
			stream(NewAuto(), NewPlacer(m, Options{}), c.text, n, r.take)
			got := ""
			for _, name := range []string{"README.md", "b.go", "b.py", "docs/guide"} {
				if _, made := r.text[name]; made {
					got = r.String(name)
					break
				}
			}
			if len(r.failed) > 0 && len(r.text) == 0 && len(r.bad) == 1 {
				got = uncertain
			}
			if got != c.want || r.prose.String() != c.prose {
				t.Errorf("%s, in %d: got %q, prose %q; %v", c.name, n, got, r.prose.String(), r.bad)
			}
		}
	}
}
