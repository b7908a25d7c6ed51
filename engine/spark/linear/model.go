package linear

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"waferpair/engine/spark/link"
)

// Decline is the class of requests that no operation covers. None is the label of units that
// fill no slot.
const (
	Decline = "decline"
	None    = "-"
)

// Model is the trained model. It is not changed by its methods.
type Model struct {
	Header
	Ops   []float32 // weights of features and classes, hashed; a power of two
	Slots []float32 // weights of features and labels, hashed; a power of two
}

// Header is what a model knows besides its weights.
type Header struct {
	Classes    []string            `json:"classes"`    // operations and Decline
	Labels     map[string][]string `json:"labels"`     // of each operation: its slots, None first
	Fixed      map[string][]string `json:"fixed"`      // of each operation: arguments that the wording fixes, slot=value
	Vocabulary []string            `json:"vocabulary"` // the words of requests
	Common     []string            `json:"common"`     // the more frequent ones, which name symbols only where announced
	// Uses are the words, as numbers of Vocabulary, that requests for an operation are made of, besides
	// General: those of requests for many operations.
	Uses      map[string][]int `json:"uses"`
	General   []int            `json:"general"`
	OpScale   float32          `json:"op_scale"`
	SlotScale float32          `json:"slot_scale"`
}

// Guess is an operation and how probable it is.
type Guess struct {
	Op          string
	Probability float64
}

// Index is where a table of that size has the weight of a feature for a label.
func Index(feature, label uint32, size int) uint32 {
	return (feature ^ label*0x9E3779B1) * 0x85EBCA6B >> 7 & uint32(size-1)
}

// LabelHash identifies a class, a slot of an operation, or a fixed argument of one.
func LabelHash(parts ...string) uint32 { return hash(parts...) }

// Guesses ranks the classes, best first.
func (m *Model) Guesses(words []string, units []link.Unit) []Guess {
	features := OpFeatures(words, units)
	scores := make([]float64, len(m.Classes))
	for c, class := range m.Classes {
		scores[c] = Score(m.Ops, features, LabelHash("op", class))
	}
	Softmax(scores)
	out := make([]Guess, len(scores))
	for c, s := range scores {
		out[c] = Guess{m.Classes[c], s}
	}
	slices.SortStableFunc(out, func(a, b Guess) int { return cmp.Compare(b.Probability, a.Probability) })
	return out
}

// Score sums the weights of features for a label.
func Score(table []float32, features []uint32, label uint32) float64 {
	var s float32
	for _, f := range features {
		s += table[Index(f, label, len(table))]
	}
	return float64(s)
}

// Softmax turns scores into probabilities.
func Softmax(scores []float64) {
	most, sum := slices.Max(scores), 0.0
	for i, s := range scores {
		scores[i] = math.Exp(s - most)
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
}

// FixedArgs are the arguments that the wording of a request fixes for an operation: the
// likeliest value of each slot, where it is likelier than none.
func (m *Model) FixedArgs(op string, words []string, units []link.Unit) map[string]string {
	features := OpFeatures(words, units)
	best := map[string]float64{}
	out := map[string]string{}
	for _, arg := range m.Fixed[op] {
		slot, value, _ := strings.Cut(arg, "=")
		if s := Score(m.Ops, features, LabelHash("fixed", op, arg)); s > 0 && s > best[slot] {
			best[slot], out[slot] = s, value
		}
	}
	return out
}

// Tagging labels each unit with the slot that it fills, or None.
type Tagging struct {
	Labels []string
	Score  float64 // sum of weights; only differences mean anything
}

// Taggings returns the n best ways to fill the slots of an operation, best first.
func (m *Model) Taggings(op string, words []string, units []link.Unit, n int) []Tagging {
	t := NewTagger(op, m.Labels[op], m.Slots)
	out := t.Best(t.Emissions(SlotFeaturesOf(words, units)), n)
	taggings := make([]Tagging, len(out))
	for i, s := range out {
		taggings[i].Score = s.Score
		for _, l := range s.Labels {
			taggings[i].Labels = append(taggings[i].Labels, m.Labels[op][l])
		}
	}
	return taggings
}

// SlotFeaturesOf are the features of every unit that the model looks at.
func SlotFeaturesOf(words []string, units []link.Unit) [][]uint32 {
	n := min(len(words), longest)
	out := make([][]uint32, n)
	for i := range n {
		out[i] = SlotFeatures(words[:n], units, i)
	}
	return out
}

// Tagger labels units for one operation.
type Tagger struct {
	labels []string
	emit   [][2]uint32 // of each label: for the operation, and for all operations
	trans  [][]uint32  // index of the weight for label b after label a; the last row is the beginning
	table  []float32
}

// NewTagger returns a tagger that reads the table's weights; labels[0] is None.
func NewTagger(op string, labels []string, table []float32) *Tagger {
	t := &Tagger{labels: labels, table: table}
	for _, l := range labels {
		t.emit = append(t.emit, [2]uint32{hash("slot", op, l), hash("slot", "any", l)})
	}
	for a := range len(labels) + 1 {
		row := make([]uint32, len(labels))
		for b := range labels {
			from := "<s>"
			if a < len(labels) {
				from = labels[a]
			}
			row[b] = Index(hash("trans", op, from), hash(labels[b]), len(table))
		}
		t.trans = append(t.trans, row)
	}
	return t
}

// Emissions are the scores of each label for each unit.
func (t *Tagger) Emissions(features [][]uint32) [][]float32 {
	out := make([][]float32, len(features))
	for i, fs := range features {
		out[i] = make([]float32, len(t.labels))
		for l := range t.labels {
			for _, f := range fs {
				out[i][l] += t.table[Index(f, t.emit[l][0], len(t.table))] + t.table[Index(f, t.emit[l][1], len(t.table))]
			}
		}
	}
	return out
}

// Add adds to the weights that a labelling uses, in a table of the tagger's size.
func (t *Tagger) Add(table []float32, features [][]uint32, labels []int, by float32) {
	from := len(t.labels)
	for i, fs := range features {
		l := labels[i]
		for _, f := range fs {
			table[Index(f, t.emit[l][0], len(table))] += by
			table[Index(f, t.emit[l][1], len(table))] += by
		}
		table[t.trans[from][l]] += by
		from = l
	}
}

// Sequence is a labelling of all units, as numbers of labels.
type Sequence struct {
	Labels []int
	Score  float64
}

// beamWidth is how many labellings are kept at each unit.
const beamWidth = 12

// Best returns the best labellings that a beam finds, at most n, in which each slot is one
// run of units.
func (t *Tagger) Best(emissions [][]float32, n int) []Sequence {
	beam := []Sequence{{}}
	for i := range emissions {
		next := make([]Sequence, 0, len(beam)*len(t.labels))
		for _, s := range beam {
			from := len(t.labels)
			if i > 0 {
				from = s.Labels[i-1]
			}
			for l := range t.labels {
				if l > 0 && l != from && slices.Contains(s.Labels, l) {
					continue // the slot is filled already
				}
				score := s.Score + float64(emissions[i][l]+t.table[t.trans[from][l]])
				next = append(next, Sequence{append(slices.Clip(s.Labels), l), score})
			}
		}
		slices.SortStableFunc(next, func(a, b Sequence) int { return cmp.Compare(b.Score, a.Score) })
		beam = next[:min(len(next), max(beamWidth, n))]
	}
	return beam[:min(len(beam), n)]
}
