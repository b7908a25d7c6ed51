package transformer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The parameters of a shape have the same names in their two sources: the metadata of a
// GGUF file (ConfigOf), and a JSON object written by hand, with or without the architecture
// before a name ("llama.block_count"):
//
//	{"block_count": 24, "embedding_length": 896, "attention.head_count": 14,
//	 "attention.head_count_kv": 2, "feed_forward_length": 4864,
//	 "vocab_size": 151936, "bits_per_weight": 16}
//
// JSON has three names that are not keys of GGUF, because a file shows them otherwise:
// tie_word_embeddings, bits_per_weight, expert_bits_per_weight.

// field is the place of a parameter in the shape.
type field struct {
	whole *int
	real  *float64
	yes   *bool
	text  *string
	must  bool
	own   bool // not a key of GGUF
}

func fieldsOf(c *Config, expertWidth *int) map[string]field {
	s := &c.Rope.Scaling
	return map[string]field{
		"general.name":                         {text: &c.Name},
		"general.architecture":                 {text: &c.Architecture},
		"block_count":                          {whole: &c.BlockCount, must: true},
		"context_length":                       {whole: &c.ContextLength},
		"embedding_length":                     {whole: &c.EmbeddingLength, must: true},
		"feed_forward_length":                  {whole: &c.FeedForwardLength, must: true},
		"vocab_size":                           {whole: &c.VocabSize, must: true},
		"attention.head_count":                 {whole: &c.HeadCount, must: true},
		"attention.head_count_kv":              {whole: &c.HeadCountKV},
		"attention.key_length":                 {whole: &c.KeyLength},
		"attention.layer_norm_rms_epsilon":     {real: &c.RMSEpsilon},
		"attention.sliding_window":             {whole: &c.SlidingWindow},
		"rope.freq_base":                       {real: &c.Rope.FreqBase},
		"rope.scale_linear":                    {real: &s.Factor}, // an older name of the factor, which is set later
		"rope.scaling.type":                    {text: &s.Type},
		"rope.scaling.factor":                  {real: &s.Factor},
		"rope.scaling.original_context_length": {whole: &s.OriginalContextLength},
		"rope.scaling.attn_factor":             {real: &s.AttnFactor},
		"rope.scaling.yarn_ext_factor":         {real: &s.ExtFactor},
		"rope.scaling.yarn_beta_fast":          {real: &s.BetaFast},
		"rope.scaling.yarn_beta_slow":          {real: &s.BetaSlow},
		"expert_count":                         {whole: &c.ExpertCount},
		"expert_used_count":                    {whole: &c.ExpertUsedCount},
		"expert_feed_forward_length":           {whole: expertWidth},
		"tie_word_embeddings":                  {yes: &c.TieWordEmbeddings, own: true},
		"bits_per_weight":                      {real: &c.BitsPerWeight, own: true},
		"expert_bits_per_weight":               {real: &c.ExpertBits, own: true},
	}
}

// Defaults returns the shape of an architecture before its parameters are known.
func Defaults(architecture string) Config {
	return Config{BitsPerWeight: 16, RMSEpsilon: 1e-5, Rope: Rope{FreqBase: 10000}}.of(architecture)
}

