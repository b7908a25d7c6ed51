package spark

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"waferpair/engine/model"
	"waferpair/engine/refactor"
	"waferpair/workspace/text"
)

// onDisk is a project in memory whose files the go command can see, too.
type onDisk struct {
	root  string
	files map[string]string
}

func (p onDisk) Root() string { return p.root }

func (p onDisk) Files(context.Context) ([]string, error) {
	return slices.Sorted(maps.Keys(p.files)), nil
}

func (p onDisk) Read(path string) ([]byte, error) {
	if s, ok := p.files[path]; ok {
		return []byte(s), nil
	}
	return nil, fs.ErrNotExist
}

// Symbols is what the languages' outlines say, as in a real project.
func (p onDisk) Symbols(ctx context.Context) ([]model.Symbol, error) {
	var out []model.Symbol
	files, err := p.Files(ctx)
	for _, f := range files {
		for _, l := range New().runner.Languages {
			o, outlines := l.(refactor.Outliner)
			if !outlines || !l.Handles(f) {
				continue
			}
			found, err := o.Outline(f, []byte(p.files[f]))
			if err != nil {
				return nil, err
			}
			for _, d := range found {
				out = append(out, model.Symbol{Name: d.Name, Kind: d.Kind, Owner: d.Container, Path: f, Line: d.Line,
					EndLine: d.EndLine, Params: d.Params})
			}
		}
	}
	return out, err
}

func projectOf(t *testing.T, archive string) onDisk {
	p := onDisk{t.TempDir(), map[string]string{}}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(p.root, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		p.files[f.Name] = string(f.Data)
	}
	return p
}

const goFiles = `
-- go.mod --
module example.com/m

go 1.24
-- config.go --
package m

import (
	"strings"
	"os"
)

type Config struct {
	Path string
	Size int
}

func parseConfig(s string) Config { return Config{Path: strings.TrimSpace(s)} }

func LoadConfig(path string) Config {
	b, _ := os.ReadFile(path)
	return parseConfig(string(b))
}

type Store struct{}

func (Store) Close() {}

type Door struct{}

func (Door) Close() {}
`

const goConstants = `
-- go.mod --
module example.com/m

go 1.24
-- c.go --
package m

const Mode = "test"

const Name string = "n"
`

const pyFiles = `
-- app.py --
import sys
import os

def fetch_page(url):
    print(url)
    return os.path.join(url, "x")

def main():
    return fetch_page("a")
-- lib/util.py --
def fetch_pages(urls):
    return list(urls)
-- lib/more.py --
def helper():
    return 1
-- lib/other.py --
def helper():
    return 2
`

const tsFiles = `
-- src/cart.ts --
export function totalPrice(items: number[]): number {
  let sum = 0;
  for (const i of items) sum += i;
  return sum;
}
export class Cart {
  items: number[] = [];
  total(): number { return totalPrice(this.items); }
}
`

var offerProjects = map[string]string{
	"go": goFiles, "python": pyFiles, "typescript": tsFiles, "mixed": goFiles + pyFiles + tsFiles,
	"empty":      "-- notes.txt --\nnothing\n",
	"only tests": "-- go.mod --\nmodule example.com/m\n\ngo 1.24\n-- a_test.go --\npackage m\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) { t.Log(sum(1)) }\n\nfunc sum(n int) int { return n }\n",
}

// TestOffersWork: what is offered after a decline, asked verbatim, changes files, and exactly as its
// trial did.
func TestOffersWork(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	defer func(was time.Duration) { offerWithin = was }(offerWithin)
	offerWithin = time.Minute // the test does not depend on the computer's pace
	requests := []string{
		"rename parseConfg to readConfig", "rename fetch_pge to get_page", "rename totalPrce to sum_of",
		"delete the unused function prseConfig", "rename Close to Shut", "rename helper to assist",
		"add a test for LoadConfg", "document LoadConfig nicely with care",
		"add documentation to fetch_page and totalPrice maybe", "make it better", "", "rename",
		"change parseConfig to readConfig", "use Config2 instead of Config",
		"remove parseConfig", "tidy imports", "test parseConfig", "sort the imports in confg.go", "sort imports in util",
		"parseConfig is a bad name, readConfig says what it does", "fetch_page lacks a docstring",
		"nobody tests totalPrice yet", "Config needs a field Retries int", "Close should be called Shutdown",
		"the imports of app.py are a mess, sort them", "helper -> assist",
		"log fetch_page thoroughly", "please explain totalPrice", "rename sm to total", "set MaxRetries to",
	}
	for name, archive := range offerProjects {
		t.Run(name, func(t *testing.T) {
			for _, request := range requests {
				out := ask(t, projectOf(t, archive), request)
				if out.refusal == nil {
					continue
				}
				for _, offer := range out.refusal.Candidates {
					t.Logf("%q: %q: %s", request, offer.Request, offer.Summary)
					again := ask(t, projectOf(t, archive), offer.Request)
					if got, want := made(t, again.edits), made(t, offer.Edits); got != want || want == "" {
						t.Errorf("%q offers %q, whose trial made\n%s\nand now (%v) it makes\n%s", request, offer.Request, want,
							again.err, got)
					}
					if again.said != offer.Summary || offer.Operation == "" {
						t.Errorf("%q: %q says %q, and then %q", request, offer.Request, offer.Summary, again.said)
					}
				}
			}
		})
	}
}

