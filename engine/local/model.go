package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"waferpair/engine/chat"
	"waferpair/engine/draft"
	"waferpair/engine/gguf"
	"waferpair/engine/infer"
	"waferpair/engine/infer/cache"
	"waferpair/engine/model"
	"waferpair/engine/sample"
	"waferpair/engine/token"
	"waferpair/wafer"
	"waferpair/wafer/transformer"
)

// Model answers with the model in a file.
type Model struct {
	path  string
	stamp stamp
	shelf *Shelf

	template string
	info     model.Info
	config   transformer.Config
	form     chat.Form

	placing    sync.Once // sets the counter: see Wafer
	counter    *wafer.Counter
	counterErr error

	once  sync.Once // vocabulary for counting, without the weights
	vocab *token.Vocabulary
}

// Opener opens a model file by name: gguf:FILE.
func (s *Shelf) Opener() model.Opener {
	return model.Opener{Prefix: "gguf:", Rest: "FILE", Help: "a model file, run on this computer",
		Open: func(path string) (model.Model, error) { return s.Open("gguf:"+path, path, "") }}
}

// Open opens a model file under a name: its header is read, and what is wrong with it is the error. As
// long as the file is the same, so is the Model. template names the form of its chats (chat.Named); empty is
// that of the file's own template.
func (s *Shelf) Open(name, path, template string) (*Model, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open the model %s: %w", name, err)
	}
	now, err := stampOf(path)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.open[name]; m != nil && m.path == path && m.template == template && m.stamp.same(now) {
		return m, nil
	}
	m := &Model{path: path, shelf: s, stamp: now, template: template}
	if err := m.describe(name); err != nil {
		return nil, err
	}
	if s.open == nil {
		s.open = map[string]*Model{}
	}
	s.open[name] = m
	return m, nil
}

