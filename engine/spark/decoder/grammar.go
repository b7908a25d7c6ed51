package decoder

import (
	"fmt"
	"strings"
)

// mostClauses bounds the operations of an answer, mostParts the slots and the fixed arguments
// of an operation.
const (
	mostClauses = 3
	mostParts   = 64
)

// grammar says which tokens may come next in an answer:
//
//	answer = op:decline </s> | clause { ; clause } </s>
//	clause = op:NAME { slot:NAME #first [#last] } { fix:slot=value }
//
// The slots and the fixed arguments of a clause come in the order of their operation, each
// once, with one value of a fixed slot. The last unit of a slot is behind its first, and no
// unit fills two slots of a clause. So one answer is one sequence of tokens, that of Write.
type grammar []tokensOf

// tokensOf are the tokens of an operation.
type tokensOf struct {
	op    int32
	ends  bool // nothing may follow it
	slots []int32
	fixed []int32
	group []int // of a fixed argument: the first one of its slot
}

func newGrammar(v *Vocabulary) (grammar, error) {
	var g grammar
	for _, op := range v.Ops {
		if len(op.Slots) > mostParts || len(op.Fixed) > mostParts {
			return nil, fmt.Errorf("the operation %q has %d slots and %d fixed arguments; %d are the most", op.Name,
				len(op.Slots), len(op.Fixed), mostParts)
		}
		t := tokensOf{op: v.ids["op:"+op.Name], ends: op.Name == Decline}
		for _, s := range op.Slots {
			t.slots = append(t.slots, v.ids["slot:"+s])
		}
		first := map[string]int{}
		for i, f := range op.Fixed {
			slot, _, _ := strings.Cut(f, "=")
			if _, ok := first[slot]; !ok {
				first[slot] = i
			}
			t.fixed, t.group = append(t.fixed, v.ids["fix:"+f]), append(t.group, first[slot])
		}
		g = append(g, t)
	}
	return g, nil
}

// state is how far an answer has come: all that the next token depends on.
type state struct {
	clause int // from 1
	op     int // of the clause
	slot   int // the first one that may still come
	fixed  int // the first one that may still come
	groups uint64
	taken  uint64 // units that fill slots of the clause
	open   int    // first unit of the last slot
	part   part
}

// part is what the last token was.
type part uint8

const (
	nothing part = iota // the beginning, or Also
	whole               // the clause may end here
	slotName
	firstUnit // the clause may end here, or a last unit come
	over
)

// choice is a token that may come, and what it leads to.
type choice struct {
	token int32
	to    state
}

// choices are the tokens that may come next in an answer about so many units.
func (g grammar) choices(s state, units int) []choice {
	switch s.part {
	case nothing:
		return g.operations(s)
	case slotName:
		return s.firstUnits(units)
	case over:
		return nil
	}
	var out []choice
	if s.part == firstUnit {
		out = s.lastUnits(units)
	}
	return append(out, g.parts(s, units)...)
}

func (g grammar) operations(s state) (out []choice) {
	for i, t := range g {
		if s.clause == 0 || !t.ends {
			out = append(out, choice{t.op, state{clause: s.clause + 1, op: i, part: whole}})
		}
	}
	return out
}

// firstUnits are the units that fill no slot of the clause yet.
func (s state) firstUnits(units int) (out []choice) {
	for u := range units {
		if s.taken>>u&1 == 0 {
			to := s
			to.taken, to.open, to.part = s.taken|1<<u, u, firstUnit
			out = append(out, choice{Index(u), to})
		}
	}
	return out
}

// lastUnits are the units behind the open slot's first one, up to the next that is taken.
func (s state) lastUnits(units int) (out []choice) {
	to := s
	to.part = whole
	for u := s.open + 1; u < units && s.taken>>u&1 == 0; u++ {
		to.taken |= 1 << u
		out = append(out, choice{Index(u), to})
	}
	return out
}

// parts are a further slot or fixed argument of the clause, a further clause, and the end.
func (g grammar) parts(s state, units int) (out []choice) {
	t := g[s.op]
	free := ^s.taken<<(mostParts-units) != 0
	for i := s.slot; i < len(t.slots) && free; i++ {
		to := s
		to.slot, to.part = i+1, slotName
		out = append(out, choice{t.slots[i], to})
	}
	for i := s.fixed; i < len(t.fixed); i++ {
		if s.groups>>t.group[i]&1 == 0 {
			to := s
			to.slot, to.fixed, to.groups, to.part = len(t.slots), i+1, s.groups|1<<t.group[i], whole
			out = append(out, choice{t.fixed[i], to})
		}
	}
	if s.clause < mostClauses && !t.ends {
		out = append(out, choice{Also, state{clause: s.clause}})
	}
	return append(out, choice{End, state{clause: s.clause, op: s.op, part: over}})
}
