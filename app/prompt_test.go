package app_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
	"waferpair/engine/prompt"
	"waferpair/history"
)

// TestWhatALanguageModelReads checks the prompts of a conversation: the steady parts first, the
// earlier turns with their calls and outputs, the files that the request is about, the request last;
// no ignored file, and no secret.
func TestWhatALanguageModelReads(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	w := newWorld(t, map[string]string{"AGENTS.md": "Use tabs.\n", "a.txt": lines(3), "sub/b.txt": "token = \"" +
		secret + "\"\n",
		".gitignore": "secret.txt\n", "secret.txt": "hidden\n", "other.txt": "other content\n"})
	m := &drivertest.Speaker{Language: true, Answers: [][]model.Item{
		{patchCall("c", "*** Begin Patch\n*** Update File: a.txt\n@@\n line 0\n-line 1\n+one\n*** End Patch\n")},
		{model.Assistant("It is one now.\n")}, {model.Assistant("b is fine.\n")}, {model.Assistant("See a.txt:1.\n")}}}
	p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(m, agent.Tools()...)})})
	run := func(r app.EditRequest) {
		turn, err := p.Edit(context.Background(), r)
		w.ok(err)
		for range turn.Events() {
		}
		if o := turn.Wait(); o.Status != engine.Completed && o.Code != engine.NoEditCode {
			t.Fatalf("%+v", o)
		}
	}
	run(app.EditRequest{Text: "make it one", Target: model.Target{File: "a.txt", From: 2, To: 2}})
	run(app.EditRequest{Text: "and is b.txt right?"})
	run(app.EditRequest{Text: "where is it?", Mode: app.ModeAsk})
	prompts := m.Prompts()
	all := func(n int) string {
		var b strings.Builder
		for _, i := range prompts[n].Items {
			fmt.Fprintf(&b, "[%s %s] %s\n", i.Kind, i.Role, i.Text())
		}
		return b.String()
	}
	has := func(n int, inOrder ...string) {
		rest := all(n)
		for _, want := range inOrder {
			at := strings.Index(rest, want)
			if at < 0 {
				t.Errorf("prompt %d lacks %q, or has it too early:\n%s", n, want, all(n))
				return
			}
			rest = rest[at+len(want):]
		}
	}
	has(0, "*** Begin Patch", "Use tabs.", "AGENTS.md, a.txt, other.txt", "b.txt", "# a.txt\n3 lines\n```txt\nline 0",
		"a.txt open and selected line 2:\n```\nline 1\n```", "[message user] make it one")
	has(2, "[message user] make it one", "[custom_tool_call ] *** Begin Patch", "[custom_tool_call_output ] Done.",
		"[message assistant] It is one now.", "# sub/b.txt", "token = \"<masked>", "[message user] and is b.txt right?")
	has(3, "[message assistant] b is fine.", "The next message is a question", "[message user] where is it?")
	if !strings.HasPrefix(all(3), all(2)) { // nothing changed between them, so the provider's cache has the beginning
		t.Errorf("prompt 3 does not begin with prompt 2:\n%s\n%s", all(2), all(3))
	}
	for n := range prompts {
		if text := all(n); strings.Contains(text, secret) || strings.Contains(text, "hidden") ||
			strings.Contains(text, "other content") {
			t.Errorf("prompt %d has what it must not:\n%s", n, text)
		}
	}
	c := w.conversation(p, 1)
	if len(c.Turns) != 3 || len(c.Turns[1].Messages) != 2 {
		t.Errorf("%+v", c.Turns)
	}
}

// TestTheNextRunContinuesThePrefix checks that a prompt begins with the one before it when the program was
// started anew in between, and that what is kept for that is removed with the content that it quotes.
func TestTheNextRunContinuesThePrefix(t *testing.T) {
	w := newWorld(t, map[string]string{"AGENTS.md": "Use tabs.\n", "a.go": "package a\n\nfunc Evict() {}\n",
		"b.go": "package a\n\nfunc Keep() {}\n"})
	m := &drivertest.Speaker{Language: true, Answers: [][]model.Item{{model.Assistant("See a.go:3.\n")},
		{model.Assistant("See b.go:3.\n")}, {model.Assistant("So it is.\n")}}}
	var last string
	for n, text := range []string{"explain Evict", "explain Keep", "go on"} {
		p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(m, agent.Tools()...)})})
		w.ok(p.Ready(t.Context()))
		_, err := p.Query().Symbols(t.Context(), "Evict", "", 5)
		w.ok(err)
		turn, err := p.Edit(t.Context(), app.EditRequest{Text: text, Mode: app.ModeAsk,
			Target: model.Target{File: "a.go", From: n + 1, To: n + 1}})
		w.ok(err)
		for range turn.Events() {
		}
		turn.Wait()
		var b strings.Builder
		for _, i := range m.Prompts()[n].Items {
			fmt.Fprintf(&b, "[%s %s] %s\n", i.Kind, i.Role, i.Text())
		}
		if !strings.HasPrefix(b.String(), last) {
			t.Fatalf("prompt %d:\n%s\ndoes not begin with\n%s", n, &b, last)
		}
		last = b.String()
		if n == 2 {
			const mark = history.CacheMark + "last prompt of session 1"
			before, err := p.History().Mark(t.Context(), mark)
			w.ok(err)
			_, err = p.Purge(t.Context(), "b.go", 0)
			w.ok(err)
			if after, err := p.History().Mark(t.Context(), mark); err != nil || before == "" || after != "" {
				t.Error(before, after, err)
			}
		}
		w.ok(p.Close())
	}
}

// TestAPromptDoesNotWaitForOutlines checks that a request goes out before all files are parsed, says
// that the map lacks what they declare, and that the next one has it.
func TestAPromptDoesNotWaitForOutlines(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "package a\n\nfunc Evict() {}\n"})
	m := &drivertest.Speaker{Language: true}
	p := w.openWith(app.Options{Models: engine.NewRegistry([]engine.Driver{agent.New(m, agent.Tools()...)})})
	w.ok(p.Ready(t.Context()))
	asked := func() (has, late bool) {
		c, err := p.Context(t.Context(), app.EditRequest{Text: "what does it do?"})
		w.ok(err)
		for _, part := range c.Parts {
			if part.Kind == prompt.Map {
				has, late = strings.Contains(part.Text, "Evict()"), strings.Contains(part.Cut, "still being read")
			}
		}
		return has, late
	}
	release := app.HoldSymbols(p)
	if has, late := asked(); has || !late {
		t.Errorf("while the files are parsed: outlines %v, said %v", has, late)
	}
	release()
	w.until(func() bool { has, late := asked(); return has && !late })
}
