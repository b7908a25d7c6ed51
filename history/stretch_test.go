package history

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

// at is the file at a moment of the stretch.
func (st Stretch) at(id EditID) (body string, exists bool) {
	body, exists = string(st.First.Bytes), st.First.Exists
	for _, step := range st.Steps {
		if step.Edit <= id {
			body = step.After.String()
		}
	}
	return body, exists
}

// compareStretches: the stretch around any moment agrees with the model at that moment and
// at every other one that it contains.
func (m *machine) compareStretches(t *rapid.T) {
	moments := append([]EditID{0}, m.lineage[m.branch]...)
	for _, p := range modelPaths {
		for _, id := range moments {
			st, err := m.s.Around(context.Background(), id, p)
			if err != nil || id < st.From || id > st.To {
				t.Fatalf("%s around %d: from %d to %d: %v", p, id, st.From, st.To, err)
			}
			for _, other := range moments {
				if other < st.From || other > st.To {
					continue
				}
				body, exists := st.at(other)
				if want, ok := m.versions[other][p]; body != want || exists != ok {
					t.Fatalf("%s at %d, of the stretch around %d: %q %v, want %q %v", p, other, id, body, exists, want, ok)
				}
			}
		}
	}
}

// TestStretchesOfALongHistory: each is bounded, and consecutive ones cover the whole
// history.
func TestStretchesOfALongHistory(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	baseline(t, s, map[string]string{"a": strings.Repeat("line\n", 50), "b": "b\n"})
	bodies := []string{at(t, s, 0, "a")}
	now := text.OfString(bodies[0])
	var last Receipt
	for i := range 900 {
		insert := fmt.Sprintf("edit %d\n", i)
		if i > 500 && i%100 == 0 {
			insert = large(i)
		}
		cs := must[text.ChangeSet](t)(text.NewChangeSet(now.Len(), text.Change{From: now.LineStart(i % 50),
			To: now.LineStart(i%50 + 1), Insert: insert}))
		last = must[Receipt](t)(s.Append(ctx,
			Op{Author: Model, Edits: []NewEdit{{Path: "a", Kind: Text, Before: now, Changes: cs}}}))
		now = must[text.Text](t)(cs.Apply(now))
		bodies = append(bodies, now.String())
	}
	if err := last.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	stretches := 0
	for id := EditID(0); int(id) < len(bodies); stretches++ {
		st := must[Stretch](t)(s.Around(ctx, id, "a"))
		if id < st.From || st.To < id || len(st.Steps) > 2*stretchSteps {
			t.Fatalf("around %d: from %d to %d in %d steps", id, st.From, st.To, len(st.Steps))
		}
		body, steps := string(st.First.Bytes), st.Steps
		for at := st.From; at <= st.To; at++ {
			for ; len(steps) > 0 && steps[0].Edit <= at; steps = steps[1:] {
				body = steps[0].After.String()
			}
			if body != bodies[at] {
				t.Fatalf("at %d, of the stretch around %d: %q, want %q", at, id, body, bodies[at])
			}
		}
		id = st.To + 1
	}
	if stretches < 3 || stretches > 20 {
		t.Fatalf("%d stretches", stretches)
	}
	if st := must[Stretch](t)(s.Around(ctx, 450, "b")); st.From != 0 || st.To != 900 || len(st.Steps) > 0 {
		t.Fatalf("an untouched file: %+v", st)
	}
	if st := must[Stretch](t)(s.Around(ctx, Newest, "never")); st.First.Exists || st.To != 900 {
		t.Fatalf("a file that never was: %+v", st)
	}
}

// large is text that does not compress.
func large(seed int) string {
	b := make([]byte, 120<<10)
	for i := range b {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		b[i] = 'a' + byte(seed>>16%26)
	}
	return string(b) + "\n"
}

func TestStretchesBesidePurgedEdits(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	baseline(t, s, map[string]string{"a": "one\ntwo\n"})
	session := must[SessionID](t)(s.StartSession(ctx, "x"))
	turn := must[TurnID](t)(s.StartTurn(ctx, Turn{Session: session, Request: "r", Model: "m"}))
	do(t, s, User, replace(t, s, "a", "one", "1"))
	r := must[Receipt](t)(s.Append(ctx, Op{Author: Model, Turn: turn, Edits: []NewEdit{replace(t, s, "a", "two", "2")}}))
	gone := r.IDs()[0]
	for i := range 3 {
		do(t, s, User, replace(t, s, "a", "\n", fmt.Sprintf("%d\n", i)))
	}
	must[PurgeReport](t)(s.Purge(ctx, PurgeRequest{Session: session}))
	for id := range EditID(6) {
		v, err := s.At(ctx, id, "a")
		st, stErr := s.Around(ctx, id, "a")
		if (err == nil) != (stErr == nil) {
			t.Fatalf("at %d: %v, and of its stretch: %v", id, err, stErr)
		}
		if body, exists := st.at(id); err == nil && (body != string(v.Bytes) || exists != v.Exists) {
			t.Fatalf("at %d: %q, of its stretch %q", id, v.Bytes, body)
		}
		if err == nil && id > gone && slices.ContainsFunc(st.Steps, func(step Step) bool { return step.Edit <= gone }) {
			t.Fatalf("the stretch around %d goes over the purged edit: %+v", id, st)
		}
	}
}
