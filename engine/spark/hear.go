package spark

import (
	"context"
	_ "embed" // the weights
	"maps"
	"slices"
	"strings"
	"sync"

	"waferpair/engine/model"
	"waferpair/engine/refactor"
	"waferpair/engine/spark/linear"
	"waferpair/engine/spark/link"
	"waferpair/engine/spark/propose"
)

// A request that the grammar does not understand is heard by the linear model, which knows
// many more ways to ask. It may be wrong, so its programs are not carried out: each becomes a
// request in the grammar's words, is tried on the project, and is offered as a choice.

//go:embed weights.bin
var weights []byte

// proposer is the linear model, or nil if its weights are damaged; then the grammar goes on
// alone.
var proposer = sync.OnceValue(func() *propose.Proposer {
	m, err := linear.Unmarshal(weights)
	if err != nil {
		return nil
	}
	return propose.New(m)
})

// leastLikely is the probability below which a program is not offered.
const leastLikely = 0.05

// heard are requests that the grammar understands, for the programs that this one may mean,
// best first. There are none if the request is more likely one that no operation covers.
func (m *Model) heard(ctx context.Context, p model.Prompt, request string) []string {
	voice, source := proposer(), symbolSource(p.Files)
	if voice == nil || source == nil || guard(request) != nil {
		return nil
	}
	symbols, err := source.Symbols(ctx)
	if err != nil {
		return nil // what it would offer is a help and no more
	}
	files, err := p.Files.Files(ctx)
	if err != nil {
		return nil
	}
	proposals, declined := voice.Proposals(normalise(request), tableOf(symbols, files), refactor.Target(p.Target))
	var out []string
	for _, q := range proposals {
		if q.Probability < max(leastLikely, declined/2) || len(q.Lacks) > 0 {
			continue
		}
		if r, ok := inWords(q, Context{Target: refactor.Target(p.Target), Files: files}); ok && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

func symbolSource(files model.Source) model.SymbolSource {
	s, _ := files.(model.SymbolSource)
	return s
}

func tableOf(symbols []model.Symbol, files []string) *link.Table {
	list := make([]link.Symbol, len(symbols))
	for i, s := range symbols {
		list[i] = link.Symbol{Name: s.Name, Kind: link.Kind(s.Kind), Owner: s.Owner, File: s.Path, Line: s.Line,
			EndLine: s.EndLine, Params: s.Params}
	}
	return link.NewTable(list, files)
}

// inWords says a program as a request that the grammar understands as exactly this program,
// about the same file; false if there is none.
func inWords(q propose.Proposal, c Context) (string, bool) {
	var clauses []string
	for _, op := range q.Program {
		say := sayer(op)
		if say == nil {
			return "", false
		}
		clauses = append(clauses, say(args(op.Args)))
	}
	request := strings.Join(clauses, "; ")
	if q.Target.File != c.Target.File && q.Target.File != "" {
		request = "in " + codeQuote(q.Target.File) + ", " + request
	}
	parsed, err := Parse(request, c)
	if err != nil || !sameProgram(parsed.Program, q.Program) || parsed.Target.File != q.Target.File {
		return "", false
	}
	return request, true
}

// sayer says a clause of an operation, or is nil if the grammar does not have all of it.
func sayer(op refactor.Op) func(args) string {
	spec, ok := refactor.Lookup(op.Name)
	if !ok {
		return nil
	}
	for arg := range op.Args {
		if !slices.ContainsFunc(spec.Params, func(p refactor.Param) bool { return p.Name == arg }) {
			return nil
		}
	}
	for _, o := range theGrammar().ops {
		if o.name == op.Name {
			return o.say
		}
	}
	return nil
}

func sameProgram(a, b refactor.Program) bool {
	return slices.EqualFunc(a, b, func(x, y refactor.Op) bool {
		return x.Name == y.Name && maps.Equal(x.Args, y.Args)
	})
}
