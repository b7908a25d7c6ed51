package wafer

import (
	"fmt"
	"sync"

	"waferpair/wafer/kernel"
)

// Call is a pass of a model: so many tokens that follow each other, behind so many positions.
type Call struct{ Tokens, Depth int }

// Tally returns the cycles that the passes of a model would take on a machine, and the estimate of the
// request, whose placement they are computed for.
func Tally(r Request, calls []Call) (float64, Report, error) {
	c, err := NewCounter(r)
	if err != nil {
		return 0, Report{}, err
	}
	sum := 0.0
	for _, call := range calls {
		price, err := c.Price(call)
		if err != nil {
			return 0, c.Report, err
		}
		sum += price.Cycles
	}
	return sum, c.Report, nil
}

// Counter says what the passes of a model would take, on the placement of one request. A pass of one token
// is a decode step with its depth in the cache, a pass of several a prompt behind what is there: the guesses
// of a draft, too. The same cycles as Estimate's: a call of Input tokens at depth 0 is CyclesPerPrompt, one of
// a token at depth Context - 1 is CyclesPerToken. Several goroutines may use it.
type Counter struct {
	Report Report // the estimate of the request

	mu        sync.Mutex
	usual     *priced
	low, high *priced // for the band; nil: the model cannot be placed so
}

// Price is what a pass would take.
type Price struct {
	Cycles  float64
	Seconds float64
	// under the least and the most favourable assumptions, as Estimate's band; 0: there is none
	Slowest, Fastest float64
}

// NewCounter places the model of a request.
func NewCounter(r Request) (*Counter, error) {
	if r.Layout == WaferLLM {
		return nil, fmt.Errorf("count the cycles of passes: layout %s has no placement for both phases", WaferLLM)
	}
	known := newTimes(r.Machine)
	usual, err := price(r, known)
	if err != nil {
		return nil, err
	}
	c := &Counter{Report: usual.s.report(usual.c), usual: usual}
	low, lowErr := band(r, known, "low", Throughput)
	high, highErr := band(r, known, "high", Latency)
	if lowErr == nil && highErr == nil {
		c.low, c.high = low, high
		c.Report.Band = &Band{Low: min(low.speed(), c.Report.DecodeTokS), High: max(high.speed(), c.Report.DecodeTokS)}
	}
	return c, nil
}

// bandStep is how finely the depth of a pass counts in its band. Two thirds of the work would be the band's
// otherwise, which is far wider than what so many positions change.
const bandStep = 64

// Price returns what a pass would take.
func (c *Counter) Price(call Call) (Price, error) {
	if call.Tokens < 1 || call.Depth < 0 {
		return Price{}, fmt.Errorf("count the cycles of passes: %d tokens at depth %d", call.Tokens, call.Depth)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p := Price{Cycles: c.usual.cycles(call)}
	p.Seconds = c.usual.seconds(p.Cycles)
	if c.low != nil {
		call.Depth -= call.Depth % bandStep
		p.Slowest = max(p.Seconds, c.low.seconds(c.low.cycles(call)))
		p.Fastest = min(p.Seconds, c.high.seconds(c.high.cycles(call)))
	}
	return p, nil
}

// priced is a placement under some assumptions, with the cycles of the passes that were asked for.
type priced struct {
	s     *search
	c     candidate
	known map[Call]float64
}

// mostKnown bounds how many passes are remembered.
const mostKnown = 1 << 16

// price places the model of a request.
func price(r Request, known *times) (*priced, error) {
	r, a, err := r.complete()
	if err != nil {
		return nil, err
	}
	s, c, err := choose(r, a, known)
	if err != nil {
		return nil, err
	}
	return &priced{s, c, map[Call]float64{}}, nil
}

// band returns the placement under other assumptions, or that of one user if the caches of a full pipeline
// do not fit.
func band(r Request, known *times, assume string, objective Objective) (*priced, error) {
	r.Assume, r.Objective = assume, objective
	p, err := price(r, known)
	if err != nil && objective == Throughput {
		r.Objective = Latency
		p, err = price(r, known)
	}
	return p, err
}

func (p *priced) seconds(cycles float64) float64 { return cycles / (p.s.assume.ClockGHz * 1e9) }

// speed returns the tokens a second with all of the request's context in use.
func (p *priced) speed() float64 { return 1 / p.seconds(p.c.token) }

func (p *priced) cycles(call Call) float64 {
	cycles, is := p.known[call]
	if is {
		return cycles
	}
	if len(p.known) >= mostKnown {
		clear(p.known)
	}
	cycles = p.s.call(p.c, call)
	p.known[call] = cycles
	return cycles
}

// call returns the cycles of a pass.
func (s *search) call(c candidate, of Call) float64 {
	if of.Tokens == 1 {
		s.time(&c, kernel.Total(s.layer(c, of.Depth+1)))
		return c.token
	}
	part := *s
	part.Input, part.behind = of.Tokens, of.Depth
	return part.prompt(c).cycles
}
