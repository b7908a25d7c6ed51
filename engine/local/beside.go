package local

import (
	"waferpair/wafer"
	"waferpair/wafer/machine"
	"waferpair/wafer/transformer"
)

// Config returns the shape of the model.
func (m *Model) Config() transformer.Config { return m.config }

// Wafer returns what adds up the passes of the model on an emulated WSE-3, or why the model cannot be placed
// there. The placement has room for the longest sequence that the model may have here. It is computed once,
// which takes some 10 to 100 ms.
func (m *Model) Wafer() (*wafer.Counter, error) {
	m.placing.Do(func() {
		m.counter, m.counterErr = wafer.NewCounter(wafer.Request{Machine: machine.WSE3(), Model: m.config,
			Context: m.info.Context})
	})
	return m.counter, m.counterErr
}

// Memory is what a model takes of this computer's memory.
type Memory struct {
	Loaded      bool
	Replaced    bool  // what is loaded is an earlier file at the same place
	Done, Total int64 // bytes read while it is loaded
	Answering   int   // sequences that answers use
	Kept        int   // sequences that are kept for the next turns
	Weights     int64
	KV          int64 // of all sequences
	MostWeights int64 // that loaded models may take together
	MostKV      int64 // that the kept sequences may take
}

// Memory returns what the model takes now.
func (m *Model) Memory() Memory {
	s := m.shelf
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Memory{MostWeights: s.settings().Room(), MostKV: mostKept()}
	w := s.loaded[m.path]
	if w == nil || w.failed() {
		return out
	}
	select {
	case <-w.ready:
	default:
		out.Done, out.Total = w.noted.get()
		return out
	}
	out.Loaded, out.Replaced = true, !w.stamp.same(m.stamp)
	out.Weights, out.KV = w.took, w.model.StateBytes()
	out.Answering, out.Kept = int(w.answering.Load()), w.kept.Len()
	return out
}

// Unload gives the memory of the model back, once no answer uses it; it reports whether that is so now.
func (m *Model) Unload() bool {
	s := m.shelf
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.loaded[m.path]
	if w == nil {
		return true
	}
	s.drop(w)
	return w.users == 0
}
