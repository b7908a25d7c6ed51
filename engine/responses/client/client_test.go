package client

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/engine/model"
	"waferpair/engine/responses"
	"waferpair/engine/responses/chat"
	"waferpair/engine/responses/fake"
)

// patch is what the model's tool gets.
const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-\"a\" \\ é\n+<b>\t🙂\n*** End Patch\n"

var tools = []model.Tool{
	{Name: "apply_patch", Format: &model.Format{Syntax: model.Lark, Text: "start: /.*/"}, Edits: true},
	{Name: "read", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
}

// full is the dialect of a server that has everything.
var full = responses.Dialect{Freeform: true, Encrypted: true, CacheKey: true, Developer: true}

// failer is a test, or a check of rapid.
type failer interface {
	Fatal(args ...any)
	Cleanup(f func())
}

// serve starts a provider and returns a client of it.
func serve(t failer, c fake.Caps, s fake.Script, change func(*Provider)) (*fake.Server, *Client) {
	server := fake.New(c, s)
	h, err := server.Serve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	p := Provider{Provider: chat.Provider{Name: "fake", BaseURL: h.URL, Retries: 3, Streams: 3}, Wire: "responses",
		WebSockets: c.WebSocket}
	if c.Freeform {
		p.Dialect = &full
	}
	if change != nil {
		change(&p)
	}
	client := New(p)
	t.Cleanup(client.Close)
	return server, client
}

// answer is what came back.
type answer struct {
	model.Output
	result   model.Result
	progress []model.Progress
	err      error
}

// ask asks and assembles the answer. Its items must be those of its deltas.
func ask(ctx context.Context, c *Client, items ...model.Item) *answer {
	var a answer
	a.result, a.err = c.Model("small", model.Info{Name: "fake/small"}).Generate(ctx,
		model.Prompt{Items: items, Tools: tools}, func(d model.Delta) error {
			if p, is := d.(model.Progress); is {
				a.progress = append(a.progress, p)
			}
			return a.Take(d)
		})
	return &a
}

// TestPhases says when a request is on its way: what follows is the provider's time.
func TestPhases(t *testing.T) {
	for _, sockets := range []bool{true, false} {
		_, c := serve(t, fake.OpenAI(), fake.Always(fake.Say("Done.")), func(p *Provider) { p.WebSockets = sockets })
		a := ask(t.Context(), c, model.User("please"))
		if a.err != nil || len(a.progress) < 2 || a.progress[0].Phase != model.Connect ||
			a.progress[1].Phase != model.Prefill {
			t.Errorf("sockets %t: %v, %v", sockets, a.progress, a.err)
		}
	}
}

// TestProviders has a conversation with each kind of provider, over each of its wires.
func TestProviders(t *testing.T) {
	for _, caps := range fake.AllCaps() {
		for _, sockets := range []bool{true, false} {
			if caps.Responses && (caps.WebSocket || !sockets) {
				name := caps.Name + " over HTTP"
				if sockets {
					name = caps.Name + " over a WebSocket"
				}
				t.Run(name, func(t *testing.T) { converse(t, caps, sockets) })
			}
		}
	}
}

func converse(t *testing.T, caps fake.Caps, sockets bool) {
	server, c := serve(t, caps, fake.Answers(
		fake.Answer{Items: []fake.Item{fake.Think("Hm <é>."), fake.Say("I read."), fake.Call("read", `{"path":"a.txt"}`)}},
		fake.Answer{Items: []fake.Item{fake.Custom("apply_patch", patch), fake.Custom("apply_patch", patch)}},
		fake.Answer{Items: []fake.Item{fake.Say("Done 🙂.")}}), func(p *Provider) { p.WebSockets = sockets })
	said := []model.Item{{Kind: model.Message, Role: model.RoleDeveloper,
		Parts: []model.Part{{Kind: model.InputText, Text: "Be brief."}}}, model.User("please")}
	var stops []model.Stop
	for range 3 {
		a := ask(t.Context(), c, said...)
		if a.err != nil {
			t.Fatal(a.err)
		}
		stops = append(stops, a.result.Stop)
		if a.result.Usage.Output == 0 || a.result.Timing[model.Prefill] == 0 || a.result.Cursor == "" {
			t.Errorf("%+v", a.result)
		}
		for _, i := range a.Items() { // as an agent keeps them: each call with its output behind it
			if said = append(said, i); i.Kind.IsCall() {
				said = append(said, i.Answer("ok"))
			}
		}
	}
	var got []string
	for _, i := range said[2:] {
		got = append(got, string(i.Kind)+" "+i.Text())
	}
	want := []string{"reasoning Hm <é>.", "message I read.", `function_call {"path":"a.txt"}`, "function_call_output ok",
		"custom_tool_call " + patch, "custom_tool_call_output ok", "custom_tool_call " + patch, "custom_tool_call_output ok",
		"message Done 🙂."}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if !slices.Equal(stops, []model.Stop{model.StopTools, model.StopTools, model.StopEnd}) {
		t.Error(stops)
	}
	for n, q := range server.Asked() {
		if chained := q.Parent != ""; chained != (sockets && n > 0) {
			t.Errorf("request %d: chained %v over %s: %s", n, chained, q.Wire, q.Body)
		}
		if sockets && n > 0 && len(q.New) != n {
			t.Errorf("request %d sends %d items again: %s", n, len(q.New), q.Body)
		}
	}
}

// TestUpgradeRefused falls back to HTTP and remembers it.
func TestUpgradeRefused(t *testing.T) {
	for _, status := range []int{426, 404, 405} {
		caps := fake.OpenAI()
		caps.WebSocket, caps.Upgrade = false, status
		server, c := serve(t, caps, fake.Always(fake.Say("hi")), func(p *Provider) { p.WebSockets = true })
		for range 2 {
			if a := ask(t.Context(), c, model.User("hi")); a.err != nil || a.Items()[0].Text() != "hi" {
				t.Fatal(a.err)
			}
		}
		upgrades := 0
		for _, q := range server.Requests() {
			if q.Wire == "upgrade" || q.Method == "GET" {
				upgrades++
			}
		}
		if upgrades != 1 || c.Wire() != "sse" {
			t.Errorf("%d: %d upgrades, %s", status, upgrades, c.Wire())
		}
	}
}

// TestForgotten resends everything when the server does not remember the parent.
func TestForgotten(t *testing.T) {
	n := 0
	server, c := serve(t, fake.OpenAI(), func(q *fake.Request) fake.Answer {
		if n++; n == 2 {
			return fake.Answer{Fault: fake.Status(400, "previous_response_not_found", "Previous response not found.")}
		}
		return fake.Answer{Items: []fake.Item{fake.Say("yes")}}
	}, nil)
	first := ask(t.Context(), c, model.User("a"))
	said := append([]model.Item{model.User("a")}, first.Items()...)
	second := ask(t.Context(), c, append(said, model.User("b"))...)
	if first.err != nil || second.err != nil || second.Items()[0].Text() != "yes" {
		t.Fatal(first.err, second.err)
	}
	asked := server.Asked()
	if len(asked) != 3 || asked[1].Parent == "" || asked[2].Parent != "" || len(asked[2].New) != 3 {
		t.Errorf("%d requests", len(asked))
	}
}

// TestCut checks that a cut closes the connection at once, and that another socket, connected before,
// serves next.
func TestCut(t *testing.T) {
	for _, sockets := range []bool{true, false} {
		server, c := serve(t, fake.OpenAI(), func(q *fake.Request) fake.Answer {
			if q.N < 3 {
				return fake.Answer{Items: []fake.Item{fake.Say("ready")}}
			}
			return fake.Answer{Items: []fake.Item{fake.Say(strings.Repeat("word ", 1000))}, Gap: time.Millisecond}
		}, func(p *Provider) { p.WebSockets = sockets })
		if a := ask(t.Context(), c, model.User("hi")); a.err != nil {
			t.Fatal(a.err)
		}
		c.sockets.running.Wait() // the spare is connected
		server.SetScript(fake.Answers(fake.Answer{Items: []fake.Item{fake.Say(strings.Repeat("word ", 1000))},
			Gap: time.Millisecond}))
		cut := errors.New("cut")
		r, err := c.Model("small", model.Info{}).Generate(t.Context(), model.Prompt{Items: []model.Item{model.User("hi")}},
			func(d model.Delta) error {
				if _, is := d.(model.Text); is {
					return cut
				}
				return nil
			})
		if !errors.Is(err, cut) || r.Stop != model.StopCut {
			t.Fatal(err)
		}
		q := server.Asked()[1]
		<-q.Ended()
		server.SetScript(fake.Always(fake.Say("next")))
		conns := 0
		for _, q := range server.Requests() {
			conns = max(conns, q.Conn)
		}
		if a := ask(t.Context(), c, model.User("on")); a.err != nil || a.Items()[0].Text() != "next" {
			t.Fatal(a.err)
		}
	}
}

// TestCancelWhileWaiting cancels before the first token, and within a retry's pause.
func TestCancelWhileWaiting(t *testing.T) {
	for _, sockets := range []bool{true, false} {
		for _, f := range []fake.Answer{{First: time.Hour, Items: []fake.Item{fake.Say("late")}},
			{Fault: fake.RateLimited("60")}} {
			server, c := serve(t, fake.OpenAI(), fake.Answers(f), func(p *Provider) { p.WebSockets = sockets })
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				server.Arrived(1, time.Minute)
				cancel()
			}()
			start := time.Now()
			if a := ask(ctx, c, model.User("hi")); !errors.Is(a.err, context.Canceled) || a.result.Stop != model.StopCut {
				t.Errorf("%v", a.err)
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("cancelling took %v", took)
			}
		}
	}
}

