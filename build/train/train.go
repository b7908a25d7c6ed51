package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"waferpair/engine/spark/linear"
	"waferpair/engine/spark/link"
)

// example is a generated request with what it means.
type example struct {
	class  string
	words  []string
	units  []link.Unit
	labels []string          // of each unit, for an operation
	fixed  map[string]string // without slots that are pointed at
}

// options say how the model is trained.
type options struct {
	renders  int // of each seed
	epochs   int
	opSize   int // weights of the table of operations
	slotSize int
	seed     uint64
	leaveOut string  // a style, to measure on
	drop     float64 // share of the features that training leaves out at random
	rate     float64
}

// vocabularyOf are the words that the seeds use at least so many times.
func vocabularyOf(seeds []seed, least int) map[string]bool {
	n := map[string]int{}
	for _, s := range seeds {
		for _, p := range s.parts {
			for w := range strings.FieldsFuncSeq(strings.ToLower(p.text), notInWords) {
				n[w]++
			}
		}
	}
	out := map[string]bool{}
	for w, k := range n {
		if k >= least {
			out[w] = true
		}
	}
	return out
}

// usesOf are the words of requests for each operation, as numbers of the vocabulary, besides the
// general ones: those of requests for at least so many operations.
func usesOf(seeds []seed, vocabulary []string, general int) (uses map[string][]int, many []int) {
	ops := map[string]map[string]bool{}
	take := func(text, op string) {
		for w := range strings.FieldsFuncSeq(strings.ToLower(text), notInWords) {
			if ops[w] == nil {
				ops[w] = map[string]bool{}
			}
			ops[w][op] = true
		}
	}
	for _, s := range seeds {
		if s.class == linear.Decline || s.class == compound { // which gives its clauses as well
			continue
		}
		for _, p := range s.parts {
			take(p.text, s.class)
		}
	}
	for _, list := range [][]string{openings, endings, joinWords} {
		for _, text := range list {
			for i := range general {
				take(text, fmt.Sprint("any ", i))
			}
		}
	}
	uses = map[string][]int{}
	for i, w := range vocabulary {
		if len(ops[w]) >= general {
			many = append(many, i)
			continue
		}
		for _, op := range slices.Sorted(maps.Keys(ops[w])) {
			uses[op] = append(uses[op], i)
		}
	}
	return uses, many
}

// generalFrom is how many operations a word's requests are about that says nothing of any.
const generalFrom = 8

// notInWords are the signs between words.
func notInWords(r rune) bool { return strings.ContainsRune(" .,;:!?\"`'()/=+", r) }

// words are those that requests are made of, and the more frequent ones of them.
type words struct{ all, common map[string]bool }

// generate makes examples of seeds and projects.
func generate(seeds []seed, projects []*project, v words, o options) []example {
	rng := rand.New(rand.NewPCG(o.seed, 1))
	var out []example
	for _, s := range seeds {
		n := o.renders
		if s.class == linear.Decline || s.class == compound {
			n = n * 2
		}
		for range n {
			f := filler{rng: rng, p: projects[rng.IntN(len(projects))]}
			text, spans, ok := f.fill(s)
			if !ok {
				continue
			}
			text, spans = f.frame(s, text, spans)
			units := link.Linker{Vocabulary: v.common}.Link(text, f.p.table)
			e := example{class: s.class, words: linear.Words(units, v.all), units: units}
			if s.class != linear.Decline && s.class != compound {
				e.labels, e.fixed = labelsOf(s, units, spans)
			}
			out = append(out, e)
		}
	}
	return out
}

