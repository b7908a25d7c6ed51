package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"waferpair/app"
	"waferpair/history"
)

// goFile returns about n lines of Go source, in functions of ten lines.
func goFile(n int) string {
	var b strings.Builder
	b.WriteString("package big\n\nimport \"fmt\"\n")
	for i := 0; i < n/10; i++ {
		fmt.Fprintf(&b, `
// step%[1]d adds what the %[1]d-th step costs to the total so far.
func step%[1]d(total int, names []string) (int, error) {
	if len(names) == 0 {
		return 0, fmt.Errorf("step %%d: no names", %[1]d)
	}
	for i, name := range names {
		total += i * len(name) // %[2]d
	}
	return total, nil
}
`, i, i*7919)
	}
	return b.String()
}

// insertion returns a patch, in tokens of four bytes, that inserts about that many tokens
// of new functions before function step<at> of path.
func insertion(path string, at, tokens int) []string {
	var b strings.Builder
	fmt.Fprintf(&b, "*** Begin Patch\n*** Update File: %s\n@@\n // step%d adds what the %d-th step costs to the total so far.\n func step%d(total int, names []string) (int, error) {\n", path, at-1, at-1, at-1)
	fmt.Fprintf(&b, " \tif len(names) == 0 {\n \t\treturn 0, fmt.Errorf(\"step %%d: no names\", %d)\n \t}\n \tfor i, name := range names {\n \t\ttotal += i * len(name) // %d\n \t}\n \treturn total, nil\n }\n", at-1, (at-1)*7919)
	for i := 0; b.Len() < tokens*4; i++ {
		fmt.Fprintf(&b, "+\n+// fresh%[1]d was written by the model; it sums %[1]d values.\n+func fresh%[1]d(values []float64) (sum float64) {\n+\tfor _, v := range values {\n+\t\tsum += v * %[1]d\n+\t}\n+\treturn sum\n+}\n", i)
	}
	b.WriteString("*** End Patch\n")
	return cut(b.String())
}

// cut splits text into pieces of four bytes, about a token of source each.
func cut(s string) []string {
	var out []string
	for at := 0; at < len(s); at += 4 {
		out = append(out, s[at:min(at+4, len(s))])
	}
	return out
}

// writePaced writes a script that plays tokens at a rate: each millisecond it sends a group
// of single tokens, as the socket of a fast model does.
func writePaced(path string, tokens []string, perSecond int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	group := max(1, perSecond/1000)
	for i, t := range tokens {
		line := map[string]any{"text": t}
		if i%group == 0 {
			line["after_ms"] = float64(group) * 1000 / float64(perSecond)
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return errors.Join(w.Flush(), f.Close())
}

// uiState is the part of the page's saved state that the benchmark sets.
type uiState map[string]any

// leave saves a project's page state, as its window does when it closes. Before that it
// calls before, if given.
func leave(ctx context.Context, dir, data string, ui uiState, before func(*app.Project) error) error {
	p, err := app.Open(ctx, dir, app.Options{DataHome: data})
	if err != nil {
		return err
	}
	if before != nil {
		err = before(p)
	}
	state, jsonErr := json.Marshal(ui)
	err = errors.Join(err, jsonErr, p.History().SetMark(ctx, "ui", string(state)))
	return errors.Join(err, p.Close())
}

// tabs returns a state with open files, the first of which is active.
func tabs(paths ...string) uiState {
	list := make([]map[string]any, len(paths))
	for i, p := range paths {
		list[i] = map[string]any{"path": p, "top": 0, "offset": 0, "anchor": 0, "head": 0}
	}
	return uiState{"tabs": list, "active": paths[0], "draft": "", "scope": []any{}, "model": "", "at": nil, "zoom": nil,
		"follow": true, "panels": map[string]any{"tree": 240, "chat": 380, "timeline": 132, "sizes": map[string]any{}},
		"open": []any{}, "history": []any{}}
}

// manyEdits records edits in a project of 50 files, with a script as the model.
func (e *Env) manyEdits(ctx context.Context, dir, data string, edits int, ui uiState) (history.EditID, error) {
	script := filepath.Join(e.Dir, "edits.jsonl")
	const files = 50
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%02d.txt", i)), []byte(numbered(400)), 0o644); err != nil {
			return 0, err
		}
	}
	if _, err := writeScript(script, files, edits*tokensPerEdit); err != nil {
		return 0, err
	}
	var newest history.EditID
	err := leave(ctx, dir, data, ui, func(p *app.Project) error {
		out, _, err := e.playScript(ctx, p, script)
		if err == nil {
			newest = history.EditID(out.Edits[len(out.Edits)-1])
		}
		return err
	})
	return newest, err
}
