package decoder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"waferpair/engine/spark/link"
	"waferpair/wafer/transformer"
)

// tiny is a decoder with random weights. Larger logits make some answers much likelier than
// others.
func tiny(t testing.TB, seed uint64, ops []Op) (*Decoder, *transformer.Model) {
	t.Helper()
	v, err := NewVocabulary(ops, strings.Fields("rename to the please <func>"))
	if err != nil {
		t.Fatal(err)
	}
	c := tinyShape(v)
	w := transformer.Random(c, seed)
	for i := range w["output.weight"].Data {
		w["output.weight"].Data[i] *= 4
	}
	m, err := transformer.New(c, w, transformer.Float32)
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(v, m)
	if err != nil {
		t.Fatal(err)
	}
	return d, m
}

func tinyShape(v *Vocabulary) transformer.Config {
	c := transformer.Defaults("llama")
	c.Name, c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = "tiny", 2, 16, 24, len(v.Tokens)
	c.HeadCount, c.HeadCountKV, c.KeyLength, c.ContextLength = 2, 2, 8, 256
	return c
}

func request(n int) []link.Unit {
	return link.Linker{}.Link(strings.Join(slices.Repeat([]string{"please", "rename", "to", "the"}, 16)[:n], " "),
		link.NewTable(nil, nil))
}

// plainSearch is the search by the plain pass, one token after the other, every sequence from
// its beginning, with the choices of the grammar; every answer is kept that is not pruned.
func plainSearch(t *testing.T, d *Decoder, m *transformer.Model, units []link.Unit, s Search) []Reading {
	t.Helper()
	request, ok := d.Vocabulary.Request(units)
	if !ok {
		t.Fatal("the request is not read")
	}
	type line struct {
		answer []int32
		at     state
		p      float64
	}
	var done []Reading
	for live := []line{{p: 1}}; len(live) > 0; {
		var next []line
		for _, l := range live {
			past, logits := m.NewState(), []float32(nil)
			for _, token := range slices.Concat(request, l.answer) {
				var err error
				if logits, err = m.Step(past, int(token)); err != nil {
					t.Fatal(err)
				}
			}
			choices, sum := d.grammar.choices(l.at, len(units)), 0.0
			weight := func(c choice) float64 {
				return math.Exp(float64(logits[c.token]) + lean(d, l.answer, c.token, s))
			}
			for _, c := range choices {
				sum += weight(c)
			}
			for _, c := range choices {
				if p := l.p * weight(c) / sum; p >= s.Least {
					next = append(next, line{append(slices.Clip(l.answer), c.token), c.to, p})
				}
			}
		}
		slices.SortStableFunc(next, func(a, b line) int { return cmpDown(a.p, b.p) })
		live = nil
		for _, l := range next {
			if l.at.part == over {
				clauses, err := d.Vocabulary.Read(l.answer, len(units))
				if err != nil {
					t.Fatal(err)
				}
				done = append(done, Reading{clauses, l.p})
			} else if len(live) < s.Width {
				live = append(live, l)
			}
		}
	}
	slices.SortStableFunc(done, func(a, b Reading) int { return cmpDown(a.Probability, b.Probability) })
	return done[:min(len(done), s.Readings)]
}

func cmpDown(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

func lean(d *Decoder, answer []int32, token int32, s Search) float64 {
	if len(answer) > 0 {
		return 0
	}
	return s.Lean[strings.TrimPrefix(d.Vocabulary.Tokens[token], "op:")]
}

// TestSearch: the search finds what the plain one finds, with and without the leaning of
// another voice. (None of these models has two answers whose probabilities are as near as the
// two passes are apart; a narrow beam might then follow either.)
func TestSearch(t *testing.T) {
	compared := 0
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 3))
		d, m := tiny(t, seed, someOps)
		units := request(1 + r.IntN(6))
		s := Search{Width: 1 + r.IntN(5), Readings: 1 + r.IntN(5), Least: 1e-4}
		if r.IntN(2) == 0 {
			s.Lean = map[string]float64{"rename": 3 * r.NormFloat64(), Decline: r.NormFloat64()}
		}
		got, err := d.Hear(t.Context(), units, s)
		if err != nil {
			t.Fatal(err)
		}
		want := plainSearch(t, d, m, units, s)
		if len(got.Readings) != len(want) {
			t.Errorf("seed %d: %d readings, want %d", seed, len(got.Readings), len(want))
			continue
		}
		for i, w := range want {
			g := got.Readings[i]
			if math.Abs(g.Probability-w.Probability) > 1e-4*w.Probability || !reflect.DeepEqual(g.Clauses, w.Clauses) {
				t.Errorf("seed %d, %+v: reading %d is\n%v, want\n%v", seed, s, i, g, w)
			}
			compared++
		}
	}
	if compared < 40 {
		t.Errorf("only %d readings were compared", compared)
	}
}