var (
	openings = []string{"please ", "pls ", "hey, ", "can you ", "could you ", "could you please ", "can you please ",
		"hi, ", "ok, ", "now ", "also ", "I'd like you to ", "let's ", "bitte ", "kannst du ", "we should ", "go ahead and ",
		"quick one: ", "next: ", "TODO: ", "just "}
	endings = []string{" please", ", please", " thanks", ", thanks!", " pls", ".", ".", ".", "!", " for me",
		" if you can", " when you get a chance", " bitte", ", thx", " everywhere", " - cheers"}
	reasons = []string{" because it is confusing", " so the linter stops complaining", " since nobody understands it",
		", it keeps tripping me up", " so that the tests are easier to write", " because the reviewer asked for it",
		", we keep forgetting", " before the release", ", it's a mess", " to make the code easier to read", " as discussed",
		" because I always forget what it means", ", it was bothering me", " so we can test it",
		", the name is from the old design"}
)

// frame puts courtesy before and behind a request, and a reason, now and then.
func (f *filler) frame(s seed, text string, spans []span) (string, []span) {
	shift := 0
	if s.style != "terse" && f.chance(12) {
		o := openings[f.rng.IntN(len(openings))]
		text, shift = o+text, len(o)
	}
	if s.class != linear.Decline && s.style != "terse" && f.chance(7) {
		text += reasons[f.rng.IntN(len(reasons))]
	}
	if f.chance(12) {
		text += endings[f.rng.IntN(len(endings))]
	}
	for i := range spans {
		spans[i].from += shift
		spans[i].to += shift
	}
	if f.chance(25) {
		r, n := utf8.DecodeRuneInString(text)
		if upper := string(unicode.ToUpper(r)); len(upper) == n {
			text = upper + text[n:]
		}
	}
	return text, spans
}

// labelsOf labels the units that overlap a slot, and the first pointer of a slot that is
// pointed at.
func labelsOf(s seed, units []link.Unit, spans []span) ([]string, map[string]string) {
	labels := make([]string, len(units))
	for i, u := range units {
		labels[i] = linear.None
		for _, sp := range spans {
			if 2*overlap(u.From, u.To, sp.from, sp.to) > len(u.Text) {
				labels[i] = sp.name()
			}
		}
	}
	fixed := map[string]string{}
	for _, slot := range slices.Sorted(maps.Keys(s.fixed)) {
		if v := s.fixed[slot]; v != "@" {
			fixed[slot] = v
			continue
		}
		for i, u := range units {
			if u.Kind == link.Pointer && labels[i] == linear.None {
				labels[i] = slot
				break
			}
		}
	}
	return labels, fixed
}

func overlap(a, b, c, d int) int { return max(0, min(b, d)-max(a, c)) }

// train makes a model of examples.
func train(examples []example, seeds []seed, v words, o options) *linear.Model {
	m := &linear.Model{Ops: make([]float32, o.opSize), Slots: make([]float32, o.slotSize)}
	m.Header = headerOf(examples)
	m.Vocabulary, m.Common = slices.Sorted(maps.Keys(v.all)), slices.Sorted(maps.Keys(v.common))
	m.Uses, m.General = usesOf(seeds, m.Vocabulary, generalFrom)
	trainOps(m, examples, o)
	trainSlots(m, examples, o)
	return m
}

func headerOf(examples []example) linear.Header {
	classes, labels, fixed := map[string]bool{}, map[string]map[string]int{}, map[string]map[string]int{}
	for _, e := range examples {
		classes[e.class] = true
		if labels[e.class] == nil {
			labels[e.class], fixed[e.class] = map[string]int{}, map[string]int{}
		}
		for _, l := range e.labels {
			labels[e.class][l]++
		}
		for k, v := range e.fixed {
			fixed[e.class][k+"="+v]++
		}
	}
	h := linear.Header{Classes: slices.Sorted(maps.Keys(classes)), Labels: map[string][]string{},
		Fixed: map[string][]string{}}
	for op, ls := range labels {
		delete(ls, linear.None)
		h.Labels[op] = append([]string{linear.None}, slices.Sorted(maps.Keys(ls))...)
		h.Fixed[op] = slices.Sorted(maps.Keys(fixed[op]))
	}
	return h
}

