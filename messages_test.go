package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sentence matches text that a user may read: five words at least, and no SQL.
var (
	sentence = regexp.MustCompile(`(\pL{2,}\PL+){4,}\pL{2,}`)
	notSaid  = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|PRAGMA|VACUUM|json:)`)
)

// TestEachSentenceIsInOnePlace checks that a package has each sentence in one place only,
// so that it is worded once and translated in one place. Code that needs the same sentence
// shares a constant or a function.
func TestEachSentenceIsInOnePlace(t *testing.T) {
	var dirs []string
	for _, glob := range []string{"app", "app/*", "engine", "engine/agent", "engine/model", "workspace"} {
		found, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, found...)
	}
	all := 0
	for _, dir := range dirs {
		if dir == "app/bench" {
			continue // for developers; it repeats the page's commands
		}
		places := map[string][]string{}
		for text, at := range sentences(t, dir) {
			places[text] = at
			all += len(at)
		}
		for text, at := range places {
			if len(at) > 1 {
				t.Errorf("%q is in %d places: %s", text, len(at), strings.Join(at, ", "))
			}
		}
	}
	if all < 500 { // there are more; otherwise the test looks in the wrong places
		t.Errorf("only %d sentences were found", all)
	}
}

// sentences returns the sentences of a package's own files, with their places.
func sentences(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			if sentence.MatchString(text) && !notSaid.MatchString(text) {
				out[text] = append(out[text], fset.Position(lit.Pos()).String())
			}
			return true
		})
	}
	return out
}