// TestAllAnswers: the grammar's answers about a few units are those that Write can write, each
// as one sequence, and a search that follows all of them gives probabilities that sum to one.
func TestAllAnswers(t *testing.T) {
	ops := []Op{{Name: Decline}, {Name: "rename", Slots: []string{"symbol", "to"},
		Fixed: []string{"kind=a", "all=b", "kind=c"}},
		{Name: "sort"}}
	d, _ := tiny(t, 1, ops)
	const units = 2
	want := map[string]bool{}
	for _, c := range everyClause(units) {
		want[written(t, d.Vocabulary, c)] = true
		if c.Op == Decline {
			continue
		}
		for _, c2 := range everyClause(units) {
			if c2.Op != Decline {
				want[written(t, d.Vocabulary, c, c2)] = true
			}
		}
	}
	got := map[string]bool{}
	var follow func(answer []int32, s state)
	follow = func(answer []int32, s state) {
		if s.part == over {
			got[fmt.Sprint(answer)] = true
			return
		}
		for _, c := range d.grammar.choices(s, units) {
			if c.to.clause < 3 && (c.token != Also || s.clause < 2) {
				follow(append(slices.Clip(answer), c.token), c.to)
			}
		}
	}
	follow(nil, state{})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the grammar has %d answers of at most two clauses, and there are %d", len(got), len(want))
	}
	one := 0.0
	heard, err := d.Hear(t.Context(), request(1), Search{Width: 1 << 20, Readings: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range heard.Readings {
		one += r.Probability
	}
	if math.Abs(one-1) > 1e-4 {
		t.Errorf("the probabilities of all %d answers sum to %v", len(heard.Readings), one)
	}
	ops1 := 0.0
	for _, p := range heard.Ops {
		ops1 += p
	}
	if math.Abs(ops1-1) > 1e-9 || len(heard.Ops) != len(ops) {
		t.Errorf("operations %v", heard.Ops)
	}
}

func written(t *testing.T, v *Vocabulary, clauses ...Clause) string {
	t.Helper()
	ids, err := v.Write(clauses)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(ids)
}

// everyClause is every clause of TestAllAnswers's operations about so many units.
func everyClause(units int) []Clause {
	labels := [][]string{{}}
	for range units {
		var next [][]string
		for _, l := range labels {
			for _, s := range []string{None, "symbol", "to"} {
				next = append(next, append(slices.Clip(l), s))
			}
		}
		labels = next
	}
	none := slices.Repeat([]string{None}, units)
	out := []Clause{{Op: Decline, Labels: none}, {Op: "sort", Labels: none}}
	for _, l := range labels {
		for _, kind := range []string{"", "a", "c"} {
			for _, all := range []string{"", "b"} {
				out = append(out, Clause{Op: "rename", Labels: l, Fixed: map[string]string{"kind": kind, "all": all}})
			}
		}
	}
	return out
}

// TestRoom: a sequence has at most as many tokens as the model has positions, and a request
// that leaves no room is not heard.
func TestRoom(t *testing.T) {
	for room := range 7 {
		d, _ := tiny(t, 7, someOps)
		units := request(5)
		tokens, _ := d.Vocabulary.Request(units)
		d.Config.ContextLength = len(tokens) + room
		heard, err := d.Hear(t.Context(), units, Search{Width: 50, Readings: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if room == 0 && len(heard.Readings) > 0 || room > 2 && len(heard.Readings) == 0 {
			t.Errorf("with room for %d tokens there are %d readings", room, len(heard.Readings))
		}
		for _, r := range heard.Readings {
			if ids, err := d.Vocabulary.Write(r.Clauses); err != nil || len(ids)-1 > room {
				t.Errorf("an answer of %d tokens, with room for %d; %v", len(ids)-1, room, err)
			}
		}
	}
	d, _ := tiny(t, 7, someOps)
	if heard, err := d.Hear(t.Context(), make([]link.Unit, MaxUnits+1), Usual); err != nil || len(heard.Readings) > 0 {
		t.Errorf("too many units: %v, %v", heard, err)
	}
	if heard, err := d.Hear(t.Context(), nil, Usual); err != nil || len(heard.Readings) > 0 {
		t.Errorf("no units: %v, %v", heard, err)
	}
	if _, err := d.Hear(t.Context(), request(64), Usual); err != nil {
		t.Errorf("as many units as there can be: %v", err)
	}
}

// TestTyping: what is heard does not depend on what was heard before, while a request grows,
// shrinks and becomes another, and several goroutines ask at once.
func TestTyping(t *testing.T) {
	d, _ := tiny(t, 7, someOps)
	var want []Heard
	for n := range 12 {
		fresh, _ := tiny(t, 7, someOps)
		h, err := fresh.Hear(t.Context(), request(n), Usual)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, h)
	}
	other := link.Linker{}.Link("to rename please", link.NewTable(nil, nil))
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 4))
			for range 20 {
				n := r.IntN(len(want))
				if h, err := d.Hear(t.Context(), request(n), Usual); err != nil || !reflect.DeepEqual(h, want[n]) {
					t.Errorf("%d units: heard %v, %v; want %v", n, h, err, want[n])
				}
				if _, err := d.Hear(t.Context(), other, Usual); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	before, units := d.last.Load(), request(9)
	if _, err := d.Hear(t.Context(), units, Usual); err != nil {
		t.Fatal(err)
	}
	if now := d.last.Load(); now == before || now.past.Len() != 2+2*len(units) || len(now.tokens) != now.past.Len() {
		t.Errorf("a request of %d units is kept as %d tokens", len(units), now.past.Len())
	}
}

// TestStopped: a search ends when its context does.
func TestStopped(t *testing.T) {
	d, _ := tiny(t, 7, someOps)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := d.Hear(ctx, request(5), Usual); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
