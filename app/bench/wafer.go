package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"waferpair/wafer"
	"waferpair/wafer/kernel/run"
	"waferpair/wafer/machine"
)

// benchWafer validates the emulated wafer: its results against plain code, its cycles
// against its formulas, and its formulas against published measurements. It also measures
// the emulator's speed on this computer.
func benchWafer(ctx context.Context, e *Env) error {
	for _, part := range []func(context.Context, *Env) error{waferResults, waferCycles, waferPublished, waferEstimates,
		waferStep, waferHops} {
		if err := part(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// waferPublished reports the worst row of each check of wafer.Validate.
func waferPublished(_ context.Context, e *Env) error {
	var order []string
	groups := map[string][]wafer.Row{}
	for _, r := range wafer.Validate() {
		name := r.Check
		if groups[name] == nil {
			order = append(order, name)
		}
		groups[name] = append(groups[name], r)
	}
	for _, name := range order {
		e.Report(published(name, groups[name]))
	}
	return nil
}

// published summarizes a check. Of rows with a band it counts those outside their band.
func published(name string, rows []wafer.Row) Result {
	worst, outside, fitted := rows[0], 0, 0
	for _, r := range rows {
		if math.Abs(r.Ratio-1) > math.Abs(worst.Ratio-1) {
			worst = r
		}
		if !r.Pass {
			outside++
		}
		if r.Fitted {
			fitted++
		}
	}
	note := fmt.Sprintf("%d of %d are predictions, %d fitted", len(rows)-fitted, len(rows), fitted)
	if rows[0].Bound == 0 {
		return Result{Measure: name + ", outside", Value: float64(outside), Unit: "of " + fmt.Sprint(len(rows)), AtMost: true,
			Note: note + bands(rows)}
	}
	note += fmt.Sprintf("; worst: %s, %.4g published, %.4g here", worst.Config, worst.Published, worst.Ours)
	return Result{Measure: name + ", worst", Value: round(100*math.Abs(worst.Ratio-1), 2), Unit: "%",
		Bound: 100 * worst.Bound, AtMost: true, Note: note}
}

// bands names the published values and their bands.
func bands(rows []wafer.Row) string {
	text := ""
	for _, r := range rows {
		if r.High > 0 {
			text += fmt.Sprintf("; %s: %.4g published, %.4g to %.4g here", r.Config, r.Published, r.Ours, r.High)
		}
	}
	return text
}

func round(v float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(v*scale) / scale
}

// waferEstimates times an estimate of every preset and reports the slowest. Of each preset
// it takes the fastest of a few runs, as the computer may be busy.
func waferEstimates(_ context.Context, e *Env) error {
	slowest, name := time.Duration(0), ""
	for _, m := range wafer.Presets() {
		least := time.Duration(math.MaxInt64)
		for range 5 {
			took, err := timed(func() error {
				_, err := wafer.Estimate(wafer.Request{Machine: machine.WSE3(), Model: m})
				return err
			})
			if err != nil {
				return fmt.Errorf("estimate %s: %w", m.Name, err)
			}
			least = min(least, took)
		}
		if least > slowest {
			slowest, name = least, m.Name
		}
	}
	e.Report(Result{Measure: "an estimate, slowest preset, processor time", Value: millis(slowest), Unit: "ms", Bound: 25,
		AtMost: true, Note: name})
	return nil
}

// waferHops measures the cost of a hop as the slope of cycles over distance. The event
// level uses the routers' hop cost; the formulas of published timing use a higher one,
// fitted to published cycles.
func waferHops(ctx context.Context, e *Env) error {
	for _, m := range []machine.Machine{machine.WSE2(), machine.WSE3()} {
		_, slope, err := run.MeasureHop(ctx, m, min(e.scale(200), 60), 8)
		if err != nil {
			return fmt.Errorf("hops of %s: %w", m.Name, err)
		}
		e.Report(Result{Measure: fmt.Sprintf("a hop of %s, event level", strings.ToUpper(m.Name)), Value: slope,
			Unit: "cycles", Bound: float64(m.HopCycles), AtMost: true,
			Note: fmt.Sprintf("routers take %d; the formulas use %.3g, fitted to published cycles of whole kernels",
				m.HopCycles, m.Timing.Hop)})
	}
	return nil
}

// heapPeak is the largest heap size seen so far.
type heapPeak struct{ bytes uint64 }

func (h *heapPeak) look() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.bytes = max(h.bytes, m.HeapAlloc)
}

func (h *heapPeak) megabytes() float64 { return round(float64(h.bytes)/1e6, 1) }
