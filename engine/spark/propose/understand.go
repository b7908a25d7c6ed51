package propose

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"

	"waferpair/engine/refactor"
	"waferpair/engine/spark/decoder"
	"waferpair/engine/spark/linear"
	"waferpair/engine/spark/link"
)

// Understanding is what the voices make of a request.
type Understanding struct {
	Request   string
	Proposals []Proposal // what it may mean, best first
	Declined  float64    // how probable it is that no operation covers it
	// Agreed says that each voice by itself finds the first proposal likelier than all others,
	// and likelier than that no operation covers the request.
	Agreed bool
	Least  float64 // the first proposal's probability by the voice that doubts it more
}

// Understand asks the linear model and the decoder, and mixes their answers. Without a decoder,
// or if it fails, the linear model speaks alone, and nothing is agreed.
func (p *Proposer) Understand(ctx context.Context, request string, t *link.Table, at refactor.Target) Understanding {
	alone, declined := p.Proposals(request, t, at)
	u := Understanding{Request: request, Proposals: alone, Declined: declined}
	if p.Decoder == nil {
		return u
	}
	units := p.linker.Link(request, t)
	if len(units) > mostUnits {
		return u
	}
	heard, err := p.Decoder.Hear(ctx, units, p.search(units))
	if err != nil || len(heard.Readings) == 0 {
		return u
	}
	r := reader{p, request, t, at}
	second := r.readings(units, heard.Readings)
	doubt := heard.Ops[linear.Decline]
	u.Proposals, u.Declined = mixed(alone, second), (declined+doubt)/2
	if len(alone) > 0 && len(second) > 0 && alone[0].key() == second[0].key() {
		u.Least = min(alone[0].Probability, second[0].Probability)
		u.Agreed = alone[0].Probability > declined && second[0].Probability > doubt
	}
	return u
}

// actFrom is how probable each voice must find a program that is carried out unasked.
const actFrom = 0.5

// careful are the operations that take something away, or somewhere else: a wrong one is not
// seen as easily. They are never carried out on the voices' word alone.
var careful = []string{"delete-unused", "move", "remove-param", "remove-imports", "remove-debug-prints", "inline"}

// doubtful are words that leave an operation in doubt: errors that are propagated are mostly those
// that are returned already, and it is about the ignored ones.
var doubtful = map[string]*regexp.Regexp{
	"handle-error": regexp.MustCompile(`(?i)propagat|return|wrap|bubbl|pass`),
	"visibility":   regexp.MustCompile(`(?i)package[- ]private`), // which is neither private nor public
}

// Sure reports whether the first proposal may be carried out unasked, as far as the words tell:
// both voices agree, nothing is missing or left over, and each name is one symbol's.
func (u Understanding) Sure() bool {
	if !u.Agreed || u.Least < actFrom {
		return false
	}
	p := u.Proposals[0]
	for _, op := range p.Program {
		if re := doubtful[op.Name]; slices.Contains(careful, op.Name) || re != nil && re.MatchString(u.Request) {
			return false
		}
	}
	return p.Ways <= 1 && p.More == 0 && len(p.Lacks)+len(p.Loose) == 0
}

// leanBy is the weight of the linear model's operation in the decoder's search
// (facts/spark.md: 75 % exact becomes 79 %).
const leanBy = 0.5

// leastLean bounds how much the linear model can speak against an operation.
const leastLean = 1e-3

// search is the decoder's search, with what the linear model thinks of the operation.
func (p *Proposer) search(units []link.Unit) decoder.Search {
	s := decoder.Usual
	s.Lean = map[string]float64{}
	both := 0.0
	guesses := p.Model.Guesses(linear.Words(units, p.vocabulary), units)
	for _, g := range guesses {
		if g.Op == compound {
			both = g.Probability
		}
	}
	for _, g := range guesses {
		if g.Op != compound {
			s.Lean[g.Op] = leanBy * math.Log(max(leastLean, g.Probability+both*compoundShare))
		}
	}
	return s
}

// compoundShare is how much of a compound's probability each operation gets as its first one.
const compoundShare = 0.2

func (p Proposal) key() string { return fmt.Sprint(p.Program, p.Target) }

// mixed joins two lists of proposals. Each has the mean of its probabilities.
func mixed(a, b []Proposal) []Proposal {
	at := map[string]int{}
	var out []Proposal
	for _, list := range [][]Proposal{b, a} {
		for _, p := range list {
			p.Probability /= 2
			if i, ok := at[p.key()]; ok {
				out[i].Probability += p.Probability
				continue
			}
			at[p.key()] = len(out)
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b Proposal) int { return cmp.Compare(b.Probability, a.Probability) })
	return out
}

// readings proposes programs of the decoder's answers, best first.
func (r reader) readings(units []link.Unit, readings []decoder.Reading) []Proposal {
	var out []Proposal
	for _, reading := range readings {
		for _, p := range r.program(units, reading.Clauses) {
			p.Probability *= reading.Probability
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b Proposal) int { return cmp.Compare(b.Probability, a.Probability) })
	return distinct(out)
}

// program proposes programs of the clauses of an answer: each clause's, with every way to go on
// behind the first one's best.
func (r reader) program(units []link.Unit, clauses []decoder.Clause) []Proposal {
	if clauses[0].Op == linear.Decline {
		return nil
	}
	filled := make([]string, len(units)) // what any clause labels
	for _, c := range clauses {
		for i, l := range c.Labels {
			if l != linear.None {
				filled[i] = l
			}
		}
	}
	for i, l := range filled {
		if l == "" {
			filled[i] = linear.None
		}
	}
	out := r.ofClause(units, clauses[0], filled)
	for _, c := range clauses[1:] {
		var longer []Proposal
		for _, first := range out[:min(len(out), 3)] {
			for _, second := range r.after(first).ofClause(units, c, filled) {
				if p, ok := r.joined(first, second); ok {
					longer = append(longer, p)
				}
			}
		}
		out = longer
	}
	var ops []string
	for _, c := range clauses {
		ops = append(ops, c.Op)
	}
	loose, factor := r.loose(units, filled, ops...), math.Pow(leftOver, float64(r.looseMentions(units, filled)))
	for i := range out {
		out[i].Loose = loose
		out[i].Probability *= factor
	}
	return out
}

// ofClause proposes programs of one clause; filled is what the others label, too.
func (r reader) ofClause(units []link.Unit, c decoder.Clause, filled []string) []Proposal {
	part := clause{reader: r, op: c.Op, units: units, labels: c.Labels, filled: filled, args: map[string]string{},
		target: r.target}
	return part.fill(c.Fixed)
}

// joined is a proposal of two programs, false if they are about different files.
func (r reader) joined(first, second Proposal) (Proposal, bool) {
	out := Proposal{Program: append(slices.Clone(first.Program), second.Program...), Target: first.Target,
		Probability: first.Probability * second.Probability, Lacks: append(slices.Clip(first.Lacks), second.Lacks...),
		More: first.More + second.More, Ways: max(first.Ways, second.Ways)}
	if second.Target != first.Target {
		if first.Target != r.target {
			return out, false
		}
		out.Target = second.Target
	}
	return out, true
}
