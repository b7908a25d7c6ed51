package providers

import (
	"context"
	"errors"
	"strings"
	"testing"

	"waferpair/engine/model"
)

// talker is a model that says its words one by one.
type talker struct {
	words []string
	fails error
	asked []model.Prompt
}

func (*talker) Info() model.Info { return model.Info{Name: "p/talker"} }

func (m *talker) Generate(_ context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	m.asked = append(m.asked, p)
	for _, w := range m.words {
		if err := yield(model.Text{Text: w, Tokens: 1}); err != nil {
			return model.Result{}, err
		}
	}
	return model.Result{Usage: model.Usage{Output: len(m.words)}}, m.fails
}

// TestMeasure checks what is sent, and what is made of answers without text, and of errors.
func TestMeasure(t *testing.T) {
	m := &talker{words: []string{"a", "b", "c"}}
	var did []string
	s, err := Measure(t.Context(), m, "chat", func(what string) { did = append(did, what) })
	if err != nil || s.Wire != "chat" || len(s.TTFTs) != rounds || s.Tokens != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	if s.PerSecond != 0 {
		t.Errorf("text that came at once had %.0f tokens a second", s.PerSecond)
	}
	if len(m.asked) != rounds+2 || len(did) != rounds+2 {
		t.Errorf("%d requests, %q", len(m.asked), did)
	}
	for _, p := range m.asked {
		if len(p.Items) != 1 || p.Options.MaxTokens == 0 || len(p.Tools) != 0 || p.Files != nil {
			t.Errorf("a test sends %+v", p)
		}
	}
	if _, err := Measure(t.Context(), &talker{}, "chat", func(string) {}); err == nil ||
		!strings.Contains(err.Error(), "p/talker answered without any text") {
		t.Error(err)
	}
	gone := errors.New("gone")
	if _, err := Measure(t.Context(), &talker{words: []string{"a"}, fails: gone}, "chat",
		func(string) {}); !errors.Is(err, gone) {
		t.Error(err)
	}
}
