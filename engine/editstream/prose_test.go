package editstream

import (
	"fmt"
	"strings"
	"testing"
)

// made streams an answer over f.go, with the lines of a small file, and returns what became of all files.
func made(t *testing.T, answer string) (edits, failed string) {
	t.Helper()
	var numbered strings.Builder
	for i := range 20 {
		fmt.Fprintf(&numbered, "line %d\n", i)
	}
	last := ""
	for _, n := range []int{1, 7, 1000} {
		m := files("f.go", numbered.String())
		r := newReplica(t, m)
		stream(NewAuto(), NewPlacer(m, Options{}), answer, n, r.take)
		edits, failed = "", ""
		for name := range r.text {
			if name != "f.go" || r.String(name) != numbered.String() {
				edits += name + " "
			}
		}
		for _, f := range r.failed {
			failed += f.Message
		}
		for _, b := range r.bad {
			failed += b.Message
		}
		if n > 1 && edits+failed != last {
			t.Errorf("in %d: %q, before %q", n, edits+failed, last)
		}
		last = edits + failed
	}
	return edits, failed
}

// TestProseIsNoEdit has the words above code that are not the name of a file that the code is.
func TestProseIsNoEdit(t *testing.T) {
	for _, words := range []string{"fmt.Println", "`list.New`", "**List.Front()**", "### `React.useState`", "console.log",
		"process.env", "np.sum", "example.com", "v1.2.3", "### Node.js", "**Node.js:**", "ASP.NET", "And/Or", "Input/Output:",
		"/api/users", "**POST /api/users**", "./bin/tool", "f.go:12:5:", "f.go:91", "container/list", "Step.1",
		"e.g.", "i.e.:"} {
		if edits, failed := made(t, "See:\n\n"+words+"\n\n```\nx\n```\n"); edits+failed != "" {
			t.Errorf("%s: made %q, failed %q", words, edits, failed)
		}
	}
	for _, answer := range []string{
		"Run it:\n\nREADME.md\n```bash\nnpm install\n```\n",
		"./run.sh\n```\n$ ./run.sh\nok\n```\n",
		"<think>\nx.go\n```go\ndraft\n```\n</think>\nNo.\n",
		"<thinking>I could:\n*** Begin Patch\n*** Delete File: f.go\n*** End Patch\n</thinking>\n",
		"Well.\n<think>\nf.go\n<<<<<<< SEARCH\nline 1\n=======\nx\n>>>>>>> REPLACE\n",
	} {
		if edits, failed := made(t, answer); edits+failed != "" {
			t.Errorf("%s: made %q, failed %q", answer, edits, failed)
		}
	}
}

// TestDoubtfulWholeFileFails checks that what may be an excerpt or an example goes back to the model.
func TestDoubtfulWholeFileFails(t *testing.T) {
	for answer, want := range map[string]string{
		"f.go\n```go\nline 7\nline 8\n```\n":                                         "an excerpt would remove the rest",
		"f.go\n```go\nx\n" + strings.Repeat("y\n", 10) + "```\n":                     "an excerpt would remove the rest",
		"For example:\n\n`main.go`:\n```go\npackage main\n```\n":                     "call it an example",
		"### Usage\n\n`main.go`\n\n```go\npackage main\n```\n":                       "call it an example",
		"A caller could look like this:\n\nmain.go\n```go\npackage main\n```\nYes\n": "call it an example",
	} {
		edits, failed := made(t, answer)
		if edits != "" || !strings.Contains(failed, want) {
			t.Errorf("%s: made %q, failed %q, want %q", answer, edits, failed, want)
		}
	}
}

// TestAnExampleBelowASmallFilesName checks that a block replaces a small file only when it is meant as it.
func TestAnExampleBelowASmallFilesName(t *testing.T) {
	for _, c := range []struct {
		answer string
		made   bool
	}{
		{"Run it with the defaults:\n\nmain.py\n```python\nfrom tool import run\nrun(1)\n```\n", false},
		{"**main.py**\n```\nhello from main\n```\n", false},
		{"main.py\n```python\nimport os\nprint(os.sep)\nx()\n```\n", true}, // a line of it
		{"main.py\n```python\nprint(os.path)\n```\n", true},                // a line like it
		{"File: main.py\n```python\nx()\n```\n", true},
		{"```python main.py\nx()\n```\n", true},
		{"Here is the complete file:\n\nmain.py\n```python\nx()\n```\n", true},
		{"I updated it.\n\n`main.py`\n```python\nx()\n```\n", true},
		{"### main.py (new content)\n```python\nx()\n```\n", true},
		{"empty.py\n```python\nx()\n```\n", true},
		{"none.py\n```python\nx()\n```\n", true},
	} {
		m := files("main.py", "import os\nprint(os.sep)\n", "empty.py", "")
		r := newReplica(t, m)
		stream(NewAuto(), NewPlacer(m, Options{}), c.answer, 3, r.take)
		if made := r.String("main.py") != "import os\nprint(os.sep)\n" || r.String("empty.py")+
			r.String("none.py") != ""; made !=
			c.made || made == (len(r.failed)+len(r.bad) > 0) {
			t.Errorf("%q: %v, %+v", c.answer, r.text, r.failed)
		}
	}
}

func TestNamesOfWholeFiles(t *testing.T) {
	for _, words := range []string{"a.go", "`a.go`", "**`a.go`**:", "### a.go", "### 1. a.go", "### `a.go` (new file)",
		"**File: `a.go`**", "File: a.go", "2) `a.go`", "./a.go"} {
		if edits, failed := made(t, words+"\n```go\npackage a\n```\n"); edits != "a.go " || failed != "" {
			t.Errorf("%s: made %q, failed %q", words, edits, failed)
		}
	}
	answer := "<think>\nNo.\n</think>a.go\n```go\npackage a\n```\n"
	if edits, failed := made(t, answer); edits != "a.go " || failed != "" {
		t.Errorf("after a thought: made %q, failed %q", edits, failed)
	}
}

// TestTheEndOfAThoughtThatNeverBegan finds the end that a server leaves of a thought whose beginning it keeps.
func TestTheEndOfAThoughtThatNeverBegan(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\n"
	for answer, want := range map[string]bool{
		"I could.\n</think>\nDone.\n":                                  true,
		"I could.</think>\n\n" + patch:                                 true,
		patch + "Or not.\n</think>\n" + patch:                          true,
		"a.go\n```go\npackage a\n```\n</thinking>b.go is it.":          true,
		"<think>\nI could.\n</think>\nDone.\n</think>\n":               false,
		"The tag `</think>` ends it.\n":                                false,
		"```\n</think>\n```\n":                                         false,
		"t.html\n```\n<p>\n</think>\n```\n":                            false,
		"*** Begin Patch\n*** Add File: a\n+</think>\n*** End Patch\n": false,
	} {
		for _, n := range []int{1, 5, 1000} {
			got := 0
			for _, ev := range events(NewAuto(), answer, n) {
				if _, is := ev.(Thought); is {
					got++
				}
			}
			if got != map[bool]int{true: 1}[want] || EndsThought(answer) != want {
				t.Errorf("%q in %d: %d", answer, n, got)
			}
		}
	}
	// behind it, whole files are read as at the beginning of an answer
	if edits, failed := made(t, patch+"</think>\na.go\n```go\npackage a\n```\n"); edits != "a.go " {
		t.Errorf("made %q, failed %q", edits, failed)
	}
}
