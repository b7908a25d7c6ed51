package agent_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
	"waferpair/engine/responses/chat"
	"waferpair/engine/responses/client"
	"waferpair/engine/responses/fake"
)

// served is a turn of a model behind HTTP.
type served struct {
	*answer
	server *fake.Server
	texts  chan struct{} // closed at the first text of an answer
}

// wires are the ways to ask a provider.
var wires = map[string]client.Provider{"chat": {}, "HTTP": {Wire: "responses"},
	"WebSocket": {Wire: "responses", WebSockets: true}}

// onEachWire runs a test with each of them.
func onEachWire(t *testing.T, test func(t *testing.T, of client.Provider)) {
	for name, of := range wires {
		t.Run(name, func(t *testing.T) { test(t, of) })
	}
}

// serve has a provider answer "go" about the small project. with gets the turn as it runs.
func serve(t *testing.T, of client.Provider, script fake.Script, with func(*served, *engine.Turn)) *served {
	t.Helper()
	return serveAfter(t, of, nil, script, with)
}

// serveAfter is serve with a summary that is asked for first.
func serveAfter(t *testing.T, of client.Provider, recap *engine.Recap, script fake.Script,
	with func(*served, *engine.Turn)) *served {
	t.Helper()
	s := &served{answer: &answer{p: drivertest.NewMemory(small)}, server: fake.New(fake.OpenAI(), script),
		texts: make(chan struct{})}
	h, err := s.server.Serve()
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	of.Provider = chat.Provider{Name: "fake", BaseURL: h.URL}
	c := client.New(of)
	defer c.Close()
	price := &model.Price{Input: 1, Cached: 0.1, Output: 10}
	var once sync.Once
	run := engine.NewSession(s.p).Start(t.Context(), engine.Request{
		Driver: agent.New(c.Model("gpt-5.5", model.Info{Name: "fake/gpt-5.5", Language: true, Price: price}),
			agent.Tools()...),
		Prompt: model.Prompt{Items: []model.Item{model.User("go")}}, Recap: recap,
		OnItem: func(_ int, d model.Delta) {
			if err := s.kept.Take(d); err != nil {
				t.Error(err)
			}
			if _, text := d.(model.Text); text {
				once.Do(func() { close(s.texts) })
			}
		}})
	if with != nil {
		go with(s, run)
	}
	for ev := range run.Events() {
		s.events = append(s.events, ev)
	}
	s.Outcome = run.Wait()
	return s
}

// left waits until the server has noticed that the client left the nth request.
func (s *served) left(t *testing.T, n int) {
	t.Helper()
	r := s.server.Asked()[n]
	select {
	case <-r.Ended():
	case <-time.After(time.Minute):
		t.Fatalf("request %d still runs", n)
	}
	if events, sent, gone := r.Sent(); !gone && events > 5000 { // a write may fail before the server knows why
		t.Errorf("request %d was not cut: %d events, %d bytes", n, events, sent)
	}
}

var words = strings.Repeat("word ", 20_000)

// TestASteerOverTheWire steers while an answer streams, and before its first token: the connection to the
// provider is closed, nothing of the cut answer lands afterwards, and the next request has the answer so
// far and the instruction.
func TestASteerOverTheWire(t *testing.T) { onEachWire(t, checkASteerOverTheWire) }

func checkASteerOverTheWire(t *testing.T, of client.Provider) {
	for _, early := range []bool{false, true} {
		first := fake.Answer{Items: []fake.Item{fake.Say(words)}, Gap: time.Millisecond}
		if early {
			first.First = time.Hour
		}
		s := serve(t, of, fake.Answers(first, fake.Answer{Items: []fake.Item{fake.Say("So be it.")}}),
			func(s *served, run *engine.Turn) {
				if early {
					s.server.Arrived(1, time.Minute)
				} else {
					<-s.texts
				}
				run.Steer("instead")
			})
		s.left(t, 0)
		asked := s.server.Asked()
		if !inWords(s.Outcome) || len(asked) != 2 || asked[1].Text() != "instead" {
			t.Fatalf("%+v, %d requests", s.Outcome, len(asked))
		}
		partial, whole := strings.CutSuffix(s.Said, "So be it.")
		if !whole || !strings.HasPrefix(words, partial) || (partial == "") != early {
			t.Errorf("early %v: said %.100q", early, s.Said)
		}
		if !early && !asked[1].Has(partial) {
			t.Errorf("the next request lacks what was said: %.300s", asked[1].Body)
		}
	}
}

