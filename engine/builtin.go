package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"waferpair/engine/editstream"
	"waferpair/engine/refactor"
	"waferpair/engine/refactor/golang"
	"waferpair/engine/refactor/treesitter"
	"waferpair/engine/spark"
	"waferpair/workspace/text"
)

// Spark is the built-in model. It understands a request as a program of
// structural operations, carries the program out on syntax trees, and streams
// the result as a patch, through the same route as any model's text. What it
// does not understand completely it declines.
type Spark struct{ runner refactor.Runner }

// NewSpark returns the built-in model.
func NewSpark() *Spark {
	return &Spark{refactor.Runner{Languages: []refactor.Language{golang.New(), treesitter.Python(), treesitter.TypeScript()}}}
}

// Info describes the built-in model.
func (s *Spark) Info() Info {
	return Info{Name: "spark", Kind: "spark", Offline: true,
		Help: "built in: everyday structural edits of Go, Python, TypeScript and JavaScript, exact or declined"}
}

// Operation is something that the built-in model can do, and in which languages.
type Operation struct {
	refactor.Spec
	Languages []string `json:"languages"`
}

// Operations lists what the built-in model can do.
func (s *Spark) Operations() []Operation {
	var out []Operation
	for _, spec := range refactor.Ops {
		op := Operation{Spec: spec}
		for _, l := range s.runner.Languages {
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
func (s *Spark) Prepare(ctx context.Context, src refactor.Source) error {
	var errs []error
	for _, l := range s.runner.Languages {
		if p, ok := l.(refactor.Preparer); ok {
			errs = append(errs, p.Prepare(ctx, src))
		}
	}
	return errors.Join(errs...)
}

// Generate understands the request, works the edits out, and streams them.
// After a steer the instruction that cut in is the request: the edits made
// until then are in the project already.
func (s *Spark) Generate(ctx context.Context, p Prompt, yield func(string) error) error {
	request := p.Request
	if n := len(p.Steers); n > 0 {
		request = p.Steers[n-1]
	}
	files, err := p.Source.Files(ctx)
	if err != nil {
		return fmt.Errorf("list the project's files: %w", err)
	}
	parsed, err := spark.Parse(request, spark.Context{Target: p.Target, Files: files})
	if err != nil {
		return s.offering(ctx, p, request, parsed, err)
	}
	res, err := s.runner.Run(ctx, p.Source, parsed.Target, parsed.Program)
	if err != nil {
		return s.offering(ctx, p, request, parsed, understoodAs(err, parsed.Understood))
	}
	if err := inFence(res.Edits, p.Fence); err != nil {
		return err
	}
	return s.write(ctx, p.Source, res, yield)
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

// inFence holds the whole program when a part of it is out of scope: half a
// rename would be worse than none.
func inFence(edits []refactor.FileEdit, f Fence) error {
	var out []string
	for _, e := range edits {
		if !f.Allows(e.Path) {
			out = append(out, e.Path)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return &HeldError{Paths: out, Reason: "the request needs edits outside the scope " + strings.Join(f.Globs, ", "),
		Next: "nothing was changed", Scope: true}
}

// write streams the result: a sentence, then the patch, a line at a time.
func (s *Spark) write(ctx context.Context, src refactor.Source, res refactor.Result, yield func(string) error) error {
	files, err := patchFiles(src, res.Edits)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return yield(strings.TrimSpace(res.Summary+" Nothing had to be changed.") + "\n")
	}
	patch, err := editstream.RenderV4A(files)
	if err != nil {
		return fmt.Errorf("write the edits as a patch: %w", err)
	}
	for line := range strings.SplitAfterSeq(patch, "\n") {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := yield(line); err != nil {
			return err
		}
	}
	return yield(after(res))
}

// after is what the model says below its patch.
func after(res refactor.Result) string {
	var b strings.Builder
	b.WriteString(res.Summary + "\n")
	for _, n := range res.Notes {
		b.WriteString("Note: " + n + "\n")
	}
	return b.String()
}

func patchFiles(src refactor.Source, edits []refactor.FileEdit) ([]editstream.FileChange, error) {
	out := make([]editstream.FileChange, 0, len(edits))
	for _, e := range edits {
		f := editstream.FileChange{Path: e.Path, Create: e.Create, Delete: e.Delete}
		if !e.Create {
			b, err := src.Read(e.Path)
			if err != nil {
				return nil, err
			}
			f.Before, f.Encoding = text.Of(b), text.DetectEncoding(b)
		}
		f.Changes = e.Changes
		out = append(out, f)
	}
	return out, nil
}
