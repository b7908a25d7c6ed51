package spark

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"waferpair/engine/model"
	"waferpair/engine/refactor"
	"waferpair/engine/refactor/languages"
)

// Model is the built-in model. It understands a request as a program of
// structural operations, carries the program out on syntax trees, and yields the
// exact edits. What it does not understand completely it declines.
type Model struct {
	runner refactor.Runner
	tables tables
}

// New returns the built-in model.
func New() *Model {
	return &Model{runner: refactor.Runner{Languages: languages.All()}}
}

// Info describes the built-in model.
func (m *Model) Info() model.Info {
	return model.Info{Name: "spark", Kind: "spark", Offline: true,
		Help: "built in: everyday structural edits of Go, Python, TypeScript, JavaScript and Java, exact or declined"}
}

// Operations lists what the built-in model can do.
func (m *Model) Operations() []model.Operation {
	var out []model.Operation
	for _, spec := range refactor.Ops {
		op := model.Operation{Name: spec.Name, Help: spec.Help, Example: spec.Example}
		for _, p := range spec.Params {
			op.Params = append(op.Params, model.Param{Name: p.Name, Optional: p.Optional, Help: p.Help})
		}
		for _, l := range m.runner.Languages {
			if l.Has(spec.Name) {
				op.Languages = append(op.Languages, l.Name())
			}
		}
		if len(op.Languages) > 0 {
			out = append(out, op)
		}
	}
	return out
}

// Prepare does slow work before the first request needs it, where a language has
// such: gently, and once for each state of the project that it depends on.
func (m *Model) Prepare(ctx context.Context, src model.Source) error {
	var errs []error
	for _, l := range m.runner.Languages {
		if p, ok := l.(refactor.Preparer); ok {
			errs = append(errs, p.Prepare(ctx, src))
		}
	}
	return errors.Join(errs...)
}

// Generate understands the request, works the edits out, and yields them.
// After a steer the instruction that cut in is the request: the edits made
// until then are in the project already. It has no tokens to count.
func (m *Model) Generate(ctx context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	if err := m.answer(ctx, p, yield); err != nil {
		return model.Result{Stop: model.StopCut}, err
	}
	return model.Result{Stop: model.StopEnd}, nil
}

func (m *Model) answer(ctx context.Context, p model.Prompt, yield func(model.Delta) error) error {
	request := p.Request()
	files, err := p.Files.Files(ctx)
	if err != nil {
		return fmt.Errorf("list the project's files: %w", err)
	}
	parsed, err := Parse(request, Context{Target: refactor.Target(p.Target), Files: files})
	if err != nil {
		h := m.hears(ctx, p, request, parsed, err)
		if done, failed := m.act(ctx, p, h, yield); done || failed != nil {
			return failed
		}
		return m.offering(ctx, p, request, parsed, err, h)
	}
	parsed.Program = m.onLocal(ctx, p, files, parsed)
	for range attempts {
		err = m.carryOut(ctx, p, parsed, yield)
		if !errors.Is(err, model.ErrStale) {
			break
		}
	}
	return m.offering(ctx, p, request, parsed, understoodAs(err, parsed.Understood), hearing{})
}

// attempts is how often edits are worked out while somebody else changes the very
// lines.
const attempts = 3

// carryOut works the edits out and yields them, and then what there is to say.
func (m *Model) carryOut(ctx context.Context, p model.Prompt, parsed Parsed, yield func(model.Delta) error) error {
	files := newSnapshot(p.Files)
	res, err := m.runner.Run(ctx, files, parsed.Target, parsed.Program)
	if err != nil {
		return err
	}
	if len(res.Edits) == 0 {
		return model.Say(yield, strings.TrimSpace(res.Summary+" Nothing had to be changed.")+"\n", 0)
	}
	exact, err := files.edits(res.Edits)
	if err != nil {
		return err
	}
	if err := yield(model.Edits{Of: exact}); err != nil {
		return err
	}
	return m.conclude(ctx, p, exact, said(res), yield)
}

// understoodAs puts the request's meaning, in words, on a refusal.
func understoodAs(err error, words string) error {
	var d *refactor.Declined
	if words == "" || !errors.As(err, &d) {
		return err
	}
	c := *d
	c.Understood = words
	return &c
}

// said is what the model says below its edits.
func said(res refactor.Result) string {
	var b strings.Builder
	b.WriteString(res.Summary + "\n")
	for _, n := range res.Notes {
		b.WriteString("Note: " + n + "\n")
	}
	return b.String()
}
