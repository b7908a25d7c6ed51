package gguf

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"waferpair/engine/quant"
	"waferpair/wafer/transformer"
)

var quantF32, _ = quant.ByNumber(quant.F32)

// llama.cpp is the oracle: it computed the logits in testdata/oracle, of tiny models with
// random weights, and wrote the files of types other than F32. 'make oracle' computes them
// again: it installs llama.cpp, and sets ORACLE to the program that asks it. Every answer
// is new then, and is compared before it is stored.
const oracleFolder = "testdata/oracle"

// trial is a model and a sequence of tokens.
type trial struct {
	name   string
	config transformer.Config
	more   transformer.Weights // in addition to random ones
	tokens int
	kept   int // logits of the last positions that are stored; 0: of all
}

// tiny returns a shape of a family whose rows are whole blocks of Q8_0.
func tiny(architecture string, change func(c *transformer.Config)) transformer.Config {
	c := transformer.Defaults(architecture)
	c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize, c.ContextLength = 2, 64, 96, 64, 64
	c.HeadCount, c.HeadCountKV, c.KeyLength = 4, 2, 16
	if architecture == "qwen3" {
		c.KeyLength = 32 // a head need not be a part of the width
	}
	if change != nil {
		change(&c)
	}
	return c
}

func scaled(s transformer.Scaling) func(c *transformer.Config) {
	return func(c *transformer.Config) { c.Rope.Scaling = s }
}

// trials returns each family with each of its features. Every trial differs from the one
// before it by the feature in its name.
func trials() []trial {
	freqs := transformer.Weights{"rope_freqs.weight": {Rows: 1, Cols: 8, Data: []float32{1, 1, 1.25, 2, 3.5, 6, 8, 8}}}
	yarn := transformer.Scaling{Type: transformer.Yarn, Factor: 4, OriginalContextLength: 16}
	sharp := transformer.Scaling{Type: transformer.Yarn, Factor: 8, OriginalContextLength: 512, AttnFactor: 0.75,
		ExtFactor: 0.5, BetaFast: 8, BetaSlow: 0.5}
	tied := func(c *transformer.Config) { c.TieWordEmbeddings = true }
	list := []trial{
		{name: "llama", config: tiny("llama", nil)},
		{name: "llama-epsilon", config: tiny("llama", func(c *transformer.Config) { c.RMSEpsilon = 0.25 })},
		{name: "llama-base", config: tiny("llama", func(c *transformer.Config) { c.Rope.FreqBase = 500 })},
		{name: "llama-heads", config: tiny("llama", func(c *transformer.Config) { c.HeadCountKV = 4 })},
		{name: "llama-one-kv-head", config: tiny("llama", func(c *transformer.Config) { c.HeadCountKV = 1 })},
		{name: "llama-key-length", config: tiny("llama", func(c *transformer.Config) { c.KeyLength = 8 })},
		{name: "llama-tied", config: tiny("llama", tied)},
		{name: "llama-bias", config: tiny("llama", func(c *transformer.Config) { c.QKVBias = true })},
		{name: "llama-freqs", config: tiny("llama", nil), more: freqs},
		{name: "llama-linear", config: tiny("llama", scaled(transformer.Scaling{Type: transformer.Linear, Factor: 4}))},
		{name: "llama-none", config: tiny("llama", scaled(transformer.Scaling{Type: transformer.NoScaling, Factor: 4}))},
		{name: "llama-yarn", config: tiny("llama", scaled(yarn))},
		{name: "llama-yarn-freqs", config: tiny("llama", scaled(yarn)), more: freqs},
		{name: "llama-yarn-sharp", config: tiny("llama", scaled(sharp))},
		{name: "llama-window", config: tiny("llama", func(c *transformer.Config) { c.SlidingWindow = 7 })},
		{name: "llama-depth", config: tiny("llama", nil), tokens: 300, kept: 4},
		{name: "qwen2", config: tiny("qwen2", nil)},
		{name: "qwen2-no-bias", config: tiny("qwen2", func(c *transformer.Config) { c.QKVBias = false })},
		{name: "qwen2-tied", config: tiny("qwen2", tied)},
		{name: "qwen2-yarn", config: tiny("qwen2", scaled(yarn))},
		{name: "qwen2-linear", config: tiny("qwen2", scaled(transformer.Scaling{Type: transformer.Linear, Factor: 4}))},
		{name: "qwen2-window", config: tiny("qwen2", func(c *transformer.Config) { c.SlidingWindow = 5 })},
		{name: "qwen2-depth", config: tiny("qwen2", nil), tokens: 300, kept: 4},
		{name: "qwen3", config: tiny("qwen3", nil)},
		{name: "qwen3-tied", config: tiny("qwen3", tied)},
		{name: "qwen3-yarn", config: tiny("qwen3", scaled(sharp))},
		{name: "qwen3-window", config: tiny("qwen3", func(c *transformer.Config) { c.SlidingWindow = 6 })},
		{name: "qwen3-depth", config: tiny("qwen3", nil), tokens: 300, kept: 4},
	}
	for i := range list {
		if t := &list[i]; t.tokens == 0 {
			t.tokens = 20
		}
	}
	return list
}

