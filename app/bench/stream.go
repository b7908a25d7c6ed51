package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"waferpair/app"
	"waferpair/engine"
)

// benchStream plays a long answer as fast as the pipeline accepts it: patches of many
// files, token by token, each edit acknowledged by the history.
func benchStream(ctx context.Context, e *Env) error {
	dir, script, tokens, err := e.scripted(e.scale(2_000_000))
	if err != nil {
		return err
	}
	p, err := app.Open(ctx, dir, app.Options{DataHome: filepath.Join(e.Dir, "data")})
	if err != nil {
		return err
	}
	defer p.Close()
	start := time.Now()
	out, heap, err := e.playScript(ctx, p, script)
	if err != nil {
		return err
	}
	took := time.Since(start)
	e.Log(fmt.Sprintf("%d tokens, %d edits in %.1f s", tokens, len(out.Edits), took.Seconds()))
	e.Report(Result{Measure: "tokens a second, sustained, every edit acknowledged",
		Value: float64(tokens) / took.Seconds(), Unit: "tokens/s", Bound: 20000})
	e.Report(Result{Measure: "heap growth from the first tenth of the stream to the last", Value: heap.growth(0.1),
		Unit: "MB", Bound: 20, AtMost: true,
		Note: "the answer's own text is kept, to continue it after a steer; buffers remember their last changes"})
	e.Report(Result{Measure: "heap growth from the middle of the stream to its end", Value: heap.growth(0.5), Unit: "MB",
		Bound: 20, AtMost: true})
	return nil
}

// scripted creates a project of 50 files and an answer of about n tokens for it.
func (e *Env) scripted(n int) (dir, script string, tokens int, err error) {
	if dir, err = e.sub("project"); err != nil {
		return
	}
	const files = 50
	for i := range files {
		if err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%02d.txt", i)), []byte(numbered(400)), 0o644); err != nil {
			return
		}
	}
	script = filepath.Join(e.Dir, "answer.jsonl")
	tokens, err = writeScript(script, files, n)
	return
}

func (e *Env) playScript(ctx context.Context, p *app.Project, script string) (engine.Outcome, heapSamples, error) {
	turn, err := p.Edit(ctx, app.EditRequest{Text: "bench", Model: "script:" + script})
	if err != nil {
		return engine.Outcome{}, nil, err
	}
	var heap heapSamples
	last := time.Now()
	for range turn.Events() {
		if now := time.Now(); now.Sub(last) > 100*time.Millisecond {
			last = now
			heap = append(heap, liveHeap())
		}
	}
	out := turn.Wait()
	if out.Status != engine.Completed {
		return out, nil, fmt.Errorf("the turn ended as %s: %s", out.Status, out.Message)
	}
	return out, heap, nil
}

// heapSamples are sizes of the heap at equal intervals of a stream.
type heapSamples []int64

// growth returns the growth of the heap, in MB, from a point of the stream to its end.
// Garbage collection makes the samples a sawtooth, so it compares the lowest samples of two
// tenths.
func (h heapSamples) growth(from float64) float64 {
	tenth := len(h) / 10
	if tenth == 0 {
		return 0
	}
	at := int(from * float64(len(h)))
	return float64(lowest(h[len(h)-tenth:])-lowest(h[at:at+tenth])) / 1e6
}

func lowest(s []int64) int64 {
	low := s[0]
	for _, x := range s {
		low = min(low, x)
	}
	return low
}

func liveHeap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of the file\n", i)
	}
	return b.String()
}

// writeScript writes an answer of about n tokens of four bytes, which changes lines of all
// files repeatedly. It returns the number of tokens.
func writeScript(path string, files, n int) (int, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	state := make([][]string, files)
	for i := range state {
		state[i] = strings.Split(strings.TrimSuffix(numbered(400), "\n"), "\n")
	}
	tokens := 0
	for round := 0; tokens < n; round++ {
		for i := 0; i < files && tokens < n; i++ {
			patch := patchOf(fmt.Sprintf("f%02d.txt", i), state[i], round)
			for at := 0; at < len(patch); at += 4 {
				if err := enc.Encode(map[string]string{"text": patch[at:min(at+4, len(patch))]}); err != nil {
					return 0, err
				}
				tokens++
			}
		}
	}
	return tokens, f.Close()
}

// patchOf changes a few places of a file, and updates lines accordingly.
func patchOf(path string, lines []string, round int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*** Begin Patch\n*** Update File: %s\n", path)
	for k := range 5 {
		at := 10 + k*70 + round%50
		fmt.Fprintf(&b, "@@\n %s\n", lines[at-1])
		for j := range 4 {
			fmt.Fprintf(&b, "-%s\n", lines[at+j])
		}
		for j := range 4 {
			lines[at+j] = fmt.Sprintf("line %d of the file, round %d", at+j, round)
			fmt.Fprintf(&b, "+%s\n", lines[at+j])
		}
		fmt.Fprintf(&b, " %s\n", lines[at+4])
	}
	b.WriteString("*** End Patch\n")
	return b.String()
}
