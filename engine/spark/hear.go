package spark

import (
	"context"
	_ "embed" // the weights
	"fmt"
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

// A request that the grammar does not understand is heard by two voices that know many more
// ways to ask, a linear model and a decoder, and each may be wrong. Their programs become
// requests in the grammar's words, which are tried on the project. Where both voices say the
// same and nothing is left over, it is carried out (act.go); otherwise they are choices.

//go:embed weights.bin
var weights []byte

// proposer is the voices. If the linear model's weights are damaged, it is nil, and the grammar
// goes on alone; without a decoder nothing is carried out on the linear model's word alone.
var proposer = sync.OnceValue(func() *propose.Proposer {
	m, err := linear.Unmarshal(weights)
	if err != nil {
		return nil
	}
	d, err := pointerDecoder()
	if err != nil {
		d = nil
	}
	return propose.New(m, d)
})

// leastLikely is the probability below which a program is not offered.
const leastLikely = 0.05

// hearing is what was heard in a request.
type hearing struct {
	requests []string // that the grammar understands, for the programs that it may mean, best first
	asked    bool     // the voices were asked; without a proposer or symbols they cannot be
	act      bool     // the first of them is certainly meant, as far as the words tell
	sure     bool     // the first of them is most probably meant
	more     int      // programs that were left out, because a name is that of many symbols
	like     string   // a request for the operation that is the likeliest, if any is
}

// surely is the probability from which something is most probably meant, and share is how much
// less probable than the first a program may be.
const (
	surely = 0.7
	share  = 0.2
)

// heard is what is heard in a request: nothing, if it is more likely one that no operation
// covers.
func (m *Model) heard(ctx context.Context, p model.Prompt, request string) hearing {
	voice := proposer()
	files, err := p.Files.Files(ctx)
	if voice == nil || err != nil || guard(request) != nil {
		return hearing{}
	}
	table, err := m.table(ctx, p.Files, files)
	if err != nil || table == nil {
		return hearing{} // what it would offer is a help and no more
	}
	c := Context{Target: refactor.Target(p.Target), Files: files}
	table = table.Plus(locals(p.Files, table, request, c.Target))
	u := voice.Understand(ctx, normalise(request), table, c.Target)
	h := hearing{asked: true, like: likest(u)}
	for i, q := range u.Proposals {
		if q.Probability < max(leastLikely, u.Declined/2, share*u.Proposals[0].Probability) || len(q.Lacks) > 0 ||
			swallows(q) {
			continue
		}
		if r, ok := inWords(q, c); ok && !slices.Contains(h.requests, r) {
			h.requests, h.more = append(h.requests, r), max(h.more, q.More)
			h.sure = h.sure || i == 0 && (q.Probability > surely || u.Sure())
			h.act = h.act || i == 0 && u.Sure()
		}
	}
	return h
}

// likest is the example of the operation that a request is most probably about; "" if none is
// likelier than that no operation covers it.
func likest(u propose.Understanding) string {
	sums := map[string]float64{}
	for _, q := range u.Proposals {
		sums[q.Program[0].Name] += q.Probability
	}
	best := ""
	for _, op := range slices.Sorted(maps.Keys(sums)) {
		if sums[op] > max(sums[best], u.Declined, leastAlike) {
			best = op
		}
	}
	spec, _ := refactor.Lookup(best)
	return spec.Example
}

// leastAlike is how probable an operation has to be for its example to help.
const leastAlike = 0.15

// swallows reports whether a text of the program seems to hold a second request.
func swallows(q propose.Proposal) bool {
	return slices.ContainsFunc(q.Program, func(op refactor.Op) bool {
		_, second := secondVerb(op.Args["text"])
		return second
	})
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
// about the same lines; false if there is none.
func inWords(q propose.Proposal, c Context) (string, bool) {
	var clauses []string
	program := slices.Clone(q.Program)
	for i, op := range program {
		if v, ok := op.Args["symbol"]; ok && op.Name == "delete-unused" { // the grammar's name of that slot
			op = refactor.Op{Name: op.Name, Args: map[string]string{"func": v}}
			program[i] = op
		}
		say := sayer(op)
		if say == nil {
			return "", false
		}
		clauses = append(clauses, say(args(op.Args)))
	}
	request := strings.Join(clauses, "; ")
	switch t := q.Target; {
	case t.File == "":
	case t.From > 0 && (t.From != c.Target.From || t.To != c.Target.To || t.File != c.Target.File):
		request = fmt.Sprintf("on lines %d-%d of %s, %s", t.From, t.To, codeQuote(t.File), request)
	case t.File != c.Target.File:
		request = "in " + codeQuote(t.File) + ", " + request
	}
	parsed, err := Parse(request, c)
	if err != nil || !sameProgram(parsed.Program, program) || parsed.Target != q.Target {
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
