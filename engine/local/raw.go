package local

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"waferpair/engine/draft"
	"waferpair/engine/gguf"
	"waferpair/engine/infer"
	"waferpair/engine/sample"
	"waferpair/engine/token"
	"waferpair/wafer/transformer"
)

// Raw is decoding without a conversation: the tokens behind a text.
type Raw struct {
	Text      string
	Fill      bool // the tokens between Text and After are written
	After     string
	Tokens    []int32 // instead of Text
	Most      int     // tokens to write
	Sampling  sample.Options
	IgnoreEnd bool      // tokens that end an answer are tokens like others
	Draft     string    // the text that will be like this one: guesses are taken from it, too
	Guess     bool      // false: no guesses
	Logits    io.Writer // receives the logits of all positions of the prompt: float32, little endian; nil: nobody
	Threads   int       // 0: as infer.Threads says
	Backend   string    // of package infer; "": the fastest
}

// Written is what Raw decoding gave.
type Written struct {
	Prompt            []int32
	Tokens            []int32
	Text              string
	Stop              string // length, end, full
	Load, Tokenize    time.Duration
	Prefill, First    time.Duration // First: from the start of the prompt to the first token
	Decode            time.Duration
	Drafted, Accepted int
	Backend           string // that computed: avx512, avx2, go
	Bytes             int64  // of the weights in memory
	Calls             []Call // of the model
	Config            transformer.Config
}

// Generate decodes with the model in a file. It loads the model for itself. load reports the bytes that were
// read; say gets the text as it comes.
func Generate(ctx context.Context, path string, r Raw, load func(done, total int64),
	say func(text string) error) (w Written,
	err error) {
	f, err := gguf.Open(path)
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sampler, err := sample.New(r.Sampling)
	if err != nil {
		return w, err
	}
	began := time.Now()
	vocab, err := token.New(f)
	if err != nil && (r.Tokens == nil || r.Draft != "") {
		return w, err // tokens can be continued without their texts
	}
	m, err := loaded(ctx, f, infer.Options{Threads: r.Threads, Backend: r.Backend, Progress: load})
	if err != nil {
		return w, err
	}
	defer m.Close()
	w.Load, w.Bytes, w.Backend = time.Since(began), m.Bytes(), cmp.Or(r.Backend, infer.Backends()[0])
	began = time.Now()
	if w.Prompt, err = r.prompt(ctx, vocab, m.Config()); err != nil {
		return w, err
	}
	w.Tokenize = time.Since(began)
	if err := checkTokens(w.Prompt, m.Config()); err != nil {
		return w, err
	}
	return w, w.run(ctx, m, vocab, sampler, r, say)
}

// prompt returns the tokens that are continued.
func (r Raw) prompt(ctx context.Context, v *token.Vocabulary, c transformer.Config) ([]int32, error) {
	if r.Tokens != nil {
		return r.Tokens, nil
	}
	if least := v.Least(r.Text) + v.Least(r.After); c.ContextLength > 0 && least > c.ContextLength {
		return nil, tooLong(fmt.Sprintf("at least %d", least), c)
	}
	if r.Fill {
		return fillTokens(v, r.Text, r.After, math.MaxInt)
	}
	return v.Encode(nil, r.Text, token.Options{BOS: true, Stop: isOver(ctx)}), ctx.Err()
}

