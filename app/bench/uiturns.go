package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"waferpair/app/bench/webdriver"
)

// The names under which the window knows the provider, by wire.
const (
	overSocket = "socket"
	overSSE    = "sse"
	overChat   = "chat"
)

// providers writes config.toml with one provider for each wire.
func (r *uiRig) providers(url string) error {
	dir := filepath.Join(r.home, "config", "waferpair")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	text := ""
	for _, p := range []struct {
		name, wire string
		sockets    bool
	}{{overSocket, "responses", true}, {overSSE, "responses", false}, {overChat, "chat", false}} {
		text += fmt.Sprintf("[model_providers.%s]\nbase_url = %q\nwire_api = %q\nsupports_websockets = %v\n"+
			"models = [\"gpt-5.5\"]\n\n", p.name, url, p.wire, p.sockets)
	}
	return os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600)
}

// asking opens a window on a project whose requests go to a provider's model over a wire.
func (e *Env) asking(ctx context.Context, dir, wire string, ui uiState, p *provider) (*uiRig, *webdriver.Window,
	error) {
	r, err := e.rig(ctx)
	if err != nil {
		return nil, nil, err
	}
	ui["model"] = wire + "/gpt-5.5"
	var w *webdriver.Window
	if err = errors.Join(r.providers(p.url), leave(ctx, dir, r.data(), ui, nil)); err == nil {
		w, err = r.open(ctx, dir)
	}
	if err == nil {
		err = w.Await(ctx, "performance.getEntriesByName('warmed up').length > 0 && document.querySelector('"+uiComposer+
			"') !== null", patience)
	}
	if err != nil {
		r.Close()
		return nil, nil, err
	}
	return r, w, nil
}

// uiTurns measures turns with a provider on this computer, in the real window.
func uiTurns(ctx context.Context, e *Env) error {
	for _, row := range []func(context.Context, *Env) error{uiFirstEdit, uiProviderFrames, uiSteers} {
		if err := row(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// uiFirstEdit measures requests that are answered at once, from the key to the frame that shows the edit.
func uiFirstEdit(ctx context.Context, e *Env) error {
	p, err := startProvider(ctx, providerScripted, 0)
	if err != nil {
		return err
	}
	defer p.close()
	sub := *e
	if sub.Dir, err = e.sub("first"); err != nil {
		return err
	}
	dir, err := sub.sub("project")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "n.txt"), []byte("n = 0\n"), 0o644); err != nil {
		return err
	}
	r, w, err := sub.asking(ctx, dir, overSocket, tabs("n.txt"), p)
	if err != nil {
		return err
	}
	defer r.Close()
	var times []time.Duration
	for n := range 1 + e.repeats(20) {
		took, err := firstEdit(ctx, w, n)
		if err != nil {
			return err
		}
		times = append(times, took)
	}
	warm := times[1:]
	e.Report(Result{Measure: "request to the first edit on screen, WebSocket, median", Unit: "ms", Bound: 50, AtMost: true,
		Value: millis(percentile(warm, 0.5)), Note: fmt.Sprintf("from the key; the provider answers at once; %d requests, "+
			"p95 %.0f ms; the first one of the window %.0f ms", len(warm), millis(percentile(warm, 0.95)), millis(times[0]))})
	return nil
}

func firstEdit(ctx context.Context, w *webdriver.Window, n int) (time.Duration, error) {
	t, err := observe(ctx, w, func() error {
		if err := seek(ctx, w, fmt.Sprintf("n = %d", n+1)); err != nil {
			return err
		}
		if err := send(ctx, w, fmt.Sprintf("change %d to %d", n, n+1)); err != nil {
			return err
		}
		return w.Await(ctx, "__probe.found > __probe.enter && "+uiEnded, patience)
	})
	return msOf(t.Found - t.Enter), err
}

// seek has the probe note when the page shows a text.
func seek(ctx context.Context, w *webdriver.Window, text string) error {
	return w.Run(ctx, "__probe.seek(arguments[0])", nil, text)
}

// send types a text into the composer, and then sends it: the keys before the last one are not measured.
func send(ctx context.Context, w *webdriver.Window, text string) error {
	if err := w.Click(ctx, uiComposer); err != nil {
		return err
	}
	if err := w.Keys(ctx, text, 0); err != nil {
		return err
	}
	return w.Keys(ctx, webdriver.Enter, 0)
}

// uiProviderFrames measures frames while a provider streams a patch over a WebSocket, each token in a frame
// of its own; and those of the same patch of a script model.
func uiProviderFrames(ctx context.Context, e *Env) error {
	n := e.scale(20_000)
	p, err := startProvider(ctx, providerPatch, n)
	if err != nil {
		return err
	}
	defer p.close()
	script := *e
	if script.Dir, err = e.sub("script"); err != nil {
		return err
	}
	r, w, err := script.streaming(ctx, 150, n)
	if err != nil {
		return err
	}
	if err := e.frames(ctx, r, w, fmt.Sprintf("script model, %d tokens at %d/s", n, tokenRate)); err != nil {
		return err
	}
	sub := *e
	if sub.Dir, err = e.sub("provider"); err != nil {
		return err
	}
	if r, w, err = sub.bigFile(ctx, overSocket, p); err != nil {
		return err
	}
	return e.frames(ctx, r, w, fmt.Sprintf("provider over a WebSocket, %d tokens at %d/s", n, pacedRate))
}

func (e *Env) frames(ctx context.Context, r *uiRig, w *webdriver.Window, what string) error {
	defer r.Close()
	t, err := observe(ctx, w, func() error {
		if err := request(ctx, w); err != nil {
			return err
		}
		return w.Await(ctx, uiEnded, patience)
	})
	if err == nil && len(t.Shown) == 0 {
		err = errors.New("nothing of the answer was shown")
	}
	if err == nil {
		e.reportFrames(t, what)
	}
	return err
}

// bigFile opens a window on a file of 3,000 lines.
func (e *Env) bigFile(ctx context.Context, wire string, p *provider) (*uiRig, *webdriver.Window, error) {
	dir, err := e.sub("project")
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "big.go"), []byte(goFile(3000)), 0o644); err != nil {
		return nil, nil, err
	}
	return e.asking(ctx, dir, wire, tabs("big.go"), p)
}