// TestAStopOverTheWire checks Esc.
func TestAStopOverTheWire(t *testing.T) { onEachWire(t, checkAStopOverTheWire) }

func checkAStopOverTheWire(t *testing.T, of client.Provider) {
	s := serve(t, of, fake.Answers(fake.Answer{Items: []fake.Item{fake.Say(words)}, Gap: time.Millisecond}),
		func(s *served, run *engine.Turn) {
			<-s.texts
			run.Stop()
		})
	s.left(t, 0)
	if s.Status != engine.Stopped || len(s.server.Asked()) != 1 || !strings.HasPrefix(words, s.Said) {
		t.Errorf("%+v", s.Outcome)
	}
}

// TestRoundsOverTheWire has a model read, edit, get a failed edit back and write it again, and checks the
// requests and what the turn took.
func TestRoundsOverTheWire(t *testing.T) { onEachWire(t, checkRoundsOverTheWire) }

func checkRoundsOverTheWire(t *testing.T, of client.Provider) {
	s := serve(t, of, fake.Answers(
		fake.Answer{Items: []fake.Item{fake.Say("I look."), fake.Call("read", `{"path":"a"}`), fake.Call("list", `{`)}},
		fake.Answer{Items: []fake.Item{fake.Custom("apply_patch", misplaced)}},
		fake.Answer{Items: []fake.Item{fake.Custom("apply_patch", placed)}},
		fake.Answer{Items: []fake.Item{fake.Say("Done.")}}), nil)
	asked := s.server.Asked()
	if s.Status != engine.Completed || len(asked) != 4 || s.p.Texts["a"].String() != "one\n2\nthree\nfour\nfive\n" {
		t.Fatalf("%+v, %d requests\n%s", s.Outcome, len(asked), s.items())
	}
	if !asked[1].Has("     2\ttwo\n") || !asked[1].Has("no JSON as this tool takes it") || !asked[2].Has("once more") {
		t.Errorf("%s\n%s", asked[1].Body, asked[2].Body)
	}
	took := s.Timing
	if took.Rounds != 4 || took.Usage.Input == 0 || took.Usage.Output == 0 || took.Cost == nil || *took.Cost <= 0 ||
		took.Prefill <= 0 || took.Connect <= 0 || took.Tools <= 0 {
		t.Errorf("%+v", took)
	}
}

// TestAModelWithoutTools checks that it is asked again without, in the words of several servers, and
// that its patch is read from its text; other refusals end the turn.
func TestAModelWithoutTools(t *testing.T) { onEachWire(t, checkAModelWithoutTools) }

func checkAModelWithoutTools(t *testing.T, of client.Provider) {
	for words, ok := range map[string]bool{
		"registry.ollama.ai/library/gemma:2b does not support tools":                             true,
		"No endpoints found that support tool use. Try disabling \"read\".":                      true,
		`"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`: true,
		"context length exceeded": false,
	} {
		s := serve(t, of, func(r *fake.Request) fake.Answer {
			if len(r.Tools) > 0 {
				return fake.Answer{Fault: fake.Status(400, "", words)}
			}
			return fake.Answer{Items: []fake.Item{fake.Say("Here.\n" + placed)}}
		}, nil)
		if (s.Status == engine.Completed) != ok || ok && s.p.Texts["a"].String() != "one\n2\nthree\nfour\nfive\n" ||
			!ok && (s.Status != engine.Failed || s.Code != "") {
			t.Errorf("%s: %+v", words, s.Outcome)
		}
	}
}

// TestAStreamThatDiesOverTheWire ends the connection after every so many bytes: what came is kept and can be
// continued, unless nothing came.
func TestAStreamThatDiesOverTheWire(t *testing.T) { onEachWire(t, checkAStreamThatDiesOverTheWire) }

func checkAStreamThatDiesOverTheWire(t *testing.T, of client.Provider) {
	for at := 40; at < 4000; at += 370 {
		s := serve(t, of, fake.Answers(fake.Answer{Items: []fake.Item{fake.Say("I will."), fake.Custom("apply_patch", patch)},
			Fault: fake.AtByte(at)}), nil)
		kept := s.kept.Items()
		if s.Status == engine.Completed {
			return // it was longer than the answer
		}
		if s.Status != engine.Failed || (s.Code == engine.ContinueCode) != (len(kept) > 1) {
			t.Errorf("after %d bytes: %+v, kept\n%s", at, s.Outcome, s.items())
		}
		if got, want := s.p.Texts["a"].String(), replayed(kept); got != want {
			t.Errorf("after %d bytes the file is %q, want %q", at, got, want)
		}
	}
}
