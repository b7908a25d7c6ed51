package chat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"waferpair/engine/gguf"
	"waferpair/engine/model"
	"waferpair/engine/responses/chat"
	"waferpair/engine/responses/fake"
	"waferpair/wafer/transformer"
)

// peer is llama.cpp's server with a model of random weights: a provider that nobody here wrote.
// 'make test-peers' builds it and sets PEERS to its folder and SOURCES to that of its sources.
type peer struct {
	url     string
	process *os.Process
}

func newPeer(t *testing.T) *peer {
	t.Helper()
	folder, sources := os.Getenv("PEERS"), os.Getenv("SOURCES")
	if folder == "" {
		t.Skip("PEERS is not set: 'make test-peers' builds llama.cpp's server")
	}
	file := filepath.Join(t.TempDir(), "random.gguf")
	writeRandom(t, file, filepath.Join(sources, "models", "ggml-vocab-qwen2.gguf"))
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	c := exec.Command(filepath.Join(folder, "llama-server"), "-m", file, "--host", "127.0.0.1", "--port", port, "-t", "1",
		"-c", "4096", "--jinja", "--alias", "random",
		"--chat-template-file", filepath.Join(sources, "models", "templates", "Qwen-Qwen2.5-7B-Instruct.jinja"))
	c.Dir = folder
	var log bytes.Buffer
	c.Stderr = &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		if t.Failed() {
			t.Logf("%.6000s", log.String())
		}
	})
	p := &peer{"http://127.0.0.1:" + port + "/v1", c.Process}
	p.await(t)
	return p
}

// await waits until the model is loaded.
func (p *peer) await(t *testing.T) {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < 2*time.Minute; time.Sleep(100 * time.Millisecond) {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(p.url, "/v1")+"/health", nil)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := http.DefaultClient.Do(q); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
		}
	}
	t.Fatal("llama-server is not ready")
}

