// Package genproject writes Go projects of any size for benchmarks and tests:
// they build, their packages import each other, and they declare a few symbols
// at known places.
package genproject

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// What every generated project has, whatever its size.
const (
	Module   = "example.com/generated"
	Function = "parseConfig"  // unexported, in package p000, called from each of its files
	Exported = "LoadSettings" // exported by package p000, called from one file of every other package
	Method   = "Describe"     // of p000.Settings, called where LoadSettings is
)

const perPackage = 20

// GenerateProject writes a module of the given number of Go files, about 10 KB
// each, into dir, which must exist.
func GenerateProject(dir string, files int) error {
	if err := write(dir, "go.mod", "module "+Module+"\n\ngo 1.24\n"); err != nil {
		return err
	}
	for i := range files {
		pkg, n := i/perPackage, i%perPackage
		name := fmt.Sprintf("p%03d/file%02d.go", pkg, n)
		if err := write(dir, name, file(pkg, n)); err != nil {
			return err
		}
	}
	return nil
}

func write(dir, name, content string) error {
	p := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		return fmt.Errorf("generate a project: %w", err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		return fmt.Errorf("generate a project: %w", err)
	}
	return nil
}

func file(pkg, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package p%03d\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n\t\"strings\"\n", pkg)
	caller := pkg > 0 && n == 0
	if caller {
		fmt.Fprintf(&b, "\n\t\"%s/p000\"\n", Module)
		if pkg > 1 {
			fmt.Fprintf(&b, "\t\"%s/p%03d\"\n", Module, pkg-1)
		}
	}
	b.WriteString(")\n")
	if pkg == 0 {
		first(&b, n)
	}
	if caller {
		fmt.Fprintf(&b, "\n// Configure%03d reads the settings of this package.\nfunc Configure%03d() string {\n\ts := p000.%s(\"p%03d\")\n\treturn s.%s()\n}\n", pkg, pkg, Exported, pkg, Method)
		if pkg > 1 {
			fmt.Fprintf(&b,
				"\n// Before%03d asks the package before this one.\nfunc Before%03d() string { return p%03d.Configure%03d() }\n",
				pkg, pkg, pkg-1, pkg-1)
		}
	}
	for k := range 12 {
		body(&b, pkg, n, k)
	}
	return b.String()
}

func first(b *strings.Builder, n int) {
	if n == 0 {
		fmt.Fprintf(b, "\n// %s reads one line of a configuration file.\nfunc %s(line string) (string, error) {\n\tif line == \"\" {\n\t\treturn \"\", errors.New(\"parseConfig: empty line\")\n\t}\n\treturn strings.TrimSpace(line), nil\n}\n", Function, Function)
		fmt.Fprintf(b, "\n// Settings are what a package was told.\ntype Settings struct {\n\tName string\n}\n\n// %s names the settings.\nfunc (s *Settings) %s() string { return \"settings of \" + s.Name }\n", Method, Method)
		fmt.Fprintf(b,
			"\n// %s finds the settings of a package.\nfunc %s(name string) *Settings { return &Settings{Name: name} }\n",
			Exported, Exported)
	}
	fmt.Fprintf(b, "\nfunc useConfig%02d(line string) error {\n\tv, err := %s(line)\n\tif err != nil {\n\t\treturn fmt.Errorf(\"file %02d: %%w\", err)\n\t}\n\t_ = v\n\treturn nil\n}\n", n, Function, n)
}

func body(b *strings.Builder, pkg, n, k int) {
	id := fmt.Sprintf("%02d%02d", n, k)
	fmt.Fprintf(b, `
// Record%[1]s is one row of table %[2]d, as it is kept in memory.
type Record%[1]s struct {
	ID    int
	Title string
	Tags  []string
	Score float64
}

// NewRecord%[1]s makes a row with a title; an empty title is an error.
func NewRecord%[1]s(id int, title string) (*Record%[1]s, error) {
	if title == "" {
		return nil, errors.New("a record needs a title")
	}
	return &Record%[1]s{ID: id, Title: strings.TrimSpace(title)}, nil
}

// Line%[1]s formats the row for people.
func (r *Record%[1]s) Line%[1]s() string {
	return fmt.Sprintf("%%d %%s %%s %%.2f", r.ID, r.Title, strings.Join(r.Tags, ","), r.Score)
}

// total%[1]s adds up the scores of the rows that carry the tag.
func total%[1]s(rows []*Record%[1]s, tag string) float64 {
	sum := 0.0
	for _, r := range rows {
		for _, t := range r.Tags {
			if t == tag {
				sum += r.Score
			}
		}
	}
	return sum
}
`, id, pkg)
}
