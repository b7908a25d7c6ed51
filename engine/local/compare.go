package local

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"math"
	"unicode/utf8"

	"waferpair/engine/gguf"
	"waferpair/engine/infer"
	"waferpair/engine/token"
	"waferpair/wafer/transformer"
)

// Comparing is what Compare is asked for.
type Comparing struct {
	Text    string // "": one of its own, prose and code
	Most    int    // tokens of it; no more than the model's context are taken
	Threads int    // 0: as infer.Threads says
	Backend string // of package infer; "": the fastest
	Note    func(share float64)
}

// Compared is how far the engine's run of a text is from the float run of the same file, whose reference is the
// plain pass of package transformer: float32 weights, and no number rounded in between.
type Compared struct {
	infer.Distance

	Tokens          int
	Perplexity      float64 // of the text, in the engine's run
	FloatPerplexity float64
	Backend         string
	Integers        bool // some matrices are made of integers, so that their inputs are rounded to eight bits
}

// Within reports whether the distance is one that rounding makes.
func (c *Compared) Within() bool { return c.RMS() <= infer.MostRMS && c.KL() <= infer.MostKL }

// ownText is the text of a comparison that names none.
//
//go:embed compare.txt
var ownText string

// comparison is one run of Compare.
type comparison struct {
	Comparing
	f      *gguf.File
	config transformer.Config
	float  *transformer.Streamed
	tokens []int32
	engine *infer.Model
	state  *infer.State
	result Compared

	surprise, floatSurprise float64
}

// Compare runs a text twice: by float32 weights, layer by layer, and as answers are computed.
func Compare(ctx context.Context, path string, o Comparing) (result Compared, err error) {
	f, err := gguf.Open(path)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c := &comparison{Comparing: o, f: f}
	if err := c.prepare(); err != nil {
		return result, err
	}
	if err := c.run(ctx); err != nil {
		return result, gguf.Failed("check model file", path, err)
	}
	return c.result, nil
}

// prepare reads what both runs need. What the engine refuses is refused before the float run, which is long.
func (c *comparison) prepare() error {
	vocab, err := token.New(c.f)
	if err != nil {
		return err
	}
	if err := infer.Check(c.f); err != nil {
		return err
	}
	if c.config, err = c.f.Config(); err != nil {
		return err
	}
	most := min(c.Most, cmp.Or(c.config.ContextLength, c.Most))
	if c.tokens, err = firstTokens(vocab, cmp.Or(c.Text, ownText), most); err != nil {
		return err
	}
	if err := checkTokens(c.tokens, c.config); err != nil {
		return err
	}
	if c.float, err = transformer.NewStreamed(c.config, c.rows); err != nil {
		return err
	}
	for _, t := range c.f.Tensors {
		c.result.Integers = c.result.Integers || t.Type.HasIntegers()
	}
	c.result.Tokens, c.result.Backend = len(c.tokens), cmp.Or(c.Backend, infer.Backends()[0])
	return nil
}

// rows is transformer.Rows of the file.
func (c *comparison) rows(name string, first, rows int) ([]float32, error) {
	t, is := c.f.Tensor(name)
	if !is {
		return nil, nil
	}
	return c.f.FloatRows(t, first, rows)
}

// TokenBytes is how much of a text is looked at for each token that is wanted: few tokens have more bytes.
const TokenBytes = 64

// firstTokens returns the first tokens of a text.
func firstTokens(v *token.Vocabulary, text string, most int) ([]int32, error) {
	if n := most * TokenBytes; len(text) > n {
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n]
	}
	tokens := v.Encode(nil, text, token.Options{BOS: true})
	if tokens = tokens[:min(len(tokens), most)]; len(tokens) < 2 {
		return nil, errors.New("the text is too short to compare: give one of two tokens or more")
	}
	return tokens, nil
}

// window is how many positions have logits in memory at a time.
const window = 64

func (c *comparison) run(ctx context.Context) error {
	list := make([]int, len(c.tokens))
	for i, id := range c.tokens {
		list[i] = int(id)
	}
	// the head costs about as much as the layers that have as many numbers
	head := float64(c.config.VocabSize) * float64(c.config.EmbeddingLength)
	layers := float64(c.config.Parameters()) - head
	if !c.config.TieWordEmbeddings {
		layers -= head
	}
	streams, err := c.float.Residuals(ctx, list, func(n int) {
		c.Note(layers / (layers + head) * float64(n) / float64(c.config.BlockCount))
	})
	if err != nil {
		return err
	}
	if err := c.load(ctx); err != nil {
		return err
	}
	defer c.engine.Close()
	for from := 0; from < len(streams); from += window {
		if err := c.window(ctx, from, streams[from:min(len(streams), from+window)]); err != nil {
			return err
		}
		c.Note(1 - head/(layers+head)*max(0, 1-float64(from+window)/float64(len(streams))))
	}
	c.result.Perplexity = math.Exp(c.surprise / float64(len(c.tokens)-1))
	c.result.FloatPerplexity = math.Exp(c.floatSurprise / float64(len(c.tokens)-1))
	return nil
}

func (c *comparison) load(ctx context.Context) (err error) {
	c.engine, err = loaded(ctx, c.f, infer.Options{Threads: c.Threads, Backend: c.Backend})
	if err != nil {
		return err
	}
	if c.state, err = c.engine.NewState(len(c.tokens)); err != nil {
		c.engine.Close()
	}
	return err
}

// window compares the logits of some positions, of which it has the float run's streams.
func (c *comparison) window(ctx context.Context, from int, streams [][]float32) error {
	want, err := c.float.Logits(ctx, streams)
	if err != nil {
		return err
	}
	got, err := c.engine.Forward(ctx, c.state, c.tokens[from:from+len(streams)], infer.All)
	if err != nil {
		return err
	}
	width := c.config.VocabSize
	for i := range streams {
		g, w := got[i*width:][:width], want[i*width:][:width]
		c.result.Add(g, w)
		if next := from + i + 1; next < len(c.tokens) {
			c.surprise += infer.Surprise(g, c.tokens[next])
			c.floatSurprise += infer.Surprise(w, c.tokens[next])
		}
	}
	return nil
}