// writeRandom writes a small model with random weights and a real vocabulary.
func writeRandom(t *testing.T, file, vocabulary string) {
	t.Helper()
	v, err := gguf.Open(vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	tokens, ok := v.Metadata["tokenizer.ggml.tokens"].(gguf.Array)
	if !ok {
		t.Fatalf("%s has no tokens", vocabulary)
	}
	c := transformer.Defaults("qwen2")
	c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize, c.ContextLength = 2, 64, 96, tokens.Len, 4096
	c.HeadCount, c.HeadCountKV, c.KeyLength = 4, 2, 16
	pairs, tensors := gguf.Sources(c, transformer.Random(c, 5), gguf.F16)
	for key, value := range v.Metadata {
		if strings.HasPrefix(key, "tokenizer.ggml.") {
			pairs = append(pairs, gguf.Pair{Key: key, Value: plain(value)})
		}
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(gguf.Write(f, pairs, tensors), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// plain returns a value that can be written.
func plain(value any) any {
	a, is := value.(gguf.Array)
	if !is {
		return value
	}
	if s, is := a.Strings(); is {
		return s
	}
	n, _ := a.Numbers()
	whole := make([]int32, len(n))
	for i, x := range n {
		whole[i] = int32(x)
	}
	return whole
}

func (p *peer) client(t *testing.T, retries int) *chat.Client {
	t.Helper()
	c := chat.New(chat.Provider{Name: "llama.cpp", BaseURL: p.url, Retries: retries})
	t.Cleanup(c.Close)
	return c
}

func generate(c *chat.Client, id string, p model.Prompt, each func(model.Delta) error) (*model.Output, model.Result,
	error) {
	var o model.Output
	r, err := c.Model(id, model.Info{}).Generate(context.Background(), p, func(d model.Delta) error {
		if err := o.Take(d); err != nil || each == nil {
			return err
		}
		return each(d)
	})
	return &o, r, err
}

func TestPeersAnswer(t *testing.T) {
	p := newPeer(t)
	c := p.client(t, 0)
	list, err := c.Models(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != "random" {
		t.Errorf("models: %+v, %v", list, err)
	}
	prompt := model.Prompt{Items: []model.Item{model.User("Say something.")},
		Options: model.Options{MaxTokens: 40}}
	o, r, err := generate(c, "random", prompt, nil)
	if err != nil || r.Stop != model.StopLength || r.Usage.Output != 40 || r.Usage.Input < 5 || len(o.Items()) == 0 {
		t.Errorf("stop %s, usage %+v, %d items, error %v", r.Stop, r.Usage, len(o.Items()), err)
	}
	for _, phase := range []model.Phase{model.Connect, model.Prefill, model.Decode} {
		if r.Timing[phase] <= 0 {
			t.Errorf("%s took %v", phase, r.Timing[phase])
		}
	}
	again := model.Prompt{Items: append(slices.Clone(prompt.Items), o.Items()...), Options: prompt.Options}
	again.Items = append(again.Items, model.User("And now?"))
	if _, r, err = generate(c, "random", again, nil); err != nil || r.Usage.Cached == 0 {
		t.Errorf("a longer conversation: cached %d of %d, error %v", r.Usage.Cached, r.Usage.Input, err)
	}
}

// The conversation of a turn with tools, freeform ones among them, is accepted. Random weights
// call none by themselves.
func TestPeersTakeTools(t *testing.T) {
	c := newPeer(t).client(t, 0)
	call := model.Item{Kind: model.FunctionCall, CallID: "call_1", Name: "read", Input: `{"path":"a.go"}`}
	patch := model.Item{Kind: model.CustomCall, CallID: "call_2", Name: "apply_patch", Input: "*** Begin Patch\n"}
	prompt := model.Prompt{Items: []model.Item{model.User("Change a.go."), model.Assistant("I look."), call,
		call.Answer("package a"), patch, patch.Answer("apply_patch verification failed")},
		Tools: []model.Tool{{Name: "read", Description: "reads a file", Schema: json.RawMessage(
			`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`)},
			{Name: "apply_patch", Format: &model.Format{Syntax: model.Lark, Text: "start: /.*/"}, Edits: true}},
		Options: model.Options{MaxTokens: 8}}
	for _, choice := range []string{model.ToolAuto, model.ToolNone, model.ToolRequired} {
		prompt.ToolChoice = choice
		if _, r, err := generate(c, "random", prompt, nil); err != nil || r.Usage.Input < 100 || r.Usage.Output != 8 {
			t.Errorf("tool choice %s: usage %+v, error %v", choice, r.Usage, err)
		}
	}
}

func TestPeersFail(t *testing.T) {
	p := newPeer(t)
	c := p.client(t, 0)
	long := model.Prompt{Items: []model.Item{model.User(strings.Repeat("too long ", 5000))}}
	_, r, err := generate(c, "random", long, nil)
	var e *chat.Error
	if !errors.As(err, &e) || e.Status != 400 || !strings.Contains(err.Error(), "context") || r.Stop != model.StopCut {
		t.Errorf("a prompt of 10,000 tokens: %v", err)
	}
	endless := model.Prompt{Items: []model.Item{model.User("Say something.")}, Options: model.Options{MaxTokens: 3000}}
	enough := errors.New("enough")
	n := 0
	few := func(model.Delta) error {
		if n++; n > 20 {
			return enough
		}
		return nil
	}
	if _, r, err := generate(c, "random", endless, few); !errors.Is(err, enough) || r.Stop != model.StopCut {
		t.Errorf("a cut answer: stop %s, %v", r.Stop, err)
	}
	if _, _, err := generate(c, "random", model.Prompt{Items: endless.Items, Options: model.Options{MaxTokens: 3}},
		nil); err != nil {
		t.Errorf("after a cut: %v", err)
	}
	n = 0
	o, r, err := generate(c, "random", endless, func(model.Delta) error {
		if n++; n == 20 {
			return p.process.Kill()
		}
		return nil
	})
	text, _, _ := parts(o)
	if !errors.As(err, &e) || e.Next == "" || r.Stop != model.StopCut || text == "" {
		t.Errorf("a server that is killed: %d bytes of text, stop %s, %v", len(text), r.Stop, err)
	}
	if _, _, err := generate(c, "random", endless, nil); !errors.As(err, &e) {
		t.Errorf("a server that is gone: %v", err)
	}
}

// The fake that looks like llama.cpp streams Responses as llama.cpp does: the same types of
// events, with the same members.
func TestPeersAreAsFaked(t *testing.T) {
	body := `{"model":"%s","stream":true,"input":"Say something.","max_output_tokens":16}`
	peer := shape(t, newPeer(t).url, fmt.Sprintf(body, "random"))
	s := fake.New(fake.LlamaCpp(), fake.Always(fake.Say("something")))
	h, err := s.Serve()
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	mine := shape(t, h.URL, fmt.Sprintf(body, "small"))
	for _, name := range []string{"response.created", "response.in_progress", "response.output_item.added",
		"response.content_part.added", "response.output_text.delta", "response.output_text.done",
		"response.content_part.done", "response.output_item.done", "response.completed"} {
		if peer[name] == "" || peer[name] != mine[name] {
			t.Errorf("%s: llama.cpp has %q, the fake %q", name, peer[name], mine[name])
		}
	}
}

// shape returns the members of each type of event.
func shape(t *testing.T, url, body string) map[string]string {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/responses", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	all, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%d %s %v", r.StatusCode, all, err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(all)) {
		data, is := strings.CutPrefix(line, "data: ")
		e := map[string]any{}
		if !is || json.Unmarshal([]byte(data), &e) != nil {
			continue
		}
		var members []string
		delete(e, "timings") // its own addition
		for m := range e {
			members = append(members, m)
		}
		slices.Sort(members)
		out[fmt.Sprint(e["type"])] = strings.Join(members, " ")
	}
	return out
}
