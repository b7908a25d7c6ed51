package transformer

import (
	"fmt"
	"strings"
)

// Model is a shape with its weights, all of it fixed. Any number of states may use it at
// once.
type Model struct {
	Config
	storage Storage
	embed   Tensor
	layers  []Block
	norm    []float32
	head    Tensor
	freqs   []float32 // of pairs, or nil
}

// Block is the tensors of one layer. Biases and the gains of QK-norm are nil if the shape
// has none.
type Block struct {
	AttnNorm, FFNNorm       []float32
	Q, K, V, Output         Tensor
	QBias, KBias, VBias     []float32
	QNorm, KNorm            []float32
	FFNGate, FFNUp, FFNDown Tensor
}

// New joins a shape and its weights, which it does not copy.
func New(c Config, w Weights, storage Storage) (*Model, error) {
	if err := c.Runnable(); err != nil {
		return nil, err
	}
	if err := w.Check(c); err != nil {
		return nil, fmt.Errorf("the weights of model %q: %w", c.Name, err)
	}
	m := &Model{Config: c, storage: storage, embed: w["token_embd.weight"], norm: w["output_norm.weight"].Data,
		head: w["output.weight"], freqs: w["rope_freqs.weight"].Data}
	if c.TieWordEmbeddings {
		m.head = m.embed
	}
	for i := range c.BlockCount {
		m.layers = append(m.layers, w.Block(i))
	}
	return m, nil
}

// Block returns the tensors of a layer.
func (w Weights) Block(i int) Block {
	at := func(name string) Tensor { return w[Layer(i, name)] }
	return Block{AttnNorm: at("attn_norm.weight").Data, FFNNorm: at("ffn_norm.weight").Data,
		Q: at("attn_q.weight"), K: at("attn_k.weight"), V: at("attn_v.weight"), Output: at("attn_output.weight"),
		QBias: at("attn_q.bias").Data, KBias: at("attn_k.bias").Data, VBias: at("attn_v.bias").Data,
		QNorm: at("attn_q_norm.weight").Data, KNorm: at("attn_k_norm.weight").Data,
		FFNGate: at("ffn_gate.weight"), FFNUp: at("ffn_up.weight"), FFNDown: at("ffn_down.weight")}
}

// isGain reports whether a vector is a factor, as in norms, with values near 1.
func isGain(name string) bool { return strings.HasSuffix(name, "norm.weight") }

// State is the keys and values of one sequence of tokens: [layer][position][number], a
// position's heads one after the other. Keys are rotated.
type State struct {
	Keys, Values [][][]float32
}

// NewState returns an empty sequence.
func (m *Model) NewState() *State {
	return &State{Keys: make([][][]float32, m.BlockCount), Values: make([][][]float32, m.BlockCount)}
}

// Len returns the number of tokens in the sequence.
func (s *State) Len() int { return len(s.Keys[0]) }

// Cut drops all but the first n tokens.
func (s *State) Cut(n int) {
	for i := range s.Keys {
		s.Keys[i], s.Values[i] = s.Keys[i][:n:n], s.Values[i][:n:n] // a fork may share the rest
	}
}
