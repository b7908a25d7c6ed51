package decoder

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"waferpair/engine/spark/link"
)

var someOps = []Op{{Name: Decline}, {Name: "rename", Slots: []string{"symbol", "to", "file"},
	Fixed: []string{"kind=func",
		"kind=var", "all=true"}}, {Name: "doc", Slots: []string{"symbol", "text"}}}

func someVocabulary(t testing.TB) *Vocabulary {
	t.Helper()
	v, err := NewVocabulary(someOps, strings.Fields("rename to the constant please : <func> <new> <pointer>"))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestRequest: words are themselves, or the only word one edit away, or a shape; and behind
// each unit is its index.
func TestRequest(t *testing.T) {
	v := someVocabulary(t)
	table := link.NewTable([]link.Symbol{{Name: "parseConfig", Kind: link.Func, File: "a.go"}}, []string{"a.go"})
	units := link.Linker{}.Link("renmae teh constnat parseConfg to `loadAll` frobnicate", table)
	ids, ok := v.Request(units)
	if !ok {
		t.Fatal("the request is not read")
	}
	var got []string
	for _, id := range ids {
		got = append(got, v.Tokens[id])
	}
	want := "<s> rename #0 <word> #1 constant #2 <func> <near> #3 to #4 <new> #5 <word> #6 <answer>"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if _, ok := v.Request(make([]link.Unit, MaxUnits+1)); ok {
		t.Error("a request with too many units is read")
	}
}

// TestAnswer: clauses survive being written and read.
func TestAnswer(t *testing.T) {
	v := someVocabulary(t)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		units := 1 + rng.IntN(9)
		var clauses []Clause
		for range 1 + rng.IntN(3) {
			clauses = append(clauses, randomClause(rng, units))
		}
		ids, err := v.Write(clauses)
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.Read(ids, units)
		if err != nil || !reflect.DeepEqual(got, clauses) {
			t.Fatalf("wrote %+v, read %+v, %v", clauses, got, err)
		}
	}
}

func randomClause(rng *rand.Rand, units int) Clause {
	op := someOps[rng.IntN(len(someOps))]
	c := Clause{Op: op.Name, Labels: slices.Repeat([]string{None}, units), Fixed: map[string]string{}}
	at := 0
	for _, s := range op.Slots {
		if n := 1 + rng.IntN(2); at+n <= units && rng.IntN(2) == 0 {
			for i := range n {
				c.Labels[at+i] = s
			}
			at += n
		}
	}
	for _, f := range op.Fixed {
		if slot, value, _ := strings.Cut(f, "="); rng.IntN(2) == 0 && c.Fixed[slot] == "" {
			c.Fixed[slot] = value
		}
	}
	return c
}

// TestNoAnswer: what is no answer is refused, whatever the tokens.
func TestNoAnswer(t *testing.T) {
	v := someVocabulary(t)
	if _, err := v.Write([]Clause{{Op: "rename", Labels: []string{"symbol", None, "symbol"}}}); err == nil {
		t.Error("a slot of two runs is written")
	}
	if _, err := v.Write([]Clause{{Op: "doc", Labels: []string{"to"}}}); err == nil {
		t.Error("a slot of another operation is written")
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for range 5000 {
		answer := make([]int32, rng.IntN(8))
		for i := range answer {
			answer[i] = int32(rng.IntN(len(v.Tokens)+4)) - 2
		}
		if clauses, err := v.Read(answer, 3); err == nil {
			if _, err := v.Read(nil, 3); err == nil || len(clauses) == 0 {
				t.Fatal("an empty answer is read")
			}
		}
	}
}
