package chat

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/engine/model"
	"waferpair/engine/responses/fake"
)

// patch is what the model's tool gets.
const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-\"a\" \\ é\n+<b>\t🙂\n*** End Patch\n"

var tools = []model.Tool{
	{Name: "apply_patch", Format: &model.Format{Syntax: model.Lark, Text: "start: /.*/"}, Edits: true},
	{Name: "read", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
}

// serve starts a provider and returns a client of it.
func serve(t *testing.T, c fake.Caps, s fake.Script, change func(*Provider)) (*fake.Server, *Client) {
	t.Helper()
	server := fake.New(c, s)
	h, err := server.Serve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	p := Provider{Name: "fake", BaseURL: h.URL, Retries: 3, Streams: 2}
	if change != nil {
		change(&p)
	}
	client := New(p)
	t.Cleanup(client.Close)
	return server, client
}

// generate asks and assembles the answer.
func generate(ctx context.Context, c *Client, items ...model.Item) (*model.Output, []model.Progress,
	model.Result, error) {
	var o model.Output
	var did []model.Progress
	r, err := c.Model("small", model.Info{Name: "fake/small"}).Generate(ctx, model.Prompt{Items: items, Tools: tools},
		func(d model.Delta) error {
			if p, is := d.(model.Progress); is {
				did = append(did, p)
			}
			return o.Take(d)
		})
	return &o, did, r, err
}

// TestProviders has a conversation with each kind of provider: thought, words, a function, a freeform
// tool, their outputs.
func TestProviders(t *testing.T) {
	for _, caps := range fake.AllCaps() {
		t.Run(caps.Name, func(t *testing.T) {
			server, c := serve(t, caps, fake.Answers(
				fake.Answer{Items: []fake.Item{fake.Think("hm"), fake.Say("I look."), fake.Call("read", `{"path":"a.txt"}`)}},
				fake.Answer{Items: []fake.Item{fake.Custom("apply_patch", patch)}},
				fake.Answer{Items: []fake.Item{fake.Say("Done. é🙂")}}), nil)
			items := []model.Item{{Kind: model.Message, Role: model.RoleDeveloper,
				Parts: []model.Part{{Kind: model.InputText, Text: "be brief"}}}, model.User("go")}
			said := ""
			for round := range 3 {
				o, _, r, err := generate(t.Context(), c, items...)
				if err != nil {
					t.Fatal(err)
				}
				if r.Usage.Input == 0 || r.Usage.Output == 0 || r.Usage.Estimated {
					t.Errorf("usage %+v", r.Usage)
				}
				if want := []model.Stop{model.StopTools, model.StopTools, model.StopEnd}[round]; r.Stop != want {
					t.Errorf("round %d ends with %s, want %s", round, r.Stop, want)
				}
				for _, i := range o.Items() {
					items = append(items, i)
					said += string(i.Kind) + ":" + i.Name + ":" + i.Text() + "|"
				}
				for _, i := range o.Items() {
					if i.Kind.IsCall() {
						items = append(items, i.Answer("ok"))
					}
				}
			}
			want := "message::I look.|function_call:read:{\"path\":\"a.txt\"}|custom_tool_call:apply_patch:" + patch +
				"|message::Done. é🙂|"
			if got := strings.TrimPrefix(said, "reasoning::hm|"); got != want {
				t.Errorf("%q\nwant\n%q", got, want)
			}
			for _, q := range server.Asked() {
				if status, code := q.Status(); status != http.StatusOK {
					t.Errorf("request %d: %d %s\n%s", q.N, status, code, q.Body)
				}
			}
		})
	}
}

// TestErrors checks what a person reads, and what is asked again.
func TestErrors(t *testing.T) {
	ready := fake.Answer{Items: []fake.Item{fake.Say("ready")}}
	busy := fake.Answer{Fault: fake.Status(503, "server_error", "too busy")}
	_, c := serve(t, fake.VLLM(), fake.Answers(busy, busy, ready), nil)
	o, did, _, err := generate(t.Context(), c, model.User("hi"))
	if err != nil || o.Items()[0].Text() != "ready" {
		t.Fatal(err)
	}
	retries := 0
	for _, p := range did {
		if p.Phase == model.Retry && p.Total > 0 && strings.Contains(p.Note, "503") {
			retries++
		}
	}
	if retries < 2 {
		t.Errorf("%+v", did)
	}
	for want, s := range map[string]fake.Script{
		"404": fake.Answers(fake.Answer{Fault: fake.Status(404, "model_not_found", "no such model")}),
		"the stream": fake.Answers(fake.Answer{Items: []fake.Item{fake.Say("a long answer that ends early")},
			Fault: fake.AtByte(300)}),
	} {
		_, c := serve(t, fake.VLLM(), s, nil)
		_, _, r, err := generate(t.Context(), c, model.User("hi"))
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) || e.Next == "" || r.Stop != model.StopCut {
			t.Errorf("%s: %v", want, err)
		}
	}
	server, c := serve(t, fake.OpenAI(), fake.Answers(ready), func(p *Provider) {
		p.Key = func(context.Context) (string, error) { return "sk-hush", nil }
	})
	server.SetKey("another")
	_, _, _, err = generate(t.Context(), c, model.User("hi"))
	if err == nil || !strings.Contains(err.Error(), "401") || strings.Contains(err.Error(), "hush") ||
		!strings.Contains(err.Error(), "--key-stdin") {
		t.Error(err)
	}
	gone := New(Provider{Name: "gone", BaseURL: "http://127.0.0.1:1/v1"})
	if _, err := gone.Models(t.Context()); err == nil || !strings.Contains(err.Error(), "nobody listens at") {
		t.Error(err)
	}
	if _, c := serve(t, fake.VLLM(), fake.Answers(ready), nil); true {
		all, err := c.Models(t.Context())
		if err != nil || len(all) != 2 || all[0].Context != 400_000 {
			t.Error(all, err)
		}
	}
}

