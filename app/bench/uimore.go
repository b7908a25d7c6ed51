package bench

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"waferpair/app"
	"waferpair/history"
)

// longestPrefix returns the length of the longest prefix of want that occurs in s.
func longestPrefix(s, want string) int {
	n := 0
	for n < len(want) && strings.Contains(s, want[:n+1]) {
		n++
	}
	return n
}

// uiMemory measures how much the window's processes grow in a long turn over 40 files.
func uiMemory(ctx context.Context, e *Env) error {
	dir, err := e.sub("project")
	if err != nil {
		return err
	}
	n, files := e.scale(100_000), 40
	var tokens []string
	for i := range files {
		name := fmt.Sprintf("big%02d.go", i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(goFile(300)), 0o644); err != nil {
			return err
		}
		tokens = append(tokens, insertion(name, 15, n/files)...)
	}
	script := filepath.Join(e.Dir, "answer.jsonl")
	if err := writePaced(script, tokens, tokenRate); err != nil {
		return err
	}
	r, w, err := e.window(ctx, dir, tabs("big00.go"), script)
	if err != nil {
		return err
	}
	defer r.Close()
	settle := 8 * time.Second // until the memory of the start, and of the turn, is given back
	if e.Quick {
		settle = 2 * time.Second
	}
	time.Sleep(settle)
	before, err := r.driver.Memory()
	if err != nil {
		return err
	}
	if err := request(ctx, w); err != nil {
		return err
	}
	if err := w.Await(ctx, uiEnded, patience); err != nil {
		return err
	}
	time.Sleep(settle)
	after, err := r.driver.Memory()
	if err != nil {
		return err
	}
	e.Report(Result{Measure: fmt.Sprintf("turn of %d tokens over %d files: memory growth of the window", n, files),
		Value: float64(after-before) / 1e6, Unit: "MB", Bound: 100, AtMost: true,
		Note: fmt.Sprintf("proportional set size of its processes: %.0f MB before, %.0f MB after", float64(before)/1e6,
			float64(after)/1e6)})
	return nil
}

// uiResume repeatedly opens a project with a long history and eight tabs.
func uiResume(ctx context.Context, e *Env) error {
	dir, err := e.sub("project")
	if err != nil {
		return err
	}
	r, err := e.rig(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	var names []string
	for i := range 8 {
		names = append(names, fmt.Sprintf("f%02d.txt", i))
	}
	if _, err := e.manyEdits(ctx, dir, r.data(), e.scale(10_000), tabs(names...)); err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // time stamps of younger files are not trusted
	var times []time.Duration
	for range 7 {
		w, err := r.open(ctx, dir)
		if err != nil {
			return err
		}
		took, err := r.since(ctx, w, "shown")
		if err != nil {
			return err
		}
		w.Close(ctx)
		times = append(times, took)
	}
	e.Report(Result{Measure: "process start to the first paint of a resumed project, median",
		Value: millis(percentile(times[1:], 0.5)), Unit: "ms", Bound: 700, AtMost: true,
		Note: fmt.Sprintf("%d edits, 8 tabs; longest of %d starts %.0f ms", e.scale(10_000), len(times)-1,
			millis(percentile(times[1:], 1)))})
	return nil
}

//go:embed uiscrub.js
var uiScrubScript string

// scrubSeen is the result of one move of the slider.
type scrubSeen struct {
	At   int64
	Took float64 // ms until every visible line was that of the moment; -1 if that never happened
}

// uiTimeline is true once the slider covers the edits; before that it does not move.
const uiTimeline = "Number(document.querySelector('[role=slider]')?.getAttribute('aria-valuemax')) > 0"

// uiScrub moves the timeline's slider to random moments.
func uiScrub(ctx context.Context, e *Env) error {
	dir, err := e.sub("project")
	if err != nil {
		return err
	}
	r, err := e.rig(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	const path = "f07.txt"
	newest, err := e.manyEdits(ctx, dir, r.data(), e.scale(10_000), tabs(path))
	if err != nil {
		return err
	}
	changes, texts, err := versions(ctx, dir, r.data(), path)
	if err != nil {
		return err
	}
	w, err := r.open(ctx, dir)
	if err != nil {
		return err
	}
	if err := w.Await(ctx, uiTimeline, patience); err != nil {
		return err
	}
	var seen []scrubSeen
	if err := w.Run(ctx, uiScrubScript, &seen, changes, texts, e.scale(10_000)/50, uiLines); err != nil {
		return err
	}
	var times []time.Duration
	wrong := 0
	for _, s := range seen {
		if s.Took < 0 {
			wrong++
			continue
		}
		times = append(times, msOf(s.Took))
	}
	if len(times) == 0 {
		return fmt.Errorf("the slider showed no moment of %s", path)
	}
	e.Report(Result{Measure: "scrub: slider move to all visible text exact, p99", Value: millis(percentile(times, 0.99)),
		Unit: "ms", Bound: 33, AtMost: true,
		Note: fmt.Sprintf("%d moves over %d edits of 50 files; median %.0f ms, longest %.0f ms", len(seen), newest,
			millis(percentile(times, 0.5)), millis(percentile(times, 1)))})
	e.Report(Result{Measure: "scrub: moments shown wrong or not within a second", Value: float64(wrong), Unit: "moves",
		Bound: 0, AtMost: true})
	return nil
}

// versions returns the texts of a file: texts[i] starts with edit changes[i].
func versions(ctx context.Context, dir, data, path string) (changes []history.EditID, texts []string, err error) {
	p, err := app.Open(ctx, dir, app.Options{DataHome: data})
	if err != nil {
		return nil, nil, err
	}
	defer p.Close()
	edits, err := p.History().List(ctx, history.Filter{Path: path})
	if err != nil {
		return nil, nil, err
	}
	changes = append(changes, 0)
	for _, edit := range edits {
		changes = append(changes, edit.ID)
	}
	for _, id := range changes {
		v, err := p.History().At(ctx, id, path)
		if err != nil {
			return nil, nil, err
		}
		texts = append(texts, string(v.Bytes))
	}
	return changes, texts, nil
}

// uiTree opens a folder of 100,000 files and types into the tree's filter.
func uiTree(ctx context.Context, e *Env) error {
	dir, err := e.sub("project")
	if err != nil {
		return err
	}
	n := e.scale(100_000)
	if err := manyFiles(dir, n); err != nil {
		return err
	}
	r, err := e.rig(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := leave(ctx, dir, r.data(), tabs("d00/s000/f000000.go"),
		func(p *app.Project) error { return p.Baseline() }); err != nil {
		return err
	}
	time.Sleep(2 * time.Second)
	var times []time.Duration
	for i := range 5 {
		w, err := r.open(ctx, dir)
		if err != nil {
			return err
		}
		if err := w.Await(ctx, "performance.getEntriesByName('tree').length > 0", patience); err != nil {
			return err
		}
		var page float64
		if err := w.Run(ctx, "return performance.getEntriesByName('tree')[0].startTime", &page); err != nil {
			return err
		}
		took, err := r.since(ctx, w, "tree")
		if err != nil {
			return err
		}
		e.Log(fmt.Sprintf("tree: %.0f ms after the process began, %.0f ms after the page did", millis(took), page))
		times = append(times, took)
		if i == 4 {
			if err := e.filterTree(ctx, w); err != nil {
				return err
			}
		}
		w.Close(ctx)
	}
	e.Report(Result{Measure: fmt.Sprintf("tree of %d files: process start to its first paint, median", n),
		Value: millis(percentile(times[1:], 0.5)), Unit: "ms", Bound: 500, AtMost: true})
	return nil
}
