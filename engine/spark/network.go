package spark

import (
	"errors"
	"fmt"

	"waferpair/engine/model"
	"waferpair/engine/refactor"
	"waferpair/engine/spark/decoder"
	"waferpair/engine/spark/link"
)

// network is the decoder's file, or empty in a program without one.
var network []byte

// Network is the decoder, with a request that it can read.
func (m *Model) Network() (model.Network, error) { return networkIn(network) }

func networkIn(file []byte) (model.Network, error) {
	if len(file) == 0 {
		return model.Network{}, nil
	}
	d, err := decoder.Load(file)
	if err != nil {
		return model.Network{}, err
	}
	example, ok := refactor.Lookup("rename")
	if !ok {
		return model.Network{}, errors.New("there is no operation rename, the decoder's example")
	}
	table := link.NewTable([]link.Symbol{{Name: "parseConfig", Kind: link.Func, File: "config.go"}}, nil)
	tokens, ok := d.Vocabulary.Request(link.Linker{}.Link(example.Example, table))
	if !ok {
		return model.Network{}, fmt.Errorf("the decoder cannot read its example, %q", example.Example)
	}
	n := model.Network{File: file, Request: example.Example, Names: d.Vocabulary.Tokens}
	for _, t := range tokens {
		n.Tokens = append(n.Tokens, int(t))
	}
	return n, nil
}
