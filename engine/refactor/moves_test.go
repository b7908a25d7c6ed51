package refactor_test

import (
	"context"
	"errors"
	"go/build"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"waferpair/build/testseed"
	"waferpair/engine/refactor"
	"waferpair/engine/refactor/languages"
)

// TestMovesJudged moves declarations of real code from file to file, one move upon the other, and
// lets the compilers of the languages judge the result.
func TestMovesJudged(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, c := range []struct {
		name, root string
		folders    []string
		subject    *regexp.Regexp
		judge      []string
	}{
		{"go", filepath.Join(build.Default.GOROOT, "src"), []string{"bufio", "text/tabwriter", "encoding/csv",
			"text/template/parse", "go/printer", "regexp/syntax", "flag", "go/doc/comment"},
			regexp.MustCompile(`(?m)^(?:func (?:\(\w+ \*?(\w+)\) )?|type |var |const )(\w+)|^\t([A-Z]\w*)`),
			[]string{"go", "vet", "-composites=false", "./..."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := project{"go.mod": "module example.com/m\n\ngo 1.26\n"}
			for _, folder := range c.folders {
				p.addFolder(t, c.root, folder)
			}
			if out, err := p.judged(t, c.judge); err != nil {
				t.Skipf("the code does not pass as it is: %v\n%s", err, out)
			}
			p, done, declined := p.movedAbout(t, c.subject)
			t.Logf("%d moves carried out, %d declined", done, declined)
			if done == 0 {
				t.Error("nothing moved")
			}
			if out, err := p.judged(t, c.judge); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// movedAbout asks for moves to files that are there and to new ones.
func (p project) movedAbout(t *testing.T, subject *regexp.Regexp) (after project, done, declined int) {
	rnd := rand.New(rand.NewPCG(testseed.New(t), 4))
	tries := 40
	if os.Getenv("WAFERPAIR_LONG") != "" {
		tries = 1000
	}
	runner := refactor.Runner{Languages: languages.All()}
	for range tries {
		files, _ := p.Files(context.Background())
		file, other := files[rnd.IntN(len(files))], files[rnd.IntN(len(files))]
		found := subject.FindAllStringSubmatch(p[file], -1)
		if len(found) == 0 {
			continue
		}
		m := found[rnd.IntN(len(found))]
		name := strings.TrimPrefix(m[1]+"."+m[2]+m[3], ".")
		to := path.Join(path.Dir(file), path.Base(other))
		if rnd.IntN(3) == 0 {
			to = path.Join(path.Dir(file), "moved"+path.Ext(file))
		} else if path.Ext(file) != ".go" && rnd.IntN(2) == 0 {
			to = other
		}
		op := refactor.Op{Name: "move", Args: map[string]string{"symbol": name, "to": to}}
		res, err := runner.Run(context.Background(), p, refactor.Target{File: file}, refactor.Program{op})
		var d *refactor.Declined
		switch {
		case errors.As(err, &d):
			declined++
			if d.Code == refactor.Beyond {
				t.Logf("%s: %s", file, d)
			}
		case err != nil:
			t.Fatalf("%v in %s: %v", op, file, err)
		case len(res.Edits) > 0:
			done++
			t.Logf("%s: %v", file, op)
			p = p.with(t, res)
		}
	}
	return p, done, declined
}
