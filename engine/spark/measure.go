package spark

import (
	"context"

	"waferpair/engine/model"
)

// Hear returns the requests that the voices hear in one, best first, and tries none of them. It
// is what measurements time.
func (m *Model) Hear(ctx context.Context, p model.Prompt) []string {
	return m.heard(ctx, p, p.Request()).requests
}

// WeightSizes are the bytes of the linear model's and the decoder's weights in the program.
func WeightSizes() (linear, decoder int) { return len(weights), len(network) }
