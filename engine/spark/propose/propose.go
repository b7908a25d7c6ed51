// Package propose makes typed candidates of a request: programs that it may mean, with a
// probability each, of what the linear model and the decoder say about its units.
//
//	request -> link.Units -> operation and slots (linear, decoder) -> names, values, files -> Proposal
//	                                                           both lists -> Understanding
//
// Programs that differ in nothing that matters in the project are one (plain.go). What words are left
// over is weighed: a linter's rule (jargon.go), talk that restricts nothing (leftover.go), and talk around
// a part of the request that is certain by itself (parts.go). Sure says whether the words leave no doubt. Whoever asks
// tries the proposals on the project, and acts, asks or declines.
package propose

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/words"
	"waferpair/engine/spark/decoder"
	"waferpair/engine/spark/linear"
	"waferpair/engine/spark/link"
)

// Proposal is a program that a request may mean.
type Proposal struct {
	Program     refactor.Program
	Target      refactor.Target
	Probability float64
	Lacks       []string // slots that the operation needs and the request does not fill
	More        int      // programs like it that were left out: a name is that of many symbols
	Ways        int      // symbols that the name may be that is one of most symbols; 1 if each is one
	Loose       []string // words of the request that neither the model knows nor a slot holds
	left        int      // names and values of the request that no slot holds
}

// Proposer reads requests with a model.
type Proposer struct {
	Model      *linear.Model
	Decoder    *decoder.Decoder // nil: the linear model speaks alone
	linker     link.Linker
	vocabulary map[string]bool
	general    map[string]bool            // words of requests for many operations
	uses       map[string]map[string]bool // words of requests for an operation
}

// New returns a proposer. The decoder may be nil.
func New(m *linear.Model, d *decoder.Decoder) *Proposer {
	p := &Proposer{Model: m, Decoder: d, linker: link.Linker{Vocabulary: set(m.Common)}, vocabulary: set(m.Vocabulary),
		general: numbered(m.Vocabulary, m.General), uses: map[string]map[string]bool{}}
	for op, list := range m.Uses {
		p.uses[op] = numbered(m.Vocabulary, list)
	}
	return p
}

// numbered is the set of the words with these numbers.
func numbered(words []string, numbers []int) map[string]bool {
	m := make(map[string]bool, len(numbers))
	for _, n := range numbers {
		if n >= 0 && n < len(words) {
			m[words[n]] = true
		}
	}
	return m
}

