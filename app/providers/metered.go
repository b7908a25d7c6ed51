package providers

import (
	"context"

	"waferpair/app/spending"
	"waferpair/engine/model"
)

// metered is a model whose requests are in the ledger: before each is sent, the budget is checked; when
// it ends, however it ends, what it cost is noted.
//
//	Begin, with the price of the prompt -> Generate -> usage -> End
//	                                          '-> cut, without usage: estimated by what was sent and came
type metered struct {
	model.Model
	of *Source
}

// Unwrap returns the model itself, for its optional interfaces.
func (m metered) Unwrap() model.Model { return m.Model }

// BeginsInThought remembers how the model's answers begin. If that cannot be kept, the next answer tells again.
func (m metered) BeginsInThought(begins bool) { _ = m.of.beginsInThought(m.Info().Name, begins) }

type overBudget struct{}

// OverBudget returns a context under which requests are sent whatever they cost.
func OverBudget(ctx context.Context) context.Context {
	return context.WithValue(ctx, overBudget{}, true)
}

// Generate asks the model, unless the daily budget is used up.
func (m metered) Generate(ctx context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	asked, err := m.begin(ctx, p)
	if err != nil {
		return model.Result{Stop: model.StopCut}, err
	}
	var seen progress
	r, err := m.Model.Generate(ctx, p, func(d model.Delta) error {
		seen.take(d)
		return yield(d)
	})
	usage := seen.usage(r, err, promptTokens(p), ctx.Err() != nil)
	if err == nil || seen.answered {
		r.Usage = usage
	}
	price := m.Info().Price
	// what the ledger cannot write now it writes with the next request
	_ = asked.End(usage.Input, usage.Output, dollars(price, usage), usage.Estimated)
	return r, err
}

// begin checks the budget.
func (m metered) begin(ctx context.Context, p model.Prompt) (*spending.Request, error) {
	e := spending.Entry{Model: m.Info().Name, Input: promptTokens(p)}
	if p.Files != nil {
		e.Project = p.Files.Root()
	}
	e.Dollars = dollars(m.Info().Price, model.Usage{Input: e.Input})
	if price := m.Info().Price; price != nil {
		e.PerToken, e.Limit = price.Output/1e6, p.Options.MaxTokens
	}
	budget := m.of.File.Read().DailyBudget
	if over, _ := ctx.Value(overBudget{}).(bool); over {
		budget = 0
	}
	return m.of.Ledger.Begin(e, budget)
}

// dollars is what an answer cost; nil if nobody knows.
func dollars(price *model.Price, u model.Usage) *float64 {
	if price == nil {
		return nil
	}
	cost := price.Of(u)
	return &cost
}

// promptTokens estimates the tokens of a prompt, at four bytes each.
func promptTokens(p model.Prompt) int {
	n := 0
	for _, i := range p.Items {
		n += len(i.Text())
	}
	for _, t := range p.Tools {
		n += len(t.Description) + len(t.Schema)
		if t.Format != nil {
			n += len(t.Format.Text)
		}
	}
	return n / 4
}

// progress is how far an answer came.
type progress struct {
	sent     bool // the model reads the prompt
	answered bool
	bytes    int
}

func (s *progress) take(d model.Delta) {
	switch d := d.(type) {
	case model.Progress:
		s.sent = s.sent || d.Phase == model.Prefill
	case model.Begin:
		s.answered = true
	case model.Text:
		s.answered = true
		s.bytes += len(d.Text)
	case model.End, model.Edits, model.Revert:
	}
}

// absurd is a number of tokens that no answer takes, whatever the provider says: it would empty the day's budget.
const absurd = 1 << 30

// usage is what an answer took. A provider that refused took nothing; of an answer that was cut it
// is estimated if the provider did not say.
func (s progress) usage(r model.Result, err error, prompt int, cut bool) model.Usage {
	switch said := r.Usage; {
	case said.Input+said.Output > 0 && !said.Estimated && max(said.Input, said.Output) < absurd:
		said.Cached, said.Reasoning = min(max(said.Cached, 0), said.Input), min(max(said.Reasoning, 0), said.Output)
		return said
	case err != nil && !s.answered && !(cut && s.sent):
		return model.Usage{}
	case said.Estimated && said.Input > 0:
		said.Input, said.Output = max(said.Input, prompt), max(said.Output, (s.bytes+3)/4)
		return said
	}
	return model.Usage{Input: prompt, Output: (s.bytes + 3) / 4, Estimated: true}
}