func (c trial) weights() transformer.Weights {
	w := transformer.Random(c.config, 11)
	for name, t := range c.more {
		w[name] = t
	}
	return w
}

// sequence returns n tokens without an order.
func sequence(n, vocabulary int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = (i*i*7 + i*31 + 3) % vocabulary
	}
	return list
}

// passed returns the plain pass's logits of all positions.
func passed(t *testing.T, c transformer.Config, w transformer.Weights, tokens []int) (all []float32) {
	t.Helper()
	m, err := transformer.New(c, w, transformer.Float32)
	if err != nil {
		t.Fatal(err)
	}
	s := m.NewState()
	for _, token := range tokens {
		logits, err := m.Step(s, token)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, logits...)
	}
	return all
}

// TestOracleFeatures checks that the logits of every family and feature equal llama.cpp's,
// up to the error of its float32.
func TestOracleFeatures(t *testing.T) {
	for _, c := range trials() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, tokens := c.weights(), sequence(c.tokens, c.config.VocabSize)
			kept := c.kept
			if kept == 0 {
				kept = c.tokens
			}
			path := filepath.Join(oracleFolder, c.name+".logits")
			if llama := oracle(t); llama != nil {
				llama.yarn = c.config.Rope.Scaling
				all := llama.logits(c.file(t, w), tokens, c.config.SlidingWindow)
				keepLogits(t, path, all[(c.tokens-kept)*c.config.VocabSize:])
			}
			got := passed(t, c.config, w, tokens)
			near(t, got[(c.tokens-kept)*c.config.VocabSize:], readLogits(t, path))
		})
	}
}

// TestOracleFeaturesShow checks that every feature changes the logits, so that a pass
// without it would fail. Only the scaling "none" changes nothing.
func TestOracleFeaturesShow(t *testing.T) {
	for _, c := range trials() {
		if c.kept != 0 || c.name == c.config.Architecture {
			continue
		}
		plain := readLogits(t, filepath.Join(oracleFolder, c.config.Architecture+".logits"))
		off, _ := distance(readLogits(t, filepath.Join(oracleFolder, c.name+".logits")), plain)
		if c.name == "llama-none" != (off == 0) || off != 0 && off < 1e-2 {
			t.Errorf("%s is %.2g from %s", c.name, off, c.config.Architecture)
		}
	}
}

// file writes the trial's model as F32. It omits the window: llama.cpp does not read it in
// these families, and gets a cache without the rest instead.
func (c trial) file(t *testing.T, w transformer.Weights) string {
	t.Helper()
	config := c.config
	config.SlidingWindow = 0
	return modelFile(t, config, w)
}

