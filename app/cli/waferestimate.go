package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"waferpair/engine/gguf"
	"waferpair/engine/model"
	"waferpair/wafer"
	"waferpair/wafer/transformer"
)

// placing holds the flags for a model, a machine and a placement.
type placing struct {
	machine, model, objective string
	request                   wafer.Request
}

func (p *placing) flags(c *cobra.Command) {
	f, r := c.Flags(), &p.request
	f.StringVar(&p.machine, "machine", "wse-3",
		"wse-2, wse-3 or test (as many cores of a WSE-3 as the mesh has; see 'wafer simulate')")
	f.StringVar(&p.model, "model", "", "a preset, spark, or a `file` of parameters (JSON with GGUF's names)")
	f.StringVar(&r.Layout, "layout", "", "waferllm: as in WaferLLM's benchmarks (default: our own placement)")
	f.IntVar(&r.DecodeMesh, "decode-mesh", 0, "cores along each side of a region (default: the best)")
	f.IntVar(&r.PrefillMesh, "prefill-mesh", 0, "the same for the prompt, in layout waferllm")
	f.IntVar(&r.Context, "context", 0, "positions that the KV cache holds (default: input and output)")
	f.IntVar(&r.Input, "input", 0, "tokens of the prompt (default 2048)")
	f.IntVar(&r.Output, "output", 0, "tokens of the answer (default 128)")
	f.IntVar(&r.Wafers, "wafers", 0, "the most wafers to use (default: any number)")
	f.IntVar(&r.Users, "users", 0, "requests whose KV caches are held at once")
	f.StringVar(&p.objective, "objective", "latency", "latency of one request, or throughput of many")
	f.Float64Var(&r.ClockGHz, "clock", 0, "GHz (default: that of the assumptions)")
	f.StringVar(&r.Timing, "timing", "", "emulated: as 'wafer simulate' counts; published: fitted to measured layers\n(default: emulated with a --decode-mesh up to 128, else published)")
	f.StringVar(&r.Assume, "assume", "low",
		"low: slow clock and measured software overheads; high: fast clock, none of them")
}

// settle checks the flags, and reads the machine and the model.
func (p *placing) settle(e *env, cmd *cobra.Command) (wafer.Request, error) {
	if err := positive(cmd, "decode-mesh", "prefill-mesh", "context", "input", "output", "wafers", "users"); err != nil {
		return p.request, err
	}
	if err := positiveClock(cmd, p.request.ClockGHz); err != nil {
		return p.request, err
	}
	if p.model == "" {
		return p.request, usageError("--model is missing; give one of %s, or a file of parameters", presetNames())
	}
	if p.machine == "test" && p.request.DecodeMesh == 0 {
		return p.request, usageError("--machine test has as many cores as the mesh: give --decode-mesh, too")
	}
	m, err := machineNamed(p.machine, p.request.DecodeMesh, p.request.DecodeMesh)
	if err != nil {
		return p.request, err
	}
	if p.request.Model, err = e.modelNamed(p.model); err != nil {
		return p.request, err
	}
	p.request.Model.Name = clean(p.request.Model.Name) // a file may contain anything
	p.request.Machine, p.request.Objective = m, wafer.Objective(p.objective)
	return p.request, nil
}

// modelNamed returns a preset, the network of a built-in model, or the parameters in a file.
func (e *env) modelNamed(name string) (transformer.Config, error) {
	m, err := wafer.Preset(name)
	if err == nil {
		return m, nil
	}
	if n, err := e.networkNamed(name); err != nil || len(n.File) > 0 {
		return shapeOf(n, err)
	}
	if isGGUF(name) {
		return gguf.LoadConfig(name)
	}
	fromFile, fileErr := transformer.LoadConfig(name)
	if errors.Is(fileErr, fs.ErrNotExist) && !strings.ContainsAny(name, "/.") {
		return m, usageError("--model: %w", err)
	}
	if errors.Is(fileErr, fs.ErrNotExist) {
		return m, fmt.Errorf("%w; give the path of a file of parameters, or one of %s", fileErr, presetNames())
	}
	return fromFile, fileErr
}

// shapeOf returns the shape of a network, unless it is damaged.
func shapeOf(n model.Network, err error) (transformer.Config, error) {
	if err != nil {
		return transformer.Config{}, err
	}
	c, _, err := shapeAndWeights(n)
	return c, err
}

// cannotPlace describes why a request has no placement. An invalid request is a usage
// error; a model that does not fit is not.
func cannotPlace(what string, r wafer.Request, err error) error {
	err = fmt.Errorf("%s %s on %s: %w", what, r.Model.Name, r.Machine.Name, err)
	if refusal := (*wafer.Refusal)(nil); errors.As(err, &refusal) {
		return err
	}
	return usageError("%w", err)
}

