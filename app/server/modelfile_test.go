package server_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/app/modelfiles"
	"waferpair/app/server"
	"waferpair/engine"
	"waferpair/engine/gguf"
	"waferpair/engine/local"
	"waferpair/engine/local/localtest"
	"waferpair/wafer"
	"waferpair/wafer/machine"
)

// withModelFile adds a model file that answers with some lines, under the name coder.
func (w *world) withModelFile(lines ...string) (path string) {
	w.Helper()
	path = filepath.Join(w.TempDir(), "answers.gguf")
	ok(w, localtest.Answering(path, gguf.Q8_0, lines...))
	w.named()
	if _, err := w.opt.Files.Add("coder", path, ""); err != nil {
		w.Fatal(err)
	}
	return path
}

// addUp returns the cycles of a turn of a named model file, by the way that it must have gone: its prompt in passes
// of 512 tokens, then a pass for each token but the last.
func (w *world) addUp(name string, read, written int) float64 {
	w.Helper()
	d, _, err := w.opt.Files.Open(name)
	ok(w, err)
	m, is := engine.As[*local.Model](d)
	if !is {
		w.Fatalf("%s is no model file", name)
	}
	var calls []wafer.Call
	for depth := 0; depth < read; depth += 512 {
		calls = append(calls, wafer.Call{Tokens: min(512, read-depth), Depth: depth})
	}
	for i := range written - 1 {
		calls = append(calls, wafer.Call{Tokens: 1, Depth: read + i})
	}
	sum, _, err := wafer.Tally(wafer.Request{Machine: machine.WSE3(), Model: m.Config(), Context: m.Info().Context}, calls)
	ok(w, err)
	return sum
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// named gives the world model files with names, in a shelf of its own: as a new process would.
func (w *world) named() {
	shelf := &local.Shelf{}
	w.Cleanup(shelf.Close)
	w.opt.Files = modelfiles.In(w.opt.DataHome, w.opt.DataHome, shelf)
	w.opt.Models = app.Models(shelf).WithNamed(w.opt.Files)
}

// TestATurnOfAModelFileHasItsEstimate: while it runs, when it has ended, and from the history in another
// process; beside the measured figures, never as one.
func TestATurnOfAModelFileHasItsEstimate(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	w.withModelFile("It has one line.\n", "That is all.\n")
	s := w.serve()
	a := dial(t, s)
	a.must("edit", server.Request{Text: "what is here?", Model: "coder", Mode: app.ModeAsk}, nil)
	a.wait("the answer", func() bool { return a.turn.outcome != nil })
	a.Lock()
	got, live := a.turn.outcome.Timing, a.turn.live
	a.Unlock()
	e := got.Wafer
	if e == nil || e.Cycles <= 0 || e.TokS <= 0 || e.Band == nil || e.Band.Low > e.TokS || e.Band.High < e.TokS ||
		e.Machine != "wse-3" || e.Regions < 1 || e.SRAM > e.SRAMOf || e.Why != "" {
		t.Fatalf("%+v of %+v", e, got)
	}
	if sum := w.addUp("coder", got.Usage.Input, got.Usage.Output); math.Abs(e.Cycles-sum) > 1e-9*sum {
		t.Errorf("%g cycles, and the passes of that turn have %g", e.Cycles, sum)
	}
	if live.Wafer == nil || !reflect.DeepEqual(*live.Wafer, *e) {
		t.Errorf("at the end %+v, in the outcome %+v", live.Wafer, e)
	}
	ok(t, s.Close())
	w.named()
	again := w.serve()
	var c conversation
	must(t, get(t, again, "conversation", nil, &c))
	if kept := c.Turns[0].Timing; kept == nil || kept.Wafer == nil || !reflect.DeepEqual(*kept.Wafer, *e) ||
		kept.Usage == nil || kept.Usage.Input != got.Usage.Input {
		t.Errorf("kept: %+v", c.Turns[0].Timing)
	}
	b := dial(t, again)
	b.must("edit", server.Request{Text: "rename one to two", Model: "spark"}, nil)
	b.wait("the built-in model", func() bool { return b.turn.outcome != nil })
	if b.turn.outcome.Timing.Wafer != nil {
		t.Errorf("the built-in model has an estimate: %+v", b.turn.outcome.Timing.Wafer)
	}
}

// TestAModelFileHasAPage: what it is, what it takes of the memory, how fast it was and would be; it can be
// unloaded and removed, and a file that has gone says so.
func TestAModelFileHasAPage(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	path := w.withModelFile("It has one line.\n")
	s := w.serve()
	a := dial(t, s)
	page := func() (p server.ModelFile) {
		t.Helper()
		must(t, get(t, s, "modelFile", map[string][]string{"name": {"coder"}}, &p))
		return p
	}
	state := func() (p server.ModelState) {
		t.Helper()
		must(t, get(t, s, "modelState", map[string][]string{"name": {"coder"}}, &p))
		return p
	}
	p := page()
	if p.Problem != "" || !p.Added || p.File != path || p.Facts == nil || p.Facts.Family != "llama" ||
		p.Facts.Layers != 1 ||
		p.Facts.Context < 1 || p.Wafer == nil {
		t.Fatalf("%+v", p)
	}
	sum := 0.0
	for _, step := range p.Wafer.Steps {
		sum += step.Cycles
	}
	if math.Abs(sum-p.Wafer.CyclesPerToken) > 1e-6*sum || !strings.Contains(p.Wafer.SVG, `data-region="0"`) {
		t.Errorf("%g cycles of %g in %+v", sum, p.Wafer.CyclesPerToken, p.Wafer.Steps)
	}
	if m := p.Wafer.Memory; m.Reserved+m.Weights+m.KV+m.Buffers+m.Free != p.Wafer.SRAMOf {
		t.Errorf("%+v of %d bytes", m, p.Wafer.SRAMOf)
	}
	before := state()
	if before.Memory.Loaded || before.Answers != 0 || before.Estimate == nil || before.Depth != p.Facts.Context-1 {
		t.Errorf("before an answer: %+v", before)
	}
	a.must("edit", server.Request{Text: "what is here?", Model: "coder", Mode: app.ModeAsk}, nil)
	a.wait("the answer", func() bool { return a.turn.outcome != nil })
	after := state()
	if usage := a.turn.outcome.Timing.Usage; !after.Memory.Loaded || after.Memory.Kept != 1 || after.Memory.KV == 0 ||
		after.Answers != 1 || after.Prompt != usage.Input || after.Measured.Prompt <= 0 ||
		after.Estimate.First <= before.Estimate.First/100 {
		t.Errorf("after an answer: %+v; %+v", after, usage)
	}
	var unloaded struct{ Now bool }
	a.must("unloadModel", map[string]any{"name": "coder"}, &unloaded)
	if got := state(); !unloaded.Now || got.Memory.Loaded || got.Memory.KV != 0 {
		t.Errorf("unloaded: %+v", got)
	}
	ok(t, os.Remove(path))
	if p := page(); p.Facts != nil || p.File != path || !p.Added || !strings.Contains(p.Problem, "no such file") {
		t.Errorf("without its file: %+v", p)
	}
	a.must("removeModel", map[string]any{"name": "coder"}, nil)
	if f := a.call("removeModel", map[string]any{"name": "coder"}, nil); f == nil || f.Code != "gone" {
		t.Errorf("removed twice: %+v", f)
	}
	for _, name := range []string{"coder", "spark"} {
		if f := get(t, s, "modelFile", map[string][]string{"name": {name}}, nil); f == nil || f.Code != "gone" {
			t.Errorf("the page of %s: %+v", name, f)
		}
	}
}