func modelFile(t *testing.T, c transformer.Config, w transformer.Weights) string {
	t.Helper()
	pairs, tensors := Sources(c, w, F32)
	pairs = append(pairs, Pair{"tokenizer.ggml.model", "none"})
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := os.WriteFile(path, written(t, pairs, tensors), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOracleTypes reads files that llama.cpp wrote, of each type: their bytes must be those
// that Encode makes of the same numbers, and their logits those of the same file widened to
// F32 by llama.cpp.
func TestOracleTypes(t *testing.T) {
	for architecture, change := range map[string]func(c *transformer.Config){"llama": nil, "qwen2": nil,
		"qwen3": func(c *transformer.Config) { c.KeyLength = 32 }} {
		c := tiny(architecture, func(c *transformer.Config) {
			c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = 1, 32, 32, 32
			c.HeadCount, c.HeadCountKV, c.KeyLength = 2, 1, 16
			if change != nil {
				change(c)
			}
		})
		w := unroundedWeights(c)
		for _, kind := range []Type{F16, BF16, Q8_0} {
			t.Run(fmt.Sprintf("%s %s", architecture, kind), func(t *testing.T) {
				name := filepath.Join(oracleFolder, fmt.Sprintf("%s-%s", architecture, kind))
				tokens := sequence(12, c.VocabSize)
				if llama := oracle(t); llama != nil {
					stored := llama.stored(modelFile(t, c, w), map[Type]int{F16: 1, BF16: 32, Q8_0: 7}[kind])
					b, err := os.ReadFile(stored)
					if err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(name+".gguf", b, 0o600); err != nil {
						t.Fatal(err)
					}
					keepLogits(t, name+".logits", llama.logits(llama.stored(stored, 0), tokens, 0))
				}
				sameBytes(t, name+".gguf", w, kind)
				config, weights, err := Load(name + ".gguf")
				if err != nil {
					t.Fatal(err)
				}
				near(t, passed(t, config, weights, tokens), readLogits(t, name+".logits"))
			})
		}
	}
}

// blocksFolder has blocks that llama.cpp wrote, and the numbers that it reads from them.
const blocksFolder = "../quant/testdata"

// TestOracleBlocks checks that the numbers of every type are, bit for bit, those that
// llama.cpp reads, and keeps some for the tests of engine/quant. Of types with blocks of 32
// the bytes are compared with those of Encode, too.
func TestOracleBlocks(t *testing.T) {
	llama := oracle(t)
	if llama == nil {
		t.Skip("ORACLE is not set: 'make oracle' asks llama.cpp")
	}
	c := tiny("llama", func(c *transformer.Config) {
		c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = 2, 256, 512, 64
		c.HeadCount, c.HeadCountKV, c.KeyLength = 4, 2, 64
	})
	w := unroundedWeights(c)
	seen := map[Type]bool{}
	for _, llamaType := range []int{0, 1, 32, 2, 8, 9, 7, 15, 17, 18} {
		stored := llama.stored(modelFile(t, c, w), llamaType)
		raw, numbers := opened(t, stored), opened(t, llama.stored(stored, 0))
		for _, tensor := range raw.Tensors {
			b, want := make([]byte, tensor.Bytes), numbersOf(t, numbers, tensor.Name)
			if _, err := raw.Raw(tensor).ReadAt(b, 0); err != nil {
				t.Fatal(err)
			}
			if got := numbersOf(t, raw, tensor.Name); !slices.Equal(got, want) {
				t.Errorf("%s of type %s: other numbers than llama.cpp's", tensor.Name, tensor.Type)
			}
			if source, ok := w[tensor.Name]; ok && blocks[tensor.Type].numbers < 256 {
				if got, err := Encode(tensor.Type, source.Data); err != nil || !bytes.Equal(got, b) {
					t.Errorf("%s of type %s: other bytes than llama.cpp's (%v)", tensor.Name, tensor.Type, err)
				}
			}
			if !seen[tensor.Type] {
				seen[tensor.Type] = true
				keepBlocks(t, tensor.Type, b, want)
			}
		}
	}
	if len(seen) != 10 {
		t.Errorf("%d types: %v", len(seen), seen)
	}
}

// keepBlocks keeps the bytes of 256 numbers, and the numbers.
func keepBlocks(t *testing.T, kind Type, raw []byte, numbers []float32) {
	t.Helper()
	b := blocks[kind]
	raw = raw[:256/b.numbers*b.bytes]
	keepLogits(t, filepath.Join(blocksFolder, kind.String()+".numbers"), numbers[:256])
	if err := os.WriteFile(filepath.Join(blocksFolder, kind.String()+".blocks"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func opened(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func numbersOf(t *testing.T, f *File, name string) []float32 {
	t.Helper()
	tensor, ok := f.Tensor(name)
	if !ok {
		t.Fatalf("%s is missing", name)
	}
	list, err := f.Floats(tensor)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestOracleRepeater checks that llama.cpp, too, gives the known answer of the repeater
// model, at depth. (Not as Q8_0, where its products round their inputs to eight bits.)
func TestOracleRepeater(t *testing.T) {
	llama := oracle(t)
	if llama == nil {
		t.Skip("ORACLE is not set: 'make oracle' asks llama.cpp")
	}
	c, w := transformer.Repeater()
	tokens := []int{c.VocabSize - 1}
	for i := range 4096 {
		tokens = append(tokens, i*7%(c.VocabSize-1))
	}
	path := modelFile(t, c, w)
	for _, kind := range []int{0, 1} {
		out := filepath.Join(t.TempDir(), "logits")
		args := []string{"logits", llama.stored(path, kind), out, "512", "0"}
		for _, token := range tokens {
			args = append(args, strconv.Itoa(token))
		}
		llama.run(args...)
		all := readLogits(t, out)
		for p := c.VocabSize; p+1 < len(tokens); p++ {
			if got := transformer.Argmax(all[p*c.VocabSize:][:c.VocabSize]); got != tokens[p+1] {
				t.Fatalf("type %d, position %d: token %d, want %d", kind, p, got, tokens[p+1])
			}
		}
	}
}

// unroundedWeights returns random weights whose numbers no narrow type holds exactly.
func unroundedWeights(c transformer.Config) transformer.Weights {
	w := transformer.Random(c, 12)
	for _, tensor := range w {
		for i := range tensor.Data {
			tensor.Data[i] *= 1 + float32(i%97)*0x1p-20
		}
	}
	return w
}

// sameBytes compares the bytes of the file's matrices with the output of Encode.
func sameBytes(t *testing.T, path string, w transformer.Weights, kind Type) {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	matrices := 0
	for _, tensor := range f.Tensors {
		if len(tensor.Sizes) < 2 {
			continue
		}
		matrices++
		got := make([]byte, tensor.Bytes)
		if _, err := f.Raw(tensor).ReadAt(got, 0); err != nil {
			t.Fatal(err)
		}
		want, err := Encode(kind, w[tensor.Name].Data)
		if err != nil || tensor.Type != kind || !bytes.Equal(got, want) {
			t.Errorf("%s is stored as %s: other bytes than those of Encode (%v)", tensor.Name, tensor.Type, err)
		}
	}
	if matrices != 9 {
		t.Errorf("%d matrices, want 9", matrices)
	}
}

// near compares logits: relative to their size, and one by one. Float32 sums of a hundred
// terms are 1e-6 off; a wrong angle, bias or position is 1e-2 and more.
func near(t *testing.T, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d logits, want %d", len(got), len(want))
	}
	rms, most := distance(got, want)
	t.Logf("relative RMS %.2g, at most %.2g", rms, most)
	if !(rms < 2e-6) || !(most < 5e-5) {
		t.Errorf("relative RMS %.2g, at most %.2g", rms, most)
	}
}

// distance returns the root mean square of the differences, relative to that of the wanted
// numbers, and the greatest difference.
func distance(got, want []float32) (rms, most float64) {
	square, off := 0.0, 0.0
	for i := range want {
		d := float64(got[i]) - float64(want[i])
		square, off, most = square+float64(want[i])*float64(want[i]), off+d*d, max(most, math.Abs(d))
	}
	return math.Sqrt(off / square), most
}

// asked is the program that asks llama.cpp.
type asked struct {
	*testing.T
	program string
	yarn    transformer.Scaling // settings that llama.cpp does not read from the file
}

// oracle returns nil when ORACLE is not set: then the tests compare with the stored logits.
func oracle(t *testing.T) *asked {
	program := os.Getenv("ORACLE")
	if program == "" {
		return nil
	}
	return &asked{T: t, program: program}
}

func (a *asked) run(args ...string) {
	a.Helper()
	command := exec.CommandContext(a.Context(), a.program, args...)
	if s := a.yarn; s.ExtFactor != 0 {
		command.Env = append(os.Environ(), fmt.Sprintf("YARN=%v %v %v", s.ExtFactor, s.BetaFast, s.BetaSlow))
	}
	if out, err := command.CombinedOutput(); err != nil {
		a.Fatalf("%s %q: %v\n%s", a.program, args, err, out)
	}
}

// stored returns the model in the file with its matrices of another type.
func (a *asked) stored(path string, llamaType int) string {
	a.Helper()
	out := filepath.Join(a.TempDir(), "stored.gguf")
	a.run("store", path, out, strconv.Itoa(llamaType))
	return out
}

// logits returns the logits of all tokens in one batch, and of one token after the other;
// both are the same but for the order of sums.
func (a *asked) logits(path string, tokens []int, window int) []float32 {
	a.Helper()
	var all [2][]float32
	for i, batch := range []string{"0", "1"} {
		out := filepath.Join(a.TempDir(), "logits")
		args := []string{"logits", path, out, batch, strconv.Itoa(window)}
		for _, token := range tokens {
			args = append(args, strconv.Itoa(token))
		}
		a.run(args...)
		all[i] = readLogits(a.T, out)
	}
	near(a.T, all[0], all[1])
	return all[1]
}

// keep writes logits to be compared with.
func keepLogits(t *testing.T, path string, logits []float32) {
	t.Helper()
	b, err := Encode(F32, logits)
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func readLogits(t *testing.T, path string) []float32 {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	list, format := make([]float32, len(b)/4), quantF32
	format.Decode(list, b)
	return list
}
