package modelfiles

import (
	"errors"
	"os"

	"waferpair/engine/gguf"
	"waferpair/engine/infer"
	"waferpair/wafer/transformer"
)

// Facts are what a model file says of itself.
type Facts struct {
	File       string         `json:"file"`
	Family     string         `json:"family"`
	Parameters int64          `json:"parameters"`
	Bytes      int64          `json:"bytes"`
	Types      map[string]int `json:"types"`         // matrices of each
	Reads      int64          `json:"bytes_a_token"` // of weights that a token reads
	Context    int            `json:"context"`       // 0: the file does not say
	KVBytes    int            `json:"kv_bytes_a_token"`
}

// FactsOf reads the header of a model file.
func FactsOf(path string) (facts Facts, err error) {
	f, err := gguf.Open(path)
	if err != nil {
		return facts, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c, err := f.Config()
	if err != nil {
		return facts, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return facts, err
	}
	facts = Facts{File: path, Family: c.Architecture, Parameters: c.Parameters(), Bytes: info.Size(),
		Types: map[string]int{}, Context: c.ContextLength, KVBytes: kvBytes(c),
		Reads: infer.Reads(f)}
	for _, t := range f.Tensors {
		if len(t.Sizes) > 1 {
			facts.Types[t.Type.String()]++
		}
	}
	return facts, nil
}

// kvBytes is what a token's keys and values take: two bytes a number.
func kvBytes(c transformer.Config) int { return 2 * 2 * c.BlockCount * c.KVWidth() }
