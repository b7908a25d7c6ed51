package lines

import (
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var words = strings.Repeat("word ", 20) // 100 columns

func TestLongLinesAreBroken(t *testing.T) {
	for _, c := range []struct{ what, src, want string }{
		{"after the last comma that fits, as far out as possible", `
func f() {
	fmt.Fprintf(e.out, "checked %s of %s: %s rebuilt", count(r.Edits, "edit"), count(r.Files, "file"), count(r.Good, "version"))
}`, `
func f() {
	fmt.Fprintf(e.out, "checked %s of %s: %s rebuilt", count(r.Edits, "edit"), count(r.Files, "file"),
		count(r.Good, "version"))
}`},
		{"a body that is the last thing", `
func f() {
	maps.DeleteFunc(made, func(name, _ string) bool { return strings.HasSuffix(name, "/") || strings.HasSuffix(name, "-shm") })
}`, `
func f() {
	maps.DeleteFunc(made, func(name, _ string) bool {
		return strings.HasSuffix(name, "/") || strings.HasSuffix(name, "-shm")
	})
}`},
		{"after an operator, the loosest first", `
var _ = n.has("interpolation") || n.parent.is("concatenated", "statement") && n.field != "value" || n.parent.is("call", "enum")`, `
var _ = n.has("interpolation") || n.parent.is("concatenated", "statement") && n.field != "value" ||
	n.parent.is("call", "enum")`},
		{"the rest goes before the next line of the list", `
var _ = f("a total of", z.Total, "the database", z.Database, "the log of writes", z.Log, "the backups", z.Backups, "rest", z.Other,
	"reserve", z.Ballast)`, `
var _ = f("a total of", z.Total, "the database", z.Database, "the log of writes", z.Log, "the backups", z.Backups,
	"rest", z.Other, "reserve", z.Ballast)`},
		{"a comment beside the code goes above it", `
func f() {
	quicker := errors.Is(err, history.ErrBeingMade) || errors.Is(err, history.ErrOlder) || err == nil // somebody was quicker
}`, `
func f() {
	// somebody was quicker
	quicker := errors.Is(err, history.ErrBeingMade) || errors.Is(err, history.ErrOlder) || err == nil
}`},
		{"a comment of its own goes on in the next line", `
// Here are words, as many as there have to be for a line that is somewhat longer than all lines of this repository may be
// at most.
var _ = 1`, `
// Here are words, as many as there have to be for a line that is somewhat longer than all lines of this repository may
// be at most.
var _ = 1`},
		{"a string that fits on no line stays", `
var _ = f("` + words + words + `", 1)`, `
var _ = f("` + words + words + `", 1)`},
		{"so do the lines of a raw string", "\nvar _ = f(`\n" + words + words + "\n`, 1)", "\nvar _ = f(`\n" + words +
			words + "\n`, 1)"},
	} {
		got, err := Wrap("a.go", []byte("package a\n"+c.src+"\n"))
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if want := "package a\n" + c.want + "\n"; string(got) != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, got, want)
		}
	}
}

// TestThisRepository breaks the lines of every Go file here: nothing changes but
// where lines end and where comments stand, and nothing long is left.
func TestThisRepository(t *testing.T) {
	err := filepath.WalkDir("../../..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == ".cache"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		check(t, name, src)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, name string, src []byte) {
	t.Helper()
	out, err := Wrap(name, src)
	if err != nil {
		t.Error(err)
		return
	}
	if formatted, err := format.Source(out); err != nil || string(formatted) != string(out) {
		t.Errorf("%s is not as gofmt writes it (%v)", name, err)
	}
	code, comments := tokens(src)
	codeOut, commentsOut := tokens(out)
	if !slices.Equal(code, codeOut) || !slices.Equal(comments, commentsOut) {
		t.Errorf("%s says something else", name)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, out, parser.ParseComments)
	if err != nil {
		t.Error(err)
		return
	}
	if long := Long(fset, file, out); len(long) > 0 {
		t.Errorf("%s: lines %v are still long", name, long)
	}
}

// tokens are a file's, without what a line's end adds, and the words of its comments
// in the order of the alphabet, because a comment moves.
func tokens(src []byte) (code, comments []string) {
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("a.go", -1, len(src)), src, nil, scanner.ScanComments)
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			slices.Sort(comments)
			return code, comments
		case tok == token.COMMENT:
			words := strings.Fields(lit)
			comments = append(comments, slices.DeleteFunc(words, func(w string) bool { return w == "//" })...)
		case tok != token.SEMICOLON:
			code = append(code, tok.String()+" "+lit)
		}
	}
}
