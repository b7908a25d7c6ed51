package token

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"waferpair/engine/gguf"
)

// The limits of a vocabulary. The largest that are published have 262,144 tokens of up to 1,024
// bytes.
const (
	maxTokens = 1 << 22
	maxToken  = 4096 // bytes
	maxMerges = 1 << 24
)

// The keys of a vocabulary in a GGUF file.
const (
	modelKey    = "tokenizer.ggml.model"
	patternKey  = "tokenizer.ggml.pre"
	tokensKey   = "tokenizer.ggml.tokens"
	kindsKey    = "tokenizer.ggml.token_type"
	mergesKey   = "tokenizer.ggml.merges"
	scoresKey   = "tokenizer.ggml.scores"
	addBOSKey   = "tokenizer.ggml.add_bos_token"
	addEOSKey   = "tokenizer.ggml.add_eos_token"
	prefixKey   = "tokenizer.ggml.add_space_prefix"
	templateKey = "tokenizer.chat_template"
)

// New reads the vocabulary of a model file.
func New(f *gguf.File) (*Vocabulary, error) {
	v, err := read(f)
	if err == nil {
		return v, nil
	}
	if f.Path == "" {
		return nil, fmt.Errorf("the model's vocabulary: %w", err)
	}
	return nil, fmt.Errorf("model file %s: its vocabulary: %w", f.Path, err)
}

func read(f *gguf.File) (*Vocabulary, error) {
	v := &Vocabulary{}
	v.scratch.New = func() any { return &scratch{} }
	load, err := v.kindOf(f)
	if err != nil {
		return nil, err
	}
	if err := v.readNames(f); err != nil {
		return nil, err
	}
	if err := v.readKinds(f); err != nil {
		return nil, err
	}
	if err := v.readSpecial(f); err != nil { // before load: it corrects kinds
		return nil, err
	}
	if err := load(f); err != nil {
		return nil, err
	}
	v.proofs = make([]uint32, len(v.kinds)/16+1)
	v.template, _ = f.Metadata[templateKey].(string)
	return v, nil
}

// kindOf returns what reads the rest of a vocabulary of its model, and refuses what is not known.
func (v *Vocabulary) kindOf(f *gguf.File) (load func(*gguf.File) error, err error) {
	name, err := value(f, modelKey, "")
	if err != nil {
		return nil, err
	}
	switch name {
	case "gpt2":
		return v.loadPairs, v.patternOf(f)
	case "llama":
		v.sentences = true
		return v.loadSentences, nil
	case "":
		return nil, fmt.Errorf("it has none (%s is missing): convert the model again with a current llama.cpp", modelKey)
	}
	return nil, fmt.Errorf("it is of the kind %q (%s), which is not supported: gpt2 and llama are", name, modelKey)
}

func (v *Vocabulary) patternOf(f *gguf.File) error {
	name, err := value(f, patternKey, "")
	if err != nil {
		return err
	}
	if name == "" || name == "default" {
		return fmt.Errorf("%s does not say how text is cut into pieces, and a guess would give wrong tokens: convert the model again with a current llama.cpp", patternKey)
	}
	p, ok := patterns[name]
	if !ok {
		return fmt.Errorf("it cuts text into pieces by the pattern %q (%s), which is not supported: these are: %s", name,
			patternKey, patternNames())
	}
	v.pattern, v.addBOS = p, p.bos
	return nil
}

// value returns a value of the metadata, or the given one when it is missing. It is an error when
// it has another type.
func value[T any](f *gguf.File, key string, missing T) (T, error) {
	raw, ok := f.Metadata[key]
	if !ok {
		return missing, nil
	}
	of, ok := raw.(T)
	if !ok {
		return missing, fmt.Errorf("%s is %s, which is no %T", key, short(raw), missing)
	}
	return of, nil
}

// short shortens a value of the file for an error message.
func short(v any) string {
	return fmt.Sprintf("%.60s", fmt.Sprint(v))
}

// listOf returns an array of texts.
func listOf(f *gguf.File, key string) (list iter.Seq2[int, []byte], n int, err error) {
	array, err := value(f, key, gguf.Array{})
	if err != nil {
		return nil, 0, err
	}
	list, ok := array.Texts()
	if !ok || array.Len == 0 {
		return nil, 0, fmt.Errorf("%s is missing, empty, or no list of texts", key)
	}
	return list, array.Len, nil
}

// numbersOf returns an array of so many numbers, one for each token, or nil where there is none.
func numbersOf(f *gguf.File, key string, n int) ([]float64, error) {
	array, err := value(f, key, gguf.Array{})
	if err != nil || array.Len == 0 {
		return nil, err
	}
	list, ok := array.Numbers()
	if !ok {
		return nil, fmt.Errorf("%s is no list of numbers", key)
	}
	if len(list) != n {
		return nil, fmt.Errorf("%s has %d numbers for %d tokens", key, len(list), n)
	}
	return list, nil
}

func (v *Vocabulary) readNames(f *gguf.File) error {
	list, n, err := listOf(f, tokensKey)
	if err != nil {
		return err
	}
	if n > maxTokens {
		return fmt.Errorf("%s has %d tokens; at most %d are read", tokensKey, n, maxTokens)
	}
	total := 0
	for id, name := range list {
		if len(name) > maxToken {
			return fmt.Errorf("token %d has %d bytes; at most %d are read", id, len(name), maxToken)
		}
		if total += len(name) + len("[EMPTY_4194304]"); total > math.MaxInt32 {
			return errors.New("its tokens are longer than two gigabytes together")
		}
	}
	b, ends := make([]byte, 0, total), make([]uint32, 0, n)
	for id, name := range list {
		if b = append(b, name...); len(name) == 0 {
			b = fmt.Appendf(b, "[EMPTY_%d]", id) // llama.cpp's name for it
		}
		ends = append(ends, uint32(len(b)))
	}
	v.names = arena{string(b), ends}
	return nil
}

func (v *Vocabulary) readKinds(f *gguf.File) error {
	v.kinds = make([]kind, len(v.names.ends))
	list, err := numbersOf(f, kindsKey, len(v.kinds))
	if err != nil {
		return err
	}
	for id := range v.kinds {
		v.kinds[id] = normal
		if list != nil {
			v.kinds[id] = kind(max(0, min(list[id], float64(byteToken)+1)))
		}
	}
	return nil
}

// setPieces makes the texts of all tokens. Names that are no text of a token stay as they are.
func (v *Vocabulary) setPieces(text func(b []byte, name string) []byte) {
	b, ends := make([]byte, 0, len(v.names.text)), make([]uint32, 0, len(v.kinds))
	v.longest = 4 // what is unknown stands for a character
	for id := range int32(len(v.kinds)) {
		name, begin := v.names.at(id), len(b)
		switch v.kinds[id] {
		case control, unknown:
		case userDefined:
			b = append(b, name...)
		case byteToken:
			if value, ok := byteOf(name); ok {
				b = append(b, value)
			} else {
				b = append(b, name...)
			}
		default:
			b = text(b, name)
		}
		v.longest = max(v.longest, len(b)-begin)
		ends = append(ends, uint32(len(b)))
	}
	v.pieces = arena{string(b), ends}
}

// byteOf returns the byte that a token such as <0x0A> stands for.
func byteOf(name string) (byte, bool) {
	if len(name) != 6 || name[:3] != "<0x" || name[5] != '>' {
		return 0, false
	}
	high, low := slices.Index(hexDigits, name[3]), slices.Index(hexDigits, name[4])
	return byte(high<<4 | low), high >= 0 && low >= 0
}

var hexDigits = []byte("0123456789ABCDEF")