// steers are measured ones.
type steers struct {
	frames       []int           // that showed more of the cut answer, after the key
	closed, next []time.Duration // from the key until the provider noticed, and until a new token was painted
}

// uiSteers cuts in while a patch streams into the window, over each wire.
func uiSteers(ctx context.Context, e *Env) error {
	for _, wire := range []string{overSocket, overSSE, overChat} {
		s, err := e.steers(ctx, wire)
		if err != nil {
			return fmt.Errorf("steer over %s: %w", wire, err)
		}
		what := "steer from the key, " + map[string]string{overSocket: "WebSocket", overSSE: "HTTP and SSE",
			overChat: "chat completions"}[wire]
		e.Report(Result{Measure: what + ": frames that still show the cut answer, worst", Unit: "frames", Bound: 2,
			AtMost: true, Value: float64(slices.Max(s.frames)), Note: fmt.Sprintf("%d steers", len(s.frames))})
		e.Report(Result{Measure: what + ": to noticed by the provider, p95", Unit: "ms", Bound: 20, AtMost: true,
			Value: millis(percentile(s.closed, 0.95)),
			Note:  fmt.Sprintf("median %.1f ms; the page's clock has steps of 1 ms", millis(percentile(s.closed, 0.5)))})
		e.Report(Result{Measure: what + ": to the first new token on screen, p95", Unit: "ms", Bound: 60, AtMost: true,
			Value: millis(percentile(s.next, 0.95)), Note: fmt.Sprintf("median %.0f ms", millis(percentile(s.next, 0.5)))})
	}
	return nil
}

func (e *Env) steers(ctx context.Context, wire string) (s steers, err error) {
	p, err := startProvider(ctx, providerScripted, 0)
	if err != nil {
		return s, err
	}
	defer p.close()
	sub := *e
	if sub.Dir, err = e.sub("steer-" + wire); err != nil {
		return s, err
	}
	r, w, err := sub.bigFile(ctx, wire, p)
	if err != nil {
		return s, err
	}
	defer r.Close()
	for n := range e.repeats(20) {
		if err := s.one(ctx, w, p, n); err != nil {
			return s, fmt.Errorf("number %d: %w", n+1, err)
		}
	}
	return s, nil
}

func (s *steers) one(ctx context.Context, w *webdriver.Window, p *provider, n int) error {
	t, err := observe(ctx, w, func() error {
		if err := send(ctx, w, "write without end"); err != nil {
			return err
		}
		if err := w.Await(ctx, "__probe.painted.length > 10 && "+uiRunning, patience); err != nil {
			return err
		}
		if err := seek(ctx, w, fmt.Sprintf("Aye %d", n)); err != nil {
			return err
		}
		if err := send(ctx, w, fmt.Sprintf("say aye %d;", n)); err != nil {
			return err
		}
		return w.Await(ctx, "__probe.found > 0 && "+uiEnded, patience)
	})
	if err != nil {
		return err
	}
	frames := 0
	for _, at := range t.Painted {
		if at > t.Enter && at < t.Found {
			frames++
		}
	}
	s.frames = append(s.frames, frames)
	s.next = append(s.next, msOf(t.Found-t.Enter))
	select {
	case ended := <-p.ended:
		s.closed = append(s.closed, time.Duration(float64(ended.UnixNano())-t.Wall*1e6))
	case <-time.After(10 * time.Second):
		return errors.New("the provider did not notice that the answer was cut")
	}
	return nil
}
