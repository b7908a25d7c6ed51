package infer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"waferpair/engine/gguf"
	"waferpair/engine/infer"
)

// Speeds are tokens a second: one by one after a depth, as a prompt, and scored together.
// Scoring computes the logits of every token; llama-bench only those of the last. Load is how many
// seconds loading took, of ours only.
type Speeds struct{ Decode, Prompt, Score, Load float64 }

// Load is how much each speed is measured of.
type Load struct{ Decode, Prompt, Score, Depth int }

// Ours times engine/infer.
type Ours struct {
	model *infer.Model
	state *infer.State
	took  time.Duration // to load
}

// Open loads a model.
func Open(path string, threads int, backend string) (*Ours, error) {
	f, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	begin := time.Now()
	m, err := infer.Load(f, infer.Options{Threads: threads, Backend: backend})
	if err != nil {
		return nil, err
	}
	took := time.Since(begin)
	s, err := m.NewState(0)
	return &Ours{m, s, took}, err
}

// Close gives the model's memory back.
func (o *Ours) Close() { o.model.Close() }

// Run measures once.
func (o *Ours) Run(ctx context.Context, l Load) (s Speeds, err error) {
	if more := l.Depth - o.state.Len(); more > 0 {
		if _, err := o.model.Forward(ctx, o.state, o.tokens(more), infer.None); err != nil {
			return s, err
		}
	}
	o.state.Truncate(l.Depth)
	for range 8 { // llama-bench does it, too: threads that slept and caches of another program cost the first passes
		if _, err = o.together(ctx, max(1, l.Score), infer.All); err != nil {
			return s, err
		}
	}
	s.Prompt, err = o.together(ctx, l.Prompt, infer.Last)
	if err != nil {
		return s, err
	}
	if s.Score, err = o.together(ctx, l.Score, infer.All); err != nil {
		return s, err
	}
	begin, tokens := time.Now(), o.tokens(l.Decode)
	for i := range tokens {
		if _, err := o.model.Forward(ctx, o.state, tokens[i:i+1], infer.Last); err != nil {
			return s, err
		}
	}
	s.Decode = rate(l.Decode, begin)
	o.state.Truncate(l.Depth)
	s.Load = o.took.Seconds()
	return s, nil
}

func (o *Ours) together(ctx context.Context, n int, wanted infer.Wanted) (float64, error) {
	if n == 0 {
		return 0, nil
	}
	before := o.state.Len()
	begin := time.Now()
	_, err := o.model.Forward(ctx, o.state, o.tokens(n), wanted)
	speed := rate(n, begin)
	o.state.Truncate(before)
	return speed, err
}

func rate(n int, begin time.Time) float64 { return float64(n) / time.Since(begin).Seconds() }

func (o *Ours) tokens(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i * 7919 % o.model.Config().VocabSize)
	}
	return list
}

// Llama is llama.cpp's own llama-bench.
type Llama struct {
	Program string
	Threads int
}

// Run measures once, with the better of its two kinds of attention. Its variables are those
// of its best setting: huge pages, and no mapped file.
func (b Llama) Run(ctx context.Context, path string, l Load) (best Speeds, err error) {
	args := []string{"-m", path, "-t", strconv.Itoa(b.Threads), "-r", "1", "-o", "jsonl", "-fa", "0,1", "-lm", "none",
		"-d", strconv.Itoa(l.Depth), "-n", strconv.Itoa(l.Decode), "-p", fmt.Sprintf("%d,%d", l.Prompt, l.Score)}
	command := exec.CommandContext(ctx, b.Program, args...)
	command.Env = append(os.Environ(), "GLIBC_TUNABLES=glibc.malloc.hugetlb=1")
	var says bytes.Buffer
	command.Stderr = &says
	out, err := command.Output()
	if err != nil {
		return best, fmt.Errorf("%s %q: %w: %s", b.Program, args, err, says.Bytes())
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct {
			Prompt int     `json:"n_prompt"`
			Decode int     `json:"n_gen"`
			Speed  float64 `json:"avg_ts"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return best, err
		}
		switch {
		case row.Decode > 0:
			best.Decode = max(best.Decode, row.Speed)
		case row.Prompt == l.Prompt:
			best.Prompt = max(best.Prompt, row.Speed)
		case row.Prompt == l.Score:
			best.Score = max(best.Score, row.Speed)
		}
	}
	return best, nil
}

// Median returns the medians of several runs.
func Median(runs []Speeds) Speeds {
	of := func(get func(Speeds) float64) float64 {
		var list []float64
		for _, s := range runs {
			list = append(list, get(s))
		}
		slices.Sort(list)
		return list[len(list)/2]
	}
	return Speeds{of(func(s Speeds) float64 { return s.Decode }), of(func(s Speeds) float64 { return s.Prompt }),
		of(func(s Speeds) float64 { return s.Score }), of(func(s Speeds) float64 { return s.Load })}
}
