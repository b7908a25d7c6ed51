package spending

import (
	"slices"
	"time"
)

// What the answers in flight will cost is unknown. While several requests are answered at once, each
// keeps back what it takes, perhaps:
//
//	its prompt's price, which is in Dollars   +   the longest of the model's last answers today
//	                                              or, before the first one, an answer of some length
//
// A process that was killed cannot give back what it reserved, so a reserve lapses.
const (
	lastAnswers   = 20   // of a model, which say how long the next one may become
	unknownAnswer = 8000 // tokens
	reserveLasts  = 30 * time.Minute
)

// reserve returns what the answer to a request costs, perhaps.
func (d *dayFile) reserve(e Entry) float64 {
	tokens, seen := 0, 0
	for _, old := range slices.Backward(d.entries) {
		if old.Model == e.Model && !old.Open && old.Output > 0 && seen < lastAnswers {
			tokens, seen = max(tokens, old.Output), seen+1
		}
	}
	if seen == 0 {
		tokens = unknownAnswer
	}
	if e.Limit > 0 {
		tokens = min(tokens, e.Limit)
	}
	return float64(tokens) * e.PerToken
}

// reserved returns what the answers in flight keep back, and how many they are.
func (d *dayFile) reserved(now time.Time) (dollars float64, answers int) {
	for _, e := range d.entries {
		if e.Open && e.Reserved > 0 && now.Sub(e.At) < reserveLasts {
			dollars, answers = dollars+e.Reserved, answers+1
		}
	}
	return dollars, answers
}

// over returns why a request with a price does not fit into the budget; nil when it does.
func (d *dayFile) over(e Entry, budget float64) error {
	spent, asks := d.sum(nil), e.dollars()
	if spent.Dollars+asks > budget {
		return &OverError{Budget: budget, Asks: asks, Spent: spent}
	}
	kept, answers := d.reserved(e.At)
	if answers == 0 || spent.Dollars+kept+asks+e.Reserved <= budget {
		return nil
	}
	return &OverError{Budget: budget, Asks: asks + e.Reserved, Spent: spent, Kept: kept, Answers: answers}
}
