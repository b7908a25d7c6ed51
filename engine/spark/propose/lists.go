package propose

import (
	"maps"
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/words"
	"waferpair/engine/spark/link"
)

// A request may be about several symbols at once: "get, set and has of Cache must be async". The
// voices learn pairs at most. So a list is read as its first symbol, and what is understood of that
// one is meant of each.

// forEach are the operations that a list of symbols asks for once for each of them; not those
// that give a name or a value, which is one symbol's.
var forEach = words.Set(`doc add-test async move delete-unused visibility json-tags log-entry early-return comment-out inline
	implement remove-param add-param add-field accessors handle-error string-style remove-debug-prints todo`)

// others are the symbols of a list behind its first one.
type others struct {
	first link.Unit
	rest  []link.Unit
}

var listEnds = words.Set("and und & + or oder")

// firstsOf are the units with the lists of symbols among them cut to their first symbols.
func firstsOf(units []link.Unit) ([]link.Unit, []others) {
	var out []link.Unit
	var lists []others
	for i := 0; i < len(units); i++ {
		out = append(out, units[i])
		if !isSymbol(units[i]) {
			continue
		}
		o := others{first: units[i]}
		for {
			next := i + 1
			for next < len(units) && (units[next].Text == "," || listEnds[strings.ToLower(units[next].Text)]) {
				next++
			}
			if next == i+1 || next == len(units) || !isSymbol(units[next]) || kindOf(units[next]) != kindOf(o.first) {
				break
			}
			o.rest, i = append(o.rest, units[next]), next
		}
		if len(o.rest) > 0 {
			lists = append(lists, o)
		}
	}
	return out, lists
}

func isSymbol(u link.Unit) bool {
	return len(u.Symbols) > 0 && u.Kind != link.Word && u.Match != link.Near
}

// kindOf is the same for functions and methods, and for all that has a value.
func kindOf(u link.Unit) link.Kind {
	switch u.Kind {
	case link.Method:
		return link.Func
	case link.Const, link.Var:
		return link.Field
	}
	return u.Kind
}

// each makes a program about the first symbols of lists one about each of them. It returns false
// where an operation is not for each, a list is about nothing in the program, or a name is that
// of several symbols.
func (r reader) each(p *Proposal, lists []others) bool {
	used := make([]bool, len(lists))
	var out refactor.Program
	for _, op := range p.Program {
		out = append(out, op)
		for i, list := range lists {
			slot, owner, ok := r.filledBy(op, list.first)
			if !ok {
				continue
			}
			if used[i] || !forEach[op.Name] {
				return false
			}
			used[i] = true
			for _, u := range list.rest {
				name, ok := r.oneOf(op.Name, slot, u, owner)
				if !ok {
					return false
				}
				again := refactor.Op{Name: op.Name, Args: maps.Clone(op.Args)}
				again.Args[slot.name] = name
				out = append(out, again)
			}
		}
	}
	p.Program = out
	return !slices.Contains(used, false)
}

// filledBy is the slot that a symbol fills in an operation, and the symbol's owner there.
func (r reader) filledBy(op refactor.Op, u link.Unit) (s slot, owner string, ok bool) {
	for _, s := range operations[op.Name] {
		if s.sort != existing {
			continue
		}
		for _, n := range u.Symbols {
			sym := r.table.Symbol(n)
			if v := op.Args[s.name]; v == sym.Qualified() || v == sym.Name {
				return s, sym.Owner, true
			}
		}
	}
	return slot{}, "", false
}

// oneOf is the name of the only symbol that a unit can mean: of those that fit, the one with the
// owner of the list's first, or else the only one.
func (r reader) oneOf(op string, s slot, u link.Unit, owner string) (string, bool) {
	var same, fit []string
	c := clause{reader: r, op: op}
	for _, n := range u.Symbols {
		sym := r.table.Symbol(n)
		if !s.fits(sym.Kind) {
			continue
		}
		name := c.nameOf(sym)
		if !slices.Contains(fit, name) {
			fit = append(fit, name)
		}
		if sym.Owner == owner && !slices.Contains(same, name) {
			same = append(same, name)
		}
	}
	if len(same) == 1 {
		return same[0], true
	}
	return strings.Join(fit, ""), len(fit) == 1
}