// TestRetries asks again before the first delta, with a countdown, and never after it.
func TestRetries(t *testing.T) {
	for _, sockets := range []bool{true, false} {
		on := func(p *Provider) { p.WebSockets = sockets }
		ready := fake.Answer{Items: []fake.Item{fake.Say("ready")}}
		for name, f := range map[string]fake.Fault{
			"429 in mid-turn": fake.Late(1, "rate_limit_exceeded", "Rate limit reached; try again in 0.01s."),
			"server error":    fake.Late(1, "server_error", "The server had an error; retry after 10ms"),
			"503":             fake.Status(503, "server_error", "busy; try again in 1ms"),
			"dies":            fake.At(fake.Die, 1),
			"reset":           fake.At(fake.Reset, 1),
		} {
			server, c := serve(t, fake.OpenAI(), fake.Answers(fake.Answer{Fault: f}, ready), on)
			a := ask(t.Context(), c, model.User("hi"))
			if a.err != nil || len(a.Items()) != 1 || a.Items()[0].Text() != "ready" || len(server.Asked()) != 2 {
				t.Errorf("%s: %v, %d requests", name, a.err, len(server.Asked()))
			}
			if !slices.ContainsFunc(a.progress, func(p model.Progress) bool { return p.Phase == model.Retry && p.Note != "" }) {
				t.Errorf("%s: %+v", name, a.progress)
			}
		}
		server, c := serve(t, fake.OpenAI(),
			fake.Answers(fake.Answer{Items: []fake.Item{fake.Say("partial answer that dies")},
				Fault: fake.At(fake.Die, 6)}), on)
		a := ask(t.Context(), c, model.User("hi"))
		if a.err == nil || a.result.Stop != model.StopCut || len(server.Asked()) != 1 || len(a.Items()) != 1 ||
			!strings.HasPrefix("partial answer that dies", a.Items()[0].Text()) || a.Items()[0].Text() == "" {
			t.Errorf("%v, %+v", a.err, a.Items())
		}
	}
}

