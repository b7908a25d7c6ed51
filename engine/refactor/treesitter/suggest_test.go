package treesitter

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waferpair/engine/refactor"
)

// TestChoices: every nearest entry of an ambiguous name says where the
// declaration is, and what to type; typed, it renames that declaration alone.
func TestChoices(t *testing.T) {
	class := "export class ZodError extends Error {\n  issues = 1;\n}\n"
	for _, c := range []struct {
		name    string
		files   memory
		target  refactor.Target
		request string
		want    []string
	}{
		{"one in each file", memory{
			"v3/ZodError.ts": class, "v4/errors.ts": "\n" + class, "v4/ZodError.ts": class,
			"my docs/it's.ts": class, "v4/errors.test.ts": "import { ZodError } from './errors';\nnew ZodError();\n",
		}, refactor.Target{}, "ZodError", []string{
			`my docs/it's.ts:1 (type --file 'my docs/it'\''s.ts')`,
			"v3/ZodError.ts:1 (type --file v3/ZodError.ts)",
			"v4/ZodError.ts:1 (type --file v4/ZodError.ts)",
			"v4/errors.ts:2 (type --file v4/errors.ts)",
		}},
		{"at most five", memory{"a.ts": class, "b.ts": class, "c.ts": class, "d.ts": class, "e.ts": class,
			"f.ts": class, "g.ts": class},
			refactor.Target{}, "ZodError", []string{
				"a.ts:1 (type --file a.ts)", "b.ts:1 (type --file b.ts)", "c.ts:1 (type --file c.ts)",
				"d.ts:1 (type --file d.ts)", "e.ts:1 (type --file e.ts)",
			}},
		{"members of one file",
			memory{"a.py": "class A:\n    def go(self):\n        pass\n\n\nclass B:\n    def go(self):\n        pass\n"},
			refactor.Target{File: "a.py"}, "go", []string{"a.py:2 (type A.go)", "a.py:7 (type B.go)"}},
		{"locals without a name around them",
			memory{"a.js": "run(() => {\n  let x = 1;\n});\nrun(() => {\n  let x = 2;\n});\n"},
			refactor.Target{}, "x", []string{"a.js:2 (type --file a.js --lines 2-2)", "a.js:5 (type --file a.js --lines 5-5)"}},
		{"nothing tells them apart", memory{"a.js": "run(() => { let x = 1; }); run(() => { let x = 2; });\n"},
			refactor.Target{}, "x", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			lang := languageOf(c.files, c.target)
			op := refactor.Op{Name: "rename", Args: map[string]string{"symbol": c.request, "to": "fresh"}}
			_, err := lang.Run(context.Background(), c.files, c.target, op)
			var d *refactor.Declined
			if !errors.As(err, &d) {
				t.Fatalf("got %v, want declined", err)
			}
			if diff := cmp.Diff(c.want, d.Nearest); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for _, near := range d.Nearest {
				follow(t, lang, c.files, c.target, op, near)
			}
		})
	}
}

// follow types what a nearest entry says and checks that the line which it names
// changes, and no other line of the file.
func follow(t *testing.T, lang refactor.Language, files memory, target refactor.Target, op refactor.Op, near string) {
	t.Helper()
	place, words, _ := strings.Cut(strings.TrimSuffix(near, ")"), " (type ")
	file, at, _ := strings.Cut(place, ":")
	line, err := strconv.Atoi(at)
	if err != nil {
		t.Fatalf("%s: %v", near, err)
	}
	args := map[string]string{"symbol": op.Args["symbol"], "to": op.Args["to"]}
	switch {
	case strings.Contains(words, " --lines "):
		target = refactor.Target{File: file, From: line, To: line}
	case strings.HasPrefix(words, "--file "):
		target = refactor.Target{File: file}
	default:
		args["symbol"] = words
	}
	res, err := lang.Run(context.Background(), files, target, refactor.Op{Name: op.Name, Args: args})
	if err != nil {
		t.Fatalf("%s: %v", near, err)
	}
	before, after := strings.Split(files[file], "\n"), strings.Split(files.apply(t, res)[file], "\n")
	for i := range before {
		if changed := before[i] != after[i]; changed != (i+1 == line) {
			t.Errorf("%s: line %d became %q", near, i+1, after[i])
		}
	}
}
