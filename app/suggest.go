package app

import (
	"context"

	"waferpair/engine"
	"waferpair/engine/refactor"
)

// Working are those of some requests that the built-in model would carry out
// now, with a file open: each is tried on copies. It takes as long as a user
// would wait for suggestions, and leaves out what was not tried by then.
func (p *Project) Working(ctx context.Context, path string, requests []string) ([]string, error) {
	m, err := p.Engine().Model("")
	if err != nil {
		return nil, err
	}
	spark, ok := m.(*engine.Spark)
	if !ok {
		return nil, nil
	}
	return spark.Working(ctx, engine.Prompt{Source: newDryRun(p), Target: refactor.Target{File: path}}, requests), nil
}
