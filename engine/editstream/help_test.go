package editstream

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"waferpair/workspace/text"
)

// memFiles is a project in memory.
type memFiles map[string]Doc

func (m memFiles) Open(path string) (Doc, error) {
	d, ok := m[path]
	if !ok {
		return Doc{}, fs.ErrNotExist
	}
	return d, nil
}

func files(pairs ...string) memFiles {
	m := memFiles{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = Doc{Text: text.OfString(pairs[i+1])}
	}
	return m
}

// replica is a receiver of edits: it applies every Changed to its own copy, so that a test
// sees exactly what an application would see.
type replica struct {
	fatalf  func(string, ...any)
	files   memFiles
	text    map[string]text.Text
	log     []string
	failed  []Failed
	closed  []Closed
	bad     []Bad
	prose   strings.Builder
	changed int
	created string // path of the last Created
	open    int    // last hunk that was opened
	hook    func(Edit)
}

func newReplica(t testing.TB, m memFiles) *replica {
	r := &replica{files: m, text: map[string]text.Text{}}
	if t != nil {
		r.fatalf = t.Fatalf
	}
	for path, d := range m {
		r.text[path] = d.Text
	}
	return r
}

func (r *replica) take(e Edit) {
	switch e := e.(type) {
	case Changed:
		next, err := e.Changes.Apply(r.text[e.Path])
		if err != nil {
			r.fatalf("a Changed of %s does not fit the file: %v", e.Path, err)
		}
		r.text[e.Path] = next
		r.changed++
	case Created:
		if _, ok := r.text[e.Path]; ok {
			r.fatalf("%s was created twice", e.Path)
		}
		r.text[e.Path] = text.Text{}
		r.created = e.Path
	case Opened:
		r.open = e.Hunk
	case Deleted:
		delete(r.text, e.Path)
	case Moved:
		r.text[e.To] = r.text[e.Path]
		delete(r.text, e.Path)
	case Failed:
		r.failed = append(r.failed, e)
	case Closed:
		r.closed = append(r.closed, e)
	case Bad:
		r.bad = append(r.bad, e)
	case Prose:
		r.prose.WriteString(e.Text)
	}
	r.log = append(r.log, strings.TrimPrefix(fmt.Sprintf("%T", e), "editstream."))
	if r.hook != nil {
		r.hook(e)
	}
}

func (r *replica) String(path string) string { return r.text[path].String() }

// stream sends a patch through parser and placer in pieces of n bytes.
func stream(parser Parser, pl *Placer, patch string, n int, take func(Edit)) {
	each := func(ev Event) { pl.Handle(ev, take) }
	for len(patch) > 0 {
		k := min(n, len(patch))
		parser.Push([]byte(patch[:k]), each)
		patch = patch[k:]
	}
	parser.Close(each)
}

// events returns all events of a parser for a text cut into pieces of n bytes.
func events(parser Parser, patch string, n int) []Event {
	var out []Event
	emit := func(ev Event) { out = append(out, ev) }
	for len(patch) > 0 {
		k := min(n, len(patch))
		parser.Push([]byte(patch[:k]), emit)
		patch = patch[k:]
	}
	parser.Close(emit)
	return out
}