// describe reads the file's header.
func (m *Model) describe(name string) (err error) {
	f, err := gguf.Open(m.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	config, err := f.Config()
	if err == nil {
		err = config.Runnable()
	}
	if err != nil {
		return gguf.Failed("open model file", m.path, err)
	}
	if m.template != "" {
		m.form, err = chat.Named(m.template)
	} else {
		own, _ := f.Metadata["tokenizer.chat_template"].(string)
		m.form, err = chat.Find(own)
	}
	if err != nil {
		return gguf.Failed("open model file", m.path, err)
	}
	m.config = config
	m.info = model.Info{Name: name, Kind: "local", Offline: true, Language: true, GoesOn: true, Context: contextOf(config),
		Help: fmt.Sprintf("%s, on this computer", filepath.Base(m.path))}
	return nil
}

// mostContext bounds prompts to what a processor reads in minutes.
const mostContext = 32_768

// contextOf returns how many tokens a sequence may have: what the model was trained for, and not more
// than mostContext and what a quarter of the memory holds of keys and values, two bytes each.
func contextOf(c transformer.Config) int {
	each := int64(2*2*c.BlockCount) * int64(c.KVWidth())
	room := int(min(Installed()/4/max(1, each), mostContext))
	return min(cmp.Or(c.ContextLength, room), room)
}

// Check returns why the model could not answer: what its vocabulary or its tensors lack. It reads no weights.
func (m *Model) Check() (err error) {
	f, err := gguf.Open(m.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	v, err := token.New(f)
	if err != nil {
		return err
	}
	c, err := f.Config()
	if err == nil {
		err = fits(v, c)
	}
	if err != nil {
		return gguf.Failed("check model file", m.path, err)
	}
	rendered, err := m.form.Render([]model.Item{model.User("hello"), model.Assistant("hello"), model.User("hello")}, nil,
		chat.Options{})
	if err == nil {
		_, err = encode(context.Background(), v, rendered.Segments)
	}
	if err != nil {
		return gguf.Failed("check model file", m.path, err)
	}
	return infer.Check(f)
}

// fits returns an error if a vocabulary has tokens that the model has no numbers for.
func fits(v *token.Vocabulary, c transformer.Config) error {
	if v.Size() > c.VocabSize {
		return fmt.Errorf("its vocabulary has %d tokens, and its table of embeddings %d: the file is damaged, get it again",
			v.Size(), c.VocabSize)
	}
	return nil
}

// Info describes the model.
func (m *Model) Info() model.Info { return m.info }

// Connect begins to load the model, ahead of a request. It implements model.Connecter.
func (m *Model) Connect() {
	now, err := stampOf(m.path)
	if err != nil {
		return // the request says it
	}
	w := m.shelf.reserve(m.path, now)
	go func() {
		<-w.ready
		m.shelf.give(w)
	}()
}

// Count counts the tokens of a prompt's texts. It implements model.Counter.
func (m *Model) Count(p model.Prompt) (int, bool) {
	m.once.Do(m.readVocabulary)
	if m.vocab == nil {
		n := 0
		for _, i := range p.Items {
			n += len(i.Text()) / 3
		}
		return n, false
	}
	rendered, err := m.form.Render(p.Items, p.Tools, chat.Options{})
	if err != nil {
		return 0, false
	}
	tokens, err := encode(context.Background(), m.vocab, rendered.Segments)
	return len(tokens), err == nil
}

func (m *Model) readVocabulary() {
	f, err := gguf.Open(m.path)
	if err != nil {
		return // the turn says it
	}
	m.vocab, err = token.New(f)
	if errors.Join(err, f.Close()) != nil {
		m.vocab = nil
	}
}

// encode returns the tokens of a prompt. Each control segment is a token: spelled out it would be text.
func encode(ctx context.Context, v *token.Vocabulary, segments []chat.Segment) ([]int32, error) {
	var out []int32
	for i, s := range segments {
		if s.Control {
			if _, is := v.Special(s.Text); !is {
				return nil, fmt.Errorf("its chat template has the marker %s, and its vocabulary has no such token: "+
					"take another file of the model", s.Text)
			}
		}
		out = v.Encode(out, s.Text, token.Options{Special: s.Control, BOS: i == 0, Joined: i > 0, Stop: isOver(ctx)})
	}
	return out, ctx.Err()
}

// isOver reports whether a context has ended.
func isOver(ctx context.Context) func() bool { return func() bool { return ctx.Err() != nil } }

// Generate answers a prompt. It implements model.Model.
func (m *Model) Generate(ctx context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	a := m.answer(yield)
	err := a.run(ctx, p)
	return a.result, err
}

func (m *Model) answer(yield func(model.Delta) error) *answer {
	return &answer{model: m, yield: yield, result: model.Result{Stop: model.StopCut,
		Timing: map[model.Phase]time.Duration{}}}
}

// answer is one answer.
type answer struct {
	model  *Model
	yield  func(model.Delta) error
	result model.Result

	parser  parser
	stops   *sample.Stops
	stream  *token.Stream
	vocab   *token.Vocabulary
	ends    map[int32]bool
	pending int        // tokens whose text is held back
	open    model.Kind // of the item that is open
	called  bool
	loop    loop
}

// parser makes deltas of an answer's text; chat.Parser is one.
type parser interface {
	Add(text string) []model.Delta
	End() []model.Delta
}

func (a *answer) run(ctx context.Context, p model.Prompt) error {
	rendered, err := a.model.form.Render(p.Items, p.Tools, chat.Options{NoThought: p.Options.Effort == "none"})
	if err != nil {
		return err
	}
	sampler, err := samplerOf(p.Options)
	if err != nil {
		return err
	}
	w, err := a.load(ctx)
	if err != nil {
		return err
	}
	defer a.model.shelf.give(w)
	tokens, err := encode(ctx, w.vocab, rendered.Segments)
	if err != nil {
		return fmt.Errorf("read the prompt with %s: %w", a.model.info.Name, err)
	}
	calls := 0
	a.begin(w.vocab, rendered.Parser(func() string {
		calls++
		return fmt.Sprintf("call_%d_%d", time.Now().UnixNano(), calls)
	}), rendered.Ends, p.Options.Stop)
	return a.from(ctx, w, tokens, sampler, p.Options.MaxTokens)
}

// load returns the weights, which the caller gives back.
func (a *answer) load(ctx context.Context) (*weights, error) {
	began := time.Now()
	w, err := a.model.shelf.take(ctx, a.model.path, func(done, total int64) error {
		return a.yield(model.Progress{Phase: model.Load, Done: done, Total: total})
	})
	a.result.Timing[model.Load] = time.Since(began)
	return w, err
}

// from reads the prompt and writes the answer: at most so many tokens, unless that is 0.
func (a *answer) from(ctx context.Context, w *weights, tokens []int32, sampler *sample.Sampler, most int) error {
	if room := a.model.info.Context - len(tokens); room < 1 {
		return fmt.Errorf("read the prompt: it has %d tokens, and %s has room for %d; take files or earlier turns out of it",
			len(tokens), a.model.info.Name, a.model.info.Context)
	}
	began := time.Now()
	seq, err := w.sequence(tokens)
	if err != nil {
		return err
	}
	defer w.keep(seq)
	seq.passed = model.PassesOf(ctx)
	a.result.Usage.Input, a.result.Usage.Cached = len(tokens), len(seq.tokens)
	logits, err := seq.read(ctx, w.model, tokens, func(done int) error {
		return a.yield(model.Progress{Phase: model.Prefill, Done: int64(done), Total: int64(len(tokens))})
	})
	if err != nil {
		return err
	}
	a.result.Timing[model.Prefill] = time.Since(began)
	if err := w.kept.KeepSoFar(cache.Sequence{Tokens: seq.tokens, State: seq.state}); err != nil {
		return err
	}
	out := &writer{model: w.model, seq: seq, sampler: sampler, guesses: &draft.Lookup{}}
	out.guesses.Add(tokens...)
	if out.most = most; out.most == 0 {
		out.most = -1
	}
	began = time.Now()
	full, err := out.write(ctx, logits, a.say)
	a.result.Timing[model.Decode] = time.Since(began)
	a.result.Usage.Drafted, a.result.Usage.Accepted = out.drafted, out.accepted
	if err != nil {
		return err
	}
	return a.end(full)
}

func samplerOf(o model.Options) (*sample.Sampler, error) {
	var of sample.Options
	if o.Temperature != nil {
		of.Temperature = *o.Temperature
	}
	if o.TopP != nil {
		of.TopP = *o.TopP
	}
	if o.Seed != nil {
		of.Seed = uint64(*o.Seed)
	}
	of.Logprobs = o.Logprobs
	if of.Temperature > 0 && of.TopP == 0 {
		of.TopK, of.TopP = 40, 0.95
	}
	return sample.New(of)
}

// begin prepares what takes the answer's tokens. ends are the names of those that end it, besides the vocabulary's.
func (a *answer) begin(v *token.Vocabulary, p parser, ends, stops []string) {
	a.vocab, a.parser, a.stream, a.stops = v, p, v.NewStream(), sample.NewStops(stops)
	a.stream.Names = true // calls begin with some
	a.ends = map[int32]bool{}
	for _, name := range ends {
		if id, is := v.Special(name); is {
			a.ends[id] = true
		}
	}
}

// say passes a token on.
func (a *answer) say(c sample.Choice) (end bool, err error) {
	a.result.Usage.Output++
	if a.ends[c.ID] || a.vocab.Ends(c.ID) {
		return true, nil
	}
	if a.loop.add(c.ID) {
		return false, errLoop
	}
	a.pending++
	text, stopped := a.stops.Add(a.stream.Add(c.ID))
	return stopped, a.pass(a.parser.Add(text))
}

// pass yields deltas; the first text of them has the tokens.
func (a *answer) pass(deltas []model.Delta) error {
	for _, d := range deltas {
		switch of := d.(type) {
		case model.Begin:
			a.open = of.Item.Kind
			a.called = a.called || of.Item.Kind.IsCall()
		case model.Text:
			if of.Tokens, a.pending = a.pending, 0; a.open == model.Reasoning {
				a.result.Usage.Reasoning += of.Tokens
			}
			d = of
		}
		if err := a.yield(d); err != nil {
			return err
		}
	}
	return nil
}

// end yields what was held back. An answer that reached a limit is open: it can be continued.
func (a *answer) end(full bool) error {
	if full {
		a.result.Stop = model.StopLength
	}
	rest := a.stops.End() + a.stream.End()
	if err := a.pass(a.parser.Add(rest)); err != nil {
		return err
	}
	if full {
		return nil
	}
	if err := a.pass(a.parser.End()); err != nil {
		return err
	}
	if a.result.Stop = model.StopEnd; a.called {
		a.result.Stop = model.StopTools
	}
	return nil
}
