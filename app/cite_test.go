package app

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// TestCitations checks what counts as a citation, and how each is checked.
func TestCitations(t *testing.T) {
	files := map[string]string{"Makefile": "a:\n\tb\n", "app/turn.go": strings.Repeat("x\n", 40), "my notes.md": "1\n2",
		"one/same.go": "a\n", "two/same.go": "a\n", "ä/ö.go": "a\nb\nc\n"}
	c := citer{files: []string{"Makefile", "app/turn.go", "my notes.md", "one/same.go", "two/same.go", "ä/ö.go"},
		lines: map[string]int{}, read: func(path string) ([]byte, error) {
			s, ok := files[path]
			if !ok {
				return nil, fs.ErrNotExist
			}
			return []byte(s), nil
		}}
	for said, want := range map[string]string{
		"see app/turn.go:35, and app/turn.go:41":           "app/turn.go:35 app/turn.go:41!",
		"(app/turn.go:3-5) **app/turn.go:3–50**":           "app/turn.go:3-5 app/turn.go:3-50!",
		"`my notes.md:2` `my notes.md:3`":                  "my notes.md:2 my notes.md:3!",
		"Makefile:2: and Makefile:9":                       "Makefile:2 Makefile:9!",
		"turn.go:1 same.go:1 ./app/turn.go:2 ä/ö.go:3":     "app/turn.go:1 same.go:1! app/turn.go:2 ä/ö.go:3",
		"gone.go:1 app/gone.md:2":                          "gone.go:1! app/gone.md:2!",
		"app/turn.go:0 app/turn.go:5-4":                    "app/turn.go:0! app/turn.go:5-4!",
		"http://localhost:8080/x.go at 12:30 and error:5":  "",
		"example.com:443, 127.0.0.1:80, note:7, x.py:3":    "",
		"app/turn.go:12345678":                             "app/turn.go:1234567!",
		"app/turn.go:1 twice: app/turn.go:1":               "app/turn.go:1",
		"no lines: app/turn.go; `a:b` ``` \x1b[31mred:1 :": "",
		"[it](app/turn.go#L3-L5) app/turn.go#L41":          "app/turn.go:3-5 app/turn.go:41!",
		"`turn.go` line 7, `turn.go` (lines 8-9)":          "app/turn.go:7 app/turn.go:8-9",
		"lines 3 to 4 of `turn.go`; line 99 in turn.go":    "app/turn.go:3-4 app/turn.go:99!",
		"turn.go L12 and go to line 5 of it":               "app/turn.go:12",
		"https://example.com/app/turn.go#L3":               "",
		`app\turn.go:4`:                                    "app/turn.go:4",
	} {
		var got []string
		seen := map[string]bool{}
		for _, at := range citationsIn(said) {
			at, is := c.check(at)
			if !is || seen[at.Text] {
				continue
			}
			seen[at.Text] = true
			s := fmt.Sprintf("%s:%d", at.Path, at.Line)
			if at.To != 0 {
				s += fmt.Sprintf("-%d", at.To)
			}
			if !at.OK {
				s += "!"
			}
			if at.OK != (at.Why == "") {
				t.Errorf("%+v", at)
			}
			got = append(got, s)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q cites %q, want %q", said, got, want)
		}
	}
}