func presetNames() string {
	var names []string
	for _, m := range wafer.Presets() {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

func estimateCommand(e *env) *cobra.Command {
	var p placing
	c := &cobra.Command{
		Use:   "estimate --model MODEL",
		Short: "What a model would do on a wafer-scale processor",
		Long: `estimate places a model on a wafer-scale processor and says how fast it would be
there, by the analytic model of package wafer. It is an estimate of that machine,
never a measurement of this computer.

The presets: ` + presetNames() + `.
A file of parameters is JSON with the names that GGUF files use, as in
{"block_count": 24, "embedding_length": 896, "attention.head_count": 14,
 "attention.head_count_kv": 2, "feed_forward_length": 4864, "vocab_size": 151936}.`,
		Example: `  waferpair wafer estimate --model llama3-8b
  waferpair wafer estimate --machine wse-2 --model llama3-8b --layout waferllm --prefill-mesh 660 --decode-mesh 360 --input 4096 --output 128
  waferpair wafer estimate --model ./mine.json --context 32768 --objective throughput --json`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := p.settle(e, cmd)
			if err != nil {
				return err
			}
			report, err := wafer.Estimate(r)
			if err != nil {
				return cannotPlace("estimate", r, err)
			}
			e.printReport(report)
			return nil
		},
	}
	p.flags(c)
	return c
}

func (e *env) printReport(r wafer.Report) {
	if e.json {
		jsonOut(e.out, r)
		return
	}
	line := func(name, format string, a ...any) {
		fmt.Fprintf(e.out, "%-16s "+format+"\n", append([]any{name}, a...)...)
	}
	place := fmt.Sprintf("%s of %d x %d cores on %s", count(r.Placement.LayerRegions, "region"), r.Placement.Mesh,
		r.Placement.Mesh, count(r.Wafers, "wafer"))
	if r.Placement.PrefillMesh > 0 {
		place = fmt.Sprintf("decode on %d x %d cores, prefill on %d x %d", r.Placement.Mesh, r.Placement.Mesh,
			r.Placement.PrefillMesh, r.Placement.PrefillMesh)
	}
	line(r.Model, "estimated on %s at %.2f GHz: %s", r.Machine, r.ClockGHz, place)
	line("timing", "%s", timing(r))
	line("decode", "%s tokens/s, one request%s", round3(r.DecodeTokS), band(r.Band))
	line("prefill", "%s tokens/s (%s)", round3(r.PrefillTokS), r.Prefill)
	line("first token", "%.4g ms after the prompt of %d tokens, on the device alone", r.TTFTms, r.Input)
	line("whole request", "%s tokens/s: %d in, %d out", round3(r.RequestTokS), r.Input, r.Output)
	line("cycles", "%s a token, %s a layer", round3(r.CyclesPerToken), round3(r.CyclesPerLayer))
	s := r.Placement.SRAM
	line("SRAM a core", "%d bytes: %d reserved, %d weights, %d KV cache, %d buffers", r.SRAMPerCore, s.Reserved,
		s.Weights, s.KV, s.Buffers)
	line("KV cache", "%d positions asked for; room for %d in balance, %d without the shift", r.Context,
		r.Placement.ShiftTokens, r.Placement.ConcatTokens)
	line("colors", "%d", r.Colors)
	line("energy", "%.3g J a token, %.3g kW", r.JoulesPerToken, r.Use.Watts/1e3)
	line("use", "cores %.2g %%, links %.2g %%; with a request in every region %.2g %% and %.2g %%", 100*r.Use.Cores,
		100*r.Use.Links, 100*r.Use.CoresFull, 100*r.Use.LinksFull)
	e.printShares(r)
	fmt.Fprintf(e.out, "\nassumes (%s):\n", r.Assumptions.Name)
	for _, n := range r.Assumptions.Notes {
		fmt.Fprintf(e.out, "  %s\n", n)
	}
}

// timing names the report's timing, and how to get the other one.
func timing(r wafer.Report) string {
	switch {
	case r.Layout != "":
		return wafer.Published + ": that of WaferLLM's benchmarks"
	case r.Assumptions.Timing == wafer.Emulated:
		return "emulated: as 'wafer simulate' counts, the default with a --decode-mesh up to 128; --timing published is the other"
	}
	return "published: fitted to measured layers, the default without a --decode-mesh; --timing emulated is the other"
}

// printShares prints how a token's cycles divide among the kernels, as bars.
func (e *env) printShares(r wafer.Report) {
	fmt.Fprintf(e.out, "\n%-24s %12s %7s   compute, communication, launch\n", "where a token's go", "cycles", "")
	for _, s := range r.Token {
		const width = 30
		bar := func(v float64, mark string) string {
			return strings.Repeat(mark, int(v/r.CyclesPerToken*width+0.5))
		}
		fmt.Fprintf(e.out, "  %-22s %12.0f %6.1f%%   %s%s%s\n", s.Kernel, s.Cycles, 100*s.Fraction, bar(s.Compute, "#"),
			bar(s.Communication, "="), bar(s.Launch, "."))
	}
}

func band(b *wafer.Band) string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf(" (%s to %s by assumptions)", round3(b.Low), round3(b.High))
}

// round3 formats a number with three digits, or without a fraction from 100 on.
func round3(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
