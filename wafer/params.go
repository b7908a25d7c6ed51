package wafer

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

// A file of parameters is a JSON object with the names that GGUF files use,
// with or without the architecture before them ("llama.block_count"):
//
//	{"block_count": 24, "embedding_length": 896, "attention.head_count": 14,
//	 "attention.head_count_kv": 2, "feed_forward_length": 4864,
//	 "vocab_size": 151936, "bits_per_weight": 16}
//
// head_count_kv, attention.key_length, expert_count, expert_used_count,
// expert_feed_forward_length, tie_word_embeddings, expert_bits_per_weight and
// general.name may be left out. Other keys are errors: a misspelt one would
// otherwise place another model than the one meant.

// field is where a parameter goes.
type field struct {
	whole *int
	real  *float64
	yes   *bool
	text  *string
	must  bool
}

// LoadModel reads a file of parameters.
func LoadModel(path string) (Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return Model{}, fmt.Errorf("read model parameters: %w", err)
	}
	defer file.Close()
	m, err := ReadModel(file, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	if err != nil {
		return Model{}, fmt.Errorf("read model parameters from %s: %w", path, err)
	}
	return m, nil
}

// ReadModel reads parameters; name is the model's, if they do not say one.
func ReadModel(r io.Reader, name string) (Model, error) {
	values := map[string]json.RawMessage{}
	dec := json.NewDecoder(io.LimitReader(r, 1<<20))
	if err := dec.Decode(&values); err != nil {
		return Model{}, fmt.Errorf("not a JSON object of parameters: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Model{}, errors.New("there is more after the JSON object")
	}
	m := Model{Name: name, BitsPerWeight: 16}
	expertWidth := 0
	fields := fieldsOf(&m, &expertWidth)
	seen := map[string]bool{}
	for key, raw := range values {
		short, f, ok := find(fields, key)
		if !ok {
			return Model{}, fmt.Errorf("no parameter is called %q; known are %s", key, strings.Join(names(fields), ", "))
		}
		if seen[short] {
			return Model{}, fmt.Errorf("%s is there twice", short)
		}
		seen[short] = true
		if err := f.set(raw); err != nil {
			return Model{}, fmt.Errorf("%s: %w", key, err)
		}
	}
	var missing []string
	for _, name := range names(fields) {
		if fields[name].must && !seen[name] {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return Model{}, fmt.Errorf("%s missing", strings.Join(missing, ", "))
	}
	if m.KVHeads == 0 && !seen["attention.head_count_kv"] {
		m.KVHeads = m.Heads
	}
	if !seen["attention.key_length"] {
		if m.Heads < 1 || m.Width%m.Heads != 0 {
			return Model{}, fmt.Errorf("%d heads do not divide the width %d: give attention.key_length", m.Heads, m.Width)
		}
		m.HeadDim = m.Width / m.Heads
	}
	if expertWidth != 0 {
		m.FeedForward = expertWidth
	}
	return m, m.Check()
}

func fieldsOf(m *Model, expertWidth *int) map[string]field {
	return map[string]field{
		"general.name":               {text: &m.Name},
		"block_count":                {whole: &m.Layers, must: true},
		"embedding_length":           {whole: &m.Width, must: true},
		"attention.head_count":       {whole: &m.Heads, must: true},
		"attention.head_count_kv":    {whole: &m.KVHeads},
		"attention.key_length":       {whole: &m.HeadDim},
		"feed_forward_length":        {whole: &m.FeedForward, must: true},
		"vocab_size":                 {whole: &m.Vocabulary, must: true},
		"expert_count":               {whole: &m.Experts},
		"expert_used_count":          {whole: &m.ActiveExperts},
		"expert_feed_forward_length": {whole: expertWidth},
		"tie_word_embeddings":        {yes: &m.Tied},
		"bits_per_weight":            {real: &m.BitsPerWeight},
		"expert_bits_per_weight":     {real: &m.ExpertBits},
	}
}

// find looks a key up as it is, and without the architecture before it.
func find(fields map[string]field, key string) (string, field, bool) {
	if f, ok := fields[key]; ok {
		return key, f, true
	}
	_, short, _ := strings.Cut(key, ".")
	f, ok := fields[short]
	return short, f, ok
}

func names(fields map[string]field) []string {
	var list []string
	for name := range fields {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

func (f field) set(raw json.RawMessage) error {
	switch {
	case f.text != nil:
		return wrongType(json.Unmarshal(raw, f.text), "text")
	case f.yes != nil:
		return wrongType(json.Unmarshal(raw, f.yes), "true or false")
	case f.real != nil:
		return wrongType(json.Unmarshal(raw, f.real), "a number")
	}
	var v float64
	if err := json.Unmarshal(raw, &v); err != nil || v != math.Trunc(v) || math.Abs(v) > 1e9 {
		return fmt.Errorf("%s is not a whole number", raw)
	}
	*f.whole = int(v)
	return nil
}

func wrongType(err error, want string) error {
	if err != nil {
		return fmt.Errorf("it has to be %s", want)
	}
	return nil
}