// loaded loads a model. It returns with the context; what is read by then is dropped.
func loaded(ctx context.Context, f *gguf.File, o infer.Options) (*infer.Model, error) {
	type result struct {
		m   *infer.Model
		err error
	}
	done := make(chan result, 1)
	go func() {
		m, err := infer.Load(f, o)
		done <- result{m, err}
	}()
	select {
	case r := <-done:
		return r.m, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.m != nil {
				r.m.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

func tooLong(tokens string, c transformer.Config) error {
	return fmt.Errorf("the prompt has %s tokens, and the model has room for %d: give it a shorter one", tokens,
		c.ContextLength)
}

func checkTokens(ids []int32, c transformer.Config) error {
	if len(ids) == 0 {
		return errors.New("the prompt is empty: a model continues a text; give it one, or tokens")
	}
	if c.ContextLength > 0 && len(ids) > c.ContextLength {
		return tooLong(fmt.Sprint(len(ids)), c)
	}
	for _, id := range ids {
		if id < 0 || int(id) >= c.VocabSize {
			return fmt.Errorf("the model has no token %d: it has the tokens 0 to %d", id, c.VocabSize-1)
		}
	}
	return nil
}

func (w *Written) run(ctx context.Context, m *infer.Model, vocab *token.Vocabulary, sampler *sample.Sampler, r Raw,
	say func(string) error) error {
	state, err := m.NewState(0)
	if err != nil {
		return err
	}
	defer state.Close()
	seq := &sequence{state: state}
	began := time.Now()
	logits, err := w.read(ctx, m, seq, r)
	if err != nil {
		return err
	}
	w.Prefill = time.Since(began)
	out := &writer{model: m, seq: seq, sampler: sampler, most: r.Most}
	if r.Guess {
		out.guesses = &draft.Lookup{}
		if r.Draft != "" {
			out.guesses.Add(vocab.Encode(nil, r.Draft, token.Options{Stop: isOver(ctx)})...)
		}
		out.guesses.Add(w.Prompt...)
	}
	var stream *token.Stream
	if vocab != nil {
		stream = vocab.NewStream()
	}
	var first time.Time
	full, err := out.write(ctx, logits, func(c sample.Choice) (bool, error) {
		if first.IsZero() {
			first = time.Now()
		}
		if vocab != nil && !r.IgnoreEnd && vocab.Ends(c.ID) {
			return true, nil
		}
		w.Tokens = append(w.Tokens, c.ID)
		return false, w.said(stream, c.ID, say)
	})
	if !first.IsZero() {
		w.First, w.Decode = first.Sub(began), time.Since(first)
	}
	w.Drafted, w.Accepted, w.Calls, w.Config = out.drafted, out.accepted, seq.calls, m.Config()
	switch {
	case err != nil:
		return err
	case full && len(w.Tokens) < r.Most:
		w.Stop = "full"
	case full:
		w.Stop = "length"
	default:
		w.Stop = "end"
	}
	if stream == nil {
		return nil
	}
	rest := stream.End()
	w.Text += rest
	return say(rest)
}

func (w *Written) said(stream *token.Stream, id int32, say func(string) error) error {
	if stream == nil {
		return nil
	}
	text := stream.Add(id)
	w.Text += text
	return say(text)
}

// read computes the prompt, and writes the logits of all its positions where they are wanted.
func (w *Written) read(ctx context.Context, m *infer.Model, seq *sequence, r Raw) ([]float32, error) {
	if r.Logits == nil {
		return seq.read(ctx, m, w.Prompt, func(int) error { return nil })
	}
	width := m.Config().VocabSize
	var last []float32
	for len(seq.tokens) < len(w.Prompt) {
		part := w.Prompt[len(seq.tokens):]
		rows, err := seq.forward(ctx, m, part[:min(len(part), pass)], infer.All)
		if err != nil {
			return nil, err
		}
		raw := make([]byte, 4*len(rows))
		for i, x := range rows {
			binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(x))
		}
		if _, err := r.Logits.Write(raw); err != nil {
			return nil, fmt.Errorf("write the logits: %w", err)
		}
		last = rows[len(rows)-width:]
	}
	return last, nil
}

// measured are the sizes of Measure: a prompt as of a small request, and an answer.
const (
	measuredPrompt = 512
	measuredAnswer = 64
)

// Measure runs a model on tokens that mean nothing, which takes as long as on any others.
func Measure(ctx context.Context, path string, threads int, load func(done, total int64)) (Written, error) {
	f, err := gguf.Open(path)
	if err != nil {
		return Written{}, err
	}
	c, err := f.Config()
	if err = errors.Join(err, f.Close()); err != nil {
		return Written{}, err
	}
	n := measuredPrompt
	if c.ContextLength > 0 {
		n = max(1, min(n, c.ContextLength/2))
	}
	tokens := make([]int32, n)
	for i := range tokens {
		tokens[i] = int32((i*7919 + 17) % c.VocabSize)
	}
	return Generate(ctx, path, Raw{Tokens: tokens, Most: min(measuredAnswer, n), IgnoreEnd: true, Threads: threads},
		load,
		func(string) error { return nil })
}
