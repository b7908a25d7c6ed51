package client_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"waferpair/engine/model"
	"waferpair/engine/responses/chat"
	"waferpair/engine/responses/client"
	"waferpair/engine/responses/fake"
)

// read has the client read a recorded stream.
func read(t *testing.T, s fake.Stream, size, cut int) (*model.Output, model.Result, error) {
	t.Helper()
	server := fake.New(fake.VLLM(), func(*fake.Request) fake.Answer { return s.Recorded(size, cut) })
	server.Seed = rand.Uint64()
	h, err := server.Serve()
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	c := client.New(client.Provider{Provider: chat.Provider{Name: "recorded", BaseURL: h.URL}, Wire: "responses"})
	defer c.Close()
	var o model.Output
	p := model.Prompt{Items: []model.Item{model.User("go")}, Tools: []model.Tool{{Name: "read"}}}
	r, err := c.Model("small", model.Info{}).Generate(context.Background(), p, o.Take)
	return &o, r, err
}

// parts returns the answer's words, thought and calls.
func parts(o *model.Output) (text, thought string, calls []string) {
	for _, i := range o.Items() {
		switch {
		case i.Kind == model.Message:
			text += i.Text()
		case i.Kind == model.Reasoning:
			thought += i.Text()
		case i.Kind.IsCall():
			calls = append(calls, i.Name+" "+i.Input)
		}
	}
	return text, thought, calls
}

// TestRecordedStreams reads the streams of providers, cut into pieces at random bytes.
func TestRecordedStreams(t *testing.T) {
	for _, s := range fake.Streams() {
		if s.OfChat() {
			continue
		}
		for _, size := range []int{1 << 20, 64, 3} {
			t.Run(fmt.Sprint(s.Name, "/", size), func(t *testing.T) {
				o, r, err := read(t, s, size, -1)
				text, thought, calls := parts(o)
				if text != s.Text || thought != s.Thought || fmt.Sprint(calls) != fmt.Sprint(s.Calls) {
					t.Errorf("text %q, thought %q, calls %q", text, thought, calls)
				}
				if s.Error != "" {
					if err == nil || !strings.Contains(err.Error(), s.Error) || r.Stop != model.StopCut {
						t.Errorf("it fails with %v, and stops as %s", err, r.Stop)
					}
					return
				}
				if err != nil || string(r.Stop) != s.Stop {
					t.Errorf("stop %s, error %v", r.Stop, err)
				}
				if u := r.Usage; u.Estimated != (s.Input == 0) || !u.Estimated && (u.Input != s.Input || u.Cached != s.Cached) {
					t.Errorf("usage %+v", u)
				}
			})
		}
	}
}

// TestRecordedStreamsDie kills the connection at random bytes: what is there is the beginning of the
// answer, and the client says that it was cut, unless all of it had arrived.
func TestRecordedStreamsDie(t *testing.T) {
	for _, s := range fake.Streams() {
		if s.OfChat() {
			continue
		}
		for range 6 {
			n := 1 + rand.IntN(len(s.Body())-1)
			o, r, err := read(t, s, 50, n)
			text, thought, _ := parts(o)
			if !strings.HasPrefix(s.Text, text) || !strings.HasPrefix(s.Thought, thought) {
				t.Errorf("%s after %d bytes: text %q, thought %q", s.Name, n, text, thought)
			}
			if (err == nil) != (r.Stop != model.StopCut) {
				t.Errorf("%s after %d bytes: stop %s, error %v", s.Name, n, r.Stop, err)
			}
			if err == nil && (text != s.Text || string(r.Stop) != s.Stop) {
				t.Errorf("%s after %d bytes is taken for whole: %q, %s", s.Name, n, text, r.Stop)
			}
		}
	}
}
