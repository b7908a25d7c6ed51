package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"waferpair/wafer/clock"
	"waferpair/wafer/kernel"
	"waferpair/wafer/kernel/run"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// waferStep times a decode step of the 4-layer, 256-wide model on 32 x 32 cores, on one
// thread of this computer, and the speed of the routers by themselves. It measures
// processor time, as the computer may be busy.
func waferStep(ctx context.Context, e *Env) error {
	routers, err := waferFabric(ctx, e)
	if err != nil {
		return err
	}
	step, err := oneStep(ctx, e)
	if err != nil {
		return err
	}
	seconds := step.took.Seconds()
	e.Report(Result{Measure: fmt.Sprintf("decode step, %d layers, 256 wide, %d x %d cores, one thread", step.layers,
		step.mesh, step.mesh), Value: round(seconds, 3), Unit: "s", Bound: 20, AtMost: true,
		Note: fmt.Sprintf("%d emulated cycles, %.3g wavelet-hops", step.cycles, step.hops)})
	rate := step.hops / seconds
	e.Report(Result{Measure: "the same: wavelet-hops a second, beside the cores' work",
		Value: round(rate/1e6, 2), Unit: "million/s", Bound: 10,
		Note: fmt.Sprintf("with laying the program; %.2f of what the routers alone do on this computer", rate/routers)})
	e.Report(Result{Measure: "the same: largest heap", Value: step.heap.megabytes(), Unit: "MB",
		Bound: 2000, AtMost: true})
	return nil
}

// stepRun is the result of a step.
type stepRun struct {
	took   time.Duration
	hops   float64
	cycles clock.Cycle
	heap   heapPeak

	mesh, layers int
}

func oneStep(ctx context.Context, e *Env) (step stepRun, err error) {
	defer oneProcessor()()
	runtime.GC() // of the garbage of earlier parts
	mesh, shape := 32, kernel.Small()
	if e.Quick {
		mesh, shape.BlockCount = 16, 1
	}
	step.mesh, step.layers = mesh, shape.BlockCount
	d, err := kernel.NewDecoder(machine.Test(mesh, mesh), mesh, shape, 64, tile.F32)
	if err != nil {
		return step, err
	}
	if err := d.Load(transformer.Random(shape, 5)); err != nil {
		return step, err
	}
	step.took, err = timed(func() error {
		token, err := d.Step(ctx, 1, tile.Options{Workers: 1, Watch: func(clock.Cycle) error {
			step.heap.look()
			return nil
		}})
		step.cycles = token.Cycles
		return err
	})
	step.heap.look()
	step.hops = float64(d.Total().Net.Hops())
	return step, err
}

// waferFabric runs routers with little else: long vectors travel from one end of each row
// to the other. It returns the hops a second.
func waferFabric(ctx context.Context, e *Env) (rate float64, err error) {
	defer oneProcessor()()
	spec, err := run.Named("hop")
	if err != nil {
		return 0, err
	}
	hops := 0.0
	took, err := timed(func() error {
		out, err := spec.Run(ctx, run.Options{Machine: machine.Test(64, 64), Width: 64, N: max(200, e.scale(4000)),
			Sums: tile.F16, Run: tile.Options{Workers: 1}})
		hops = float64(out.Hops)
		return err
	})
	if err != nil {
		return 0, err
	}
	rate = hops / took.Seconds()
	e.Report(Result{Measure: "rows of 64 cores, end to end: wavelet-hops a second, one thread",
		Value: round(rate/1e6, 2), Unit: "million/s", Bound: 5,
		Note: fmt.Sprintf("%.3g hops, with making the program and comparing the result", hops)})
	return rate, nil
}

// oneProcessor limits this process to one processor until restore is called.
func oneProcessor() (restore func()) {
	before := runtime.GOMAXPROCS(1)
	return func() { runtime.GOMAXPROCS(before) }
}

// timed returns the processor time of a call.
func timed(do func() error) (time.Duration, error) {
	start := cpuTime()
	err := do()
	return cpuTime() - start, err
}
