package golang

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"waferpair/engine/refactor"
)

// cgoProject has C code in three places: in its own package, in a folder of it
// that the project does not list (an ignored one), and in a dependency. DEP is
// where the dependency is.
const cgoProject = `
-- go.mod --
module example.com/m

go 1.24

require example.com/dep v0.0.0

replace example.com/dep => DEP
-- m.go --
package m

import (
	"example.com/dep"
	"example.com/m/gen"
)

type Door struct{}

func (Door) Open() string { return gen.Name() }

func (Door) Close() {}

var Value = dep.Take(Door{}) + dep.Pure(dep.Handle{N: 1})

func helper() int { return 1 }
-- c.go --
package m

// int one(void) { return 1; }
import "C"

func viaC() int { return int(C.one()) + helper() }
`

const cgoElsewhere = `
-- gen/gen.go --
package gen

// static int two(void) { return 2; } // RUN
import "C"

func Name() string { return string(rune(C.two())) }
-- dep/go.mod --
module example.com/dep

go 1.24
-- dep/dep.go --
package dep

func Pure(h Handle) int { return h.N }
-- dep/c.go --
package dep

// #cgo pkg-config: nothing
// static int three(void) { return 3; } // RUN
import "C"

type Opener interface{ Open() string }

type Handle struct{ N int }

func Take(o Opener) int { return int(C.three()) + len(o.Open()) }
`

// cgoSource writes the project, with compilers that say so when they are run.
func cgoSource(t *testing.T) (src memSource, marker string) {
	root := t.TempDir()
	marker = filepath.Join(root, "marker")
	tool := filepath.Join(root, "tool")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\necho \"$0 $*\" >>'"+marker+"'\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"CC", "CXX", "FC", "PKG_CONFIG"} {
		t.Setenv(name, tool)
	}
	src = memSource{filepath.Join(root, "m"), map[string][]byte{}}
	files := strings.ReplaceAll(cgoProject, "DEP", filepath.Join(root, "m", "dep"))
	listed := len(txtar.Parse([]byte(files)).Files)
	for i, f := range txtar.Parse([]byte(files + strings.ReplaceAll(cgoElsewhere, "RUN", root))).Files {
		path := filepath.Join(src.root, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		if i < listed {
			src.files[f.Name] = f.Data
		}
	}
	return src, marker
}

// TestNoCodeOfTheProjectRuns renames in a project with C code: no compiler is
// run, and what the C files declare is known all the same.
func TestNoCodeOfTheProjectRuns(t *testing.T) {
	for _, c := range []struct{ symbol, to, declined string }{
		{"Door.Open", "Unlock", "dep.Opener"}, // which a file with C code declares
		{"Door.Close", "Shut", ""},
		{"helper", "assist", ""}, // which one of the project uses
	} {
		t.Run(c.symbol, func(t *testing.T) {
			src, marker := cgoSource(t)
			res, err := New().Run(context.Background(), src, refactor.Target{}, op("rename", "symbol", c.symbol, "to", c.to))
			switch {
			case c.declined != "":
				wantDeclined(t, err, c.declined)
			case err != nil:
				t.Error(err)
			default:
				after := src.apply(t, res)
				for f, b := range after.files {
					if old := c.symbol[strings.IndexByte(c.symbol, '.')+1:]; strings.Contains(string(b), old+"(") {
						t.Errorf("%s still has %s:\n%s", f, old, b)
					}
				}
			}
			if b, err := os.ReadFile(marker); err == nil {
				t.Errorf("a compiler was run:\n%s", b)
			}
		})
	}
}
