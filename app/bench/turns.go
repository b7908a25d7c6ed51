package bench

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"waferpair/engine/model"
	"waferpair/engine/responses/chat"
	"waferpair/engine/responses/client"
	"waferpair/engine/responses/fake"
)

// The line of the benchmark, and the turn on it.
const (
	turnDelay  = 20 * time.Millisecond // each way
	turnUplink = 10_000_000            // bits a second
	turnTrips  = 20                    // round trips that tool calls cost anyway
)

// benchTurns measures turns of language models with providers that take no time: on a slow line, and
// what this program itself adds.
func benchTurns(ctx context.Context, e *Env) error {
	if err := turnLine(ctx, e); err != nil {
		return err
	}
	if err := turnCPU(ctx, e); err != nil {
		return err
	}
	p, err := startProvider(ctx, providerScripted, 0)
	if err != nil {
		return err
	}
	defer p.close()
	for _, row := range []func(context.Context, *Env, *provider) error{turnCut, turnFirst, turnSteer, turnMany,
		turnResume} {
		if err := row(ctx, e, p); err != nil {
			return err
		}
	}
	return nil
}

// turnLine has the same turn over a WebSocket and over HTTP, one after the other, on a line
// with a delay and a slow uplink. The model and the tools take no time:
//
//	client -> proxy (20 ms each way, 10 Mbit/s up, handshakes alike) -> TLS -> scripted provider
func turnLine(ctx context.Context, e *Env) error {
	calls := turnTrips
	if e.Quick {
		calls = 3
	}
	server := fake.New(fake.OpenAI(), func(r *fake.Request) fake.Answer {
		outputs := 0
		for _, i := range r.Items {
			if i["type"] == "function_call_output" {
				outputs++
			}
		}
		if outputs == calls {
			return fake.Answer{Items: []fake.Item{fake.Say("Done.")}}
		}
		return fake.Answer{Items: []fake.Item{fake.Call("read", fmt.Sprintf(`{"path":"file%d.go"}`, outputs))}}
	})
	host, err := server.ServeTLS(false)
	if err != nil {
		return err
	}
	defer host.Close()
	trips := time.Duration(calls) * 2 * turnDelay
	times, ups := map[bool][]time.Duration{}, map[bool]int64{}
	for range e.repeats(5) {
		for _, sockets := range []bool{true, false} {
			took, up, err := oneTurn(ctx, host, sockets, calls)
			if err != nil {
				return err
			}
			times[sockets], ups[sockets] = append(times[sockets], took), up
		}
	}
	ws, sse := percentile(times[true], 0.5), percentile(times[false], 0.5)
	e.Log(fmt.Sprintf("WebSocket %v, %d kB up; HTTP and SSE %v, %d kB up; medians", ws.Round(time.Millisecond),
		ups[true]/1000, sse.Round(time.Millisecond), ups[false]/1000))
	note := fmt.Sprintf("%d tool calls, 60,000 tokens of context, 20 ms each way, 10 Mbit/s up; with the round trips in: "+
		"%.0f and %.0f ms, %.1f %% less", calls, millis(ws), millis(sse), 100*(1-float64(ws)/float64(sse)))
	e.Report(Result{Measure: "time above the round trips, WebSocket against HTTP and SSE: less", Unit: "%", Bound: 80,
		Value: 100 * (1 - float64(ws-trips)/float64(sse-trips)), Note: note})
	e.Report(Result{Measure: "bytes sent up, WebSocket against HTTP and SSE: fewer", Unit: "%", Bound: 95,
		Value: 100 * (1 - float64(ups[true])/float64(ups[false])),
		Note: fmt.Sprintf("%d and %d bytes, TLS included; the context alone, sent once, is one part in %d",
			ups[true], ups[false], calls+1)})
	return nil
}

// oneTurn has a turn over connections of its own, and returns its time and the bytes sent up.
func oneTurn(ctx context.Context, host *fake.Host, sockets bool, calls int) (time.Duration, int64, error) {
	proxy, err := fake.NewProxy(host.Addr, fake.Shape{Delay: turnDelay, Up: turnUplink})
	if err != nil {
		return 0, 0, err
	}
	defer proxy.Close()
	c := turnClient(proxy.Addr, host.Pool, sockets)
	defer c.Close()
	m := c.Model("gpt-5.5", model.Info{})
	p := model.Prompt{Items: []model.Item{model.User(strings.Repeat("a line of the file\n", 240_000/19)),
		model.User("Change it.")},
		Tools: []model.Tool{{Name: "read", Description: "reads a file", Schema: json.RawMessage(
			`{"type":"object","properties":{"path":{"type":"string"}}}`)}}}
	begin := time.Now()
	for round := range calls + 1 {
		var o model.Output
		r, err := m.Generate(ctx, p, o.Take)
		if err != nil {
			return 0, 0, fmt.Errorf("round %d: %w", round, err)
		}
		if last := round == calls; last != (r.Stop == model.StopEnd) {
			return 0, 0, fmt.Errorf("round %d ended as %s", round, r.Stop)
		}
		p.After = r.Cursor
		for _, i := range o.Items() {
			if p.Items = append(p.Items, i); i.Kind.IsCall() {
				p.Items = append(p.Items, i.Answer(strings.Repeat("func f() { g() }\n", 30)))
			}
		}
	}
	took := time.Since(begin)
	up, _, _ := proxy.Bytes()
	return took, up, nil
}

func turnClient(addr string, pool *x509.CertPool, sockets bool) *client.Client {
	return client.New(client.Provider{Provider: chat.Provider{Name: "fake", BaseURL: "https://" + addr + "/v1",
		HTTP: chat.Trusting(pool)}, Wire: "responses", WebSockets: sockets})
}
