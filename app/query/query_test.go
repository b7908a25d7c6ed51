package query_test

import (
	"context"
	"fmt"
	"hash/maphash"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"waferpair/app/query"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// live is a set of files that exist only in open documents.
type live map[string]string

func (l live) Now(_ context.Context, path string) (query.File, error) {
	return query.File{Text: text.OfString(l[path])}, nil
}

// Stamps distinguishes texts by their sizes.
func (l live) Stamps(paths []string) []query.Stamp {
	out := make([]query.Stamp, len(paths))
	for i, path := range paths {
		out[i].Version = workspace.Version(len(l[path]))
	}
	return out
}

// Generation is that of the texts' sizes, too.
func (l live) Generation() (g query.Generation) {
	for path, s := range l {
		g.Open += uint64(len(s)+1) * maphash.String(seed, path)
	}
	return g
}

var seed = maphash.MakeSeed()

func (l live) Files(context.Context) ([]string, error) { return slices.Sorted(maps.Keys(l)), nil }
func (l live) Compared() bool                          { return true }
func (l live) Ready(context.Context) error             { return nil }

func (l live) Read(path string) ([]byte, error) {
	if l[path] == "gone" {
		return nil, fs.ErrNotExist
	}
	return []byte(l[path]), nil
}

func TestFindKnowsTheFilesOfTheMoment(t *testing.T) {
	files := live{"b.go": "", "lib/main.go": ""}
	r := query.New(query.Core{Live: files})
	for _, then := range []struct {
		typed, want string
		change      func()
	}{
		{"", "b.go lib/main.go", func() { files["a.go"] = "" }},
		{"", "a.go b.go lib/main.go", func() { delete(files, "lib/main.go") }},
		{"main", "", func() { files["main.go"] = "" }},
		{"main", "main.go", func() {}},
	} {
		found, err := r.Find(t.Context(), then.typed, 9)
		var got []string
		for _, f := range found.Files {
			got = append(got, f.Path)
		}
		if g := strings.Join(got, " "); err != nil || g != then.want || found.Total != len(got) {
			t.Errorf("%q finds %q, not %q: %v", then.typed, g, then.want, err)
		}
		then.change()
	}
}

func TestGrepGoesOnWhereAFileIsGone(t *testing.T) {
	r := query.New(query.Core{Live: live{"a": "one\n", "b": "gone", "c": "two\nan one\n"}})
	var got []string
	done, err := r.Grep(t.Context(), query.GrepQuery{Text: "one"}, func(m query.GrepMatch) error {
		got = append(got, fmt.Sprint(m.Path, m.Line))
		return nil
	})
	if want := (query.GrepDone{Matches: 2, Files: 2, Searched: 3}); err != nil || done != want ||
		strings.Join(got, " ") != "a1 c2" {
		t.Fatalf("%v %+v %v", got, done, err)
	}
}

// counting counts how many files are read.
type counting struct {
	live
	reads atomic.Int32
}

func (c *counting) Read(path string) ([]byte, error) {
	c.reads.Add(1)
	return c.live.Read(path)
}

func TestSymbolsAreReadAgainOnlyWhereAFileChanged(t *testing.T) {
	files := &counting{live: live{"a.go": "package a\n\nfunc One() {}\n", "b.py": "def one(): pass\n", "c.txt": "one"}}
	r := query.New(query.Core{Live: files})
	ask := func(want string, reads int32) {
		t.Helper()
		found, err := r.Symbols(t.Context(), "one", "", 9)
		var got []string
		for _, s := range found {
			got = append(got, s.Path+" "+s.Name)
		}
		slices.Sort(got)
		if g := strings.Join(got, ", "); err != nil || g != want || files.reads.Swap(0) != reads {
			t.Errorf("found %q, not %q, or did not read %d files: %v", g, want, reads, err)
		}
	}
	ask("a.go One, b.py one", 2)
	ask("a.go One, b.py one", 0)
	files.live["a.go"] += "\nfunc oneMore() {}\n"
	ask("a.go One, a.go oneMore, b.py one", 1)
	delete(files.live, "b.py")
	ask("a.go One, a.go oneMore", 0)
}
