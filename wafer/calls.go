package wafer

import (
	"fmt"

	"waferpair/wafer/kernel"
)

// Call is a pass of a model: so many tokens that follow each other, behind so many positions.
type Call struct{ Tokens, Depth int }

// Tally returns the cycles that the passes of a model would take on a machine, and the estimate of the
// request, whose placement they are computed for. A pass of one token is a decode step with its depth
// in the cache, a pass of several a prompt behind what is there: the guesses of a draft, too.
// The same cycles as Estimate's: a call of Input tokens at depth 0 is CyclesPerPrompt, one of a token at
// depth Context - 1 is CyclesPerToken.
func Tally(r Request, calls []Call) (float64, Report, error) {
	report, err := Estimate(r)
	if err != nil {
		return 0, report, err
	}
	r, a, err := r.complete()
	if err != nil {
		return 0, report, err
	}
	if r.Layout == WaferLLM {
		return 0, report, fmt.Errorf("count the cycles of passes: layout %s has no placement for both phases", WaferLLM)
	}
	s, c, err := choose(r, a, newTimes(r.Machine))
	if err != nil {
		return 0, report, err
	}
	sum, known := 0.0, map[Call]float64{}
	for _, call := range calls {
		if call.Tokens < 1 || call.Depth < 0 {
			return 0, report, fmt.Errorf("count the cycles of passes: %d tokens at depth %d", call.Tokens, call.Depth)
		}
		cycles, is := known[call]
		if !is {
			cycles = s.call(c, call)
			known[call] = cycles
		}
		sum += cycles
	}
	return sum, report, nil
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
