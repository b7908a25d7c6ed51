package app_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/app/query"
	"waferpair/history"
)

// TestKeptSymbolsAreTheParsers checks that each process lists the symbols that the parsers
// find in the files as they are, whatever happened to the files in this process and between
// processes.
func TestKeptSymbolsAreTheParsers(t *testing.T) {
	const secret = "gh" + "p_9sKqL2vB7xT0mWc4RzE1yU6iOpA3sD8fG5hK"
	sources := map[string][]string{
		".go": {"package a\n", "type T$ struct{ A, b int }\n", "func (t T$) Do$() {}\n", "const C$ = 1\n",
			"func broken$( {\n"},
		".py": {"import os\n", "class C$:\n    x = 1\n    def m$(self): pass\n", "def f$(): pass\n", "    odd$ = 1\n"},
		".ts": {"export class C$ { m$(): void {} }\n", "const k$ = 1\n", "export interface I$ { p: number }\n", "}\n"},
		".md": {"# Part $\n", "text\n", "## Über $\n"},
	}
	files := map[string]string{".gitignore": "ignored.go\n", "ignored.go": "package a\n\nfunc IgnoredFunction() {}\n",
		"token.md": "# " + secret + "\n", ".env": "SECRET_OF_ENV=1\n"}
	extensions := []string{".go", ".md", ".py", ".ts"}
	r := rand.New(rand.NewPCG(1, uint64(rand.Uint32())))
	body := func(ext string) string {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString(strings.ReplaceAll(sources[ext][r.IntN(len(sources[ext]))], "$", fmt.Sprint(r.IntN(50))))
		}
		return b.String()
	}
	name := func() string { return fmt.Sprintf("d/f%d%s", r.IntN(12), extensions[r.IntN(4)]) }
	for range 40 {
		n := name()
		files[n] = body(n[strings.LastIndexByte(n, '.'):])
	}
	w := newWorld(t, files)
	edit := func(p *app.Project) {
		for range r.IntN(5) {
			n := name()
			if p == nil { // like another program
				w.write(n, body(n[strings.LastIndexByte(n, '.'):]))
				continue
			}
			var paths []string
			if all, err := p.Files(t.Context()); err == nil {
				paths = slices.DeleteFunc(all, func(f string) bool { return !strings.HasPrefix(f, "d/") })
			}
			if len(paths) == 0 {
				continue
			}
			n = paths[r.IntN(len(paths))]
			e := w.show(p, n)
			e.typed("", body(n[strings.LastIndexByte(n, '.'):]))
			if r.IntN(2) == 0 {
				w.ok(p.SaveFile(t.Context(), n))
			}
		}
	}
	for round := range 12 {
		p := w.open()
		w.ok(p.Baseline())
		if round > 0 {
			edit(p)
		}
		w.ok(p.Ready(t.Context()))
		w.is(symbolsOf(w, p), parsedSymbolsOf(w, p))
		w.ok(p.Close())
		edit(nil)
	}
	w.nowhere("IgnoredFunction")
	w.nowhere(secret)
}

// symbolsOf returns the project's symbols from the list of all.
func symbolsOf(w *world, p *app.Project) string {
	w.Helper()
	list, err := p.Query().Symbols(w.Context(), "", "", 100_000)
	w.ok(err)
	return symbolLines(list)
}

// parsedSymbolsOf returns the same, with each file parsed by itself.
func parsedSymbolsOf(w *world, p *app.Project) string {
	w.Helper()
	files, err := p.Files(w.Context())
	w.ok(err)
	var all strings.Builder
	for _, f := range files {
		list, err := p.Query().Symbols(w.Context(), "", f, 0)
		if err == nil {
			all.WriteString(symbolLines(list))
		}
	}
	return all.String()
}

func symbolLines(list []query.Symbol) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%+v\n", s)
	}
	return b.String()
}

// TestTheFirstOpeningKnowsItsFiles checks that the process that opens a new project first knows what
// history has of its files, as later ones do: it keeps what they declare, so that none parses them again.
func TestTheFirstOpeningKnowsItsFiles(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "package a\n"})
	p := w.open()
	w.ok(p.Baseline())
	h := history.HashBytes([]byte("package a\n"))
	if st := app.Known(p, "a.go"); st.Disk != h || st.Head != h {
		t.Errorf("%+v", st)
	}
}
