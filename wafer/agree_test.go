package wafer_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"waferpair/build/testseed"
	"waferpair/wafer"
	"waferpair/wafer/clock"
	"waferpair/wafer/kernel"
	"waferpair/wafer/kernel/run"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// TestTheLevelsAgree checks that emulated cores take, within 5 %, as many cycles for a
// decode step as the estimate says, whatever the shape. The shapes are random, on meshes up
// to 64 x 64; AGREE sets their number in 'make agree'.
func TestTheLevelsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	shapes, side := shapesToTry(6, 12, 64)
	seed := testseed.New(t)
	r := rand.New(rand.NewPCG(seed, 0))
	worst := 0.0
	for tried := 0; tried < shapes; {
		m := draw(r, side)
		step, err := m.Step(t.Context())
		if over := (*tile.OverflowError)(nil); errors.As(err, &over) {
			continue // a core's SRAM is too small for it
		}
		if err != nil {
			t.Fatalf("%+v: %v", m.Config, err)
		}
		tried++
		report, err := wafer.Estimate(wafer.Request{Machine: m.Machine, Model: m.Config, DecodeMesh: m.Mesh,
			Context: m.Context})
		if err != nil {
			t.Fatalf("%+v: %v", m.Config, err)
		}
		off := report.CyclesPerToken/float64(step.Cycles) - 1
		worst = max(worst, math.Abs(off))
		if math.Abs(off) > 0.05 || report.CyclesPerToken != step.Analytic {
			t.Errorf("%s, %d x %d, context %d, %+v: %d cycles, estimate %g (%+.1f %%), analytic %g",
				m.Machine.Name, m.Mesh, m.Mesh, m.Context, m.Config, step.Cycles, report.CyclesPerToken, 100*off, step.Analytic)
		}
		if step.Apart > 0.02 {
			t.Errorf("%s, %d x %d, context %d, %+v: logits %g from the plain pass", m.Machine.Name, m.Mesh, m.Mesh, m.Context,
				m.Config, step.Apart)
		}
	}
	t.Logf("%d shapes, at most %.1f %% off", shapes, 100*worst)
}

// shapesToTry returns how many shapes a test draws, and the side of the largest mesh: what is
// usual, or what AGREE asks for.
func shapesToTry(usually, side, largest int) (int, int) {
	if n, err := strconv.Atoi(os.Getenv("AGREE")); err == nil {
		return n, largest
	}
	return usually, side
}

// TestThePrefillsAgree checks the same of a prompt that is taken at once, up to the token
// that follows it. The emulated cores make that token from the embeddings, through all
// layers; the estimate is that of a request with this prompt.
func TestThePrefillsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	shapes, side := shapesToTry(4, 8, 32)
	seed := testseed.New(t)
	r := rand.New(rand.NewPCG(seed, 1))
	worst := 0.0
	for tried := 0; tried < shapes; {
		m := draw(r, side)
		m.Config.QKNorm, m.Config.QKVBias, m.Config.SlidingWindow = false, false, 0
		tokens := m.Mesh/2 + r.IntN(3*m.Mesh)
		report, err := wafer.Estimate(wafer.Request{Machine: m.Machine, Model: m.Config, DecodeMesh: m.Mesh,
			Input: tokens, Output: 1})
		if err != nil || !strings.HasPrefix(report.Prefill, "the whole prompt at once") {
			continue // a core's SRAM is too small for it, or one token after the other is faster
		}
		tried++
		cycles := prefill(t, m, tokens, r)
		off := report.CyclesPerPrompt/float64(cycles) - 1
		worst = max(worst, math.Abs(off))
		if math.Abs(off) > 0.05 {
			t.Errorf("%s, %d x %d, %d tokens, %+v: %d cycles, estimate %g (%+.1f %%)", m.Machine.Name, m.Mesh, m.Mesh, tokens,
				m.Config, cycles, report.CyclesPerPrompt, 100*off)
		}
	}
	t.Logf("%d shapes, at most %.1f %% off", shapes, 100*worst)
}

// prefill runs a random prompt on emulated cores and returns its cycles.
func prefill(t *testing.T, m run.Model, tokens int, r *rand.Rand) clock.Cycle {
	t.Helper()
	f, err := kernel.NewPrefill(m.Machine, m.Mesh, m.Config, tokens, m.Sums)
	if err != nil {
		t.Fatalf("%+v: %v", m.Config, err)
	}
	w := transformer.Random(m.Config, m.Seed)
	if err := f.Load(w); err != nil {
		t.Fatal(err)
	}
	prompt := make([]int, tokens)
	for i := range prompt {
		prompt[i] = r.IntN(m.Config.VocabSize)
	}
	next, err := f.Run(t.Context(), prompt, w["token_embd.weight"].Data, tile.Options{})
	if err != nil {
		t.Fatalf("%d tokens, %+v: %v", tokens, m.Config, err)
	}
	return next.Cycles
}

// draw returns a random model, mesh and context. Half of them are corner cases: few or many
// heads, sizes without divisors.
func draw(r *rand.Rand, side int) run.Model {
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	mesh := min(side, pick(4, 5, 7, 8, 9, 12, 16, 23, 31, 32, 48, 63, 64))
	kv := pick(1, 1, 2, 3, 4, 5, 8, 16)
	c := transformer.Defaults(transformer.Families[r.IntN(len(transformer.Families))])
	if r.IntN(4) == 0 {
		c.SlidingWindow = pick(1, 3, mesh, 50, 512)
	}
	c.Name, c.BlockCount, c.BitsPerWeight = "drawn", pick(1, 1, 2), 16
	c.HeadCountKV, c.HeadCount = kv, kv*pick(1, 1, 2, 3, 4)
	if c.HeadCount > 16 {
		c.HeadCount = kv
	}
	c.KeyLength = 2 * pick(1, 2, 3, 7, 8, 16, 1+r.IntN(64))
	c.EmbeddingLength = pick(1+r.IntN(8*mesh), 8*mesh, 1+mesh/2)
	c.FeedForwardLength = pick(1+r.IntN(20*mesh), 1, mesh)
	c.VocabSize = pick(2+r.IntN(40*mesh), 7, 997)
	m := machine.Test(mesh, mesh)
	switch r.IntN(3) {
	case 0:
		m = machine.WSE2()
	case 1:
		m = machine.WSE3()
	}
	return run.Model{Machine: m, Mesh: mesh, Config: c, Context: pick(16, 17, 64, 100, 333, 1024, 2048, 4096),
		Sums: tile.F32, Seed: r.Uint64()}
}
