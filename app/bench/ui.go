package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"waferpair/app/bench/webdriver"
)

// The ui benchmarks measure the real window: WebKitGTK on a virtual display, with software
// rendering.

// The expressions and selectors with which the measurements read the page.
const (
	uiLines    = ".pane .cm-content"
	uiComposer = "form.composer textarea"
	uiEnded    = "document.querySelector('.window').dataset.stream === 'ended'"
	uiRunning  = "document.querySelector('.window').dataset.stream === 'running'"
)

// patience bounds waits for something that is certain to happen; on a busy computer a window
// takes more than a minute to warm up.
const patience = 5 * time.Minute

// tokenRate is the rate of the streams, in tokens a second.
const tokenRate = 5000

// streaming opens a window on a 3,000-line Go file, with a model that writes n tokens into
// it before function step<at>. It returns when the page has warmed up
// (frontend/src/editor/warmup.ts) and is idle.
func (e *Env) streaming(ctx context.Context, at, n int) (*uiRig, *webdriver.Window, error) {
	dir, err := e.sub("project")
	if err != nil {
		return nil, nil, err
	}
	script := filepath.Join(e.Dir, "answer.jsonl")
	if err := os.WriteFile(filepath.Join(dir, "big.go"), []byte(goFile(3000)), 0o644); err != nil {
		return nil, nil, err
	}
	if err := writePaced(script, insertion("big.go", at, n), tokenRate); err != nil {
		return nil, nil, err
	}
	r, w, err := e.window(ctx, dir, tabs("big.go"), script)
	if err != nil {
		return nil, nil, err
	}
	if err := w.Await(ctx, "performance.getEntriesByName('warmed up').length > 0", patience); err != nil {
		r.Close()
		return nil, nil, err
	}
	return r, w, nil
}

// window opens a project whose window was left in the state ui, with a script as its model.
func (e *Env) window(ctx context.Context, dir string, ui uiState, script string) (*uiRig, *webdriver.Window, error) {
	r, err := e.rig(ctx)
	if err != nil {
		return nil, nil, err
	}
	if script != "" {
		ui["model"] = "script:" + script
	}
	var w *webdriver.Window
	if err = leave(ctx, dir, r.data(), ui, nil); err == nil {
		w, err = r.open(ctx, dir)
	}
	if err != nil {
		r.Close()
		return nil, nil, err
	}
	return r, w, nil
}

// request types a request into the composer and sends it.
func request(ctx context.Context, w *webdriver.Window) error {
	if err := w.Await(ctx, "document.querySelector('"+uiComposer+"') !== null", patience); err != nil {
		return err
	}
	if err := w.Click(ctx, uiComposer); err != nil {
		return err
	}
	return w.Keys(ctx, "go on"+webdriver.Enter, 0)
}

// observe calls a function and returns the probe's measurements of that time.
func observe(ctx context.Context, w *webdriver.Window, what func() error) (t pageTimes, err error) {
	if err = w.Run(ctx, "__probe.watch(arguments[0]); __probe.start()", nil, uiLines); err != nil {
		return t, err
	}
	if err = what(); err != nil {
		return t, err
	}
	return t, w.Run(ctx, "return __probe.stop()", &t)
}

// uiStream measures frames while 20,000 tokens stream into the middle of the file, and the
// pane follows them.
func uiStream(ctx context.Context, e *Env) error {
	n := e.scale(20_000)
	r, w, err := e.streaming(ctx, 150, n)
	if err != nil {
		return err
	}
	defer r.Close()
	t, err := observe(ctx, w, func() error {
		if err := request(ctx, w); err != nil {
			return err
		}
		return w.Await(ctx, uiEnded, patience)
	})
	if err != nil {
		return err
	}
	e.reportFrames(t, fmt.Sprintf("%d tokens at %d/s", n, tokenRate))
	return nil
}

func (e *Env) reportFrames(t pageTimes, what string) {
	gaps := t.gaps()
	if len(gaps) == 0 {
		e.Log("no frame was seen")
		return
	}
	seconds := (t.Shown[len(t.Shown)-1] - t.Shown[0]) / 1000
	e.Report(Result{Measure: what + ": frame gap, p99", Value: millis(percentile(gaps, 0.99)), Unit: "ms",
		Bound: 25, AtMost: true, Note: fmt.Sprintf("%d frames in %.1f s; median gap %.0f ms, longest %.0f ms",
			len(gaps), seconds, millis(percentile(gaps, 0.5)), millis(percentile(gaps, 1)))})
	e.Report(Result{Measure: what + ": frames over 33 ms", Value: float64(countOver(gaps, 33*time.Millisecond)),
		Unit: "frames", Bound: 2, AtMost: true})
}

