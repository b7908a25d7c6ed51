package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/languages"
	"waferpair/engine/spark/link"
)

// root is a folder of real source files in one language.
type root struct {
	lang, folder string
	extensions   []string
	language     refactor.Language
}

const (
	mostFiles    = 8   // of a project
	leastSymbols = 25  // of a project
	mostSymbols  = 500 // of a project
	mostProjects = 120 // of a root
	largestFile  = 200_000
)

// everyLanguage is what the projects of the evaluation sets are read with.
func everyLanguage() []root {
	var out []root
	for _, l := range languages.All() {
		out = append(out, root{lang: l.Name(), language: l})
	}
	return out
}

// readProjects makes a small symbol table of each folder of source files below the roots.
func readProjects(roots []root) ([]*project, error) {
	var out []*project
	for _, r := range roots {
		found, err := r.projects()
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "%s: %d symbol tables of %s\n", r.lang, len(found), r.folder)
		out = append(out, found...)
	}
	for i, p := range out {
		p.foreign = foreignTo(p, out, i)
		if len(p.foreign) == 0 {
			return nil, fmt.Errorf("no second %s project to take new names from", p.lang)
		}
	}
	return out, nil
}

// foreignTo are names of another project in the same language.
func foreignTo(p *project, all []*project, i int) []string {
	var same []*project
	for _, q := range all {
		if q.lang == p.lang && q != p {
			same = append(same, q)
		}
	}
	if len(same) == 0 {
		return nil
	}
	var out []string
	for _, s := range same[i*7%len(same)].symbols {
		if len(p.table.Named(s.Name)) == 0 {
			out = append(out, s.Name)
		}
	}
	return out
}

func (r root) projects() ([]*project, error) {
	outliner, ok := r.language.(refactor.Outliner)
	if !ok {
		return nil, fmt.Errorf("%s has no outline", r.lang)
	}
	byFolder := map[string][]string{}
	err := filepath.WalkDir(r.folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != r.folder {
			return filepath.SkipDir // caches of tools
		}
		if d.IsDir() && slices.Contains([]string{"testdata", "test", "tests", "vendor", "internal", "cmd"}, d.Name()) {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() && slices.Contains(r.extensions, filepath.Ext(name)) && !strings.Contains(name, ".min.") {
			byFolder[filepath.Dir(name)] = append(byFolder[filepath.Dir(name)], name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for source files: %w", err)
	}
	var folders []string
	for f := range byFolder {
		folders = append(folders, f)
	}
	slices.Sort(folders)
	var out []*project
	for _, folder := range folders {
		files := byFolder[folder]
		for from := 0; from < len(files) && from < 5*mostFiles; from += mostFiles {
			p, err := r.project(outliner, files[from:min(len(files), from+mostFiles)])
			if err != nil {
				return nil, err
			}
			if p != nil {
				out = append(out, p)
			}
		}
	}
	if step := len(out) / mostProjects; step > 1 {
		var some []*project
		for i := 0; i < len(out); i += step {
			some = append(some, out[i])
		}
		out = some
	}
	return out, nil
}

func (r root) project(outliner refactor.Outliner, files []string) (*project, error) {
	p := &project{lang: r.lang}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("read a source file: %w", err)
		}
		if len(src) > largestFile {
			continue
		}
		rel, err := filepath.Rel(r.folder, f)
		if err != nil {
			return nil, err
		}
		decls, err := outliner.Outline(rel, src)
		if err != nil {
			continue // it does not parse
		}
		p.comments = append(p.comments, commentsOf(src)...)
		p.files = append(p.files, filepath.ToSlash(rel))
		p.symbols = append(p.symbols, symbolsOf(filepath.ToSlash(rel), decls)...)
	}
	if len(p.symbols) < leastSymbols {
		return nil, nil
	}
	p.symbols = p.symbols[:min(len(p.symbols), mostSymbols)]
	p.table = link.NewTable(p.symbols, p.files)
	return p, nil
}

func symbolsOf(file string, decls []refactor.Declaration) []link.Symbol {
	var out []link.Symbol
	for _, d := range decls {
		if len(d.Name) < 2 {
			continue
		}
		out = append(out, link.Symbol{Name: d.Name, Kind: link.Kind(d.Kind), Owner: d.Container, File: file,
			Line: d.Line, EndLine: d.EndLine, Params: d.Params})
	}
	return out
}

var commentAt = regexp.MustCompile(`(?m)^[ \t]*(?://|#|\*)[ \t]+([A-Za-z][A-Za-z0-9 ,'-]{10,70})[.]?$`)

// mostComments bounds what one file says of the prose that requests hold.
const mostComments = 40

// commentsOf are the lines of a file's comments that read like prose.
func commentsOf(src []byte) []string {
	var out []string
	for _, m := range commentAt.FindAllSubmatch(src, mostComments) {
		if text := string(m[1]); strings.Count(text, " ") > 1 {
			out = append(out, strings.TrimSpace(text))
		}
	}
	return out
}
