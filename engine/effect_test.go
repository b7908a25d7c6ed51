package engine_test

import (
	"context"
	"testing"

	. "waferpair/engine"
	"waferpair/engine/drivertest"
	"waferpair/engine/model"
	"waferpair/workspace/text"
)

func change(t *testing.T, base string, cs ...text.Change) model.FileEdit {
	t.Helper()
	e := model.FileEdit{Path: "a", Base: text.OfString(base)}
	var err error
	if e.Changes, err = text.NewChangeSet(e.Base.Len(), cs...); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestEffect: the same replacement in a file that grew elsewhere has the same effect; another text,
// other lines around it, or another file have another one.
func TestEffect(t *testing.T) {
	one := Effect([]model.FileEdit{change(t, "a\nb\nc\nd\ne\n", text.Change{From: 4, To: 5, Insert: "x"})})
	for name, c := range map[string]struct {
		of   model.FileEdit
		same bool
	}{
		"lower down":   {change(t, "0\n1\na\nb\nc\nd\ne\n", text.Change{From: 8, To: 9, Insert: "x"}), true},
		"another text": {change(t, "a\nb\nc\nd\ne\n", text.Change{From: 4, To: 5, Insert: "y"}), false},
		"another line": {change(t, "a\nb\ncc\nd\ne\n", text.Change{From: 4, To: 5, Insert: "x"}), false},
		"one more": {change(t, "c\nc\n", text.Change{From: 0, To: 1, Insert: "x"},
			text.Change{From: 2, To: 3, Insert: "x"}), false},
		"a deletion":   {model.FileEdit{Path: "a", Delete: true}, false},
		"another file": {edit("b", "a\nb\nc\n", "a\nb\nx\n"), false},
	} {
		if got := Effect([]model.FileEdit{c.of}); (got == one) != c.same {
			t.Errorf("%s: %s and %s", name, one, got)
		}
	}
	insert := text.Change{From: 2, To: 2, Insert: "x\n"}
	if Effect([]model.FileEdit{change(t, "a\nb\n", insert)}) == Effect([]model.FileEdit{change(t, "c\nd\n", insert)}) {
		t.Error("an insertion between other lines has the same effect")
	}
}

// exactly is a driver that makes one exact edit, or none.
type exactly struct{ of []model.FileEdit }

func (exactly) Info() model.Info { return model.Info{Name: "exactly"} }

func (d exactly) Drive(ctx context.Context, _ Brief, h Host) (Ending, error) {
	if d.of == nil {
		return Ending{}, nil
	}
	_, err := h.Apply(ctx, d.of)
	return Ending{}, err
}

// TestDoesAsOffered: a turn that must do something does that or nothing.
func TestDoesAsOffered(t *testing.T) {
	edit := change(t, "one\ntwo\n", text.Change{From: 0, To: 3, Insert: "eins"})
	for name, c := range map[string]struct {
		of   []model.FileEdit
		does string
		want Status
	}{
		"as offered":     {[]model.FileEdit{edit}, Effect([]model.FileEdit{edit}), Completed},
		"anything":       {[]model.FileEdit{edit}, "", Completed},
		"something else": {[]model.FileEdit{edit}, "another", Conflict},
		"nothing":        {nil, "another", Conflict},
	} {
		if got := asked(t, Request{Driver: exactly{c.of}, Does: c.does}); got.Status != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestOffersAreCounted: a refusal's candidates say what their trials did, and do not keep the edits.
func TestOffersAreCounted(t *testing.T) {
	edits := []model.FileEdit{change(t, "one\ntwo\n", text.Change{From: 0, To: 3, Insert: "1\n2"}),
		{Path: "b", Create: true, Changes: change(t, "", text.Change{Insert: "x\ny\n"}).Changes}}
	refused := &model.Refusal{Reason: "which?", Candidates: []model.Candidate{{Request: "r", Edits: edits}}}
	got := asked(t, Request{Driver: refusing{refused}}).Refusal.Candidates[0]
	if len(got.Files) != 2 || got.Files[0] != (FileCount{Path: "a", Added: 2, Removed: 1}) ||
		got.Files[1] != (FileCount{Path: "b", Added: 2}) || got.Edits != nil || got.Does != Effect(edits) {
		t.Errorf("%+v", got)
	}
	if refused.Candidates[0].Edits == nil {
		t.Error("the model's refusal was changed")
	}
}

type refusing struct{ err error }

func (refusing) Info() model.Info                                     { return model.Info{Name: "refusing"} }
func (d refusing) Drive(context.Context, Brief, Host) (Ending, error) { return Ending{}, d.err }

func asked(t *testing.T, r Request) Outcome {
	t.Helper()
	return drain(NewSession(drivertest.NewMemory(map[string]string{"a": "one\ntwo\n"})).Start(t.Context(), r))
}
