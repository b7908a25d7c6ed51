package decoder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"waferpair/engine/spark/link"
	"waferpair/wafer/transformer"
)

// Decoder is the model with its vocabulary, all of it fixed but for what was read last. Any
// number of goroutines may use it.
type Decoder struct {
	Vocabulary *Vocabulary
	Config     transformer.Config
	model      *transformer.Quick
	grammar    grammar
	last       atomic.Pointer[reading]
}

// reading is a request that was read: one that begins in the same way, as while a user types,
// is read from there on. Nobody extends its state.
type reading struct {
	tokens []int
	past   *transformer.State
}

// New joins a vocabulary and a model.
func New(v *Vocabulary, m *transformer.Model) (*Decoder, error) {
	if len(v.Tokens) != m.VocabSize {
		return nil, fmt.Errorf("the decoder's vocabulary has %d tokens, and its table %d", len(v.Tokens), m.VocabSize)
	}
	if err := checkOps(v.Ops); err != nil {
		return nil, err
	}
	g, err := newGrammar(v)
	if err != nil {
		return nil, err
	}
	return &Decoder{Vocabulary: v, Config: m.Config, model: m.Quick(), grammar: g}, nil
}

// checkOps refuses operations for which one answer would have several sequences of tokens.
func checkOps(ops []Op) error {
	if len(ops) == 0 {
		return errors.New("the decoder's vocabulary has no operations")
	}
	twice := func(list []string) (string, bool) {
		for i, v := range list {
			if slices.Contains(list[:i], v) {
				return v, true
			}
		}
		return "", false
	}
	var names []string
	for _, op := range ops {
		if s, ok := twice(op.Slots); ok {
			return fmt.Errorf("the slot %q of %q is there twice", s, op.Name)
		}
		if f, ok := twice(op.Fixed); ok {
			return fmt.Errorf("the fixed argument %q of %q is there twice", f, op.Name)
		}
		names = append(names, op.Name)
	}
	if name, ok := twice(names); ok {
		return fmt.Errorf("the operation %q is there twice", name)
	}
	return nil
}

// Reading is what a request may mean.
type Reading struct {
	Clauses     []Clause
	Probability float64 // of the answer among all that the grammar allows
}

// Heard is what the decoder makes of a request.
type Heard struct {
	Readings []Reading          // the likeliest, best first
	Ops      map[string]float64 // how probable each operation is as the first one, Decline included
}

// Search says how the likeliest answers are looked for.
type Search struct {
	Width    int     // answers that are followed at once
	Readings int     // that are wanted
	Least    float64 // probability below which an answer is followed no further
	// Lean is added to the logit of an operation as the first one: what another voice says.
	Lean map[string]float64
}

// Usual is the search of the built-in model.
var Usual = Search{Width: 4, Readings: 4, Least: 1e-3}

var errNotFinite = errors.New("the decoder's numbers are not finite: its weights are damaged")

// Hear returns the likeliest readings of a request. It has none if the request has more units,
// or with its answer more tokens, than the decoder reads.
func (d *Decoder) Hear(ctx context.Context, units []link.Unit, s Search) (Heard, error) {
	request, ok := d.Vocabulary.Request(units)
	if !ok || len(request) >= d.positions() {
		return Heard{}, nil
	}
	b := beam{Decoder: d, Search: s, units: len(units), room: d.positions() - len(request),
		heard: Heard{Ops: map[string]float64{}}}
	if err := b.begin(request); err != nil {
		return Heard{}, err
	}
	for len(b.live) > 0 && !b.settled() {
		if err := ctx.Err(); err != nil {
			return Heard{}, err
		}
		if err := b.step(); err != nil {
			return Heard{}, err
		}
	}
	return b.heard, nil
}

// positions is how many tokens a request and its answer may have.
func (d *Decoder) positions() int {
	if d.Config.ContextLength > 0 {
		return d.Config.ContextLength
	}
	return math.MaxInt
}

// beam is the search for one request.
type beam struct {
	*Decoder
	Search
	units int
	room  int // tokens that an answer may have
	live  []hypothesis
	heard Heard
}

// hypothesis is the beginning of an answer.
type hypothesis struct {
	answer []int32
	at     state
	log    float64 // logarithm of its probability
	past   *transformer.State
	x      []float32 // residual stream of its last token
}

func (b *beam) begin(request []int32) error {
	past, x, err := b.read(ints(request))
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	b.live = []hypothesis{{past: past, x: x}}
	return nil
}

