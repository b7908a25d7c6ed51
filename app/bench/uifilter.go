package bench

import (
	"context"
	"fmt"
	"time"

	"waferpair/app/bench/webdriver"
)

// The expressions with which the measurements read the tree.
const (
	uiFilter = "aside.tree input"
	uiTreeEl = "aside.tree"
)

// filterTree types a file's name into the filter, key by key.
func (e *Env) filterTree(ctx context.Context, w *webdriver.Window) error {
	if err := w.Click(ctx, uiFilter); err != nil {
		return err
	}
	if err := w.Run(ctx, "__probe.watch(arguments[0]); __probe.start()", nil, uiTreeEl); err != nil {
		return err
	}
	if err := w.Keys(ctx, "d42s042f042421", 200*time.Millisecond); err != nil {
		return err
	}
	time.Sleep(300 * time.Millisecond)
	var t pageTimes
	if err := w.Run(ctx, "return __probe.stop()", &t); err != nil {
		return err
	}
	if len(t.Keys) == 0 {
		return fmt.Errorf("the filter showed nothing")
	}
	e.Report(Result{Measure: "typing in the tree's filter: key to the list's paint, p99",
		Value: millis(percentile(durations(t.Keys), 0.99)), Unit: "ms", Bound: 50, AtMost: true,
		Note: fmt.Sprintf("median %.0f ms of %d keys", millis(percentile(durations(t.Keys), 0.5)), len(t.Keys))})
	return nil
}
