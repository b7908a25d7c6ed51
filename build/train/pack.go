package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"waferpair/engine/spark/decoder"
	"waferpair/wafer/transformer"
)

// trained is what decoder.py says of the weights that it wrote.
type trained struct {
	Width    int     `json:"width"`
	Layers   int     `json:"layers"`
	FFN      int     `json:"ffn"`
	Heads    int     `json:"heads"`
	Words    int     `json:"words"`
	RopeBase float64 `json:"rope_base"`
	Epsilon  float64 `json:"epsilon"`
	Tensors  []struct {
		Name  string `json:"name"`
		Shape []int  `json:"shape"`
	} `json:"tensors"`
}

// mostPositions is how many tokens a request and its answer have at most: 64 units of up to
// three tokens, and three clauses.
const mostPositions = 256

// pack makes the decoder's file of what decoder.py left in a folder.
func pack(folder, out string) error {
	var head struct {
		Tokens []string     `json:"tokens"`
		Ops    []decoder.Op `json:"ops"`
	}
	if err := readJSON(filepath.Join(folder, "vocabulary.json"), &head); err != nil {
		return err
	}
	v, err := decoder.ReadVocabulary(head.Tokens, head.Ops)
	if err != nil {
		return err
	}
	var t trained
	if err := readJSON(filepath.Join(folder, "model.json"), &t); err != nil {
		return err
	}
	w, err := t.weights(filepath.Join(folder, "model.bin"))
	if err != nil {
		return err
	}
	file, err := decoder.Marshal(v, t.config(), w)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, file, 0o644); err != nil {
		return fmt.Errorf("write the decoder: %w", err)
	}
	fmt.Fprintf(os.Stderr, "%s: %d bytes, %d parameters\n", out, len(file), t.config().Parameters())
	return nil
}

func readJSON(name string, into any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read what was trained: %w", err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

func (t trained) config() transformer.Config {
	c := transformer.Defaults("llama")
	c.Name, c.BlockCount, c.ContextLength = "spark", t.Layers, mostPositions
	c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = t.Width, t.FFN, t.Words
	c.HeadCount, c.HeadCountKV, c.KeyLength = t.Heads, t.Heads, t.Width/t.Heads
	c.RMSEpsilon, c.Rope.FreqBase, c.TieWordEmbeddings = t.Epsilon, t.RopeBase, true
	return c
}

func (t trained) weights(name string) (transformer.Weights, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read what was trained: %w", err)
	}
	w := transformer.Weights{}
	for _, tensor := range t.Tensors {
		rows, cols := 1, tensor.Shape[len(tensor.Shape)-1]
		if len(tensor.Shape) == 2 {
			rows = tensor.Shape[0]
		}
		if len(raw) < 4*rows*cols {
			return nil, fmt.Errorf("read %s: it ends before tensor %s", name, tensor.Name)
		}
		data := make([]float32, rows*cols)
		for i := range data {
			data[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		w[tensor.Name], raw = transformer.Tensor{Rows: rows, Cols: cols, Data: data}, raw[4*rows*cols:]
	}
	return w, nil
}
