package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"waferpair/wafer/clock"
	"waferpair/wafer/kernel/run"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

func waferCommand(e *env) *cobra.Command {
	return group("wafer", "An emulated wafer-scale processor: what a model would do on it",
		"wafer works with an emulated wafer-scale processor, of the class of the WSE-2 and\n"+
			"WSE-3. Its figures are emulated: cycles of that machine, not of this computer.",
		estimateCommand(e), simulateCommand(e), floorplanCommand(e))
}

// simulation holds the flags of 'wafer simulate'.
type simulation struct {
	kernel, machine, sums, trace string
	mesh, height                 int
	options                      run.Options
	threads                      int
	ghz                          float64
	of                           stepOf
}

func simulateCommand(e *env) *cobra.Command {
	var s simulation
	c := &cobra.Command{
		Use:   "simulate {--model MODEL | --kernel NAME}",
		Short: "Run a model's decode step, or a kernel, on emulated cores, wavelet by wavelet",
		Long: `simulate runs a decode step of a model, or one kernel, on a mesh of emulated cores:
every value lies in a core's SRAM or travels as a wavelet. It prints the cycles that
were counted, those of the formulas, and how far the result is from a plain
computation.

With --model: the token at position --context of a sequence, all of the model in one
region: embedding, layers, norm, head, the greatest logit. The model is a file of
parameters as 'wafer estimate' takes, with random weights and a random cache, or a
GGUF file: then the plain pass makes the cache of the tokens before, and both choose
a token. spark is the network inside the built-in model, which reads one of its
requests. 'wafer estimate --decode-mesh N --context S' has the analytic cycles as
cycles_per_token. It has to fit: 128 x 128 cores, the most that are emulated, have
537 MB of SRAM for it. The presets of 'wafer estimate' are larger.

The kernels:
` + kernelHelp(),
		Example: `  waferpair wafer simulate --model spark --mesh 32
  waferpair wafer simulate --model ./mine.gguf --mesh 16 --context 128 --machine wse-2
  waferpair wafer simulate --kernel meshgemv --mesh 16
  waferpair wafer simulate --kernel decode-step --mesh 32 --trace step.json
  waferpair wafer simulate --kernel meshgemm --mesh 8 --m 64 --k 96 --n 40 --sums fp16 --json`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := positive(cmd, "mesh", "height", "m", "k", "n", "groups", "threads", "context"); err != nil {
				return err
			}
			if err := positiveClock(cmd, s.ghz); err != nil {
				return err
			}
			if s.of.model != "" {
				return e.simulateModel(cmd, &s)
			}
			return e.simulate(cmd, &s)
		},
	}
	f := c.Flags()
	f.StringVar(&s.of.model, "model", "", "spark, or a `file`: parameters (JSON with GGUF's names) or GGUF")
	f.IntVar(&s.of.context, "context", 64, "with --model: positions that the token attends to, with its own")
	f.StringVar(&s.of.tokens, "tokens", "",
		"with --model: ids of the sequence, with commas, repeated up to the context (default: random)")
	f.StringVar(&s.kernel, "kernel", "", "the kernel's `name`")
	f.IntVar(&s.mesh, "mesh", 8, "cores along each side of the mesh")
	f.IntVar(&s.height, "height", 0, "rows of a mesh that is not square")
	f.StringVar(&s.machine, "machine", "",
		"test (cores of a WSE-3, one cycle a hop, no software around kernels), wse-2 or wse-3\n"+
			"(default: test for a kernel, wse-3 for a model)")
	f.IntVar(&s.options.M, "m", 0, "rows of the left matrix, or positions of an attention (default: by the mesh)")
	f.IntVar(&s.options.K, "k", 0, "the dimension that is summed, or a model's feed-forward width")
	f.IntVar(&s.options.N, "n", 0, "columns of the result, numbers of a vector, or a model's width")
	f.IntVar(&s.options.Groups, "groups", 0, "groups of a tree (default: the fastest)")
	f.StringVar(&s.sums, "sums", "fp32", "how sums are kept: fp16 or fp32")
	f.Uint64Var(&s.options.Seed, "seed", 1, "of the random numbers")
	f.IntVar(&s.threads, "threads", 0,
		"threads of this computer; the result does not depend on it (default: one a processor)")
	f.StringVar(&s.trace, "trace", "", "write what some cores did to this `file`, for ui.perfetto.dev or chrome://tracing")
	f.Float64Var(&s.ghz, "clock", 0, "GHz, for times (default: the machine's)")
	return c
}