// TestRetriesEnd asks a server that stays busy as often as the settings say, and no more.
func TestRetriesEnd(t *testing.T) {
	busy := fake.Answer{Fault: fake.Status(503, "server_error", "busy; try again in 1ms")}
	for _, sockets := range []bool{true, false} {
		server, c := serve(t, fake.OpenAI(), fake.Answers(busy), func(p *Provider) {
			p.WebSockets, p.Retries, p.Streams = sockets, 2, 3
		})
		a := ask(t.Context(), c, model.User("hi"))
		if n := len(server.Asked()); a.err == nil || n < 3 || n > 4 {
			t.Errorf("sockets %v: %v after %d requests", sockets, a.err, n)
		}
	}
}

// TestFaults checks what a person reads for each fault, and that answers survive what servers may do.
func TestFaults(t *testing.T) {
	text := "one two three four five six seven"
	for name, want := range map[string]struct {
		fault fake.Fault
		err   string // "": none
	}{
		"future":    {fake.At(fake.Future, 0), ""},
		"doubled":   {fake.At(fake.Doubled, 0), ""},
		"minimal":   {fake.At(fake.Minimal, 0), ""},
		"no parts":  {fake.At(fake.NoParts, 0), ""},
		"buffered":  {fake.At(fake.Buffered, 0), ""},
		"disorder":  {fake.At(fake.Disorder, 0), "?"},
		"no end":    {fake.At(fake.NoEnd, 0), "kept"}, // a socket stays open, silent
		"cut JSON":  {fake.At(fake.CutJSON, 5), "cannot be read"},
		"no JSON":   {fake.At(fake.NoJSON, 5), "cannot be read"},
		"idle":      {fake.At(fake.Idle, 5), "silent"},
		"revoked":   {fake.Late(5, "invalid_api_key", "The key was revoked."), "--key-stdin"},
		"model":     {fake.Status(404, "model_not_found", "The model does not exist."), "list --refresh"},
		"400":       {fake.Status(400, "invalid_value", "Bad value."), "Bad value"},
		"event":     {fake.At(fake.ErrorEvent, 5), ";"},
		"bad UTF-8": {fake.At(fake.BadUTF8, 5), "?"},
	} {
		for _, sockets := range []bool{true, false} {
			_, c := serve(t, fake.OpenAI(), fake.Answers(fake.Answer{Items: []fake.Item{fake.Say(text),
				fake.Custom("apply_patch", patch)}, Fault: want.fault}), func(p *Provider) {
				p.WebSockets, p.Idle, p.Streams, p.Retries = sockets, time.Minute, 0, 0
				if name == "idle" || name == "no end" {
					p.Idle = 500 * time.Millisecond
				}
			})
			a := ask(t.Context(), c, model.User("hi"))
			items := a.Items()
			switch {
			case want.err == "?":
				t.Logf("%s, sockets %v: %v, %+v", name, sockets, a.err, items)
			case want.err == "" && (a.err != nil || len(items) != 2 || items[0].Text() != text || items[1].Text() != patch):
				t.Errorf("%s, sockets %v: %v, %+v", name, sockets, a.err, items)
			case want.err != "" && (a.err == nil || !strings.Contains(a.err.Error(), want.err)):
				t.Errorf("%s, sockets %v: %v", name, sockets, a.err)
			}
			if a.err == nil && len(items) > 0 && items[0].Text() != text && name != "bad UTF-8" {
				t.Errorf("%s, sockets %v: %q", name, sockets, items[0].Text())
			}
		}
	}
}

