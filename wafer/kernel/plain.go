package kernel

import "waferpair/wafer/transformer"

// plain is a model and a sequence without a mesh, in the numbers that a core
// stores: what the kernels are compared with. Sums are exact; the order of a sum
// is what a mesh may do otherwise.
type plain struct {
	*transformer.Model
	state *transformer.State
}

func newPlain(c transformer.Config, w transformer.Weights) (plain, error) {
	m, err := transformer.New(c, w, transformer.Float16)
	if err != nil {
		return plain{}, err
	}
	return plain{m, m.NewState()}, nil
}

// step is the logits after one more token of the vocabulary.
func (p plain) step(token int) []float32 {
	logits, err := p.Step(p.state, token)
	if err != nil {
		panic("kernel: " + err.Error())
	}
	return logits
}

// put appends a position to the keys and values of a layer.
func (p plain) put(layer int, key, value []float32) {
	s := p.state
	s.Keys[layer], s.Values[layer] = append(s.Keys[layer], key), append(s.Values[layer], value)
}
