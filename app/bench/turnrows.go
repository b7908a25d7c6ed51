package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/model"
	"waferpair/engine/responses"
	"waferpair/engine/responses/chat"
	"waferpair/engine/responses/client"
)

// turnCPU has the same paced answer over a WebSocket and over HTTP, one after the other, with the same
// codec, and compares this process's processor time.
func turnCPU(ctx context.Context, e *Env) error {
	n := 5 * pacedRate
	if e.Quick {
		n = pacedRate
	}
	p, err := startProvider(ctx, providerPaced, n)
	if err != nil {
		return err
	}
	defer p.close()
	took := map[bool][]time.Duration{}
	for range e.repeats(5) {
		for _, sockets := range []bool{true, false} {
			c := client.New(client.Provider{Provider: chat.Provider{Name: "paced", BaseURL: p.url}, Wire: "responses",
				WebSockets: sockets})
			m := c.Model("gpt-5.5", model.Info{})
			before := cpuTime()
			r, err := m.Generate(ctx, model.Prompt{Items: []model.Item{model.User("hi")}},
				func(model.Delta) error { return nil })
			took[sockets] = append(took[sockets], cpuTime()-before)
			c.Close()
			if err != nil || r.Usage.Output != n {
				return fmt.Errorf("%d of %d tokens: %w", r.Usage.Output, n, err)
			}
		}
	}
	micros := func(sockets bool) float64 {
		return float64(percentile(took[sockets], 0.5).Nanoseconds()) / 1000 / float64(n)
	}
	ws, sse := micros(true), micros(false)
	e.Report(Result{Measure: "processor time of a token at 5,000 tokens/s, WebSocket against HTTP and SSE: less",
		Unit: "%", Bound: 30, Value: 100 * (1 - ws/sse),
		Note: fmt.Sprintf("%.1f and %.1f µs, medians; each token is an event, a "+
			"write of the provider and a wake-up of this process, which both wires pay; without the kernel's part: "+
			"go test -bench Token ./engine/responses/client", ws, sse)})
	e.scaleTokens(ctx, p.url, n)
	return nil
}

// turnProject is a project whose turns the scripted provider answers.
type turnProject struct {
	*app.Project
	client *client.Client
}

