package infer

import (
	"os"
	"testing"

	"waferpair/engine/gguf"
	"waferpair/wafer/transformer"
)

// TestARepeaterGoesOnAtDepth runs the model whose answer is known on all backends: behind a long prompt, token by
// token, with drafts that are right and wrong, after a cut, and after a cut that goes on elsewhere. 'make oracle'
// takes it to the depth of 32,768, where llama.cpp gives the same (engine/gguf).
func TestARepeaterGoesOnAtDepth(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	c, w := transformer.Repeater()
	for _, backend := range Backends() {
		depth := 4096
		switch {
		case backend == "go":
			depth = 1024
		case os.Getenv("ORACLE") != "":
			depth = c.ContextLength
		}
		for _, kind := range []gguf.Type{gguf.F16, gguf.Q8_0} {
			r := repeating{T: t, model: loaded(t, file(t, c, w, all(kind)), Options{Backend: backend, Threads: 2}),
				name: backend + " " + kind.String(), first: int32(c.VocabSize - 1)}
			r.state = begun(t, r.model)
			r.prompt(depth - 200)
			r.decode(40)
			r.drafts(9, 5)
			r.state.Truncate(depth / 2)
			r.decode(20)
			r.state.Truncate(depth / 3)
			r.phase += 11 // a steer
			run(t, r.model, r.state, []int32{r.at(depth / 3)}, None)
			r.decode(20)
		}
	}
}

// repeating has a model go on with a sequence: a token that does not come again, and then all others by turns.
type repeating struct {
	T     *testing.T
	model *Model
	state *State
	name  string
	first int32
	phase int
}

// at returns the token at a position.
func (r *repeating) at(position int) int32 {
	if position == 0 {
		return r.first
	}
	return int32((position + r.phase) * 7 % int(r.first))
}

func (r *repeating) tokens(n int) (out []int32) {
	for i := range n {
		out = append(out, r.at(r.state.Len()+i))
	}
	return out
}

// expect checks what the last tokens of a pass are followed by.
func (r *repeating) expect(logits []float32, n int) {
	r.T.Helper()
	size := int(r.first) + 1
	for i := range n {
		position := r.state.Len() - n + i
		if got, want := transformer.Argmax(logits[i*size:][:size]), int(r.at(position+1)); got != want {
			r.T.Fatalf("%s: behind position %d comes %d, not %d", r.name, position, got, want)
		}
	}
}

// prompt reads n tokens, in parts, and checks the last ones of each part.
func (r *repeating) prompt(n int) {
	const part = 2048
	for r.state.Len() < n {
		more := min(part, n-r.state.Len())
		r.expect(run(r.T, r.model, r.state, r.tokens(more), Last), 1)
	}
}

func (r *repeating) decode(n int) {
	for range n {
		r.expect(run(r.T, r.model, r.state, r.tokens(1), Last), 1)
	}
}

// drafts guesses so many tokens at once, of which only the first ones are right.
func (r *repeating) drafts(guessed, right int) {
	for range 6 {
		tokens := r.tokens(guessed)
		for i := right; i < guessed; i++ {
			tokens[i] = (tokens[i] + 3) % r.first
		}
		logits := run(r.T, r.model, r.state, tokens, All)
		r.state.Truncate(r.state.Len() - guessed + right)
		r.expect(logits, right)
	}
}
