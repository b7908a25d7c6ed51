package decoder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"waferpair/engine/gguf"
	"waferpair/wafer/transformer"
)

// The keys of the decoder's file beside those of every llama file. The operations are the
// vocabulary's Ops as JSON. The sum is the CRC-32 (IEEE) of the bytes of all tensors, in the
// order of the file, without what aligns them: any byte of the weights that is wrong is found.
const (
	tokensKey     = "tokenizer.ggml.tokens"
	operationsKey = "waferpair.decoder.operations"
	sumKey        = "waferpair.decoder.crc32"
)

// Load reads the decoder from the bytes of its file, a GGUF file of a llama model. It returns an
// error for everything that is damaged or does not fit.
func Load(file []byte) (*Decoder, error) {
	d, err := load(file)
	if err != nil {
		return nil, fmt.Errorf("load the decoder from a file of %d bytes: %w", len(file), err)
	}
	return d, nil
}

func load(file []byte) (*Decoder, error) {
	f, err := gguf.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	v, err := vocabularyOf(f)
	if err != nil {
		return nil, err
	}
	sum, err := sumOf(f)
	if err != nil {
		return nil, err
	}
	if want, ok := f.Metadata[sumKey]; !ok || want != sum {
		return nil, fmt.Errorf("%s is %v, and the weights have %d: they are damaged", sumKey, want, sum)
	}
	c, w, err := f.Load()
	if err != nil {
		return nil, err
	}
	if c.VocabSize != len(v.Tokens) {
		return nil, fmt.Errorf("it has %d tokens, and a table of %d", len(v.Tokens), c.VocabSize)
	}
	m, err := transformer.New(c, w, transformer.Float32)
	if err != nil {
		return nil, err
	}
	return New(v, m)
}

func vocabularyOf(f *gguf.File) (*Vocabulary, error) {
	list, _ := f.Metadata[tokensKey].(gguf.Array)
	tokens, ok := []string(nil), list.Len > 0
	if ok {
		tokens, ok = list.Strings()
	}
	if !ok {
		return nil, fmt.Errorf("%s is no list of tokens", tokensKey)
	}
	text, ok := f.Metadata[operationsKey].(string)
	if !ok {
		return nil, fmt.Errorf("%s is missing", operationsKey)
	}
	var ops []Op
	if err := json.Unmarshal([]byte(text), &ops); err != nil {
		return nil, fmt.Errorf("%s is no list of operations: %w", operationsKey, err)
	}
	return ReadVocabulary(tokens, ops)
}

// sumOf is the CRC-32 of the tensors' bytes.
func sumOf(f *gguf.File) (uint32, error) {
	h := crc32.NewIEEE()
	for _, t := range f.Tensors {
		if _, err := io.Copy(h, f.Raw(t)); err != nil {
			return 0, fmt.Errorf("read tensor %q: %w", t.Name, err)
		}
	}
	return h.Sum32(), nil
}

// Marshal is the file of a decoder: matrices as F16, vectors as F32.
func Marshal(v *Vocabulary, c transformer.Config, w transformer.Weights) ([]byte, error) {
	if len(v.Tokens) != c.VocabSize {
		return nil, fmt.Errorf("write the decoder: %d tokens for a table of %d", len(v.Tokens), c.VocabSize)
	}
	if err := errors.Join(c.Runnable(), w.Check(c)); err != nil {
		return nil, fmt.Errorf("write the decoder: %w", err)
	}
	ops, err := json.Marshal(v.Ops)
	if err != nil {
		return nil, fmt.Errorf("write the decoder: %w", err)
	}
	pairs, tensors := gguf.Sources(c, w, gguf.F16)
	h := crc32.NewIEEE()
	for _, t := range tensors {
		raw, err := gguf.Encode(t.Type, t.Numbers)
		if err != nil {
			return nil, fmt.Errorf("write the decoder: tensor %s: %w", t.Name, err)
		}
		_, _ = h.Write(raw) // a hash takes everything
	}
	pairs = append(pairs, gguf.Pair{Key: "tokenizer.ggml.model", Value: "words"},
		gguf.Pair{Key: tokensKey, Value: v.Tokens}, gguf.Pair{Key: operationsKey, Value: string(ops)},
		gguf.Pair{Key: sumKey, Value: h.Sum32()})
	var b bytes.Buffer
	if err := gguf.Write(&b, pairs, tensors); err != nil {
		return nil, fmt.Errorf("write the decoder: %w", err)
	}
	return b.Bytes(), nil
}