// TestCutAnywhere cuts streams at every byte of a range: what arrived stays in order, and is an error.
func TestCutAnywhere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 900).Draw(rt, "byte")
		s := fake.New(fake.Cerebras(), fake.Answers(fake.Answer{Items: []fake.Item{fake.Say("words words"),
			fake.Custom("apply_patch", patch)}, Fault: fake.AtByte(n)}))
		h, err := s.Serve()
		if err != nil {
			rt.Fatal(err)
		}
		defer h.Close()
		c := New(Provider{Name: "fake", BaseURL: h.URL})
		defer c.Close()
		o, _, r, err := generate(t.Context(), c, model.User("hi"))
		if err == nil {
			return // it was cut after its end
		}
		if r.Stop != model.StopCut {
			rt.Fatalf("stop %s, %v", r.Stop, err)
		}
		for _, i := range o.Items() {
			if i.Kind == model.CustomCall && !strings.HasPrefix(patch, i.Input) {
				rt.Fatalf("%q", i.Input)
			}
		}
	})
}

// TestCut checks that a cut answer reaches the server at once, and that a silent stream ends.
func TestCut(t *testing.T) {
	server, c := serve(t, fake.VLLM(),
		fake.Answers(fake.Answer{Items: []fake.Item{fake.Say(strings.Repeat("word ", 1000))},
			Gap: time.Millisecond}), nil)
	cut := errors.New("cut")
	_, err := c.Model("small", model.Info{}).Generate(t.Context(), model.Prompt{Items: []model.Item{model.User("hi")}},
		func(d model.Delta) error {
			if _, is := d.(model.Text); is {
				return cut
			}
			return nil
		})
	if !errors.Is(err, cut) {
		t.Fatal(err)
	}
	q := server.Asked()[0]
	<-q.Ended()
	if _, _, gone := q.Sent(); !gone {
		t.Error("the server was not told")
	}
	_, c = serve(t, fake.VLLM(), fake.Answers(fake.Answer{Items: []fake.Item{fake.Say("a b c d e f g h i j k l m n")},
		Fault: fake.At(fake.Idle, 2)}), func(p *Provider) { p.Idle = 20 * time.Millisecond })
	if _, _, _, err := generate(t.Context(), c, model.User("hi")); err == nil || !strings.Contains(err.Error(), "silent") {
		t.Error(err)
	}
}

// TestRolesInTurn checks that the program's words are one system message at the beginning, and the
// user's later on: many servers take no other order.
func TestRolesInTurn(t *testing.T) {
	said := func(role, words string) model.Item {
		i := model.User(words)
		i.Role = role
		return i
	}
	body, err := bodyOf("m", model.Prompt{Items: []model.Item{said(model.RoleDeveloper, "rules"),
		said(model.RoleSystem, "map"), model.User("one"), model.User("two"), model.Assistant("done"),
		said(model.RoleDeveloper, "a hunk failed"), model.Assistant("again"), said(model.RoleDeveloper, "note"),
		model.User("three")}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `"messages":[{"role":"system","content":"rules\n\nmap"},{"role":"user","content":"one"},` +
		`{"role":"user","content":"two"},{"role":"assistant","content":"done"},{"role":"user","content":"a hunk failed"},` +
		`{"role":"assistant","content":"again"},{"role":"user","content":"note\n\nthree"}]`
	if !strings.Contains(string(body), want) {
		t.Errorf("%s", body)
	}
}