// read reads a request, as far as it is not the one before. A token's numbers depend on those
// before it alone, so they are the same either way.
func (d *Decoder) read(request []int) (*transformer.State, []float32, error) {
	past, known := d.model.NewState(), 0
	if last := d.last.Load(); last != nil {
		for known < min(len(request)-1, len(last.tokens)) && request[known] == last.tokens[known] {
			known++
		}
		past = last.past.Fork()
		past.Cut(known)
	}
	ends, err := d.model.Extend([]transformer.Piece{{State: past, Tokens: request[known:]}})
	if err != nil {
		return nil, nil, err
	}
	d.last.Store(&reading{request, past.Fork()})
	return past, ends[0], nil
}

// step gives every hypothesis its next token, and keeps the likeliest.
func (b *beam) step() error {
	next, err := b.candidates()
	if err != nil {
		return err
	}
	b.live = b.live[:0:0]
	var pieces []transformer.Piece
	for _, h := range next {
		if h.at.part == over {
			if err := b.found(h); err != nil {
				return err
			}
			continue
		}
		if len(b.live) == b.Width || len(h.answer) >= b.room {
			continue
		}
		h.past = h.past.Fork()
		b.live = append(b.live, h)
		pieces = append(pieces, transformer.Piece{State: h.past, Tokens: ints(h.answer[len(h.answer)-1:])})
	}
	if b.settled() {
		return nil
	}
	ends, err := b.model.Extend(pieces)
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	for i := range b.live {
		b.live[i].x = ends[i]
	}
	return nil
}

// candidates are the hypotheses with each token that may come next, likeliest first.
func (b *beam) candidates() ([]hypothesis, error) {
	var out []hypothesis
	for _, h := range b.live {
		choices := b.grammar.choices(h.at, b.units)
		logs, err := b.logs(h, choices)
		if err != nil {
			return nil, err
		}
		for i, c := range choices {
			if log := h.log + logs[i]; log >= math.Log(b.Least) {
				out = append(out, hypothesis{append(slices.Clip(h.answer), c.token), c.to, log, h.past, nil})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b hypothesis) int { return cmp.Compare(b.log, a.log) })
	return out, nil
}

// logs are the logarithms of the choices' probabilities.
func (b *beam) logs(h hypothesis, choices []choice) ([]float64, error) {
	tokens := make([]int, len(choices))
	for i, c := range choices {
		tokens[i] = int(c.token)
	}
	logits := b.model.LogitsOf(h.x, tokens)
	logs := make([]float64, len(logits))
	for i, l := range logits {
		logs[i] = float64(l)
	}
	first := len(h.answer) == 0
	if first {
		for i := range logs {
			logs[i] += b.Lean[b.Vocabulary.Ops[choices[i].to.op].Name]
		}
	}
	if err := normalise(logs); err != nil {
		return nil, err
	}
	if first {
		for i := range logs {
			b.heard.Ops[b.Vocabulary.Ops[choices[i].to.op].Name] = math.Exp(logs[i])
		}
	}
	return logs, nil
}

// normalise subtracts the logarithm of the sum of exponentials.
func normalise(logs []float64) error {
	most, sum := slices.Max(logs), 0.0
	for _, v := range logs {
		sum += math.Exp(v - most)
	}
	all := most + math.Log(sum)
	if math.IsNaN(all) || math.IsInf(all, 0) {
		return errNotFinite
	}
	for i := range logs {
		logs[i] -= all
	}
	return nil
}

// found adds a complete answer, unless there are enough better ones.
func (b *beam) found(h hypothesis) error {
	clauses, err := b.Vocabulary.Read(h.answer, b.units)
	if err != nil {
		return fmt.Errorf("read the decoder's answer: %w", err)
	}
	r := Reading{clauses, math.Exp(h.log)}
	at, _ := slices.BinarySearchFunc(b.heard.Readings, r, func(x, y Reading) int {
		return cmp.Or(cmp.Compare(y.Probability, x.Probability), -1) // behind its equals
	})
	b.heard.Readings = slices.Insert(b.heard.Readings, at, r)
	b.heard.Readings = b.heard.Readings[:min(len(b.heard.Readings), b.Readings)]
	return nil
}

// settled reports whether no hypothesis can become one of the readings that are wanted: none
// becomes likelier by more tokens.
func (b *beam) settled() bool {
	done := b.heard.Readings
	if len(b.live) == 0 {
		return true
	}
	return len(done) > 0 && len(done) == b.Readings && done[len(done)-1].Probability >= math.Exp(b.live[0].log)
}

func ints(tokens []int32) []int {
	list := make([]int, len(tokens))
	for i, t := range tokens {
		list[i] = int(t)
	}
	return list
}
