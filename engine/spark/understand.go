package spark

import (
	"context"
	"slices"
	"strings"

	"waferpair/engine/model"
	"waferpair/engine/refactor"
	"waferpair/engine/spark/link"
	"waferpair/engine/spark/propose"
)

// likely is the probability from which something is shown while the request is still being typed.
const likely = 0.5

// Understand says what is understood of a request so far, without trying it.
func (m *Model) Understand(ctx context.Context, p model.Prompt) (model.Understanding, error) {
	request := p.Request()
	files, err := p.Files.Files(ctx)
	if err != nil || guard(request) != nil {
		return model.Understanding{}, err
	}
	table, err := m.table(ctx, p.Files, files)
	if err != nil {
		return model.Understanding{}, err
	}
	at := refactor.Target(p.Target)
	if parsed, err := Parse(request, Context{Target: at, Files: files}); err == nil {
		u := understanding(parsed.Program, parsed.Target, table)
		u.Certain = true
		return u, nil
	}
	voice := proposer()
	if voice == nil || table == nil || len(strings.Fields(request)) < 2 { // one word may mean anything
		return model.Understanding{}, nil
	}
	proposals, declined := voice.Proposals(normalise(request), table, at)
	if len(proposals) == 0 || swallows(proposals[0]) {
		return model.Understanding{}, nil
	}
	first := proposals[0]
	if likelihood(proposals, first) < max(likely, declined) {
		return model.Understanding{}, nil
	}
	u := understanding(first.Program, first.Target, table)
	u.Lacks = first.Lacks
	return u, nil
}

// Certain reports whether a request is certainly one of the operations, as far as its words tell. With
// its arguments, it may be declined nevertheless.
func (m *Model) Certain(ctx context.Context, p model.Prompt) (bool, error) {
	request := p.Request()
	files, err := p.Files.Files(ctx)
	if err != nil || guard(request) != nil {
		return false, err
	}
	parsed, err := Parse(request, Context{Target: refactor.Target(p.Target), Files: files})
	if err == nil {
		return true, nil
	}
	return m.hears(ctx, p, request, parsed, err).act, nil
}

// likelihood is how probable the program's operations are, whatever their arguments.
func likelihood(all []propose.Proposal, p propose.Proposal) float64 {
	sum := 0.0
	for _, q := range all {
		if operationsOf(q.Program) == operationsOf(p.Program) {
			sum += q.Probability
		}
	}
	return sum
}

// table is the project's, or nil if its symbols are not known.
func (m *Model) table(ctx context.Context, src model.Source, files []string) (*link.Table, error) {
	source := symbolSource(src)
	if source == nil {
		return nil, nil
	}
	symbols, err := source.Symbols(ctx)
	if err != nil {
		return nil, err
	}
	return m.tables.of(src.Root(), symbols, files), nil
}

// naming are the arguments that name symbols, in the order in which they are said.
var naming = []string{"symbol", "func", "method", "type", "field", "name", "param", "to", "newtype"}

const mostNames = 6 // and files

// understanding says a program in parts.
func understanding(prog refactor.Program, at refactor.Target, t *link.Table) model.Understanding {
	var u model.Understanding
	add := func(list *[]string, s string) {
		if s != "" && !slices.Contains(*list, s) && len(*list) < mostNames {
			*list = append(*list, s)
		}
	}
	add(&u.Files, at.File)
	for _, op := range prog {
		add(&u.Operations, op.Name)
		for _, key := range naming {
			name := op.Args[key]
			add(&u.Names, name)
			if name == "" || t == nil || at.File != "" {
				continue
			}
			for _, n := range t.Named(name) {
				if s := t.Symbol(n); s.Kind != link.Param {
					add(&u.Files, s.File)
				}
			}
		}
		add(&u.Files, strings.TrimPrefix(op.Args["file"], "./"))
	}
	return u
}
