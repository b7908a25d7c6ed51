package propose

import (
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

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
	// Agreed says that each voice by itself finds an operation likelier than none, and that both
	// mean the first proposal: it is the likeliest to each, or to one of them, and what the other
	// finds likeliest is the same less well explained (explains).
	Agreed bool
	Idle   bool // the words that the first proposal leaves over only talk
	// Certain is Least without what names cost it that no slot holds, if Idle.
	Certain float64
	Least   float64 // the first proposal's probability by the voice that doubts it more, of those that have it first
}

// Understand asks the linear model and the decoder, and mixes their answers. Without a decoder,
// or if it fails, the linear model speaks alone, and nothing is agreed.
func (p *Proposer) Understand(ctx context.Context, request string, t *link.Table, at refactor.Target) Understanding {
	r := reader{p, request, t, at}
	units := p.linker.Link(request, t)
	if renamed, ok := r.arrow(units); ok {
		return renamed
	}
	u := r.understand(ctx, slices.Clone(units))
	if u.Doubt() == "" {
		return u
	}
	if first, others := firstsOf(units); len(others) > 0 { // "document a, b and c"
		if v := r.understand(ctx, first); len(v.Proposals) > 0 && v.Doubt() == "" && r.each(&v.Proposals[0], others) {
			v.Proposals = v.Proposals[:1]
			return v
		}
	}
	if v, ok := r.part(ctx, units, u); ok {
		return v
	}
	return u
}

func (r reader) understand(ctx context.Context, units []link.Unit) Understanding {
	alone, declined := r.proposals(slices.Clone(units))
	u := Understanding{Request: r.request, Proposals: alone, Declined: declined}
	if r.Decoder == nil || len(units) > mostUnits {
		return u
	}
	heard, err := r.Decoder.Hear(ctx, units, r.search(units))
	if err != nil || len(heard.Readings) == 0 {
		return u
	}
	second := r.readings(units, heard.Readings)
	doubt := heard.Ops[linear.Decline]
	u.Proposals, u.Declined = mixed(alone, second), (declined+doubt)/2
	if len(alone) == 0 || len(second) == 0 {
		return u
	}
	a, b := alone[0], second[0]
	switch {
	case a.key() == b.key():
		u.Least = min(a.Probability, b.Probability)
		u.Agreed = a.Probability > declined && b.Probability > doubt
	case max(declined, doubt) < littleDoubt && r.explains(a, b):
		u.Least, u.Agreed = a.Probability, true
	case max(declined, doubt) < littleDoubt && r.explains(b, a):
		a, u.Least, u.Agreed = b, b.Probability, true
	}
	if u.Agreed {
		u.first(a)
	}
	if u.Idle = r.idle(units, u.Proposals[0]); u.Idle {
		u.Certain = u.Least / math.Pow(leftOver, float64(u.Proposals[0].left))
	}
	return u
}

// first puts the proposal that both voices mean in front.
func (u *Understanding) first(p Proposal) {
	i := slices.IndexFunc(u.Proposals, func(q Proposal) bool { return q.key() == p.key() })
	q := u.Proposals[i]
	u.Proposals = slices.Insert(slices.Delete(u.Proposals, i, i+1), 0, q)
}

// littleDoubt is how probable either voice may find it that no operation covers the request
// where only one of them reads it completely.
const littleDoubt = 0.1

// explainFrom is how probable a voice has to find a program that contradicts the other's.
const explainFrom = 0.9

// explains reports whether p is what q means, better explained: the same operations on the same
// place, every word accounted for, and q lacks arguments that p has. Where they contradict each
// other, q has to leave words over, and p has to be almost certain.
func (r reader) explains(p, q Proposal) bool {
	if len(p.Loose)+len(p.Lacks) > 0 || p.Target != q.Target && !r.allIn(p.Program, q.Target.File) ||
		len(p.Program) < len(q.Program) {
		return false
	}
	contradicted := false
	for _, op := range p.Program[len(q.Program):] { // "tests for a and b": the other may hear only one of them
		if contradicted = true; op.Name != p.Program[0].Name {
			return false
		}
	}
	for i, other := range q.Program {
		op := p.Program[i]
		if op.Name != other.Name {
			return false
		}
		for k, v := range other.Args {
			if mine := op.Args[k]; mine != v && k != "kind" && (k != "which" || mine != "") {
				contradicted = true
			}
		}
	}
	return !contradicted || len(q.Loose)+len(q.Lacks) > 0 && p.Probability >= explainFrom
}

// actFrom is how probable each voice must find a program that is carried out unasked.
const actFrom = 0.5

// oneFrom is how probable one voice must find it at least if both together find it as probable as
// bothFrom, anything else at most a fifth as probable, and hardly doubt that an operation covers the request.
const (
	oneFrom  = 0.12
	bothFrom = 0.5
)

// likely reports whether the first proposal is the only likely one, though one voice finds it less so.
func (u Understanding) likely() bool {
	p := u.Proposals[0].Probability
	second := 0.0
	if len(u.Proposals) > 1 {
		second = u.Proposals[1].Probability
	}
	return u.Least >= oneFrom && p >= bothFrom && u.Declined <= littleDoubt/2 && second <= p/5
}

