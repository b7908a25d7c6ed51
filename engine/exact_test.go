package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	. "waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// worksOut is a model that yields exact edits and keeps their result.
type worksOut struct {
	of    [][]model.FileEdit
	heard *[]error
}

func (worksOut) Info() model.Info { return model.Info{Name: "works out"} }
func (m worksOut) Generate(_ context.Context, _ model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	for _, of := range m.of {
		err := yield(model.Edits{Of: of})
		*m.heard = append(*m.heard, err)
		if err != nil && !errors.Is(err, model.ErrStale) {
			return model.Result{}, err
		}
	}
	return model.Result{}, model.Say(yield, "done\n", 1)
}

func edit(path, before, after string) model.FileEdit {
	b := text.OfString(before)
	return model.FileEdit{Path: path, Base: b, Changes: text.Diff(b, text.OfString(after))}
}

// TestExactEdits checks that exact edits are made, or refused as a whole, and that the
// model receives the result.
func TestExactEdits(t *testing.T) {
	p := drivertest.NewMemory(map[string]string{"a": "a\n", "b": "b\n"})
	var heard []error
	m := worksOut{[][]model.FileEdit{
		{edit("a", "a\n", "A\n"), edit("b", "other\n", "B\n")},
		{edit("a", "a\n", "A\n"), edit("b", "b\n", "B\n")},
	}, &heard}
	out := drain(NewSession(p).Start(t.Context(), Request{Driver: agent.New(m)}))
	if len(heard) != 2 || !errors.Is(heard[0], model.ErrStale) || heard[1] != nil {
		t.Errorf("heard %v", heard)
	}
	if out.Status != Completed || out.Said != "done\n" || len(out.Edits) != 2 || p.Texts["a"].String() != "A\n" ||
		p.Texts["b"].String() != "B\n" {
		t.Errorf("%+v", out)
	}
}

// TestExactEditsOutsideTheScope checks that none of the edits is made.
func TestExactEditsOutsideTheScope(t *testing.T) {
	p := drivertest.NewMemory(map[string]string{"in/a": "a\n", "b": "b\n"})
	var heard []error
	m := worksOut{[][]model.FileEdit{{edit("in/a", "a\n", "A\n"), edit("b", "b\n", "B\n")}}, &heard}
	out := drain(NewSession(p).Start(t.Context(),
		Request{Driver: agent.New(m), Prompt: model.Prompt{Fence: model.Fence{Globs: []string{"in"}}}}))
	if out.Status != Held || !slices.Equal(out.Outside, []string{"b"}) || len(p.Edits) > 0 ||
		p.Texts["in/a"].String() != "a\n" {
		t.Errorf("%+v, %q", out, p.Edits)
	}
}
