package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waferpair/engine/gguf"
	"waferpair/wafer/clock"
	"waferpair/wafer/kernel"
	"waferpair/wafer/kernel/run"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// stepOf are the flags of 'wafer simulate --model': a decode step of a model.
type stepOf struct {
	model   string
	context int
	tokens  string
}

// simulatedStep is the printed result.
type simulatedStep struct {
	Model          string         `json:"model"`
	Machine        string         `json:"machine"`
	Mesh           [2]int         `json:"mesh"`
	Context        int            `json:"context"`
	Sums           string         `json:"sums"`
	Cycles         int64          `json:"cycles"`
	AnalyticCycles float64        `json:"analytic_cycles"`
	Kernels        []kernelCycles `json:"kernels"`
	Weights        string         `json:"weights"` // from the file, or random
	Token          int            `json:"token"`
	PlainToken     int            `json:"plain_token"` // from the plain pass
	MaxAbsError    float64        `json:"max_abs_error_of_logits"`
	Wavelets       int64          `json:"wavelets"`
	Hops           int64          `json:"wavelet_hops"`
	Stalls         int64          `json:"stalls"`
	Colors         []string       `json:"colors"`
	SRAMBytes      int            `json:"sram_bytes_per_core"`
	HostSeconds    float64        `json:"host_seconds"`
}

// kernelCycles are a kernel's cycles over all layers, on the core that ended last.
type kernelCycles struct {
	Kernel   string  `json:"kernel"`
	Cycles   int64   `json:"cycles"`
	Analytic float64 `json:"analytic_cycles"`
}

// simulateModel runs the decode step of a model.
func (e *env) simulateModel(cmd *cobra.Command, s *simulation) error {
	m, err := s.step(e, cmd)
	if err != nil {
		return err
	}
	begin := time.Now()
	step, err := e.runStep(cmd.Context(), m)
	if short := (*kernel.FitError)(nil); errors.As(err, &short) {
		return fmt.Errorf("simulate %s with a context of %d: %w; 'waferpair wafer estimate' takes models of any size",
			m.Config.Name, m.Context, err)
	}
	if err != nil {
		return notSimulated(m.Config.Name, s.mesh, s.mesh, estimated(m.Config, err))
	}
	if math.IsInf(step.Apart, 0) {
		return fmt.Errorf(
			"simulate %s on a mesh of %d x %d: logits are not finite; with --sums fp32 sums beyond 65504 are possible",
			m.Config.Name, s.mesh, s.mesh)
	}
	e.printStep(newSimulatedStep(s, m, step, time.Since(begin)), s)
	return nil
}

// step builds the model from the flags and the file.
func (s *simulation) step(e *env, cmd *cobra.Command) (run.Model, error) {
	for _, name := range []string{"kernel", "height", "m", "k", "n", "groups", "trace"} {
		if cmd.Flags().Changed(name) {
			return run.Model{}, usageError("--%s is for a kernel by itself; --model runs a whole decode step", name)
		}
	}
	m := run.Model{Mesh: s.mesh, Context: s.of.context, Seed: s.options.Seed}
	if s.machine == "" {
		s.machine = "wse-3"
	}
	if err := s.settleMesh(); err != nil {
		return m, err
	}
	m.Machine, m.Sums = s.options.Machine, s.options.Sums
	var err error
	var sample []int
	if m.Config, m.Weights, sample, err = e.modelAndWeights(s.of.model); err != nil {
		return m, estimated(m.Config, err)
	}
	m.Config.Name = clean(m.Config.Name) // a file may contain anything
	m.Tokens, err = s.of.ids(m.Config.VocabSize)
	if len(sample) > 0 && s.of.tokens == "" {
		m.Tokens = sample
		if !cmd.Flags().Changed("context") {
			m.Context = len(sample)
		}
	}
	m.Run.Workers = s.threads
	return m, err
}

// modelAndWeights reads a preset, the network of a built-in model, with tokens that it can
// read, or a file; of files only GGUF has weights.
func (e *env) modelAndWeights(name string) (transformer.Config, transformer.Weights, []int, error) {
	if n, err := e.networkNamed(name); err != nil || len(n.File) > 0 {
		if err != nil {
			return transformer.Config{}, nil, nil, err
		}
		c, w, err := shapeAndWeights(n)
		return c, w, n.Tokens, err
	}
	if isGGUF(name) {
		c, w, err := gguf.Load(name)
		return c, w, nil, err
	}
	c, err := e.modelNamed(name)
	return c, nil, nil, err
}

