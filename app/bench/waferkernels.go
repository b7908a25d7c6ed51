package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"waferpair/wafer/kernel/run"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// anyMesh holds the kernels that run on meshes that are not square.
var anyMesh = map[string]bool{"meshgemv": true, "gemv-reduce": true, "summa": true, "hop": true, "allreduce": true,
	"broadcast": true, "allreduce-pipeline": true, "allreduce-ring": true, "reduce-star": true}

// waferResults runs every kernel on random shapes and meshes up to 16 x 16. It reports how
// far results are from those of plain code, and whether runs on 1 to 8 threads of this
// computer agree in every bit and cycle.
func waferResults(ctx context.Context, e *Env) error {
	runs, differ, which := 0, 0, ""
	for _, spec := range run.All() {
		worst, at := 0.0, ""
		apart, unit, bound := exactness(spec.Name)
		r := rand.New(rand.NewPCG(11, uint64(len(spec.Name))))
		side, shapes := 16, 10
		if e.Quick {
			side, shapes = 4, 3 // little work, but runs with 1, 2 and 3 threads
		}
		for i := range shapes {
			o := randomOptions(r, spec.Name, side)
			one, err := spec.Run(ctx, o)
			if err != nil {
				return fmt.Errorf("%s on %d x %d cores, M %d, K %d, N %d: %w", spec.Name, o.Width, o.Height, o.M, o.K, o.N, err)
			}
			if off := apart(one); off > worst || at == "" {
				worst, at = off, fmt.Sprintf("%d x %d cores, M %d, K %d, N %d", one.Width, one.Height, o.M, o.K, o.N)
			}
			o.Run.Workers = 1 + i%8
			again, err := spec.Run(ctx, o)
			if err != nil {
				return fmt.Errorf("%s with %d threads: %w", spec.Name, o.Run.Workers, err)
			}
			if runs++; !reflect.DeepEqual(one, again) {
				differ++
				which = fmt.Sprintf("%s on %d x %d cores, M %d, K %d, N %d, with %d threads", spec.Name, o.Width, o.Height, o.M,
					o.K, o.N, o.Run.Workers)
			}
		}
		e.Report(Result{Measure: spec.Name + ": from plain code, worst", Value: round(worst, 4), Unit: unit, Bound: bound,
			AtMost: true, Note: at})
	}
	e.Report(Result{Measure: fmt.Sprintf("%d runs again, on 1 to 8 threads: not the same to the bit", runs), Unit: "runs",
		AtMost: true, Value: float64(differ), Note: which})
	return nil
}

// exactness returns how to compare a kernel's result with that of plain code. A layer or a
// step is many kernels, each of which may round a number differently, so its error is
// compared with the size of the numbers, which is about 1.
func exactness(name string) (apart func(run.Outcome) float64, unit string, bound float64) {
	if slices.Contains([]string{"decode-layer", "decode-step", "prefill-attention", "prefill-layer", "prefill"}, name) {
		return func(o run.Outcome) float64 { return o.MaxAbsError }, "absolute", 0.01
	}
	return func(o run.Outcome) float64 { return o.Ulps }, "ulp of fp16", 1
}

func randomOptions(r *rand.Rand, name string, side int) run.Options {
	m := machine.Test(side, side)
	m.HopCycles = 1 + r.IntN(2)
	o := run.Options{Machine: m, Width: 1 + r.IntN(side), Sums: tile.F32, Seed: r.Uint64()}
	o.Height = o.Width
	if anyMesh[name] {
		o.Height = 1 + r.IntN(side)
	}
	o.N, o.K, o.M = 4*(1+r.IntN(4*o.Width)), 1+r.IntN(20*o.Width), 1+r.IntN(5*o.Width)
	return o
}

// products holds the kernels that multiply matrices.
var products = map[string]bool{"meshgemm": true, "meshgemm-skew": true, "cannon": true, "summa": true,
	"dist-gemm-t": true}

// waferCycles runs every kernel on meshes of 4 to 64 and compares its cycles with its
// formula.
func waferCycles(ctx context.Context, e *Env) error {
	meshes := []int{4, 5, 8, 16, 31, 64}
	if e.Quick {
		meshes = []int{4, 5}
	}
	for _, spec := range run.All() {
		worst, note, largest := 0.0, "", 0
		for i, mesh := range meshes {
			if strings.HasPrefix(spec.Name, "prefill") && mesh > 32 {
				continue // the programs of so many cores do not fit into the memory of a small computer
			}
			largest = mesh
			o := run.Options{Machine: []machine.Machine{machine.Test(64, 64), machine.WSE3()}[i%2], Width: mesh,
				Sums: []tile.Kind{tile.F32, tile.F16}[i/2%2]}
			if products[spec.Name] && mesh > 32 { // small tiles, because large ones take minutes
				o.M, o.K, o.N = 3*mesh, 3*mesh, 3*mesh
			}
			out, err := spec.Run(ctx, o)
			if err != nil {
				return fmt.Errorf("%s on %d x %d cores: %w", spec.Name, mesh, mesh, err)
			}
			off := 100 * (float64(out.AnalyticCycles)/float64(out.Cycles) - 1)
			if math.Abs(off) >= math.Abs(worst) {
				worst, note = off, fmt.Sprintf("%d x %d cores: %d cycles, formula %d", mesh, mesh, out.Cycles, out.AnalyticCycles)
			}
		}
		e.Report(Result{Measure: fmt.Sprintf("%s: formula, meshes %d to %d, worst", spec.Name, meshes[0], largest),
			Value: round(math.Abs(worst), 2), Unit: "%", Bound: 5, AtMost: true, Note: note})
	}
	return nil
}
