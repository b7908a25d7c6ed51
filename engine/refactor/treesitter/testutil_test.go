package treesitter

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"waferpair/engine/refactor"
)

// memory is a project in memory.
type memory map[string]string

func (m memory) Files(context.Context) ([]string, error) {
	var out []string
	for f := range m {
		out = append(out, f)
	}
	sort.Strings(out)
	return out, nil
}

func (m memory) Read(path string) ([]byte, error) {
	s, ok := m[path]
	if !ok {
		return nil, os.ErrNotExist
	}
	return []byte(s), nil
}

func (m memory) Root() string { return "" }

// apply returns the project after a result.
func (m memory) apply(t testing.TB, r refactor.Result) memory {
	t.Helper()
	out := memory{}
	for f, s := range m {
		out[f] = s
	}
	for _, e := range r.Edits {
		b, err := applied([]byte(out[e.Path]), e.Changes)
		if err != nil {
			t.Fatalf("%s: %v", e.Path, err)
		}
		out[e.Path] = string(b)
		if e.Delete {
			delete(out, e.Path)
		}
	}
	return out
}

// TestCases runs every case of testdata/*.txtar. The comment of a case holds its
// request, one `key=value` a line (op, file, lines and the operation's arguments),
// then either `declines: TEXT` with a part of the reason, or the files after it
// under the names `want/FILE`. `note: TEXT` is a part of a note that must be there, `gone: FILE`
// a file that is deleted.
func TestCases(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, c := range cases {
		b, err := os.ReadFile(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(b), "\n=== ") {
			name, body, _ := strings.Cut(part, "\n")
			t.Run(filepath.Base(c)+"/"+strings.TrimPrefix(name, "=== "), func(t *testing.T) { runCase(t, body) })
		}
	}
}

func runCase(t *testing.T, body string) {
	ar := txtar.Parse([]byte(body))
	op, target, wants := readRequest(t, string(ar.Comment))
	before, after := memory{}, memory{}
	for _, f := range ar.Files {
		data := strings.NewReplacer("\\r\n", "\r\n").Replace(string(f.Data))
		if w, ok := strings.CutPrefix(f.Name, "want/"); ok {
			after[w] = data
		} else {
			before[f.Name] = data
		}
	}
	lang := languageOf(before, target)
	got, err := lang.Run(context.Background(), before, target, op)
	if wants["declines"] != "" {
		d, ok := err.(*refactor.Declined)
		if !ok {
			t.Fatalf("got %v %v, want declined", err, before.apply(t, got))
		}
		if !strings.Contains(d.Error(), wants["declines"]) {
			t.Fatalf("declined: %v\nwant: %s", d, wants["declines"])
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for f, s := range before {
		if _, ok := after[f]; !ok && f != wants["gone"] {
			after[f] = s
		}
	}
	if diff := cmp.Diff(after, before.apply(t, got)); diff != "" {
		t.Errorf("-want +got:\n%s\n%+v", diff, got.Notes)
	}
	if n := wants["note"]; !strings.Contains(strings.Join(got.Notes, "\n"), n) {
		t.Errorf("notes %q, want %q", got.Notes, n)
	}
	if s := wants["summary"]; s != "" && s != got.Summary {
		t.Errorf("summary %q, want %q", got.Summary, s)
	}
}

func readRequest(t *testing.T, s string) (refactor.Op, refactor.Target, map[string]string) {
	op := refactor.Op{Args: map[string]string{}}
	var target refactor.Target
	wants := map[string]string{}
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		k, v, ok := strings.Cut(line, "=")
		if w, rest, isWant := strings.Cut(line, ": "); isWant && (w == "declines" || w == "note" || w == "gone" ||
			w == "summary") {
			wants[w] = rest
			continue
		}
		switch {
		case line == "":
		case !ok:
			t.Fatalf("bad line %q", line)
		case k == "op":
			op.Name = v
		case k == "file":
			target.File = v
		case k == "lines":
			if _, err := fmt.Sscanf(v, "%d-%d", &target.From, &target.To); err != nil {
				t.Fatal(err)
			}
		default:
			op.Args[k] = v
		}
	}
	return op, target, wants
}

func languageOf(files memory, target refactor.Target) refactor.Language {
	for f := range files {
		if target.File != "" {
			f = target.File
		}
		if Java().Handles(f) {
			return Java()
		}
		if Python().Handles(f) {
			return Python()
		}
	}
	return TypeScript()
}