// estimated adds to an error that an unsupported model can be estimated.
func estimated(c transformer.Config, err error) error {
	if err != nil && c.ExpertCount > 0 {
		return fmt.Errorf("%w; 'waferpair wafer estimate' takes it", err)
	}
	return err
}

// isGGUF checks the first bytes of a file.
func isGGUF(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false // reading a pipe would block
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	var magic [4]byte
	_, err = io.ReadFull(file, magic[:])
	return err == nil && string(magic[:]) == "GGUF"
}

// ids returns the tokens of --tokens.
func (o stepOf) ids(vocabulary int) ([]int, error) {
	var list []int
	for word := range strings.SplitSeq(o.tokens, ",") {
		if o.tokens == "" {
			return nil, nil
		}
		id, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || id < 0 || id >= vocabulary {
			return nil,
				usageError("--tokens: %q is not a token of a vocabulary of %d; give ids from 0 to %d, with commas between", word,
					vocabulary, vocabulary-1)
		}
		list = append(list, id)
	}
	return list, nil
}

var errStopped = errors.New("stopped; nothing was written")

// runStep runs the step until it is done, or a signal arrives. Laying out programs does not
// check for signals; it is abandoned when the process ends.
func (e *env) runStep(ctx context.Context, m run.Model) (run.Step, error) {
	wait := e.startWaiting()
	defer wait.over()
	m.Say = wait.say
	m.Run = tile.Options{Workers: m.Run.Workers, Watch: func(now clock.Cycle) error {
		wait.say(fmt.Sprintf("cycle %d", now))
		return nil
	}}
	type ended struct {
		step run.Step
		err  error
	}
	done := make(chan ended, 1)
	go func() {
		step, err := m.Step(ctx)
		done <- ended{step, err}
	}()
	select {
	case <-ctx.Done():
		return run.Step{}, errStopped
	case end := <-done:
		if end.err != nil && ctx.Err() != nil {
			return end.step, errStopped
		}
		return end.step, end.err
	}
}

func newSimulatedStep(s *simulation, m run.Model, step run.Step, took time.Duration) simulatedStep {
	r := simulatedStep{Model: m.Config.Name, Machine: m.Machine.Name, Mesh: [2]int{m.Mesh, m.Mesh},
		Context: m.Context, Sums: s.sums, Cycles: int64(step.Cycles), AnalyticCycles: step.Analytic, Weights: "random",
		Token: step.Token, PlainToken: step.Plain, MaxAbsError: step.Apart, Wavelets: step.Total.Net.Delivered(),
		Hops: step.Total.Net.Hops(), Stalls: step.Total.Net.Stalls(), Colors: step.Colors, SRAMBytes: step.SRAMBytes,
		HostSeconds: took.Seconds()}
	if m.Weights != nil {
		r.Weights = "of the file"
	}
	for _, k := range step.Kernels {
		r.Kernels = append(r.Kernels, kernelCycles{k.Kernel, int64(k.Cycles), k.Analytic})
	}
	return r
}

func (e *env) printStep(r simulatedStep, s *simulation) {
	if e.json {
		jsonOut(e.out, r)
		return
	}
	p := func(name, format string, a ...any) {
		fmt.Fprintf(e.out, "%-18s "+format+"\n", append([]any{name}, a...)...)
	}
	p("decode step", "%s on %d x %d emulated cores (%s), position %d, sums in %s, weights: %s", r.Model, r.Mesh[0],
		r.Mesh[1], r.Machine, r.Context, r.Sums, r.Weights)
	p("cycles", "%d (%.2f us at %.2f GHz)", r.Cycles, float64(r.Cycles)/s.ghz/1000, s.ghz)
	p("analytic cycles", "%.0f%s", r.AnalyticCycles, off(r.AnalyticCycles, r.Cycles))
	p("token", "%d; %d by the plain pass, logits at most %.3g apart", r.Token, r.PlainToken, r.MaxAbsError)
	p("wavelets", "%d to cores, %d hops, %d stalls", r.Wavelets, r.Hops, r.Stalls)
	p("colors", "%d", len(r.Colors))
	p("SRAM a core", "%d bytes, with the reserve", r.SRAMBytes)
	fmt.Fprintf(e.out, "\n%-22s %12s %12s\n", "all layers", "cycles", "analytic")
	for _, k := range r.Kernels {
		fmt.Fprintf(e.out, "  %-20s %12d %12.0f%s\n", k.Kernel, k.Cycles, k.Analytic, off(k.Analytic, k.Cycles))
	}
	fmt.Fprintf(e.out, "\nemulated in %.2f s on this computer\n", r.HostSeconds)
}

func threadsOr(n int) int {
	if n == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}