// made is the content of the files after edits.
func made(t *testing.T, of []model.FileEdit) string {
	t.Helper()
	var b strings.Builder
	for _, e := range of {
		after := text.Text{}
		if !e.Delete {
			var err error
			if after, err = e.Changes.Apply(e.Base); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintf(&b, "-- %s %v --\n%s", e.Path, e.Delete, after)
	}
	return b.String()
}

// answer is what the model made of a request.
type answer struct {
	edits   []model.FileEdit
	said    string
	refusal *model.Refusal
	err     error
}

func ask(t *testing.T, p onDisk, request string) (a answer) {
	t.Helper()
	_, a.err = New().Generate(t.Context(), model.Prompt{Items: []model.Item{model.User(request)}, Files: p},
		func(d model.Delta) error {
			switch d := d.(type) {
			case model.Edits:
				a.edits = append(a.edits, d.Of...)
			case model.Text:
				a.said += strings.TrimSpace(d.Text)
			}
			return nil
		})
	errors.As(a.err, &a.refusal)
	return a
}

// TestRefusalsHaveCodes: whoever branches on why a request was declined reads no words.
func TestRefusalsHaveCodes(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, c := range []struct {
		archive, request string
		code             model.Code
	}{
		{goFiles, "rename parseConfg to readConfig", model.NoSymbol},
		{goFiles, "rename function Config to Settings", model.NoSymbol},
		{goFiles, "rename Close to Shut", model.Ambiguous},
		{goFiles, "get rid of parseConfig", model.Ambiguous},
		{goFiles, "comment out the selection", model.Ambiguous},
		{goFiles, "sort the imports in confg.go", model.NoFile},
		{goFiles, "rename parseConfig to LoadConfig", model.Beyond},
		{goFiles, "make it better", model.Beyond},
		{goFiles, "", model.Beyond},
		{pyFiles, "rename fetch_pge to get_page", model.NoSymbol},
		{pyFiles, "rename helper to assist", model.Ambiguous},
		{goFiles + pyFiles + "-- more.go --\npackage m\n\nfunc helper() {}\n", "rename helper to assist", model.Ambiguous},
		{tsFiles, "rename totalPrce to sumOf", model.NoSymbol},
		{tsFiles, "rename totalPrice to sumOf in card.ts", model.NoFile},
	} {
		out := ask(t, projectOf(t, c.archive), c.request)
		if out.refusal == nil || out.refusal.Code != c.code {
			t.Errorf("%q: %#v, %v; want the code %s", c.request, out.refusal, out.err, c.code)
		}
	}
}

// TestMisspeltNamesAreCorrected: the offer is the request, with the right name.
func TestMisspeltNamesAreCorrected(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	defer func(was time.Duration) { offerWithin = was }(offerWithin)
	offerWithin = time.Minute
	for _, c := range []struct{ archive, request, offer string }{
		{goFiles, "rename parseConfg to readConfig", "rename parseConfig to readConfig"},
		{goFiles, "please rename `prseConfig` to `readConfig` everywhere",
			"please rename `parseConfig` to `readConfig` everywhere"},
		{goFiles, "add a test for LoadConfg", "add a test for LoadConfig"},
		{goFiles, "rename Close to Shut", "rename Store.Close to Shut"},
		{goFiles, "sort the imports in confg.go", "sort the imports in config.go"},
		{goFiles, "add json tags to Confg", "add json tags to Config"},
		{goConstants, "set Mode to production", `set Mode to "production"`},
		{goConstants, "set Name to other", `set Name to "other"`},
		{goFiles, "rename Store.Clse to Store.Shut", "rename Store.Close to Store.Shut"},
		{goFiles, "rename field Pth of Config to Place", "rename field Path of Config to Place"},
		{pyFiles, "rename fetch_pge to get_page", "rename fetch_page to get_page"},
		{pyFiles, "rename helper to assist", "rename helper to assist in lib/more.py"},
		{tsFiles, "rename totalPrce to sumOf", "rename totalPrice to sumOf"},
		{goFiles + pyFiles + tsFiles, "log at entry of fetch_pag", "log at entry of fetch_page"},
	} {
		out := ask(t, projectOf(t, c.archive), c.request)
		if out.refusal == nil || !slices.Contains(out.refusal.Requests(), c.offer) {
			t.Errorf("%q: %v, want %q", c.request, out.err, c.offer)
		}
	}
}

// TestOffersAreAboutTheFile: a request that names a file is not answered with one
// that changes other files only.
func TestOffersAreAboutTheFile(t *testing.T) {
	defer func(was time.Duration) { offerWithin = was }(offerWithin)
	offerWithin = time.Minute
	out := ask(t, projectOf(t, pyClasses), "rename kind to sort in app.py")
	if out.refusal == nil || len(out.refusal.Candidates) > 0 {
		t.Errorf("%v", out.err)
	}
}

const pyClasses = `
-- app.py --
def main():
    return 1
-- lib/a.py --
class A:
    def make(kind):
        return kind

class B:
    def make(kind):
        return kind
-- lib/b.py --
class C:
    def make(kind):
        return kind
`

// TestWhatIsSureIsTriedLonger: what is most probably meant is tried as long as it takes, when the
// time for offers was not enough, as with an empty build cache.
func TestWhatIsSureIsTriedLonger(t *testing.T) {
	defer func(a, b time.Duration) { offerWithin, sureWithin = a, b }(offerWithin, sureWithin)
	h := hearing{requests: []string{"rename parseConfig to readConfig", "rename Config to readConfig"}, sure: true}
	p := model.Prompt{Files: projectOf(t, goFiles)}
	offerWithin = 0
	var c model.Refusal
	if !New().askBack(t.Context(), p, h, &c) || c.Code != model.Ambiguous || c.More != 1 ||
		!slices.Equal(c.Requests(), h.requests[:1]) {
		t.Errorf("%+v", c)
	}
	h.sure = false
	if New().askBack(t.Context(), p, h, &model.Refusal{}) {
		t.Error("what is not sure took longer than the offers may")
	}
	h.sure, sureWithin = true, 0
	if New().askBack(t.Context(), p, h, &model.Refusal{}) {
		t.Error("something was offered without any time")
	}
}

// TestBothVoicesAreHeard: where the grammar lacks a file or a choice, what was heard is offered, too.
func TestBothVoicesAreHeard(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	if got := inTurns([]string{"a", "b", "c"}, []string{"x", "a"}); !slices.Equal(got, []string{"a", "x", "b", "c"}) {
		t.Error(got)
	}
	defer func(was time.Duration) { offerWithin = was }(offerWithin)
	offerWithin = time.Minute
	const verbose = "-- a.py --\ndef load_page(path, verbose):\n    return path\n\nload_page(\"a\", True)\n"
	for request, want := range map[string]string{
		"kill verbose": "remove parameter verbose from load_page", "drop verbose": "remove parameter verbose from load_page",
	} {
		out := ask(t, projectOf(t, verbose), request)
		if out.refusal == nil || out.refusal.Code != model.Ambiguous || !slices.Contains(out.refusal.Requests(), want) {
			t.Errorf("%q: %v, want %q", request, out.err, want)
		}
	}
}

// TestMoreAreCounted: eight types have the method, three are offered, and the others are counted.
func TestMoreAreCounted(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	defer func(was time.Duration) { offerWithin = was }(offerWithin)
	offerWithin = time.Minute
	source := "-- go.mod --\nmodule example.com/m\n\ngo 1.24\n-- a.go --\npackage m\n"
	for i := range 8 {
		source += fmt.Sprintf("\ntype T%d struct{}\n\nfunc (T%d) Close() {}\n", i, i)
	}
	for _, request := range []string{"rename Close to Shut", "Close should really be called Shutdown, please"} {
		out := ask(t, projectOf(t, source), request)
		if out.refusal == nil || len(out.refusal.Candidates) != mostOffers || out.refusal.More < 1 ||
			!strings.Contains(out.err.Error(), fmt.Sprintf(", and %d more", out.refusal.More)) {
			t.Errorf("%q: %+v", request, out.refusal)
		}
	}
}
