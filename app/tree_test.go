package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waferpair/app"
	"waferpair/app/query"
	"waferpair/history"
)

func treeString(t testing.TB, p *app.Project, dir string) string {
	t.Helper()
	list, err := p.Query().Tree(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range list {
		b.WriteString(e.Path)
		if e.Dir {
			b.WriteString("/")
		}
		if e.Kind == "link" {
			b.WriteString("@")
		}
		if e.Ignored {
			b.WriteString(" ignored")
		}
		if e.Held {
			b.WriteString(" held")
		}
		if e.Unreviewed > 0 {
			fmt.Fprintf(&b, " %d", e.Unreviewed)
		}
		if e.Changed {
			b.WriteString(" changed")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (w *world) is(got, want string) {
	w.Helper()
	if got != want {
		w.Fatalf("got\n%s\nwant\n%s", got, want)
	}
}

func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func TestTreeShowsEverythingInPeoplesOrder(t *testing.T) {
	w := newWorld(t, map[string]string{"file10.go": "", "file2.go": "", "B.go": "", "a.go": "", "lib/x.go": "x\n",
		"Docs/y.md": "", ".gitignore": "*.log\n", "run.log": "", ".env": "KEY=1\n", ".git/HEAD": "ref: refs/heads/main\n",
		"lib/deep/z.go": "z\n"})
	w.ok(os.Symlink("a.go", filepath.Join(w.dir, "link.go")))
	p := w.open()
	w.is(treeString(t, p, ""),
		"Docs/\nlib/\n.env held\n.gitignore\na.go\nB.go\nfile2.go\nfile10.go\nlink.go@\nrun.log ignored\n")
	w.is(treeString(t, p, "lib"), "lib/deep/\nlib/x.go\n")
	if _, err := p.Query().Tree(t.Context(), "../.."); err == nil {
		t.Fatal("a folder outside the project was listed")
	}
	if _, err := p.Query().Tree(t.Context(), "missing"); err == nil {
		t.Fatal("a folder that is not there was listed")
	}
}

func TestTreeMarksWhatChangedAndWhatWaitsForReview(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "one\ntwo\n", "lib/x.go": "x\n", "lib/y.go": "y\n"})
	p := w.open()
	_, err := p.NewSession(t.Context(), "first")
	w.ok(err)
	w.is(treeString(t, p, ""), "lib/\na.go\n")
	o := w.run(p, w.script(patch("*** Update File: a.go\n@@\n-one\n+1\n*** Update File: lib/x.go\n@@\n-x\n+X\n")))
	if len(o.Edits) != 2 {
		t.Fatalf("%+v", o)
	}
	w.is(treeString(t, p, ""), "lib/ 1 changed\na.go 1 changed\n")
	w.is(treeString(t, p, "lib"), "lib/x.go 1 changed\nlib/y.go\n")
	w.ok(p.Accept(t.Context(), []history.EditID{history.EditID(o.Edits[1])}))
	w.is(treeString(t, p, ""), "lib/ changed\na.go 1 changed\n")
	_, err = p.Revert(t.Context(), app.RevertRequest{IDs: []history.EditID{history.EditID(o.Edits[0])}})
	w.ok(err)
	w.is(treeString(t, p, ""), "lib/ changed\na.go changed\n")
	time.Sleep(2 * time.Millisecond) // sessions start at different milliseconds
	_, err = p.NewSession(t.Context(), "second")
	w.ok(err)
	w.is(treeString(t, p, ""), "lib/\na.go\n")
}

func TestFindAndGrepSeeTheLiveText(t *testing.T) {
	w := newWorld(t, map[string]string{"server/main.go": "package main\n\nfunc serve() {}\n",
		"server/main_test.go": "package main\n", "blob.bin": "a\x00serve", "notes.md": "Serve it.\n", ".env": "serve=1\n"})
	p := w.open()
	found, err := p.Query().Find(t.Context(), "maingo", 5)
	w.ok(err)
	if found.Total != 2 || found.Files[0].Path != "server/main.go" ||
		fmt.Sprint(found.Files[0].Match) != "[7 8 9 10 12 13]" {
		t.Fatalf("%+v", found)
	}
	if all, err := p.Query().Find(t.Context(), "", 2); err != nil || len(all.Files) != 2 || all.Total != 3 {
		t.Fatalf("%+v %v", all, err)
	}
	w.is(w.grep(p, query.GrepQuery{Text: "serve"}), "notes.md:1:0+5 Serve it.\nserver/main.go:3:5+5 func serve() {}\n")
	w.is(w.grep(p, query.GrepQuery{Text: "serve", Case: true, Globs: []string{"*.go", "!*_test.go"}}),
		"server/main.go:3:5+5 func serve() {}\n")
	w.is(w.grep(p, query.GrepQuery{Text: "main", Globs: []string{"!server"}}), "")
	w.is(w.grep(p, query.GrepQuery{Text: "main", Limit: 1}), "server/main.go:1:8+4 package main\nmore\n")
	w.write("latin.txt", "caf\xe9 serve\n")
	w.write("wide.txt", "\xff\xfes\x00e\x00r\x00v\x00e\x00")
	w.ok(p.Close())
	p = w.open()
	w.is(w.grep(p, query.GrepQuery{Text: "caf\u00e9 serve"}), "latin.txt:1:0+10 café serve\n")
	w.is(w.grep(p, query.GrepQuery{Text: "serve", Globs: []string{"wide*"}}), "wide.txt:1:0+5 serve\n")
	w.run(p, w.script(patch("*** Update File: server/main.go\n@@\n-func serve() {}\n+func listen() {}\n")))
	w.is(w.grep(p, query.GrepQuery{Text: `\bserve|listen\b`, Regex: true}),
		"latin.txt:1:5+5 café serve\nnotes.md:1:0+5 Serve it.\nserver/main.go:3:5+6 func listen() {}\nwide.txt:1:0+5 serve\n")
	for _, q := range []query.GrepQuery{{}, {Text: "a\nb"}, {Text: "(", Regex: true}, {Text: "a", Globs: []string{"[x"}}} {
		if _, err := p.Query().Grep(t.Context(), q, nil); err == nil {
			t.Errorf("%+v was searched for", q)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Query().Grep(ctx, query.GrepQuery{Text: "main"},
		func(query.GrepMatch) error { return nil }); err == nil {
		t.Error("a search that was called off ended as if it had looked everywhere")
	}
}

func (w *world) grep(p *app.Project, q query.GrepQuery) string {
	w.Helper()
	var b strings.Builder
	done, err := p.Query().Grep(w.Context(), q, func(m query.GrepMatch) error {
		fmt.Fprintf(&b, "%s:%d:%d+%d %s\n", m.Path, m.Line, m.Column, m.Length, m.Text)
		return nil
	})
	w.ok(err)
	if done.More {
		b.WriteString("more\n")
	}
	return b.String()
}

func TestSymbolsFollowTheLiveText(t *testing.T) {
	w := newWorld(t,
		map[string]string{"a.go": "package a\n\ntype Store struct{ path string }\n\nfunc (s *Store) Open() {}\n",
			"b.py": "class Shop:\n    def open(self):\n        pass\n",
			"c.md": "# Title\n\n```\n# no title\n```\n\n## Part two\n", "d.rs": "pub fn reopen() {}\n"})
	p := w.open()
	show := func(query, path string) string {
		list, err := p.Query().Symbols(t.Context(), query, path, 3)
		w.ok(err)
		var b strings.Builder
		for _, s := range list {
			fmt.Fprintf(&b, "%s %s.%s %s:%d-%d\n", s.Kind, s.Container, s.Name, s.Path, s.Line, s.EndLine)
		}
		return b.String()
	}
	w.is(show("", "a.go"), "type .Store a.go:3-3\nfield Store.path a.go:3-3\nmethod Store.Open a.go:5-5\n")
	w.is(show("", "c.md"), "heading .Title c.md:1-1\nheading .Part two c.md:7-7\n")
	w.is(show("open", ""), "method Shop.open b.py:2-3\nmethod Store.Open a.go:5-5\nfunc .reopen d.rs:1-1\n")
	w.is(show("storeopen", ""), "method Store.Open a.go:5-5\n")
	w.run(p,
		w.script(patch(
			"*** Update File: a.go\n@@\n-func (s *Store) Open() {}\n+func (s *Store) Close() {}\n*** Delete File: d.rs\n")))
	w.is(show("open", ""), "method Shop.open b.py:2-3\n")
	w.is(show("stclo", ""), "method Store.Close a.go:5-5\n")
}
