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
	if _, ok := As[model.Filler](r.Default()); ok {
		t.Error("a face that the model has not")
	}
	if got := strings.Join(r.Names(), " "); got != "a b file:" {
		t.Error(got)
	}
}

// shelf is a source of one provider.
type shelf struct{ normal string }

func (shelf) List() []model.Info { return []model.Info{{Name: "p/m"}} }
func (shelf) Names() []string    { return []string{"p/m", "p/"} }
func (s shelf) Default() string  { return s.normal }
func (s shelf) Auto(_ context.Context, kind string) (string, error) {
	return "p/for-" + kind, nil
}
func (shelf) Open(name string) (Driver, error) {
	return agent.New(named{"from the shelf: " + name}), nil
}

// files are models that were added by name.
type files []string

func (f files) List() (out []model.Info) {
	for _, name := range f {
		out = append(out, model.Info{Name: name})
	}
	return out
}
func (files) Open(string) (Driver, bool, error) { return nil, false, nil }

// TestSource finds the drivers of a source by the slash in their names, after those of openers.
func TestSource(t *testing.T) {
	file := model.Opener{Prefix: "file:", Rest: "FILE", Open: func(rest string) (model.Model, error) {
		return named{"of " + rest}, nil
	}}
	r := NewRegistry([]Driver{agent.New(named{"a"})}, agent.Opens(file)).With(shelf{"p/m"})
	for name, want := range map[string]string{"": "from the shelf: p/m", "a": "a", "file:b/c": "of b/c",
		"p/x/y": "from the shelf: p/x/y"} {
		if m, err := r.Open(name); err != nil || m.Info().Name != want {
			t.Errorf("%q: %v, %v", name, m, err)
		}
	}
	if _, err := r.Open("q"); err == nil || !strings.Contains(err.Error(), "a, file:FILE, p/m, p/") {
		t.Error(err)
	}
	if m, err := r.Open("p"); err != nil || m.Info().Name != "from the shelf: p" { // which says that it is a provider
		t.Error(m, err)
	}
	if _, err := r.Open("m"); err == nil || !strings.Contains(err.Error(), "did you mean p/m?") {
		t.Error(err)
	}
	if r.DefaultName() != "p/m" || r.Default().Info().Name != "a" || r.With(shelf{}).DefaultName() != "a" {
		t.Error("another default")
	}
	if l := r.List(); len(l) != 3 || l[1].Name != Auto || l[2].Name != "p/m" || len(r.BuiltIn()) != 1 {
		t.Error(l)
	}
	// the choice is there with other models only, and helps as the built-in does until it is made
	if name, err := r.Auto(t.Context(), "ask"); name != "p/for-ask" || err != nil {
		t.Error(name, err)
	}
	if d, err := r.Open(Auto); err != nil || d.Info().Name != Auto || !d.Info().Language {
		t.Error(d, err)
	} else if w, ok := As[model.Tryer](d); !ok || w.Working(t.Context(), model.Prompt{}, nil)[0] != "a" {
		t.Error("the built-in does not help")
	}
	for want, files := range map[string]files{"one": {"one"}, "": {"one", "two"}} {
		of := NewRegistry([]Driver{agent.New(named{"a"})}).WithNamed(files)
		if name, err := of.Auto(t.Context(), "ask"); name != want || err != nil {
			t.Errorf("of the files %q: %q, %v", files, name, err)
		}
		if name, err := of.With(shelf{}).Auto(t.Context(), "ask"); name != "p/for-ask" || err != nil {
			t.Errorf("beside a source: %q, %v", name, err)
		}
	}
	alone := NewRegistry([]Driver{agent.New(named{"a"})})
	if name, err := alone.Auto(t.Context(), "ask"); name != "" || err != nil || len(alone.List()) != 1 {
		t.Error(name, err)
	}
}
