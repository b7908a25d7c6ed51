package decoder

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"waferpair/engine/refactor"
	"waferpair/engine/spark/link"
)

// MaxUnits bounds the units of a request that the decoder reads: there are as many indexes.
const MaxUnits = 64

// The tokens that are always there, in this order at the beginning of a vocabulary; behind
// them stand the indexes #0 to #63.
const (
	Pad    int32 = iota // fills batches in training; never part of a sequence
	Begin               // <s>
	End                 // </s>
	Answer              // <answer>, between the request and the answer
	Also                // <also>, between clauses
	firstIndex
)

const firstFree = firstIndex + MaxUnits

// Decline is the operation of an answer to a request that no operation covers.
const Decline = "decline"

// None is the label of units that fill no slot.
const None = "-"

// Op is an operation as answers name it. The slots are in the order of answers.
type Op struct {
	Name  string   `json:"name"`
	Slots []string `json:"slots,omitempty"`
	Fixed []string `json:"fixed,omitempty"` // slot=value: what the wording of a request may fix
}

// Clause is one operation of an answer: a label for each unit of the request, which is a slot
// or None, and the arguments that the wording fixes.
type Clause struct {
	Op     string
	Labels []string
	Fixed  map[string]string
}

// Vocabulary numbers the tokens of requests and answers. It is not changed once made.
type Vocabulary struct {
	Tokens []string
	Ops    []Op
	ids    map[string]int32
	words  map[int][]string // words of requests by their length in bytes, for misspelled ones
}

// NewVocabulary makes the vocabulary of the operations and of the words of requests; the words
// are in the order that they are to be numbered in.
func NewVocabulary(ops []Op, words []string) (*Vocabulary, error) {
	tokens := []string{"<pad>", "<s>", "</s>", "<answer>", "<also>"}
	for i := range MaxUnits {
		tokens = append(tokens, "#"+strconv.Itoa(i))
	}
	add := func(t string) {
		if !slices.Contains(tokens, t) {
			tokens = append(tokens, t)
		}
	}
	for _, op := range ops {
		add("op:" + op.Name)
	}
	for _, op := range ops {
		for _, s := range op.Slots {
			add("slot:" + s)
		}
		for _, f := range op.Fixed {
			add("fix:" + f)
		}
	}
	for _, w := range shapes {
		add(w)
	}
	tokens = append(tokens, words...)
	return ReadVocabulary(tokens, ops)
}

// ReadVocabulary is the vocabulary of a list of tokens, as NewVocabulary made it.
func ReadVocabulary(tokens []string, ops []Op) (*Vocabulary, error) {
	v := &Vocabulary{Tokens: tokens, Ops: ops, ids: make(map[string]int32, len(tokens)), words: map[int][]string{}}
	for i, t := range tokens {
		if _, twice := v.ids[t]; twice {
			return nil, fmt.Errorf("the vocabulary has %q twice", t)
		}
		v.ids[t] = int32(i)
		if isWord(t) {
			v.words[len(t)] = append(v.words[len(t)], t)
		}
	}
	for id, t := range map[int32]string{Begin: "<s>", End: "</s>", Answer: "<answer>", Also: "<also>", firstIndex: "#0",
		firstFree - 1: "#" + strconv.Itoa(MaxUnits-1)} {
		if v.ids[t] != id {
			return nil, fmt.Errorf("the vocabulary has %q at %d instead of %d", t, v.ids[t], id)
		}
	}
	for _, op := range ops {
		names := []string{"op:" + op.Name}
		for _, s := range op.Slots {
			names = append(names, "slot:"+s)
		}
		for _, f := range op.Fixed {
			names = append(names, "fix:"+f)
		}
		for _, n := range names {
			if _, ok := v.ids[n]; !ok {
				return nil, fmt.Errorf("the vocabulary lacks %q", n)
			}
		}
	}
	return v, nil
}

// isWord reports whether a token is a word of requests that may be misspelled.
func isWord(t string) bool {
	return utf8.RuneCountInString(t) > 4 && !strings.ContainsAny(t, "<>#:=;")
}

// ID is the number of a token.
func (v *Vocabulary) ID(token string) (int32, bool) {
	id, ok := v.ids[token]
	return id, ok
}

