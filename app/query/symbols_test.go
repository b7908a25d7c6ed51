package query_test

import (
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"waferpair/app/query"
	"waferpair/history"
)

// recorded is a project whose history has all its files as they are.
type recorded struct {
	counting
	dir string
}

func (r *recorded) Stamps(paths []string) []query.Stamp {
	out := make([]query.Stamp, len(paths))
	for i, p := range paths {
		h := history.HashBytes([]byte(r.live[p]))
		out[i].Known = history.FileState{Head: h, Disk: h}
	}
	return out
}

// asked returns the symbols that a fresh process finds, and how many files it reads for
// them.
func (r *recorded) asked(t *testing.T) (answer string, reads int32) {
	t.Helper()
	s, err := history.Open(t.Context(), history.Options{Dir: r.dir})
	if err != nil {
		t.Fatal(err)
	}
	list, err := query.New(query.Core{Live: r, History: s}).Symbols(t.Context(), "", "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(list), r.reads.Swap(0)
}

// TestSymbolsOfAColdProcess checks that a fresh process takes symbols from the history, and
// parses files only if the history has no outline of them, or a damaged one.
func TestSymbolsOfAColdProcess(t *testing.T) {
	r :=
		&recorded{counting: counting{live: live{"a.go": "package a\n\ntype One struct{ two int }\n\nfunc (o *One) Three() {}\n", "b.py": "class One:\n    def two(self): pass\n",
			"c.md": "# One\n", "d.go": "package d\n", "e.py": "class One:\n    def two(self): pass\n"}},
			dir: filepath.Join(t.TempDir(), "store")}
	s, err := history.Open(t.Context(), history.Options{Dir: r.dir})
	if err != nil {
		t.Fatal(err)
	}
	var files []history.BaseFile
	var disk []history.DiskState
	for _, p := range slices.Sorted(maps.Keys(r.live)) {
		body := r.live[p]
		files = append(files, history.BaseFile{Path: p, Bytes: []byte(body), Mode: 0o644, Size: int64(len(body))})
		disk = append(disk, history.DiskState{Path: p, Hash: history.HashBytes([]byte(body))})
	}
	if _, err := s.Baseline(t.Context(), slices.Values(files)); err != nil {
		t.Fatal(err)
	}
	if err := s.SetDisk(t.Context(), disk); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	want, reads := r.asked(t)
	if reads != 5 {
		t.Fatalf("the first process read %d files", reads)
	}
	check := func(most int32, what string) {
		t.Helper()
		if got, reads := r.asked(t); got != want || reads != most {
			t.Fatalf("%s: read %d files, not %d, and found\n%s\nnot\n%s", what, reads, most, got, want)
		}
	}
	check(0, "the second process")
	for _, damage := range []struct {
		what  string
		reads int32
	}{
		{"data = zeroblob(length(data)) WHERE path IN (SELECT id FROM path WHERE path = 'a.go')", 1},
		{"data = x'' WHERE path IN (SELECT id FROM path WHERE path IN ('a.go', 'c.md'))", 2},
		{"hash = zeroblob(32)", 5}, {"hash = zeroblob(5)", 5}, {"version = version + 1", 5}, {"data = 'text'", 5},
		{"data = (SELECT data FROM outline WHERE path = (SELECT id FROM path WHERE path = 'a.go'))", 4},
	} {
		r.alter(t, "UPDATE outline SET "+damage.what)
		check(damage.reads, damage.what)
		check(0, "after "+damage.what)
	}
	r.alter(t, "DROP TABLE outline")
	check(5, "without the table")
}

func (r *recorded) alter(t *testing.T, query string) {
	t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(r.dir, "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

// stamped counts how often it is asked for stamps.
type stamped struct {
	live
	asked int
}

func (s *stamped) Stamps(paths []string) []query.Stamp {
	s.asked++
	return s.live.Stamps(paths)
}

// TestSymbolsOfUnchangedFiles checks that no file is asked for while none has changed.
func TestSymbolsOfUnchangedFiles(t *testing.T) {
	files := &stamped{live: live{"a.go": "package a\n\nfunc One() {}\n"}}
	r := query.New(query.Core{Live: files})
	names := func() (out []string) {
		t.Helper()
		list, err := r.Symbols(t.Context(), "", "", 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			out = append(out, s.Name)
		}
		return out
	}
	if got := fmt.Sprint(names(), names()); got != "[One] [One]" || files.asked != 1 {
		t.Errorf("%s, after asking %d times", got, files.asked)
	}
	files.live["b.go"] = "package a\n\nfunc Two() {}\n"
	if got := fmt.Sprint(names(), names()); got != "[One Two] [One Two]" || files.asked != 2 {
		t.Errorf("%s, after asking %d times", got, files.asked)
	}
	delete(files.live, "a.go")
	if got := fmt.Sprint(names()); got != "[Two]" {
		t.Error(got)
	}
}
