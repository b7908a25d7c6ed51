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

// inferCases are models and the least ratios to llama.cpp on the same file. Behind a depth, one run tells: it
// takes llama.cpp minutes.
var inferCases = []struct {
	size, kind            string
	depth, runs           int
	decode, prompt, score float64
}{
	{"4M", "Q8_0", 0, 5, 2.5, 4, 3},
	{"60M", "Q8_0", 0, 5, 1.8, 4, 3}, {"60M", "Q4_0", 0, 5, 1.8, 2.4, 2.4}, {"60M", "Q8_0", deep, 3, 2.8, 2.8, 0},
	{"0.5B", "Q8_0", 0, 5, 1.4, 4, 3}, {"0.5B", "Q4_0", 0, 5, 1.4, 2.4, 2.4}, {"0.5B", "Q4_K_M", 0, 5, 1.4, 3, 3},
	{"0.5B", "Q8_0", deep, 1, 1.8, 2.8, 0},
	{"1.5B", "Q8_0", 0, 3, 1.5, 4, 3}, {"1.5B", "Q4_0", 0, 3, 1.5, 2.4, 2.4}, {"1.5B", "Q4_K_M", 0, 3, 1.4, 3, 3},
}

const deep = 4096 // tokens before those that are measured

// loadWithin are the seconds in which a file of a size is to be loaded from the page cache.
var loadWithin = map[string]float64{"0.5B": 0.6, "1.5B": 1.6}

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
	path, written := filepath.Join(e.Dir, "model.gguf"), ""
	for _, c := range inferCases {
		if e.Quick && (c.size != "4M" || c.depth > 0) {
			continue
		}
		if name := c.size + " " + c.kind; name != written {
			if err := infer.Write(path, c.size, c.kind); err != nil {
				return err
			}
			written = name
		}
		load := infer.Load{Decode: 32, Prompt: 512, Score: 16, Depth: c.depth}
		ours, theirs, note, err := inTurns(ctx, path, llama, load, e.repeats(c.runs))
		if err != nil {
			return err
		}
		name := c.size + " " + c.kind
		if c.depth > 0 {
			name += fmt.Sprintf(", behind %d tokens", c.depth)
		} else if most := loadWithin[c.size]; most > 0 && c.kind == "Q8_0" {
			e.Report(Result{Measure: name + ": load", Value: round(ours.Load, 3), Unit: "s", Bound: most, AtMost: true})
		}
		for _, m := range []struct {
			name         string
			ours, theirs float64
			bound        float64
		}{{"decode", ours.Decode, theirs.Decode, c.decode}, {"a prompt of 512", ours.Prompt, theirs.Prompt, c.prompt},
			{"16 tokens with all logits (there: of the last)", ours.Score, theirs.Score, c.score}} {
			if llama.Program == "" {
				e.Report(Result{Measure: fmt.Sprintf("%s: %s", name, m.name), Value: round(m.ours, 3),
					Unit: "tok/s", Note: note})
				continue
			}
			e.Report(Result{Measure: fmt.Sprintf("%s: %s, times llama.cpp", name, m.name),
				Value: round(m.ours/m.theirs, 3), Unit: "x", Bound: m.bound,
				Note: fmt.Sprintf("%.4g and %.4g tokens a second; %s", m.ours, m.theirs, note)})
		}
	}
	return inferPlain(ctx, e, path)
}

// inferPlain measures the runtime in plain Go, as on a processor without AVX2.
func inferPlain(ctx context.Context, e *Env, path string) error {
	size := "0.5B"
	if e.Quick {
		size = "4M"
	}
	if err := infer.Write(path, size, "Q8_0"); err != nil {
		return err
	}
	o, err := infer.Open(path, runtime.NumCPU(), "go")
	if err != nil {
		return err
	}
	defer o.Close()
	s, err := o.Run(ctx, infer.Load{Decode: 16, Prompt: 16})
	if err != nil {
		return err
	}
	e.Report(Result{Measure: size + " Q8_0: decode in plain Go, without C", Value: round(s.Decode, 3), Unit: "tok/s",
		Bound: 5, Note: fmt.Sprintf("a prompt of 16: %.3g tokens a second", s.Prompt)})
	return nil
}

func inTurns(ctx context.Context, path string, llama infer.Llama, load infer.Load,
	runs int) (ours, theirs infer.Speeds, note string, err error) {
	o, err := infer.Open(path, llama.Threads, "")
	if err != nil {
		return ours, theirs, "", err
	}
	defer o.Close()
	var mine, other []infer.Speeds
	for range runs {
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