// Index is the token that points at a unit.
func Index(unit int) int32 { return firstIndex + int32(unit) }

// op is the operation of that name, or nil.
func (v *Vocabulary) op(name string) *Op {
	for i := range v.Ops {
		if v.Ops[i].Name == name {
			return &v.Ops[i]
		}
	}
	return nil
}

// Request is a request as tokens: Begin, for each unit what it is and its index, and Answer.
// It returns false for a request with more units than the decoder reads.
func (v *Vocabulary) Request(units []link.Unit) ([]int32, bool) {
	if len(units) == 0 || len(units) > MaxUnits {
		return nil, false
	}
	out := make([]int32, 0, 3*len(units)+2)
	out = append(out, Begin)
	for i, u := range units {
		for _, t := range v.unit(u) {
			out = append(out, v.ids[t])
		}
		out = append(out, Index(i))
	}
	return append(out, Answer), true
}

// Shapes of units that the vocabulary has no word for.
const (
	unknown  = "<word>"
	letter   = "<letter>"
	builtin  = "<builtin>"  // the name of a type that every language has
	perhaps  = "<perhaps>"  // behind a word: a symbol is called so, too
	nearMiss = "<near>"     // behind a mention: it is one edit away from the symbol
	dotted   = "<dotted>"   // a new name with dots
	sentence = "<sentence>" // quoted text of several words
	anySign  = "<sign>"
)

var shapes = []string{unknown, letter, builtin, perhaps, nearMiss, dotted, sentence, anySign}

// unit is what a unit looks like to the decoder, as one or two tokens.
func (v *Vocabulary) unit(u link.Unit) []string {
	switch k := u.Kind; {
	case k == link.Word && u.Match == link.Perhaps:
		return []string{v.word(u.Text), perhaps}
	case k == link.Word:
		return []string{v.word(u.Text)}
	case k == link.Sign:
		return []string{v.known(u.Text, anySign)}
	case k == link.Pointer:
		return []string{v.known(pointerToken(u.Noun), pointerToken(""))}
	case k == link.New && strings.Contains(u.Text, "."):
		return []string{dotted}
	case k == link.Text && strings.Contains(u.Text, " "):
		return []string{sentence}
	}
	out := []string{v.known("<"+string(u.Kind)+">", unknown)}
	if u.Match == link.Near {
		out = append(out, nearMiss)
	}
	return out
}

func pointerToken(noun string) string {
	if noun == "" {
		return "<pointer>"
	}
	return "<pointer " + noun + ">"
}

func (v *Vocabulary) known(token, otherwise string) string {
	if _, ok := v.ids[token]; ok {
		return token
	}
	return otherwise
}

// word is the vocabulary's word for one of a request: itself, the only one that is one edit
// away, or its shape.
func (v *Vocabulary) word(text string) string {
	w := strings.ToLower(text)
	if _, ok := v.ids[w]; ok {
		return w
	}
	if link.IsBuiltinType(text) {
		return builtin
	}
	switch n := utf8.RuneCountInString(w); {
	case n == 1:
		return letter
	case n > 4:
		if meant := v.misspelled(w); meant != "" {
			return meant
		}
	}
	return unknown
}

// Corrected is the only word of requests that is one edit away from a lower-case word, or empty.
func (v *Vocabulary) Corrected(w string) string {
	if utf8.RuneCountInString(w) < 5 {
		return ""
	}
	return v.misspelled(w)
}

func (v *Vocabulary) misspelled(w string) string {
	found := ""
	for n := len(w) - 1; n <= len(w)+1; n++ {
		for _, c := range v.words[n] {
			if refactor.Distance(w, c, 1) <= 1 {
				if found != "" {
					return ""
				}
				found = c
			}
		}
	}
	return found
}

// TokensOf are the tokens of a request's units that a vocabulary made for it would have as
// words: what Request looks for.
func TokensOf(units []link.Unit) []string {
	var out []string
	for _, u := range units {
		switch k := u.Kind; {
		case k == link.Word:
			out = append(out, strings.ToLower(u.Text))
		case k == link.Sign:
			out = append(out, u.Text)
		case k == link.Pointer:
			out = append(out, pointerToken(u.Noun), pointerToken(""))
		default:
			out = append(out, "<"+string(k)+">")
		}
	}
	return out
}

