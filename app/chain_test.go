package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/model"
	"waferpair/engine/responses"
	"waferpair/engine/responses/chat"
	"waferpair/engine/responses/client"
	"waferpair/engine/responses/fake"
)

// TestTurnsChain has a conversation over a WebSocket: a turn goes on from the response that ended the turn
// before, so that only what is new is sent. A server that has forgotten it gets everything, once.
func TestTurnsChain(t *testing.T) {
	w := newWorld(t, map[string]string{"AGENTS.md": "Be brief.\n", "a.txt": "one\ntwo\n", "b.txt": "b\n"})
	patch := "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+ONE\n*** End Patch\n"
	server := fake.New(fake.OpenAI(), func(r *fake.Request) fake.Answer {
		switch {
		case r.Text() == "Exit code: 0" || strings.Contains(r.Text(), "a.txt"):
			return fake.Answer{Items: []fake.Item{fake.Think("So."), fake.Say("Done.")}}
		case r.Has("and forget") && r.Parent != "" && strings.Contains(r.Text(), "and forget"):
			return fake.Answer{Fault: fake.Status(400, "previous_response_not_found", "Previous response not found.")}
		case strings.Contains(r.Text(), "first"):
			return fake.Answer{Items: []fake.Item{fake.Think("Hm."), fake.Say("I change it."),
				fake.Custom("apply_patch", patch)}}
		}
		return fake.Answer{Items: []fake.Item{fake.Think("Well."), fake.Say("It is so.")}}
	})
	h, err := server.Serve()
	w.ok(err)
	t.Cleanup(h.Close)
	c := client.New(client.Provider{Provider: chat.Provider{Name: "fake", BaseURL: h.URL}, Wire: "responses",
		WebSockets: true, Dialect: &responses.Dialect{Freeform: true, Encrypted: true, CacheKey: true, Developer: true}})
	t.Cleanup(c.Close)
	p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(c.Model("gpt-5.5",
		model.Info{Name: "fake/gpt-5.5", Language: true}), agent.Tools()...)})})
	run := func(req app.EditRequest) {
		turn, err := p.Edit(context.Background(), req)
		w.ok(err)
		for range turn.Events() {
		}
		if o := turn.Wait(); o.Status != engine.Completed && o.Code != engine.NoEditCode {
			t.Fatalf("%+v", o)
		}
	}
	run(app.EditRequest{Text: "first please", Session: "new"})
	run(app.EditRequest{Text: "second, why?", Mode: app.ModeAsk})
	run(app.EditRequest{Text: "third, what is in b.txt?"})
	run(app.EditRequest{Text: "fourth, and forget"})
	var sent []string
	for _, q := range server.Asked() {
		sent = append(sent, fmt.Sprintf("chained %v: %d of %d", q.Parent != "", len(q.New), len(q.Items)))
	}
	want := []string{"chained false: 3 of 3", "chained true: 1 of 7", "chained true: 2 of 11", "chained true: 2 of 15",
		"chained true: 1 of 18", "chained false: 14 of 14"}
	if !slices.Equal(sent, want) {
		t.Errorf("sent\n%s\nnot\n%s", strings.Join(sent, "\n"), strings.Join(want, "\n"))
	}
}