func kernelHelp() string {
	text := ""
	for _, k := range run.All() {
		text += fmt.Sprintf("\n  %-18s %s", k.Name, k.Help)
	}
	return text
}

// settle reads the kernel, and the flags that every simulation has.
func (s *simulation) settle() (run.Spec, error) {
	if s.kernel == "" {
		return run.Spec{}, usageError("--kernel or --model is missing; kernels are %s", kernelNames())
	}
	spec, err := run.Named(s.kernel)
	if err != nil {
		return spec, usageError("--kernel: no kernel is called %q; give one of %s", s.kernel, kernelNames())
	}
	if s.machine == "" {
		s.machine = "test"
	}
	return spec, s.settleMesh()
}

// settleMesh reads the mesh, the machine, the precision of sums, the clock and the threads.
func (s *simulation) settleMesh() (err error) {
	if s.height == 0 {
		s.height = s.mesh
	}
	if max(s.mesh, s.height) > tile.MaxCores || s.mesh*s.height > tile.MaxCores {
		return usageError("a mesh of %d x %d; at most %d cores are emulated one by one, as in 128 x 128; "+
			"'waferpair wafer estimate' takes whole wafers", s.mesh, s.height, tile.MaxCores)
	}
	s.options.Width, s.options.Height = s.mesh, s.height
	if s.options.Machine, err = machineNamed(s.machine, s.mesh, s.height); err != nil {
		return err
	}
	switch s.sums {
	case "fp16":
		s.options.Sums = tile.F16
	case "fp32":
		s.options.Sums = tile.F32
	default:
		return usageError("--sums %q: fp16 or fp32", s.sums)
	}
	if s.ghz == 0 {
		s.ghz = s.options.Machine.Clocks[0]
	}
	s.threads = threadsOr(s.threads)
	return nil
}

func machineNamed(name string, width, height int) (machine.Machine, error) {
	if name == "test" {
		return machine.Test(width, height), nil
	}
	m, err := machine.ByName(name)
	if err != nil {
		return m, usageError("--machine: %w, and test, which has as many cores as the mesh", err)
	}
	return m, nil
}

