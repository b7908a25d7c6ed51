package infer

import (
	"errors"
	"sync"
	"sync/atomic"

	"waferpair/engine/gguf"
	"waferpair/wafer/transformer"
)

// Model is the weights of a model, ready to run. Any number of states may use it at once;
// their passes take turns.
type Model struct {
	config transformer.Config
	turns  turns

	pass    sync.Mutex // held while the backend computes or is closed
	backend backend    // nil: closed
	most    int        // tokens of a pass
	states  map[*State]bool
	blocks  atomic.Int64    // of all states
	shared  map[*uint16]int // blocks of several states: how many have one besides the first
}

// Check returns why Load would refuse a file, apart from the memory that it takes. It reads no weights.
func Check(f *gguf.File) error {
	if _, err := planOf(f); err != nil {
		return gguf.Failed("check model file", f.Path, err)
	}
	return nil
}

// Load reads the weights of a model. It needs the file no longer when it returns.
func Load(f *gguf.File, o Options) (*Model, error) {
	m, err := load(f, o)
	return m, gguf.Failed("load model file", f.Path, err)
}

func load(f *gguf.File, o Options) (*Model, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	p, err := planOf(f)
	if err != nil {
		return nil, err
	}
	p.spec.Threads = o.Threads
	if have, known := available(); known {
		if err := p.tooLarge(have, "the computer has left", "close other programs"); err != nil {
			return nil, err
		}
	}
	b, err := newBackend(o.Backend, p.spec)
	if err != nil {
		return nil, err
	}
	if err := p.fill(f, b, o); err != nil {
		b.close()
		return nil, err
	}
	return &Model{config: p.config, turns: turns{config: p.config, freqs: p.freqs}, backend: b, most: p.spec.Tokens,
		states: map[*State]bool{}, shared: map[*uint16]int{}}, nil
}

// Config returns the model's shape.
func (m *Model) Config() transformer.Config { return m.config }

// StateBytes returns how much memory the states take. It does not wait for a pass to end.
func (m *Model) StateBytes() int64 { return m.blocks.Load() * m.blockBytes() }

// Bytes returns how much memory the model takes, without its states.
func (m *Model) Bytes() int64 {
	m.pass.Lock()
	defer m.pass.Unlock()
	if m.backend == nil {
		return 0
	}
	return m.backend.bytes()
}

// Close gives the memory of the model and of its states back. It waits for a pass that runs.
func (m *Model) Close() {
	m.pass.Lock()
	defer m.pass.Unlock()
	if m.backend == nil {
		return
	}
	for s := range m.states {
		s.release()
	}
	m.backend.close()
	m.backend = nil
}

var errClosed = errors.New("the model is closed")
