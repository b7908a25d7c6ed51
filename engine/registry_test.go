package engine_test

import (
	"context"
	"strings"
	"testing"

	. "waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/model"
)

type named struct{ name string }

func (n named) Info() model.Info { return model.Info{Name: n.name} }
func (named) Generate(context.Context, model.Prompt, func(model.Delta) error) (model.Result, error) {
	return model.Result{}, nil
}
func (n named) Working(context.Context, model.Prompt, []string) []string { return []string{n.name} }

// TestRegistry finds drivers by name and by prefix, and the first by default; the error for
// an unknown name lists the known ones.
func TestRegistry(t *testing.T) {
	file := model.Opener{Prefix: "file:", Rest: "FILE", Open: func(rest string) (model.Model, error) {
		return named{"of " + rest}, nil
	}}
	r := NewRegistry([]Driver{agent.New(named{"a"}), agent.New(named{"b"})}, agent.Opens(file))
	for name, want := range map[string]string{"": "a", "a": "a", "b": "b", "file:b": "of b"} {
		if m, err := r.Open(name); err != nil || m.Info().Name != want {
			t.Errorf("%q: %v, %v", name, m, err)
		}
	}
	for _, name := range []string{"c", "file:", "file", "a "} {
		if _, err := r.Open(name); err == nil || !strings.Contains(err.Error(), "a, b, file:FILE") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if w, ok := As[model.Tryer](r.Default()); !ok || w.Working(t.Context(), model.Prompt{}, nil)[0] != "a" {
		t.Error("the model's face is not found")
	}
	if _, ok := As[model.Warmer](r.Default()); ok {
		t.Error("a face that the model has not")
	}
	if got := strings.Join(r.Names(), " "); got != "a b file:" {
		t.Error(got)
	}
}
