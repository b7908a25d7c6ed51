package spark

import (
	_ "embed" // the decoder
	"errors"
	"fmt"
	"sync"

	"waferpair/engine/model"
	"waferpair/engine/refactor"
	"waferpair/engine/spark/decoder"
	"waferpair/engine/spark/link"
)

// network is the decoder's file.
//
//go:embed decoder.gguf
var network []byte

// pointerDecoder is the decoder, nil without one. If it is damaged, the other voices go on alone.
var pointerDecoder = sync.OnceValues(func() (*decoder.Decoder, error) {
	if len(network) == 0 {
		return nil, nil
	}
	return decoder.Load(network)
})

// Network is the decoder, with a request that it can read.
func (m *Model) Network() (model.Network, error) {
	d, err := pointerDecoder()
	if d == nil || err != nil {
		return model.Network{}, err
	}
	return networkOf(network, d)
}

func networkOf(file []byte, d *decoder.Decoder) (model.Network, error) {
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