func openTurns(ctx context.Context, dir, data string, p *provider) (*turnProject, error) {
	c := client.New(client.Provider{Provider: chat.Provider{Name: "fake", BaseURL: p.url}, Wire: "responses",
		WebSockets: true, Dialect: &responses.Dialect{Freeform: true, Encrypted: true, CacheKey: true, Developer: true}})
	m := c.Model("gpt-5.5", model.Info{Name: "fake/gpt-5.5", Language: true, Context: 128_000})
	of, err := app.Open(ctx, dir, app.Options{DataHome: data,
		Models: engine.NewRegistry([]engine.Driver{agent.New(m, agent.Tools()...)})})
	if err != nil {
		c.Close()
		return nil, err
	}
	t := &turnProject{of, c}
	if err := of.Ready(ctx); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// openPlain opens a project without the provider.
func openPlain(ctx context.Context, dir, data string, _ *provider) (*turnProject, error) {
	of, err := app.Open(ctx, dir, app.Options{DataHome: data})
	if err != nil {
		return nil, err
	}
	return &turnProject{Project: of}, of.Ready(ctx)
}

func (t *turnProject) close() error {
	err := t.Project.Close()
	if t.client != nil {
		t.client.Close()
	}
	return err
}

// turn has a turn, and returns the time to its first token and to its end.
func (t *turnProject) turn(ctx context.Context, r app.EditRequest) (first, all time.Duration, out engine.Outcome,
	err error) {
	begin := time.Now()
	turn, err := t.Edit(ctx, r)
	if err != nil {
		return 0, 0, out, err
	}
	for ev := range turn.Events() {
		if first == 0 && hasText(ev) {
			first = time.Since(begin)
		}
	}
	out = turn.Wait()
	if out.Status != engine.Completed {
		return 0, 0, out, fmt.Errorf("the turn ended as %s: %s", out.Status, out.Message)
	}
	return first, time.Since(begin), out, nil
}

// hasText reports whether an event shows what a model has written.
func hasText(ev engine.Event) bool {
	switch ev.(type) {
	case engine.Prose, engine.HunkOpened, engine.HunkChanged:
		return true
	}
	return false
}

// turnFirst measures what this program adds to the time to the first token: the prompt of a large
// project, the connection, the codec. The provider answers at once.
func turnFirst(ctx context.Context, e *Env, p *provider) error {
	dir, err := e.sub("large")
	if err != nil {
		return err
	}
	files := 10_000
	if e.Quick {
		files = 1000
	}
	if err := manyFiles(dir, files); err != nil {
		return err
	}
	var pins []string
	for n := range 6 { // 240 kB in all: 60,000 tokens
		name := fmt.Sprintf("long%d.txt", n)
		pins = append(pins, name)
		text := strings.Repeat(fmt.Sprintf("a line of the file %d\n", n), 40_000/21)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	data := filepath.Join(e.Dir, "large-data")
	ask := app.EditRequest{Text: "what do these files hold?", Mode: app.ModeAsk, Session: "new", Pins: pins}
	t, err := openTurns(ctx, dir, data, p) // records what there is, and what it declares
	if err != nil {
		return err
	}
	_, _, _, err = t.turn(ctx, ask)
	if err = errors.Join(err, t.close()); err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // time stamps of younger files are not trusted
	if t, err = openTurns(ctx, dir, data, p); err != nil {
		return err
	}
	began, _, out, err := t.turn(ctx, ask)
	if err != nil {
		return errors.Join(err, t.close())
	}
	var warm, cpu []time.Duration
	for range e.repeats(20) {
		used := cpuTime()
		first, _, _, err := t.turn(ctx, ask)
		if err != nil {
			return errors.Join(err, t.close())
		}
		warm, cpu = append(warm, first), append(cpu, cpuTime()-used)
	}
	note := fmt.Sprintf("%d files, %d tokens of context, a new session each time", files, out.Timing.Usage.Input)
	e.Report(Result{Measure: "time to the first token that we add: warm, median", Unit: "ms", Bound: 20, AtMost: true,
		Value: millis(percentile(warm, 0.5)), Note: fmt.Sprintf("%s; processor time of a whole turn %.1f ms", note,
			millis(percentile(cpu, 0.5)))})
	e.Report(Result{Measure: "time to the first token that we add: first request after start", Unit: "ms", Bound: 150,
		AtMost: true, Value: millis(began), Note: note})
	return t.close()
}

// turnSteer cuts an answer off, over and over: until the provider notices, and until the first token of
// the next answer.
func turnSteer(ctx context.Context, e *Env, p *provider) (err error) {
	dir, err := e.sub("steered")
	if err != nil {
		return err
	}
	t, err := openTurns(ctx, dir, filepath.Join(e.Dir, "steered-data"), p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	var closed, next []time.Duration
	for range e.repeats(20) {
		turn, err := t.Edit(ctx, app.EditRequest{Text: "talk without end", Mode: app.ModeAsk, Session: "new"})
		if err != nil {
			return err
		}
		var at time.Time
		for ev := range turn.Events() {
			switch s, is := ev.(engine.Steered); {
			case at.IsZero() && hasText(ev):
				at = time.Now()
				turn.Steer("say yes and end")
			case is && s.State == engine.SteerApplied: // with the first token of the next answer
				next = append(next, time.Since(at))
			}
		}
		if o := turn.Wait(); o.Status != engine.Completed {
			return fmt.Errorf("the turn ended as %s: %s", o.Status, o.Message)
		}
		select {
		case ended := <-p.ended:
			closed = append(closed, ended.Sub(at))
		case <-time.After(10 * time.Second):
			return errors.New("the provider did not notice that the answer was cut")
		}
	}
	if len(next) != len(closed) {
		return fmt.Errorf("%d of %d steers got a new token", len(next), len(closed))
	}
	e.Report(Result{Measure: "steer: sent to noticed by the provider, p95", Unit: "ms", Bound: 20, AtMost: true,
		Value: millis(percentile(closed, 0.95)), Note: fmt.Sprintf("%d steers", len(closed))})
	e.Report(Result{Measure: "steer: sent to the first new token, p95", Unit: "ms", Bound: 60, AtMost: true,
		Value: millis(percentile(next, 0.95)), Note: "over the socket that was kept ready"})
	return nil
}

// collected returns the bytes of the heap after garbage collection.
func collected() int64 {
	runtime.GC()
	return liveHeap()
}

// turnMany has many turns in one session, each with an edit.
func turnMany(ctx context.Context, e *Env, p *provider) error {
	dir, err := e.sub("long")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "n.txt"), []byte("n = 0\n"), 0o644); err != nil {
		return err
	}
	data := filepath.Join(e.Dir, "long-data")
	t, err := openTurns(ctx, dir, data, p)
	if err != nil {
		return err
	}
	turns := 2000
	if e.Quick {
		turns = 100
	}
	var times []time.Duration
	early := int64(0)
	for n := range turns {
		r := app.EditRequest{Text: fmt.Sprintf("change %d to %d", n, n+1)}
		if n == 0 {
			r.Session = "new"
		}
		_, all, out, err := t.turn(ctx, r)
		if err == nil && len(out.Edits) != 1 {
			err = fmt.Errorf("turn %d made %d edits: %s", n, len(out.Edits), out.Message)
		}
		if err != nil {
			return errors.Join(err, t.close())
		}
		times = append(times, all)
		if n == 0 {
			early = collected()
		}
	}
	grown := float64(collected()-early) / 1e6
	tenth := turns / 20
	first, last := millis(percentile(times[:tenth], 0.5)), millis(percentile(times[turns-tenth:], 0.5))
	e.Report(Result{Measure: fmt.Sprintf("%d turns in one session: heap growth", turns), Unit: "MB", Bound: 50,
		AtMost: true, Value: grown, Note: "after garbage collection, from the first turn to the last"})
	e.Report(Result{Measure: fmt.Sprintf("%d turns in one session: the last against the first", turns), Unit: "x",
		Bound: 1.2, AtMost: true, Value: last / first,
		Note: fmt.Sprintf("medians of %d turns: %.1f and %.1f ms", tenth, last, first)})
	return t.close()
}

// turnResume compares how long a session of many items takes to come back: one with a provider, and one
// with a script model, as sessions were before there were providers.
func turnResume(ctx context.Context, e *Env, p *provider) error {
	turns := 1000 // a request and an answer each
	if e.Quick {
		turns = 30
	}
	script := filepath.Join(e.Dir, "yes.jsonl")
	if err := os.WriteFile(script, []byte(`{"text":"Yes, it is so."}`+"\n"), 0o644); err != nil {
		return err
	}
	dirs, times := map[string]string{}, map[string]*taken{}
	models := []string{"", "script:" + script}
	for n, m := range models {
		dir, err := e.sub(fmt.Sprintf("resumed%d", n))
		if err != nil {
			return err
		}
		dirs[m], times[m] = dir, &taken{}
		if err := answered(ctx, dir, m, turns, p); err != nil {
			return err
		}
	}
	for range e.repeats(9) {
		for _, m := range models {
			if err := times[m].time(func() error { return resumed(ctx, dirs[m], turns) }); err != nil {
				return err
			}
		}
	}
	is, was := percentile(times[""].cpu, 0.5), percentile(times[models[1]].cpu, 0.5)
	e.Report(Result{Measure: fmt.Sprintf("resume of a session with %d items, against one without providers: processor "+
		"time", 2*turns), Unit: "x", Bound: 1.2, AtMost: true, Value: float64(is) / float64(was),
		Note: fmt.Sprintf("medians %.1f and %.1f ms, by the clock %.1f and %.1f ms", millis(is), millis(was),
			millis(percentile(times[""].wall, 0.5)), millis(percentile(times[models[1]].wall, 0.5)))})
	return nil
}

// answered makes a session of short answers.
func answered(ctx context.Context, dir, m string, turns int, p *provider) error {
	open := openTurns
	if m != "" {
		open = openPlain
	}
	t, err := open(ctx, dir, dir+"-data", p)
	if err != nil {
		return err
	}
	r := app.EditRequest{Text: "is it so?", Mode: app.ModeAsk, Model: m, Session: "new"}
	for range turns {
		if _, _, _, err := t.turn(ctx, r); err != nil {
			return errors.Join(err, t.close())
		}
		r.Session = ""
	}
	return t.close()
}

func resumed(ctx context.Context, dir string, turns int) error {
	t, err := openPlain(ctx, dir, dir+"-data", nil)
	if err != nil {
		return err
	}
	c, err := t.Query().Conversation(ctx, 0, 0, 0)
	if err == nil && len(c.Turns) != turns {
		err = fmt.Errorf("resumed %d turns of %d", len(c.Turns), turns)
	}
	return errors.Join(err, t.close())
}