func set(words []string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

const (
	compound = "compound"
	mostOps  = 5 // operations that are considered
	mostTags = 6 // labellings of each
	// mostUnits bounds the requests that are read at all, and mostJoiners the places where one
	// is cut in two: each costs two readings.
	mostUnits   = 100
	mostJoiners = 6
	leastShare  = 0.02
	// leftOver is what the probability is multiplied by for each mention that fills no slot.
	leftOver = 0.4
	// leastCompound is how probable two operations are at least, where a joiner is.
	leastCompound = 0.1
	// tagScale turns differences of scores of labellings into logarithms of probabilities.
	tagScale = 0.15
)

// Proposals are the programs that the request may mean, best first; declined is how probable it is
// that no operation covers it.
func (p *Proposer) Proposals(request string, t *link.Table, at refactor.Target) (out []Proposal, declined float64) {
	return reader{p, request, t, at}.proposals(p.linker.Link(request, t))
}

func (r reader) proposals(units []link.Unit) (out []Proposal, declined float64) {
	if len(units) == 0 || len(units) > mostUnits {
		return nil, 1
	}
	r.narrowed(units, r.table, r.target)
	words := linear.Words(units, r.vocabulary)
	guesses := r.Model.Guesses(words, units)
	for i, g := range guesses {
		switch {
		case g.Op == linear.Decline:
			declined = g.Probability
		case g.Op == compound:
			out = append(out, r.compounds(units, max(g.Probability, leastCompound))...)
		case g.Op != compound && i < mostOps && g.Probability > leastShare:
			out = append(out, r.single(g, words, units)...)
		}
	}
	slices.SortStableFunc(out, likelier)
	return distinct(r.plainest(out)), declined
}

// reader is the work on one request.
type reader struct {
	*Proposer
	request string
	table   *link.Table
	target  refactor.Target
}

// likelier puts the likelier one first.
func likelier(a, b Proposal) int { return cmp.Compare(b.Probability, a.Probability) }

// single proposes programs of one operation.
func (r reader) single(g linear.Guess, words []string, units []link.Unit) []Proposal {
	taggings := r.Model.Taggings(g.Op, words, units, mostTags)
	fixedArgs := r.Model.FixedArgs(g.Op, words, units)
	share := make([]float64, len(taggings))
	for i, t := range taggings {
		share[i] = t.Score * tagScale
	}
	if len(share) == 0 {
		return nil
	}
	linear.Softmax(share)
	var out []Proposal
	for i, t := range taggings {
		c := clause{reader: r, op: g.Op, units: units, labels: t.Labels, args: map[string]string{}, target: r.target}
		for _, filled := range c.fill(fixedArgs) {
			filled.Probability *= g.Probability * share[i]
			filled.Loose = r.loose(units, t.Labels, g.Op)
			filled.left = r.looseMentions(units, t.Labels, g.Op)
			filled.Probability *= math.Pow(leftOver, float64(filled.left))
			out = append(out, filled)
		}
	}
	return out
}

// loose are the words outside of all slots that requests for these operations do not have: they
// may ask for something else, or restrict it. What gives a reason is never loose.
func (r reader) loose(units []link.Unit, labels []string, ops ...string) []string {
	var out []string
	reason := reasons(units, labels)
	for i, u := range units {
		if i < len(labels) && labels[i] != linear.None || u.Kind == link.Sign || u.Kind == link.Pointer || reason[i] ||
			r.clitic(u) || jargon(units, i, ops...) {
			continue
		}
		if u.Kind != link.Word || !r.explained(strings.ToLower(u.Text), ops) || further(units[i:], labels[i:]) &&
			slices.ContainsFunc(labels[:i], isSlot) {
			out = append(out, u.Text)
		}
	}
	return out
}

// clitic reports whether a word is what an apostrophe leaves of one: "doesn't", "I'd".
func (r reader) clitic(u link.Unit) bool {
	before := r.request[:u.From]
	return clitics[strings.ToLower(u.Text)] && (strings.HasSuffix(before, "'") || strings.HasSuffix(before, "’"))
}

var clitics = words.Set("t s d m ll re ve")

// more are words that begin a further wish.
var more = words.Set("and then und dann plus also")

// further reports whether a further wish begins here that fills no slot: "... and write it with
// reduce".
func further(units []link.Unit, labels []string) bool {
	return len(labels) > 2 && units[0].Kind == link.Word && more[strings.ToLower(units[0].Text)] &&
		!slices.ContainsFunc(labels, isSlot)
}

func isSlot(label string) bool { return label != linear.None }

// explained reports whether a word is one of requests for any of the operations, or the only one
// that it can be a misspelling of is.
func (r reader) explained(word string, ops []string) bool {
	if len(word) == 1 && word != "a" && word != "i" {
		return false // a variable's name, rather
	}
	if r.Decoder != nil && !r.vocabulary[word] {
		word = cmp.Or(r.Decoder.Vocabulary.Corrected(word), word)
	}
	return r.general[word] || slices.ContainsFunc(ops, func(op string) bool { return r.uses[op][word] })
}

// reasons reports which units belong to a reason that is given for the request: what is behind
// "because" and its like, up to the sentence's end, and fills no slot.
func reasons(units []link.Unit, labels []string) []bool {
	out := make([]bool, len(units))
	in := false
	for i, u := range units {
		word := strings.ToLower(u.Text)
		switch {
		case u.Kind == link.Sign && (word == "." || word == ";" || word == ":"),
			i < len(labels) && labels[i] != linear.None, constraints[word]:
			in = false
		case u.Kind == link.Word && (because[word] || word == "so" && i+1 < len(units) &&
			behindSo[strings.ToLower(units[i+1].Text)]):
			in = true
		}
		out[i] = in
	}
	return out
}

var (
	because  = words.Set("because since cause cuz bc weil damit")
	behindSo = words.Set("that we i it the you they nobody everyone people others our")
)

var mentions = []link.Kind{link.New, link.Literal, link.Code, link.Typed, link.Const, link.Field, link.Param, link.Func,
	link.Method, link.Type}

// looseMentions counts the names, values and types that fill no slot.
func (r reader) looseMentions(units []link.Unit, labels []string, ops ...string) int {
	n := 0
	reason := reasons(units, labels)
	for i, u := range units {
		if i < len(labels) && labels[i] != linear.None || reason[i] || jargon(units, i, ops...) {
			continue
		}
		if slices.Contains(mentions, u.Kind) {
			n++
		}
	}
	return n
}

// joinsClauses are the words and signs between clauses.
func joinsClauses(u link.Unit) bool {
	switch strings.ToLower(u.Text) {
	case "and", "then", "und", "dann", "plus", ",", ";", ".", "+", "&", "also":
		return u.Kind == link.Word || u.Kind == link.Sign
	}
	return false
}

// compounds proposes programs of two operations: for each joiner, the best program of what is
// before it and the best of what is behind. A program has one target, so clauses about two
// files are none.
func (r reader) compounds(units []link.Unit, probability float64) []Proposal {
	var out []Proposal
	tried := 0
	for end := 1; end < len(units)-1 && tried < mostJoiners; end++ {
		if !joinsClauses(units[end]) {
			continue
		}
		from := end
		for from < len(units)-1 && joinsClauses(units[from]) {
			from++
		}
		tried++
		first := r.best(units[:end])
		end = from - 1
		if first == nil || len(first.Lacks) > 0 {
			continue
		}
		second := r.after(*first).best(units[from:])
		if second == nil || len(second.Lacks) > 0 {
			continue
		}
		c := Proposal{Program: append(slices.Clone(first.Program), second.Program...), Target: first.Target,
			Probability: probability * math.Sqrt(first.Probability*second.Probability),
			Loose:       append(slices.Clip(first.Loose), second.Loose...)}
		if second.Target != first.Target {
			if first.Target != r.target {
				continue
			}
			c.Target = second.Target
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, likelier)
	return out[:min(len(out), 3)]
}

// best is the best single program of some units, or nil.
func (r reader) best(units []link.Unit) *Proposal {
	words := linear.Words(units, r.vocabulary)
	for _, g := range r.Model.Guesses(words, units) {
		if g.Op == linear.Decline || g.Op == compound {
			continue
		}
		if found := r.single(g, words, units); len(found) > 0 {
			slices.SortStableFunc(found, likelier)
			return &found[0]
		}
		return nil
	}
	return nil
}

// after is the reader of the clause behind one: "it" is what that one was about.
func (r reader) after(p Proposal) reader {
	return reader{r.Proposer, r.request, r.table.With(Outcome(p.Program[0].Name, p.Program[0].Args)), p.Target}
}

// Outcome is what an operation with these arguments leaves to be called "it".
func Outcome(op string, args map[string]string) string {
	switch op {
	case "rename":
		return args["to"]
	case "extract-function", "extract-constant", "extract-variable":
		return args["name"]
	}
	for _, arg := range []string{"symbol", "func", "type", "name"} {
		if v := args[arg]; v != "" {
			return v
		}
	}
	return ""
}

// identifierOf makes a name of the words for it, in the spelling of the project.
func (r reader) identifierOf(text string, like string) string {
	words := strings.Fields(text)
	if len(words) < 2 {
		if like != "" && unicode.IsUpper(rune(like[0])) && text != "" && strings.ToLower(r.request) == r.request {
			return capital(text) // who types no capitals means one
		}
		return text
	}
	snake, upper := strings.Contains(like, "_"), like != "" && strings.ToUpper(like) == like && len(like) > 1
	if like == "" {
		snake = strings.HasSuffix(r.target.File, ".py")
	}
	for i, w := range words {
		switch {
		case upper:
			words[i] = strings.ToUpper(w)
		case snake:
			words[i] = strings.ToLower(w)
		case i > 0 || like != "" && unicode.IsUpper(rune(like[0])):
			words[i] = capital(w)
		}
	}
	if snake || upper {
		return strings.Join(words, "_")
	}
	return strings.Join(words, "")
}

// capital is a word with a capital at its beginning.
func capital(w string) string {
	r, n := utf8.DecodeRuneInString(w)
	return string(unicode.ToUpper(r)) + w[n:]
}
