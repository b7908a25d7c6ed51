package main

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fileName matches names of this repository's files. It does not match the end of one
// (_test.go) or patterns (*.go).
var fileName = regexp.MustCompile(`(?:^|[^\w./*~$-])([A-Za-z][\w./-]*\.(?:go|sql|ts|svelte|mjs))\b`)

// notOurs are names that stand for any file, or for files of others.
var notOurs = []string{
	"path/to/file.go", "user_by_city.go", "server.go", "src/a.ts", "x.ts",
	"window.go", // where Wails puts its functions in a page
	"delta.go",  // now in history/version; an old migration, which never changes, names it
}

// TestFilesNamedInCommentsExist checks that every file that a comment names exists: beside
// the comment's file, or below one of the folders above it.
func TestFilesNamedInCommentsExist(t *testing.T) {
	files := sources(t)
	for _, f := range files {
		if name := path.Base(f); strings.HasSuffix(name, "_test.go") || strings.Contains(name, ".test.") ||
			strings.Contains(name, ".e2e.") {
			continue // their comments name the files of made-up projects
		}
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, comment := range comments(f, body) {
			for _, m := range fileName.FindAllStringSubmatch(comment, -1) {
				if !slices.Contains(notOurs, m[1]) && !found(files, path.Dir(f), m[1]) {
					t.Errorf("%s names %s, which is not there: %s", f, m[1], comment)
				}
			}
		}
	}
}

// sources returns the files of this repository that have comments, sorted.
func sources(t *testing.T) (files []string) {
	skip := []string{"node_modules", "testdata", "examples", "dist", "bin"}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if base := d.Name(); slices.Contains(skip, base) || len(base) > 1 && strings.HasPrefix(base, ".") {
				return fs.SkipDir
			}
		case slices.Contains([]string{".go", ".sql", ".ts", ".svelte", ".mjs"}, path.Ext(name)):
			files = append(files, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil || len(files) < 500 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	slices.Sort(files)
	return files
}

var commentOf = map[string]*regexp.Regexp{
	".sql":    regexp.MustCompile(`(?m)--(.*)$`),
	".ts":     regexp.MustCompile(`(?m)(?:^|\s)(?://|/\*+ |^ *\* )(.*)$`),
	".svelte": regexp.MustCompile(`(?m)(?:^|\s)(?://|/\*+ |^ *\* |<!-- )(.*)$`),
	".mjs":    regexp.MustCompile(`(?m)(?:^|\s)(?://|/\*+ |^ *\* )(.*)$`),
}

func comments(name string, body []byte) (list []string) {
	if re := commentOf[path.Ext(name)]; re != nil {
		for _, m := range re.FindAllSubmatch(body, -1) {
			list = append(list, string(m[1]))
		}
		return list
	}
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile(name, -1, len(body)), body, nil, scanner.ScanComments)
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return list
		case tok == token.COMMENT && !strings.HasPrefix(lit, "//go:"):
			list = append(list, lit)
		}
	}
}

// found reports whether name exists below dir or below a folder that dir is in.
func found(files []string, dir, name string) bool {
	for ; ; dir = path.Dir(dir) {
		if _, ok := slices.BinarySearch(files, path.Join(dir, name)); ok {
			return true
		}
		if dir == "." {
			return false
		}
	}
}
