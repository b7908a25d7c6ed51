// Package beside says what the emulated wafer would have done with the passes of a turn that a model on this
// computer answers: an estimate, beside what was measured.
//
//	model --Pass--> Meter.Take --> pending --every quarter of a second--> wafer.Counter --> Estimate
//
// The model only appends to a list. A goroutine of the meter's own prices the passes; it begins with the
// first of them and ends with the turn.
package beside

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"waferpair/engine/model"
	"waferpair/wafer"
)

// Placed is a model that may have a place on the emulated wafer: see engine.As.
type Placed interface {
	// Wafer returns what adds up the model's passes, or why it cannot be placed.
	Wafer() (*wafer.Counter, error)
}

// Estimate is what the emulated wafer would have done with some passes: an estimate, never a measurement.
type Estimate struct {
	Cycles float64 `json:"cycles"`
	// TokS is how fast the answer would have been written, behind its prompt; 0: nothing is written yet.
	TokS float64     `json:"estimated_tok_s"`
	Band *wafer.Band `json:"band"`         // of TokS; null: there is none
	Took float64     `json:"estimated_ms"` // of all passes
	Placement
	Why string `json:"not_placed,omitempty"` // why there are no figures
}

// Placement is the placement that the figures are of.
type Placement struct {
	Machine string `json:"machine,omitempty"`
	Wafers  int    `json:"wafers,omitempty"`
	Regions int    `json:"regions,omitempty"`
	Mesh    int    `json:"mesh,omitempty"`                // cores along a side of a region of layers
	SRAM    int    `json:"sram_bytes_per_core,omitempty"` // of the fullest core, with the reserve
	SRAMOf  int    `json:"sram_bytes_of_core,omitempty"`  // that a core has
}

// PlacementOf returns the placement of an estimate.
func PlacementOf(r wafer.Report) Placement {
	p := r.Placement
	return Placement{Machine: r.Machine, Wafers: p.Wafers, Regions: len(p.Regions), Mesh: p.Mesh, SRAM: p.SRAM.Used(),
		SRAMOf: p.SRAM.Used() + p.SRAM.Free}
}

// Meter adds up the passes of one turn.
type Meter struct {
	of    Placed
	begun sync.Once
	end   chan struct{} // closed by End
	ended chan struct{} // closed when no figures follow

	mu      sync.Mutex
	pending []model.Pass

	now atomic.Pointer[Estimate]
}

// NewMeter returns a meter for a turn of a model.
func NewMeter(of Placed) *Meter {
	return &Meter{of: of, end: make(chan struct{}), ended: make(chan struct{})}
}

// Take adds a pass. It returns at once.
func (m *Meter) Take(p model.Pass) {
	m.mu.Lock()
	m.pending = append(m.pending, p)
	m.mu.Unlock()
	m.begun.Do(func() { go m.follow() })
}

// Now returns the figures of the passes so far; nil: there are none yet. The last quarter of a second may be
// missing. Now of a nil meter is nil.
func (m *Meter) Now() *Estimate {
	if m == nil {
		return nil
	}
	return m.now.Load()
}

// End returns the figures of all passes; nil: there was none. Nothing may be taken after it.
func (m *Meter) End() *Estimate {
	m.begun.Do(func() { close(m.ended) }) // no pass came
	close(m.end)
	<-m.ended
	return m.now.Load()
}

// every is how often passes are priced.
const every = 250 * time.Millisecond

// follow prices passes until the end.
func (m *Meter) follow() {
	defer close(m.ended)
	counter, err := m.of.Wafer()
	if err != nil {
		m.now.Store(&Estimate{Why: err.Error()})
		return
	}
	sum := sums{counter: counter, place: PlacementOf(counter.Report)}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for over := false; !over; {
		select {
		case <-tick.C:
		case <-m.end:
			over = true
		}
		if sum.add(m.taken()) {
			m.now.Store(sum.figures())
		}
	}
}

// taken returns the passes since the last time.
func (m *Meter) taken() []model.Pass {
	m.mu.Lock()
	defer m.mu.Unlock()
	some := m.pending
	m.pending = nil
	return some
}

// sums are the estimate of the passes so far.
type sums struct {
	counter *wafer.Counter
	place   Placement

	cycles, seconds           float64
	writing, slowest, fastest float64 // seconds of the passes behind a prompt
	written                   int     // tokens
}

// add prices passes; false: there are none.
func (s *sums) add(some []model.Pass) bool {
	for _, p := range some {
		price, err := s.counter.Price(wafer.Call{Tokens: p.Tokens, Depth: p.Depth})
		if err != nil {
			continue // a pass of nothing: it took nothing
		}
		s.cycles, s.seconds = s.cycles+price.Cycles, s.seconds+price.Seconds
		if p.Written > 0 {
			s.writing, s.written = s.writing+price.Seconds, s.written+p.Written
			s.slowest, s.fastest = s.slowest+price.Slowest, s.fastest+price.Fastest
		}
	}
	return len(some) > 0
}

func (s *sums) figures() *Estimate {
	f := &Estimate{Cycles: s.cycles, Took: math.Round(s.seconds*1e5) / 100, Placement: s.place}
	if s.written > 0 {
		speed := func(seconds float64) float64 { return math.Round(float64(s.written) / seconds) }
		f.TokS = speed(s.writing)
		if s.fastest > 0 {
			f.Band = &wafer.Band{Low: speed(s.slowest), High: speed(s.fastest)}
		}
	}
	return f
}
