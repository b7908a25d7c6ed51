// All tests of this package are outside of it: for one inside, everything that imports refactor
// would be compiled once more, and these tests import every language.
package refactor_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/languages"
	"waferpair/workspace/text"
)

// TestCorpus runs testdata/OPERATION/*.txtar: one case a file, with a section for each language.
//
//	symbol=load            the request, one argument a line; lines=2-3 and file=a.go are its target
//	=== go                 a section, whose own lines override those above; "go: in a method" is another one
//	declines: TEXT         or note: TEXT, or summary: TEXT, each a part of what must be said
//	-- a.go --             the project
//	-- want/a.go --        and the files of it that change
//	=== python
//	unsupported: REASON    the language does not have the operation, and says so
//
// A file without a section for one of the languages fails, so that what a language lacks is
// stated rather than forgotten. With -short, the first file of each operation is enough: make
// test runs all of them without the race detector.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	if testing.Short() {
		files = slices.CompactFunc(files, func(a, b string) bool { return filepath.Dir(a) == filepath.Dir(b) })
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		op := filepath.Base(filepath.Dir(file))
		shared, sections := parseCase(t, string(b))
		t.Run(op+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			for _, lang := range languages.All() {
				if !slices.ContainsFunc(sections, func(s section) bool { return s.language == strings.ToLower(lang.Name()) }) {
					t.Errorf("%s has no section for %s: state what it does there, or unsupported", file, lang.Name())
				}
			}
			for _, s := range sections {
				t.Run(s.name, func(t *testing.T) { s.run(t, op, shared) })
			}
		})
	}
}

// section is a case in one language.
type section struct {
	name, language string
	lines          map[string]string
	files          []txtar.File
}

func parseCase(t *testing.T, s string) (shared map[string]string, sections []section) {
	head, rest, _ := strings.Cut(s, "=== ")
	for _, part := range strings.Split(rest, "\n=== ") {
		name, body, _ := strings.Cut(part, "\n")
		language, _, _ := strings.Cut(name, ":")
		ar := txtar.Parse([]byte(body))
		sections = append(sections, section{name, strings.ToLower(language), linesOf(t, string(ar.Comment)), ar.Files})
	}
	return linesOf(t, head), sections
}

func linesOf(t *testing.T, s string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		word, rest, said := strings.Cut(line, ": ")
		if said && slices.Contains([]string{"declines", "note", "summary", "unsupported"}, word) {
			out[word] = rest
		} else if k, v, ok := strings.Cut(line, "="); ok {
			out[k] = strings.ReplaceAll(v, `\n`, "\n")
		} else if line != "" {
			t.Fatalf("bad line %q", line)
		}
	}
	return out
}

// run carries the section's request out as programs do, through the Runner.
func (s section) run(t *testing.T, name string, shared map[string]string) {
	op, target, wants := refactor.Op{Name: name, Args: map[string]string{}}, refactor.Target{}, map[string]string{}
	all := maps.Clone(shared)
	maps.Copy(all, s.lines)
	for k, v := range all {
		switch k {
		case "declines", "note", "summary", "unsupported":
			wants[k] = v
		case "file":
			target.File = v
		case "lines":
			if _, err := fmt.Sscanf(v, "%d-%d", &target.From, &target.To); err != nil {
				t.Fatal(err)
			}
		default:
			op.Args[k] = v
		}
	}
	before, after := project{}, project{}
	for _, f := range s.files {
		data := strings.NewReplacer("\\r\n", "\r\n", "\\ufeff", "\ufeff").Replace(string(f.Data))
		if w, ok := strings.CutPrefix(f.Name, "want/"); ok {
			after[w] = data
		} else {
			before[f.Name] = data
		}
	}
	if target.From > 0 && target.File == "" && len(before) == 1 {
		target.File = slices.Collect(maps.Keys(before))[0]
	}
	if why := wants["unsupported"]; why != "" {
		s.lacks(t, name)
		return
	}
	if s.language == "go" {
		if _, ok := before["go.mod"]; !ok {
			before["go.mod"] = "module example.com/m\n\ngo 1.24\n"
		}
	}
	res, err := refactor.Runner{Languages: languages.All()}.Run(context.Background(), before, target, refactor.Program{op})
	s.check(t, before, after, wants, res, err)
}

func (s section) lacks(t *testing.T, op string) {
	for _, lang := range languages.All() {
		if strings.ToLower(lang.Name()) == s.language && lang.Has(op) {
			t.Errorf("%s has %s: say what it does", lang.Name(), op)
		}
	}
}

func (s section) check(t *testing.T, before, after project, wants map[string]string, res refactor.Result, err error) {
	t.Helper()
	if reason := wants["declines"]; reason != "" {
		if d, ok := err.(*refactor.Declined); !ok || !strings.Contains(d.Error(), reason) {
			t.Fatalf("got %v, %v; want declined: %s", err, before.with(t, res), reason)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for f, s := range before {
		if _, ok := after[f]; !ok {
			after[f] = s
		}
	}
	if diff := cmp.Diff(after, before.with(t, res)); diff != "" {
		t.Errorf("-want +got:\n%s\n%s", diff, res.Notes)
	}
	if n := wants["note"]; !strings.Contains(strings.Join(res.Notes, "\n"), n) {
		t.Errorf("notes %q, want %q", res.Notes, n)
	}
	if want := wants["summary"]; !strings.Contains(res.Summary, want) || res.Summary == "" {
		t.Errorf("summary %q, want %q", res.Summary, want)
	}
}

// project is a project in memory.
type project map[string]string

func (p project) Files(context.Context) ([]string, error) { return slices.Sorted(maps.Keys(p)), nil }
func (p project) Root() string                            { return "." } // where the go command runs
func (p project) Read(path string) ([]byte, error) {
	s, ok := p[path]
	if !ok {
		return nil, fmt.Errorf("read %s: %w", path, os.ErrNotExist)
	}
	return []byte(s), nil
}

// with is the project after a result.
func (p project) with(t *testing.T, res refactor.Result) project {
	t.Helper()
	out := maps.Clone(p)
	for _, e := range res.Edits {
		if e.Delete {
			delete(out, e.Path)
			continue
		}
		before := text.OfString(p[e.Path])
		cs, err := text.NewChangeSet(before.Len(), e.Changes...)
		if err != nil {
			t.Fatal(err)
		}
		now, err := cs.Apply(before)
		if err != nil {
			t.Fatal(err)
		}
		out[e.Path] = now.String()
	}
	return out
}
