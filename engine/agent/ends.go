package agent

import (
	"context"
	"errors"

	"waferpair/engine"
	"waferpair/engine/model"
)

// close ends an answer that ended by itself, with every item that the model left open.
func (g *generation) close() error {
	for len(g.flows) > 0 {
		if f := g.flows[0]; f.end == nil {
			f.end = &model.End{At: f.at}
		}
		if err := g.settle(); err != nil {
			return err
		}
	}
	for _, at := range g.output.Open() {
		if err := g.ended(model.End{At: at}); err != nil {
			return err
		}
	}
	return g.recordOutputs()
}

// kept says what is left of an answer that was cut; notBegun, what a call did that was cut.
const (
	kept     = "what it wrote until then is kept"
	notBegun = " before it was complete; nothing was done"
	filtered = "cut by a filter"
)

// over ends an answer that ended by itself, and says what follows it.
func (g *generation) over(stop model.Stop) (then, error) {
	switch stop {
	case model.StopLength:
		return then{}, errors.Join(&engine.Unfinished{Err: errors.New("the answer reached the limit of its length: " + kept)},
			g.cut(atItsLimit))
	case model.StopFilter:
		return then{}, errors.Join(errors.New("a filter of the provider withheld the rest of the answer: "+kept),
			g.cut(filtered))
	}
	if err := g.close(); err != nil || !g.language {
		return then{}, err
	}
	if g.inside {
		return then{}, &engine.Unfinished{Err: errors.New("incomplete: the answer ended inside a hunk: " + kept)}
	}
	if len(g.failed) > 0 {
		return then{more: true}, g.recordWhole(g.askAgain(context.Background(), g.failed))
	}
	return then{more: g.calls > 0}, nil
}

// cut ends an answer where it is. An open call becomes complete, with an output that says
// how far it got, because most models cannot replay an open one.
func (g *generation) cut(why string) error {
	var errs []error
	if why != atItsLimit && why != filtered { // these cut what seemed to have ended
		errs = append(errs, g.settle())
	}
	for n, f := range g.flows {
		errs = append(errs, g.joinUp(f, true))
		if f.item.Kind == model.Message {
			errs = append(errs, g.cutMessage(f, why))
			continue
		}
		r := engine.Receipt{Cut: why}
		if n > 0 {
			r.Cut += " while it waited"
		} else if f.writer != nil {
			r = f.writer.Cut(why)
		}
		errs = append(errs, g.cutCall(f.at, r.String()))
	}
	g.flows = nil
	for _, at := range g.output.Open() {
		if i, _, _ := g.output.Item(at); i.Kind.IsCall() {
			errs = append(errs, g.cutCall(at, why+notBegun))
		} else {
			errs = append(errs, g.partial(at))
		}
	}
	return errors.Join(append(errs, g.recordOutputs())...)
}

// cutMessage cuts a message after carrying out its waiting text.
func (g *generation) cutMessage(f *flow, why string) error {
	err := g.catchUp(f)
	if f.writer != nil {
		f.writer.Cut(why)
	}
	return errors.Join(err, g.partial(f.at))
}

// partial ends an incomplete item.
func (g *generation) partial(at int) error {
	i, _, _ := g.output.Item(at)
	i.Status = model.Incomplete
	return g.record(model.End{At: at, Item: i})
}

func (g *generation) cutCall(at int, words string) error {
	err := g.record(model.End{At: at})
	i, _, _ := g.output.Item(at)
	g.answer(i, words)
	return err
}
