package transformer

import (
	"math/rand/v2"
	"testing"
)

// TestRepeater checks that a repeater continues its sequence, in either storage: after a
// first token and one cycle of the others, the rest is determined. Its lead is wide.
func TestRepeater(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	c, w := Repeater()
	for _, storage := range []Storage{Float32, Float16} {
		m, err := New(c, w, storage)
		if err != nil {
			t.Fatal(err)
		}
		s, cycle := m.NewState(), rand.New(rand.NewPCG(uint64(storage), 8)).Perm(c.VocabSize-1)
		if _, err := m.Step(s, c.VocabSize-1); err != nil {
			t.Fatal(err)
		}
		for p := range 3 * len(cycle) {
			logits, err := m.Step(s, cycle[p%len(cycle)])
			if err != nil {
				t.Fatal(err)
			}
			if p < len(cycle) {
				continue
			}
			want := cycle[(p+1)%len(cycle)]
			if got := Argmax(logits); got != want {
				t.Fatalf("position %d: token %d, want %d", p, got, want)
			}
			for token, v := range logits {
				if token != want && v > logits[want]-3 {
					t.Errorf("position %d: token %d has %v, the right one %v", p, token, v, logits[want])
				}
			}
		}
	}
}
