package editstream

import (
	"strings"
	"testing"

	"waferpair/workspace/text"
)

// TestExcerptsReplaceNothing checks that an excerpt of a file is not taken for the file: it would
// remove what it leaves out.
func TestExcerptsReplaceNothing(t *testing.T) {
	var old strings.Builder
	for _, w := range strings.Fields("one two three four five six seven eight nine ten eleven twelve") {
		old.WriteString(w + "()\n")
	}
	for _, c := range []struct {
		name, answer string
		fails        bool
	}{
		{"dots and existing", "a.py\n```python\none()\n# ... existing code ...\ntwelve(1)\n```\n", true},
		{"rest unchanged", "a.py\n```python\none(1)\n# rest of the code unchanged ...\n```\n", true},
		{"a command below a heading", "**a.py**\n```\npython a.py x\n```\n", true},
		{"one function below a heading", "### a.py\n```python\ndef one():\n    ...\n```\n", true},
		{"the whole file", "a.py\n```python\n" + strings.Replace(old.String(), "one()", "one(1)", 1) + "```\n", false},
		{"its last third", "a.py\n```python\nnine()\nten()\neleven()\ntwelve()\n```\n", true},
		{"its first third", "a.py\n```python\none()\ntwo()\nthree()\nfour()\n```\n", false},
		{"half of it", "a.py\n```python\none()\ntwo()\nthree()\nfour()\nfive()\n    ...\n```\n", false},
		{"dots alone", "a.py\n```python\none()\ntwo()\nthree()\nfour()\nfive()\n...\n```\n", true},
		{"a comment of dots", "a.py\n```python\none()\ntwo()\nthree()\nfour()\nfive()\n# ...\n```\n", true},
	} {
		now, failed := text.OfString(old.String()), 0
		p := NewPlacer(oneFile{&now}, Options{})
		parser := NewAuto()
		place := func(ev Event) {
			p.Handle(ev, func(e Edit) {
				switch e := e.(type) {
				case Changed:
					now, _ = e.Changes.Apply(now)
				case Failed:
					failed++
				}
			})
		}
		for i := range len(c.answer) {
			parser.Push([]byte(c.answer[i:i+1]), place)
		}
		parser.Close(place)
		if same := now.String() == old.String(); same != c.fails || (failed == 1) != c.fails {
			t.Errorf("%s: %d failed, the file is %q", c.name, failed, now)
		}
	}
}

// oneFile is a project of the file a.py.
type oneFile struct{ now *text.Text }

func (o oneFile) Open(string) (Doc, error) { return Doc{Text: *o.now}, nil }
