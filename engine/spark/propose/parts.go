package propose

import (
	"context"
	"slices"
	"strings"

	"waferpair/engine/spark/link"
)

// People say what they want and talk around it: "prune wants a dry_run param, False by default, I'll
// wire it up tomorrow". The voices doubt such a request as a whole. If both are sure of a part of
// it, the best reading of the whole is the same, and the rest asks for nothing, it is meant.

// mostParts is how many parts of a request are read by themselves; each costs a reading.
const mostParts = 4

// part finds a part of the request that is certain, and means what the whole most probably means.
func (r reader) part(ctx context.Context, units []link.Unit, whole Understanding) (Understanding, bool) {
	if len(whole.Proposals) == 0 || len(units) > mostUnits {
		return Understanding{}, false
	}
	for _, p := range parts(units) {
		if !asksNothing(slices.Concat(units[:p.from], units[p.to:])) {
			continue
		}
		u := r.understand(ctx, slices.Clone(units[p.from:p.to]))
		if u.Doubt() == "" && u.Proposals[0].key() == whole.Proposals[0].key() {
			return u, true
		}
	}
	return Understanding{}, false
}

type span struct{ from, to int }

// leastPart is how many units a part has at least.
const leastPart = 3

// parts are the beginnings and the ends of a request up to a sign that may end a sentence or a clause,
// the longest first.
func parts(units []link.Unit) []span {
	var out []span
	for i, u := range units {
		if u.Kind != link.Sign || !strings.Contains(",.;:!?-–—", u.Text) {
			continue
		}
		if i >= leastPart {
			out = append(out, span{0, i})
		}
		if len(units)-i-1 >= leastPart {
			out = append(out, span{i + 1, len(units)})
		}
	}
	slices.SortStableFunc(out, func(a, b span) int { return (b.to - b.from) - (a.to - a.from) })
	return out[:min(len(out), mostParts)]
}

// asksNothing reports whether units are prose with names of the project at most, without a word that
// asks for something or restricts it.
func asksNothing(units []link.Unit) bool {
	return !slices.ContainsFunc(units, func(u link.Unit) bool {
		word := strings.ToLower(u.Text)
		switch u.Kind {
		case link.Sign, link.Pointer:
			return false
		case link.New, link.Literal, link.Text, link.Code, link.Typed, link.Lines, link.File:
			return true
		case link.Word:
			return constraints[word] || more[word] || wishes[word] || brings[word] || numbers[word] != ""
		}
		return false
	})
}