// trainOps fits the softmax over classes, and a logistic function for each fixed argument,
// by stochastic gradient descent with AdaGrad's steps (Duchi, Hazan, Singer, 2011).
func trainOps(m *linear.Model, examples []example, o options) {
	rng := rand.New(rand.NewPCG(o.seed, 2))
	squares := make([]float32, len(m.Ops))
	step := func(feature, label uint32, gradient float64) {
		i := linear.Index(feature, label, len(m.Ops))
		g := float32(gradient)
		squares[i] += g * g
		m.Ops[i] -= float32(o.rate) * g / (1e-3 + float32(math.Sqrt(float64(squares[i]))))
	}
	classes := make([]uint32, len(m.Classes))
	for i, c := range m.Classes {
		classes[i] = linear.LabelHash("op", c)
	}
	order := rng.Perm(len(examples))
	for epoch := range o.epochs {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		loss, right := 0.0, 0
		for _, n := range order {
			e := examples[n]
			features := dropped(rng, linear.OpFeatures(e.words, e.units), o.drop)
			p := make([]float64, len(classes))
			for c, h := range classes {
				p[c] = linear.Score(m.Ops, features, h)
			}
			linear.Softmax(p)
			gold := slices.Index(m.Classes, e.class)
			if best := slices.Index(p, slices.Max(p)); best == gold {
				right++
			}
			loss -= math.Log(max(p[gold], 1e-12))
			for c, h := range classes {
				g := p[c]
				if c == gold {
					g--
				}
				if math.Abs(g) < 1e-3 {
					continue
				}
				for _, f := range features {
					step(f, h, g)
				}
			}
			for _, arg := range m.Fixed[e.class] {
				slot, value, _ := strings.Cut(arg, "=")
				h := linear.LabelHash("fixed", e.class, arg)
				g := 1 / (1 + math.Exp(-linear.Score(m.Ops, features, h)))
				if e.fixed[slot] == value {
					g--
				}
				if math.Abs(g) < 1e-2 {
					continue
				}
				for _, f := range features {
					step(f, h, g)
				}
			}
		}
		fmt.Fprintf(os.Stderr, "operations, epoch %d: loss %.4f, right %.2f %%\n", epoch+1, loss/float64(len(order)),
			100*float64(right)/float64(len(order)))
	}
}

// dropped are the features without a random share of them, so that the model does not rely
// on a few (dropout).
func dropped(rng *rand.Rand, features []uint32, share float64) []uint32 {
	out := features[:0]
	for _, f := range features {
		if rng.Float64() >= share {
			out = append(out, f)
		}
	}
	return out
}

// trainSlots fits the sequence model as an averaged structured perceptron.
func trainSlots(m *linear.Model, examples []example, o options) {
	rng := rand.New(rand.NewPCG(o.seed, 3))
	taggers := map[string]*linear.Tagger{}
	for op, labels := range m.Labels {
		taggers[op] = linear.NewTagger(op, labels, m.Slots)
	}
	late := make([]float32, len(m.Slots)) // updates times the moment when they were made
	moment := float32(1)
	var order []int
	for i, e := range examples {
		if e.labels != nil && len(e.units) > 0 && len(e.units) < 60 {
			order = append(order, i)
		}
	}
	for epoch := range o.epochs {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		right := 0
		for _, n := range order {
			e := examples[n]
			t := taggers[e.class]
			features := linear.SlotFeaturesOf(e.words, e.units)
			gold := make([]int, len(e.labels))
			for i, l := range e.labels {
				gold[i] = slices.Index(m.Labels[e.class], l)
			}
			moment++
			got := t.Best(t.Emissions(features), 1)[0].Labels
			if slices.Equal(got, gold) {
				right++
				continue
			}
			t.Add(m.Slots, features, gold, 1)
			t.Add(m.Slots, features, got, -1)
			t.Add(late, features, gold, moment)
			t.Add(late, features, got, -moment)
		}
		fmt.Fprintf(os.Stderr, "slots, epoch %d: right %.2f %%\n", epoch+1, 100*float64(right)/float64(len(order)))
	}
	for i := range m.Slots {
		m.Slots[i] -= late[i] / moment
	}
}
