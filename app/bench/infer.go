package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"waferpair/app/bench/infer"
)

// llamaBench is llama.cpp's own benchmark, which make builds.
const llamaBench = ".cache/oracle/llama-bench"

// inferCases are models and the least ratios to llama.cpp on the same file.
var inferCases = []struct {
	size, kind            string
	decode, prompt, score float64
}{
	{"0.5B", "Q8_0", 1.4, 4, 3}, {"0.5B", "Q4_0", 1.4, 2.4, 2.4}, {"0.5B", "Q4_K_M", 1.4, 3, 3},
	{"60M", "Q8_0", 1.8, 4, 3}, {"60M", "Q4_0", 1.8, 2.4, 2.4}, {"4M", "Q8_0", 2.5, 4, 3},
}

// benchInfer compares the runtime of model files with llama.cpp, run by run in turns, on
// files of real shapes with random weights. Without llama.cpp it measures the runtime alone.
func benchInfer(ctx context.Context, e *Env) error {
	program, err := filepath.Abs(llamaBench)
	if err != nil {
		return err
	}
	llama := infer.Llama{Program: program, Threads: runtime.NumCPU()}
	if _, err := os.Stat(program); err != nil {
		e.Log(fmt.Sprintf("nothing to compare with: 'make %s' builds llama.cpp's benchmark", llamaBench))
		llama.Program = ""
	}
	for _, c := range inferCases {
		if e.Quick && c.size != "4M" {
			continue
		}
		path := filepath.Join(e.Dir, "model.gguf")
		if err := infer.Write(path, c.size, c.kind); err != nil {
			return err
		}
		ours, theirs, note, err := inTurns(ctx, e, path, llama)
		if err != nil {
			return err
		}
		for _, m := range []struct {
			name         string
			ours, theirs float64
			bound        float64
		}{{"decode", ours.Decode, theirs.Decode, c.decode}, {"a prompt of 512", ours.Prompt, theirs.Prompt, c.prompt},
			{"16 tokens with all logits (there: of the last)", ours.Score, theirs.Score, c.score}} {
			if llama.Program == "" {
				e.Report(Result{Measure: fmt.Sprintf("%s %s: %s", c.size, c.kind, m.name), Value: round(m.ours, 3),
					Unit: "tok/s", Note: note})
				continue
			}
			e.Report(Result{Measure: fmt.Sprintf("%s %s: %s, times llama.cpp", c.size, c.kind, m.name),
				Value: round(m.ours/m.theirs, 3), Unit: "x", Bound: m.bound,
				Note: fmt.Sprintf("%.0f and %.0f tokens a second; %s", m.ours, m.theirs, note)})
		}
	}
	return nil
}

func inTurns(ctx context.Context, e *Env, path string,
	llama infer.Llama) (ours, theirs infer.Speeds, note string, err error) {
	o, err := infer.Open(path, llama.Threads, "")
	if err != nil {
		return ours, theirs, "", err
	}
	defer o.Close()
	load := infer.Load{Decode: 32, Prompt: 512, Score: 16}
	var mine, other []infer.Speeds
	for range e.repeats(5) {
		s, err := o.Run(ctx, load)
		if err != nil {
			return ours, theirs, "", err
		}
		mine = append(mine, s)
		if llama.Program == "" {
			continue
		}
		if s, err = llama.Run(ctx, path, load); err != nil {
			return ours, theirs, "", err
		}
		other = append(other, s)
	}
	busy, _ := os.ReadFile("/proc/loadavg")
	if len(other) == 0 {
		other = mine
	}
	return infer.Median(mine), infer.Median(other), "load " + strings.Join(strings.Fields(string(busy))[:1], ""), nil
}