// uiTyping measures the same stream while the user types ten keys a second into the lines
// above it.
func uiTyping(ctx context.Context, e *Env) error {
	n := e.scale(20_000)
	r, w, err := e.streaming(ctx, 5, n)
	if err != nil {
		return err
	}
	defer r.Close()
	typed := typedKeys(max(5, n/tokenRate*10))
	t, err := observe(ctx, w, func() error {
		if err := request(ctx, w); err != nil {
			return err
		}
		if err := w.Await(ctx, uiRunning+" || "+uiEnded, patience); err != nil {
			return err
		}
		if err := w.Click(ctx, uiLines+" .cm-line"); err != nil {
			return err
		}
		if err := w.Keys(ctx, typed, 100*time.Millisecond); err != nil {
			return err
		}
		return w.Await(ctx, uiEnded, patience)
	})
	if err != nil {
		return err
	}
	if len(t.Keys) == 0 {
		return fmt.Errorf("no key was shown")
	}
	e.Report(Result{Measure: "the same, typing 10 keys/s: key to paint, p99",
		Value: millis(percentile(durations(t.Keys), 0.99)), Unit: "ms", Bound: 50, AtMost: true,
		Note: fmt.Sprintf("median %.0f ms", millis(percentile(durations(t.Keys), 0.5)))})
	lost, err := e.lostKeys(ctx, w, typed)
	if err != nil {
		return err
	}
	e.Report(Result{Measure: "the same, typing 10 keys/s: keys lost", Value: float64(lost), Unit: "keys",
		Bound: 0, AtMost: true})
	e.reportFrames(t, "the same, typing 10 keys/s")
	return nil
}

// typedKeys returns a text in which a lost or doubled key would show.
func typedKeys(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte(i%26)
	}
	return string(b)
}

// lostKeys returns how many of the typed characters the saved file lacks, counted from the
// first that is lost.
func (e *Env) lostKeys(ctx context.Context, w *webdriver.Window, typed string) (int, error) {
	path := filepath.Join(e.Dir, "project", "big.go")
	deadline := time.Now().Add(20 * time.Second)
	for {
		b, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		lost := len(typed) - longestPrefix(string(b), typed)
		if lost == 0 || time.Now().After(deadline) || ctx.Err() != nil {
			return lost, ctx.Err()
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// uiEscape stops streams with Esc.
func uiEscape(ctx context.Context, e *Env) error {
	worst := 0
	for i := range 5 {
		frames, err := e.escape(ctx, i)
		if err != nil {
			return err
		}
		worst = max(worst, frames)
	}
	e.Report(Result{Measure: "Esc to the last painted token, worst of 5", Value: float64(worst), Unit: "frames",
		Bound: 2, AtMost: true})
	return nil
}

// escape stops a stream in a window of its own. On a busy computer the stream may have ended
// before the page showed 30 frames of it; then it tries again.
func (e *Env) escape(ctx context.Context, n int) (frames int, err error) {
	for try := range 3 {
		sub := *e
		if sub.Dir, err = e.sub(fmt.Sprintf("esc%d.%d", n, try)); err != nil {
			return 0, err
		}
		if frames, err = sub.escapeOnce(ctx); err == nil || ctx.Err() != nil {
			break
		}
	}
	return frames, err
}

func (e *Env) escapeOnce(ctx context.Context) (int, error) {
	r, w, err := e.streaming(ctx, 150, 100_000) // 20 s, if Esc did not end it
	if err != nil {
		return 0, err
	}
	defer r.Close()
	t, err := observe(ctx, w, func() error {
		if err := request(ctx, w); err != nil {
			return err
		}
		if err := w.Await(ctx, "__probe.painted.length > 30 || "+uiEnded, patience); err != nil {
			return err
		}
		var ended bool
		if err := w.Run(ctx, "return "+uiEnded, &ended); err != nil {
			return err
		}
		if ended {
			return fmt.Errorf("the stream ended before Esc could stop it")
		}
		if err := w.Keys(ctx, webdriver.Escape, 0); err != nil {
			return err
		}
		return w.Await(ctx, uiEnded, patience)
	})
	if err == nil && t.Escape == 0 {
		err = fmt.Errorf("the page did not see Esc")
	}
	return t.framesAfterEscape(), err
}
