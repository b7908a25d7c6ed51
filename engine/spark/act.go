package spark

import (
	"context"
	"errors"

	"waferpair/engine/model"
	"waferpair/engine/refactor"
)

// A request that is heard and not parsed is carried out only if everything speaks for it: both
// voices, each word, each name, and the engine, which tries it first.

// hears is what is heard in a request that the grammar declined because it does not know it.
func (m *Model) hears(ctx context.Context, p model.Prompt, request string, parsed Parsed, err error) hearing {
	var d *refactor.Declined
	if parsed.Program != nil || !errors.As(err, &d) || d.Code != refactor.Beyond {
		return hearing{}
	}
	return m.heard(ctx, p, request)
}

// act carries out what was heard, and says what it took the request for. It returns false if
// that would change nothing, or is not certain enough.
func (m *Model) act(ctx context.Context, p model.Prompt, h hearing, yield func(model.Delta) error) (bool, error) {
	if !h.act {
		return false, nil
	}
	for range attempts {
		c, works := m.try(ctx, p, h.requests[0])
		if !works {
			return false, nil
		}
		err := yield(model.Edits{Of: c.Edits})
		if errors.Is(err, model.ErrStale) {
			continue // somebody else changed the very lines
		}
		if err != nil {
			return true, err
		}
		return true, m.conclude(ctx, p, c.Edits, "Understood as: "+c.Request+"\n"+c.Summary+"\n", yield)
	}
	return false, nil
}