func kernelNames() string {
	var names []string
	for _, k := range run.All() {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// positiveClock refuses a --clock that is not positive; without the check, 0 would mean the
// default.
func positiveClock(cmd *cobra.Command, ghz float64) error {
	if cmd.Flags().Changed("clock") && !(ghz > 0 && ghz <= 100) {
		return usageError("--clock %v: GHz, above 0 and at most 100; leave it out for the default", ghz)
	}
	return nil
}

// positive refuses values below 1. A flag that is not given has a default instead.
func positive(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if v, err := cmd.Flags().GetInt(name); err == nil && v < 1 && cmd.Flags().Changed(name) {
			return usageError("--%s %d: must be 1 or more; leave it out for the default", name, v)
		}
	}
	return nil
}

// simulated is the printed result of a kernel.
type simulated struct {
	Kernel          string     `json:"kernel"`
	Machine         string     `json:"machine"`
	Mesh            [2]int     `json:"mesh"`
	M               int        `json:"m,omitempty"`
	K               int        `json:"k,omitempty"`
	N               int        `json:"n,omitempty"`
	Sums            string     `json:"sums"`
	Cycles          int64      `json:"cycles"`
	AnalyticCycles  int        `json:"analytic_cycles"`
	MaxAbsError     float64    `json:"max_abs_error"`
	Ulps            float64    `json:"max_ulps_fp16"`
	Wavelets        int64      `json:"wavelets"`
	Hops            int64      `json:"wavelet_hops"`
	Stalls          int64      `json:"stalls"`
	Colors          []string   `json:"colors"`
	SRAMBytes       int        `json:"sram_bytes_per_core"`
	Utilisation     float64    `json:"core_utilisation"`
	LinkUtilisation float64    `json:"link_utilisation"`
	Work            []workLine `json:"work"`
	HostSeconds     float64    `json:"host_seconds"`
	HopsPerSecond   float64    `json:"wavelet_hops_per_host_second"`
}

// workLine holds how the cores spent their cycles in a kernel, as fractions of all cycles.
type workLine struct {
	Kernel  string  `json:"kernel"`
	Compute float64 `json:"compute"`
	Fabric  float64 `json:"fabric"`
	Launch  float64 `json:"launch"`
	Stall   float64 `json:"stall"`
}

func (e *env) simulate(cmd *cobra.Command, s *simulation) error {
	spec, err := s.settle()
	if err != nil {
		return err
	}
	s.options.Trace = s.trace != ""
	if err := e.checkTrace(cmd, s); err != nil {
		return err
	}
	begin := time.Now()
	out, err := e.runKernel(cmd.Context(), spec, s)
	took := time.Since(begin)
	if err != nil {
		return notSimulated(s.kernel, s.mesh, s.height, err)
	}
	if math.IsInf(out.MaxAbsError, 0) {
		return fmt.Errorf("simulate %s on a mesh of %d x %d: numbers of the result are not finite, or not as many as "+
			"they should be; with --sums fp16, smaller dimensions keep sums below 65504", s.kernel, s.mesh, s.height)
	}
	if s.trace != "" {
		if err := e.writeFile("--trace", s.trace, func(w io.Writer) error { return run.WriteTrace(w, out, s.ghz) }); err !=
			nil {
			return err
		}
	}
	if s.trace == "-" {
		return nil
	}
	e.printSimulated(newSimulated(s, out, took), s)
	return nil
}

// checkTrace checks before a long run that the trace can be written.
func (e *env) checkTrace(cmd *cobra.Command, s *simulation) error {
	if s.trace == "-" && e.json {
		return usageError("--trace - and --json both write to standard output; give the trace a file")
	}
	if cmd.Flags().Changed("trace") {
		return e.checkFile("--trace", s.trace)
	}
	return nil
}

// runKernel runs a kernel until it is done, or a signal arrives. Laying out a program and
// the plain computation do not check for signals; they are abandoned when the process ends.
func (e *env) runKernel(ctx context.Context, spec run.Spec, s *simulation) (run.Outcome, error) {
	wait := e.startWaiting()
	defer wait.over()
	var cycle atomic.Int64
	s.options.Run = tile.Options{Workers: s.threads, Watch: func(now clock.Cycle) error {
		cycle.Store(int64(now))
		wait.say(fmt.Sprintf("cycle %d", now))
		return nil
	}}
	type ended struct {
		out run.Outcome
		err error
	}
	done := make(chan ended, 1)
	options := s.options
	go func() {
		out, err := spec.Run(ctx, options)
		done <- ended{out, err}
	}()
	stopped := func() error { return fmt.Errorf("stopped at cycle %d; nothing was written", cycle.Load()) }
	select {
	case <-ctx.Done():
		return run.Outcome{}, stopped()
	case end := <-done:
		if end.err != nil && ctx.Err() != nil {
			return end.out, stopped()
		}
		return end.out, end.err
	}
}

func notSimulated(what string, width, height int, err error) error {
	return fmt.Errorf("simulate %s on a mesh of %d x %d: %w", what, width, height, err)
}

func newSimulated(s *simulation, o run.Outcome, took time.Duration) simulated {
	r := simulated{Kernel: o.Kernel, Machine: s.options.Machine.Name, Mesh: [2]int{o.Width, o.Height}, M: o.M, K: o.K,
		N: o.N, Sums: s.sums, Cycles: int64(o.Cycles), AnalyticCycles: o.AnalyticCycles,
		MaxAbsError: o.MaxAbsError, Ulps: o.Ulps, Wavelets: o.Wavelets, Hops: o.Hops, Stalls: o.Stalls, Colors: o.Colors,
		SRAMBytes: o.SRAMBytes, HostSeconds: took.Seconds(), HopsPerSecond: float64(o.Hops) / took.Seconds()}
	all := math.Max(1, float64(o.Cycles)*float64(o.Width*o.Height)) // one core alone may take no cycle
	for _, name := range o.Kernels() {
		w := o.Work[name]
		r.Utilisation += float64(w.Compute+w.Fabric) / all
		r.Work = append(r.Work, workLine{name, float64(w.Compute) / all, float64(w.Fabric) / all, float64(w.Launch) / all,
			float64(w.Stall) / all})
	}
	if links := 2 * ((o.Width-1)*o.Height + o.Width*(o.Height-1)); links > 0 {
		r.LinkUtilisation = float64(o.Hops) / (float64(links) * math.Max(1, float64(o.Cycles)))
	}
	return r
}

func (e *env) printSimulated(r simulated, s *simulation) {
	if e.json {
		jsonOut(e.out, r)
		return
	}
	p := func(name, format string, a ...any) {
		fmt.Fprintf(e.out, "%-18s "+format+"\n", append([]any{name}, a...)...)
	}
	p("kernel", "%s on %d x %d emulated cores (%s), sums in %s", r.Kernel, r.Mesh[0], r.Mesh[1], r.Machine, r.Sums)
	p("cycles", "%d (%.2f us at %.2f GHz)", r.Cycles, float64(r.Cycles)/s.ghz/1000, s.ghz)
	p("analytic cycles", "%d%s", r.AnalyticCycles, off(float64(r.AnalyticCycles), r.Cycles))
	p("max abs error", "%.3g (%.2f ulp of fp16)", r.MaxAbsError, r.Ulps)
	p("wavelets", "%d to cores, %d hops", r.Wavelets, r.Hops)
	p("stalls", "%d", r.Stalls)
	p("colors", "%d", len(r.Colors))
	p("SRAM a core", "%d bytes, with the reserve", r.SRAMBytes)
	p("utilisation", "cores %.1f %%, links %.1f %%", 100*r.Utilisation, 100*r.LinkUtilisation)
	fmt.Fprintf(e.out, "\n%-18s %9s %9s %9s %9s\n", "where cycles went", "compute", "fabric", "launch", "stall")
	for _, w := range r.Work {
		fmt.Fprintf(e.out, "  %-16s %8.1f%% %8.1f%% %8.1f%% %8.1f%%\n", w.Kernel, 100*w.Compute, 100*w.Fabric,
			100*w.Launch, 100*w.Stall)
	}
	fmt.Fprintf(e.out, "\nemulated in %.2f s on this computer: %s wavelet-hops a second\n", r.HostSeconds,
		short(r.HopsPerSecond))
	if s.trace != "" {
		fmt.Fprintf(e.out, "trace written to %s; open it in ui.perfetto.dev\n", s.trace)
	}
}

// off returns the deviation of the analytic cycles in percent, if any cycles were counted.
func off(analytic float64, cycles int64) string {
	if cycles == 0 {
		return ""
	}
	return fmt.Sprintf(" (%+.1f %%)", 100*(analytic/float64(cycles)-1))
}

// short formats a large number with three digits.
func short(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if v >= unit.size {
			return fmt.Sprintf("%.3g%s", v/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.3g", v)
}