// LoadConfig reads a file of parameters in JSON.
func LoadConfig(path string) (Config, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // reading a pipe would block
		return Config{},
			fmt.Errorf("read model parameters from %s: it is not a regular file; give the path of a file of JSON", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return Config{}, fmt.Errorf("read model parameters: %w", err)
	}
	defer file.Close()
	c, err := ReadConfig(file, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	if err != nil {
		return Config{}, fmt.Errorf("read model parameters from %s: %w", path, err)
	}
	return c, nil
}

// notParameters explains why data is not a JSON object, and where.
func notParameters(err error) error {
	var at *json.SyntaxError
	switch {
	case errors.As(err, &at):
		return fmt.Errorf("not a JSON object of parameters: byte %d is wrong", at.Offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("not a JSON object of parameters: it ends too early")
	case errors.As(err, new(*json.UnmarshalTypeError)):
		return errors.New("not a JSON object of parameters: it is something else")
	}
	return err
}

// ReadConfig reads parameters in JSON; name is the model's name if they have none. Unknown
// keys are errors: a misspelt one would otherwise place another model than the intended
// one.
func ReadConfig(r io.Reader, name string) (Config, error) {
	values := map[string]any{}
	dec := json.NewDecoder(io.LimitReader(r, 1<<20))
	dec.UseNumber()
	if err := dec.Decode(&values); err != nil {
		return Config{}, notParameters(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Config{}, errors.New("there is more after the JSON object")
	}
	c, expertWidth := Defaults(""), 0
	c.Name = name
	p := reading{fields: fieldsOf(&c, &expertWidth), seen: map[string]bool{}}
	var prefixes []string // of keys that repeat the size of a head
	for _, key := range sorted(values) {
		short, ok := p.find(key)
		if !ok && slices.Contains(headSizes, short) {
			prefixes = append(prefixes, strings.TrimSuffix(key, short))
			continue
		}
		if !ok {
			return Config{}, fmt.Errorf("no parameter is called %q; known are %s", key, strings.Join(sorted(p.fields), ", "))
		}
		if err := p.set(short, key, values[key]); err != nil {
			return Config{}, err
		}
		if prefix := strings.TrimSuffix(key, short); prefix != "" && c.Architecture == "" {
			c.Architecture = strings.TrimSuffix(prefix, ".")
		}
	}
	for _, prefix := range prefixes {
		if err := otherHeads(values, prefix, &c); err != nil {
			return Config{}, err
		}
	}
	return p.complete(c.of(c.Architecture), expertWidth)
}

// ConfigOf returns the shape in the metadata of a GGUF file, whose values are Go's numbers,
// strings, bools and []float64. vocabulary is the number of rows of its token_embd, for
// files without vocab_size. The caller adds the properties that only the tensors show.
func ConfigOf(metadata map[string]any, vocabulary int) (Config, error) {
	c, expertWidth := Defaults(""), 0
	p := reading{fields: fieldsOf(&c, &expertWidth), seen: map[string]bool{}}
	architecture, ok := metadata["general.architecture"].(string)
	if !ok || architecture == "" {
		return Config{}, errors.New("the file has no general.architecture: it is not the file of a model")
	}
	c.VocabSize, p.seen["vocab_size"] = vocabulary, true
	for _, short := range sorted(p.fields) {
		if p.fields[short].own {
			continue
		}
		key := short
		if !strings.HasPrefix(key, "general.") {
			key = architecture + "." + key
		}
		if v, ok := metadata[key]; ok && short != "vocab_size" {
			if err := p.set(short, key, v); err != nil {
				return Config{}, err
			}
		}
	}
	if err := unread(metadata, architecture, &c); err != nil {
		return Config{}, err
	}
	return p.complete(c.of(architecture), expertWidth)
}

// changing are keys that change what a model computes and that the pass does not support,
// each with the value that changes nothing, which is accepted.
var changing = map[string]float64{
	"attention.scale": 0, "attention.clamp_kqv": 0, "attention.max_alibi_bias": 0, "logit_scale": 1, "residual_scale": 1,
	"embedding_scale": 1, "attn_logit_softcapping": 0, "final_logit_softcapping": 0, "rope.scaling.yarn_log_multiplier": 0,
	"rope.scaling.alpha": 0, "expert_shared_count": 0, "nextn_predict_layers": 0,
}

// unread refuses a file with a property of its pass that is not supported.
func unread(metadata map[string]any, architecture string, c *Config) error {
	for _, short := range sorted(changing) {
		key := architecture + "." + short
		v, ok := metadata[key]
		if n, isNumber := number(v); ok && (!isNumber || n != changing[short] && n != 0) {
			return fmt.Errorf("%s is %v: this pass does not know it, and would compute another model", key, v)
		}
	}
	if err := otherHeads(metadata, architecture+".", c); err != nil {
		return err
	}
	if causal, ok := metadata[architecture+".attention.causal"].(bool); ok && !causal {
		return fmt.Errorf("%s.attention.causal is false: only causal models are run", architecture)
	}
	return nil
}

// headSizes are keys that repeat the size of a head.
var headSizes = []string{"attention.value_length", "rope.dimension_count"}

// otherHeads refuses values, or a rotated part of each head, with another size than the
// keys.
func otherHeads(values map[string]any, prefix string, c *Config) error {
	for _, short := range headSizes {
		v, ok := values[prefix+short]
		if n, isNumber := number(v); ok && (!isNumber || n != float64(keyLength(c))) {
			return fmt.Errorf("%s is %v and the heads are of %d: only models where they are equal are run",
				prefix+short, v, keyLength(c))
		}
	}
	return nil
}

func keyLength(c *Config) int {
	if c.KeyLength == 0 && c.HeadCount > 0 {
		return c.EmbeddingLength / c.HeadCount
	}
	return c.KeyLength
}

// reading is the state of reading parameters into a shape.
type reading struct {
	fields map[string]field
	seen   map[string]bool
}

// find looks a key up as it is, and without the architecture before it.
func (p *reading) find(key string) (short string, ok bool) {
	if _, ok := p.fields[key]; ok || slices.Contains(headSizes, key) {
		return key, ok
	}
	_, short, _ = strings.Cut(key, ".")
	_, ok = p.fields[short]
	return short, ok
}

func (p *reading) set(short, key string, v any) error {
	if p.seen[short] {
		return fmt.Errorf("%s is there twice", short)
	}
	if err := p.fields[short].set(v); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	p.seen[short] = true
	return nil
}

// complete sets the parameters that were left out, and checks the shape.
func (p *reading) complete(c Config, expertWidth int) (Config, error) {
	var missing []string
	for _, name := range sorted(p.fields) {
		if p.fields[name].must && !p.seen[name] {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return Config{}, fmt.Errorf("%s missing", strings.Join(missing, ", "))
	}
	if c.HeadCountKV == 0 && !p.seen["attention.head_count_kv"] {
		c.HeadCountKV = c.HeadCount
	}
	if !p.seen["attention.key_length"] {
		if c.HeadCount < 1 || c.EmbeddingLength%c.HeadCount != 0 {
			return Config{}, fmt.Errorf("%d heads do not divide the width %d: give attention.key_length", c.HeadCount,
				c.EmbeddingLength)
		}
		c.KeyLength = c.EmbeddingLength / c.HeadCount
	}
	if expertWidth != 0 {
		c.FeedForwardLength = expertWidth
	}
	return c, c.Check()
}

// mostWhole is the largest whole number that is read; no size of a model comes near it.
const mostWhole = 1e9

func (f field) set(v any) error {
	var ok bool
	switch {
	case f.text != nil:
		*f.text, ok = v.(string)
		return wrongType(ok, "text")
	case f.yes != nil:
		*f.yes, ok = v.(bool)
		return wrongType(ok, "true or false")
	}
	n, ok := number(v)
	if f.real != nil {
		*f.real = n
		return wrongType(ok, "a number")
	}
	if _, list := v.([]float64); list && !ok {
		return errors.New("it differs between layers; only models whose layers are alike are known")
	}
	if !ok || n != math.Trunc(n) {
		return fmt.Errorf("%s is not a whole number", shown(v))
	}
	if math.Abs(n) > mostWhole {
		return fmt.Errorf("%s is too large: numbers up to %.0f are read", shown(v), mostWhole)
	}
	*f.whole = int(n)
	return nil
}

func wrongType(ok bool, want string) error {
	if !ok {
		return fmt.Errorf("it has to be %s", want)
	}
	return nil
}

// number returns a value as a number. A list with one value per layer counts if all are
// equal.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case json.Number:
		n, err := v.Float64()
		return n, err == nil
	case float64:
		return v, true
	case float32:
		return float64(v), true
	case uint8:
		return float64(v), true
	case int8:
		return float64(v), true
	case uint16:
		return float64(v), true
	case int16:
		return float64(v), true
	case uint32:
		return float64(v), true
	case int32:
		return float64(v), true
	case uint64:
		return float64(v), true
	case int64:
		return float64(v), true
	case []float64:
		if len(v) > 0 && !slices.ContainsFunc(v, func(n float64) bool { return n != v[0] }) {
			return v[0], true
		}
	}
	return 0, false
}

// shown formats a value for an error.
func shown(v any) string {
	if text, err := json.Marshal(v); err == nil && len(text) < 100 {
		return string(text)
	}
	return "the value"
}

func sorted[T any](m map[string]T) []string {
	var list []string
	for name := range m {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