// Write is an answer as tokens, with End behind it. Each slot of a clause is one run of units.
func (v *Vocabulary) Write(clauses []Clause) ([]int32, error) {
	var out []int32
	for i, c := range clauses {
		if i > 0 {
			out = append(out, Also)
		}
		op := v.op(c.Op)
		if op == nil {
			return nil, fmt.Errorf("the vocabulary has no operation %q", c.Op)
		}
		out = append(out, v.ids["op:"+op.Name])
		filled := 0
		for _, s := range op.Slots {
			first, last, err := run(c.Labels, s)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Op, err)
			}
			if first < 0 {
				continue
			}
			filled += last - first + 1
			out = append(out, v.ids["slot:"+s], Index(first))
			if last > first {
				out = append(out, Index(last))
			}
		}
		for _, l := range c.Labels {
			if l != None {
				filled--
			}
		}
		if filled != 0 {
			return nil, fmt.Errorf("%s: a label that is none of its slots", c.Op)
		}
		for _, f := range op.Fixed {
			if slot, value, _ := strings.Cut(f, "="); c.Fixed[slot] == value && value != "" {
				out = append(out, v.ids["fix:"+f])
			}
		}
	}
	return append(out, End), nil
}

// run is the first and the last unit of a slot, or -1 if it has none.
func run(labels []string, slot string) (first, last int, err error) {
	first, last = -1, -1
	for i, l := range labels {
		if l != slot {
			continue
		}
		if first < 0 {
			first = i
		} else if last != i-1 {
			return 0, 0, fmt.Errorf("the slot %s is two runs of units", slot)
		}
		last = i
	}
	if last >= MaxUnits {
		return 0, 0, fmt.Errorf("the slot %s is behind the last index", slot)
	}
	return first, last, nil
}

var errAnswer = errors.New("this is no answer")

// Read is the opposite of Write: the clauses of an answer about so many units. The answer may
// lack its End.
func (v *Vocabulary) Read(answer []int32, units int) ([]Clause, error) {
	var out []Clause
	for len(answer) > 0 && answer[0] != End {
		if len(out) > 0 {
			if answer[0] != Also {
				return nil, errAnswer
			}
			answer = answer[1:]
		}
		c, rest, err := v.clause(answer, units)
		if err != nil {
			return nil, err
		}
		out, answer = append(out, c), rest
	}
	if len(out) == 0 {
		return nil, errAnswer
	}
	return out, nil
}

func (v *Vocabulary) clause(answer []int32, units int) (Clause, []int32, error) {
	name, ok := v.text(answer, "op:")
	if !ok {
		return Clause{}, nil, errAnswer
	}
	c := Clause{Op: name, Labels: make([]string, units), Fixed: map[string]string{}}
	for i := range c.Labels {
		c.Labels[i] = None
	}
	answer = answer[1:]
	for len(answer) > 0 && answer[0] != End && answer[0] != Also {
		if arg, ok := v.text(answer, "fix:"); ok {
			slot, value, _ := strings.Cut(arg, "=")
			c.Fixed[slot] = value
			answer = answer[1:]
			continue
		}
		slot, ok := v.text(answer, "slot:")
		if !ok || len(answer) < 2 || !isIndex(answer[1], units) {
			return Clause{}, nil, errAnswer
		}
		first, n := answer[1]-firstIndex, 2
		last := first
		if len(answer) > 2 && isIndex(answer[2], units) {
			last, n = answer[2]-firstIndex, 3
		}
		if last < first {
			return Clause{}, nil, errAnswer
		}
		for i := first; i <= last; i++ {
			c.Labels[i] = slot
		}
		answer = answer[n:]
	}
	return c, answer, nil
}

// text is what a token says behind its prefix.
func (v *Vocabulary) text(answer []int32, prefix string) (string, bool) {
	if len(answer) == 0 || answer[0] < 0 || int(answer[0]) >= len(v.Tokens) {
		return "", false
	}
	return strings.CutPrefix(v.Tokens[answer[0]], prefix)
}

func isIndex(t int32, units int) bool { return t >= firstIndex && t < firstIndex+int32(units) }