// careful are the operations that take something away, or somewhere else: a wrong one is not
// seen as easily, so both voices have to be surer of it.
var careful = []string{"delete-unused", "move", "remove-param", "remove-imports", "remove-debug-prints", "inline"}

// carefulFrom is how probable each voice must find one of these.
const carefulFrom = 0.65

// doubtful are words that leave an operation in doubt: errors that are propagated are mostly those
// that are returned already, and it is about the ignored ones.
var doubtful = map[string]*regexp.Regexp{
	"handle-error": regexp.MustCompile(`(?i)propagat|return|wrap|bubbl|pass`),
	// what is there already is to be replaced by the parameter, which the operation does not do
	"add-param": regexp.MustCompile(
		`(?i)hard-?\s?(cod|wir)|outside|instead of|built[- ]in|\bout of\b|replac|fest verdrahtet`),
	// the same, of a flag
	"add-flag": regexp.MustCompile(`(?i)hard-?\s?(cod|wir)|instead|in place of|replac|\bstatt\b|anstelle|fest verdrahtet`),
	// methods of a class, where only the class is named
	"doc":        regexp.MustCompile(`(?i)\b(methods|functions|members|fields|methoden|funktionen|felder)\b`),
	"visibility": regexp.MustCompile(`(?i)package[- ]private`), // which is neither private nor public
}

// idleFrom is how probable each voice must find a program that leaves words over which only talk.
const idleFrom = 0.6

// negated finds a request not to do something. "Don't swallow the error" is none.
var negated = regexp.MustCompile(`(?i)\b(do not|don['’]?t|never|no need to|without|instead of|rather than|stop)\s+` +
	`((you|we|yet|please|ever|just|even|have to|need to)\s+)?(mak|renam|remov|add|delet|export|mov|extract|inlin|convert|chang|` +
	`touch|turn|set|put|sort|document|comment|implement|test|replac|reorder|call|expos|publish|split|introduc)(e|es|ing|ting)?\b`)

// nicht finds a German negation of what is asked, and none of a reason: "wird nicht mehr gebraucht".
var nicht = regexp.MustCompile(`(?i)^\s*(bitte\s+)?\pL+\s+(\S+\s+){1,3}(noch\s+)?nicht\s+(\S+\s*){0,2}$`)

// howTo finds a question about how, why or where that nothing else follows. "What is this 35? LATE_FEE" is none.
var howTo = regexp.MustCompile(`(?i)^\s*(how|why|where|who|wie|warum|wieso|wo|wer)\b[^.?!]*[?!. ]*$`)

// Sure reports whether the first proposal may be carried out unasked, as far as the words tell:
// both voices agree, nothing is missing or left over, and each name is one symbol's.
func (u Understanding) Sure() bool { return u.Doubt() == "" }

// Doubt says why the first proposal may not be carried out unasked; "" if it may.
func (u Understanding) Doubt() string {
	switch {
	case len(u.Proposals) == 0:
		return "no proposal"
	case !u.Agreed:
		return "the voices differ"
	case u.Least < actFrom && !u.likely() && !u.talks():
		return "not probable"
	}
	p := u.Proposals[0]
	if negated.MatchString(u.Request) || p.Program[0].Name != "handle-error" && nicht.MatchString(u.Request) {
		return "negated"
	}
	if howTo.MatchString(u.Request) {
		return "a question"
	}
	for _, op := range p.Program {
		if re := doubtful[op.Name]; re != nil && op.Args["mode"]+op.Args["which"] == "" && re.MatchString(u.Request) {
			return "doubtful words"
		}
		if slices.Contains(careful, op.Name) && u.Least < carefulFrom {
			return "not probable enough for " + op.Name
		}
	}
	switch {
	case p.Ways > 1 || p.More > 0:
		return "several symbols"
	case len(p.Lacks) > 0:
		return "lacks " + strings.Join(p.Lacks, " ")
	case len(p.Loose) > 0 && !(u.Idle && u.Least >= idleFrom && u.Declined < littleDoubt/5) && !u.talks():
		return "loose: " + strings.Join(p.Loose, " ")
	}
	return ""
}

// talks reports whether the voices have no doubt but for names that the request only talks about.
func (u Understanding) talks() bool { return u.Certain >= certainFrom && u.Declined < littleDoubt/10 }

// certainFrom is how probable each voice must find a program if names are left over that fill no slot.
const certainFrom = 0.95

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
	slices.SortStableFunc(out, likelier)
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
	slices.SortStableFunc(out, likelier)
	return distinct(r.plainest(out))
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
	loose, left := r.loose(units, filled, ops...), r.looseMentions(units, filled, ops...)
	for i := range out {
		out[i].Program = slices.CompactFunc(out[i].Program, func(a, b refactor.Op) bool { // said twice, meant once
			return a.Name == b.Name && maps.Equal(a.Args, b.Args)
		})
		out[i].Loose, out[i].left = loose, left
		out[i].Probability *= math.Pow(leftOver, float64(left))
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