// TestCutAnywhere ends streams at random bytes: what arrived is a prefix, and an error says so.
func TestCutAnywhere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, sockets := rapid.IntRange(0, 6000).Draw(rt, "byte"), rapid.Bool().Draw(rt, "sockets")
		words := "words words 🙂 words"
		_, c := serve(rt, fake.OpenAI(), fake.Answers(fake.Answer{Items: []fake.Item{fake.Say(words),
			fake.Custom("apply_patch", patch)}, Fault: fake.AtByte(n)}), func(p *Provider) {
			p.WebSockets, p.Streams, p.Retries = sockets, 0, 0
		})
		a := ask(context.Background(), c, model.User("hi"))
		items := a.Items()
		for k, whole := range []string{words, patch} {
			if k < len(items) && !strings.HasPrefix(whole, items[k].Text()) ||
				a.err == nil && (len(items) != 2 || items[k].Text() != whole) {
				rt.Fatalf("%v: %+v", a.err, items)
			}
		}
		if a.err != nil && a.result.Stop != model.StopCut {
			rt.Fatalf("%v, %s", a.err, a.result.Stop)
		}
	})
}

// TestNoSecrets checks that no error repeats the key.
func TestNoSecrets(t *testing.T) {
	for _, sockets := range []bool{true, false} {
		server, c := serve(t, fake.OpenAI(), fake.Always(fake.Say("yes")), func(p *Provider) {
			p.WebSockets = sockets
			p.Key = func(context.Context) (string, error) { return "sk-hush", nil }
		})
		server.SetKey("another")
		a := ask(t.Context(), c, model.User("a"))
		if a.err == nil || strings.Contains(a.err.Error(), "hush") || !strings.Contains(a.err.Error(), "401") {
			t.Error(a.err)
		}
	}
}
