package app

import (
	"context"
	"sync"
	"time"

	"waferpair/engine/model"
	"waferpair/engine/prompt"
)

// declared is what the project declares, for models: one list as long as nothing changes.
//
// The first reader of a project parses every file, once; then the history has the outlines. That can
// take minutes. A prompt does not wait for it (modelView.Symbols), and has no outlines until then.
type declared struct {
	ctx    context.Context // of readers that nobody waits for
	cancel context.CancelFunc

	mu      sync.Mutex
	version int64 // 0: not read yet
	list    []model.Symbol
}

func newDeclared() *declared {
	d := &declared{}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// close ends the readers; what they have parsed is kept.
func (d *declared) close() {
	d.cancel()
	d.mu.Lock() // the running one has ended
	defer d.mu.Unlock()
}

// Symbols lists what the project declares. It implements model.SymbolSource.
func (p *turnFiles) Symbols(ctx context.Context) ([]model.Symbol, error) {
	d := p.declared
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found, version, err := p.query().Declared(ctx, d.version)
	if err != nil || version == d.version {
		return d.list, err
	}
	out := make([]model.Symbol, 0, len(found))
	for _, s := range found {
		if s.Kind == "heading" {
			continue
		}
		out = append(out, model.Symbol{Name: s.Name, Kind: s.Kind, Owner: s.Container, Path: s.Path, Line: s.Line,
			EndLine: s.EndLine, Params: s.Params()})
	}
	d.list, d.version = out, version
	return out, nil
}

// patience is how long a prompt waits for what the project declares.
const patience = time.Second

// Symbols is that of the project, or prompt.ErrLate while its files are still being parsed.
func (v modelView) Symbols(ctx context.Context) ([]model.Symbol, error) {
	type found struct {
		list []model.Symbol
		err  error
	}
	done := make(chan found, 1)
	go func() {
		list, err := v.turnFiles.Symbols(v.declared.ctx)
		done <- found{list, err}
	}()
	select {
	case f := <-done:
		return f.list, f.err
	case <-time.After(patience):
		return nil, prompt.ErrLate
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
