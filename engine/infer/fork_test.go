package infer

import (
	"slices"
	"testing"
)

// TestForks: a fork has what it was forked from, in the same memory, and neither sees what the other one writes.
func TestForks(t *testing.T) {
	for _, backend := range Backends() {
		if backend == plainName && testing.Short() {
			continue // it computes for seconds
		}
		m := small(t, Options{Backend: backend, Threads: 2}, nil)
		tokens := sequence(600, m.Config().VocabSize)
		trunk := begun(t, m)
		run(t, m, trunk, tokens[:300], None)
		whole := m.BytesOf(trunk)
		var forks []*State
		for _, n := range []int{0, 255, 256, 270, 400} {
			f, err := trunk.Fork(n)
			if err != nil {
				t.Fatal(err)
			}
			if f.Len() != min(n, 300) || m.BytesOf(trunk, f) != whole {
				t.Fatalf("%s: a fork at %d has %d tokens; together they take %d bytes, not %d", backend, n, f.Len(),
					m.BytesOf(trunk, f), whole)
			}
			forks = append(forks, f)
		}
		var got [][]float32
		for _, f := range forks { // each writes its own
			got = append(got, slices.Clone(run(t, m, f, tokens[f.Len()+1:f.Len()+40], Last)))
		}
		rest := slices.Clone(run(t, m, trunk, tokens[300:340], Last))
		for i, f := range forks {
			n := f.Len() - 39
			fresh := begun(t, m)
			if n > 0 {
				run(t, m, fresh, tokens[:n], None)
			}
			if want := run(t, m, fresh, tokens[n+1:n+40], Last); !slices.Equal(got[i], want) {
				t.Errorf("%s: a fork at %d has other logits", backend, n)
			}
			fresh.Close()
		}
		fresh := begun(t, m)
		run(t, m, fresh, tokens[:300], None)
		if want := run(t, m, fresh, tokens[300:340], Last); !slices.Equal(rest, want) {
			t.Errorf("%s: the sequence that was forked has other logits", backend)
		}
		trunk.Close()
		for _, f := range forks {
			f.Close()
		}
		fresh.Close()
		if len(m.shared) != 0 || m.StateBytes() != 0 {
			t.Errorf("%s: %d blocks are still shared, %d bytes are not given back", backend, len(m.shared), m.StateBytes())
		}
	}
}
