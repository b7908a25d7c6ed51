package kit

import (
	"fmt"
	"slices"
	"strings"

	"waferpair/engine/refactor"
)

// Span is a declaration with the lines that it covers, its comment included. A list of them
// has outer ones before those that they hold.
type Span struct {
	Symbol   string // that an operation understands; "" when nothing in the language names it
	Kind     string
	Names    int // that the same lines declare: a, b = 1, 2
	From, To int
}

// Enclosing is the smallest of some declarations that encloses the target's lines or, failing
// that, the only one that they cover; ok is false when there is none.
func Enclosing(src []byte, all []Span, target refactor.Target, kind string) (symbol, found string, ok bool,
	err error) {
	from, to := trimmed(src, target.From, max(target.From, target.To))
	s, err := pick(all, from, to, kind)
	switch {
	case s == nil || err != nil:
		return "", "", false, err
	case s.Names > 1:
		err = &refactor.Declined{Code: refactor.Ambiguous,
			Reason: fmt.Sprintf("the selected line declares %d names; say which one is meant", s.Names)}
	case s.Symbol == "":
		err = &refactor.Declined{Reason: fmt.Sprintf(
			"what is selected in %s is a %s without a name that other code could use", target.File, s.Kind)}
	}
	return s.Symbol, s.Kind, err == nil, err
}

// trimmed leaves the blank lines at both ends of a selection out.
func trimmed(src []byte, from, to int) (int, int) {
	lines := strings.Split(string(src), "\n")
	blank := func(n int) bool { return n >= 1 && n <= len(lines) && strings.TrimSpace(lines[n-1]) == "" }
	for from < to && blank(from) {
		from++
	}
	for from < to && blank(to) {
		to--
	}
	return from, to
}

func pick(all []Span, from, to int, kind string) (*Span, error) {
	all = slices.DeleteFunc(slices.Clone(all), func(s Span) bool { return kind != "" && !kindFits(kind, s.Kind) })
	var best *Span
	for i, s := range all {
		if s.From <= from && to <= s.To && (best == nil || s.To-s.From < best.To-best.From) {
			best = &all[i]
		}
	}
	if best != nil {
		return best, nil
	}
	touched := slices.DeleteFunc(all, func(s Span) bool { return s.To < from || s.From > to })
	outer := slices.DeleteFunc(slices.Clone(touched), func(s Span) bool {
		return slices.ContainsFunc(touched, func(o Span) bool { return s.inside(o) })
	})
	switch {
	case len(outer) > 1:
		return nil, several(outer)
	case len(outer) == 1 && from <= outer[0].From && outer[0].To <= to:
		return &outer[0], nil
	}
	return nil, nil
}

func (s Span) inside(o Span) bool {
	held := s.Symbol == "" || o.Symbol == "" || strings.HasPrefix(s.Symbol, o.Symbol+".")
	return s != o && o.From <= s.From && s.To <= o.To && held
}

// kindFits reports whether a word for a kind means declarations of another as well: a method
// is a function, a field and a constant are called variables.
func kindFits(want, is string) bool {
	return want == is || want == "func" && is == "method" || want == "var" && (is == "field" || is == "const")
}

func several(all []Span) error {
	var names []string
	for _, s := range all[:min(len(all), 5)] {
		if s.Symbol != "" {
			names = append(names, s.Symbol)
		}
	}
	return &refactor.Declined{Code: refactor.Ambiguous, Nearest: names,
		Reason: fmt.Sprintf("%d declarations are selected (%s); say which one is meant", len(all),
			strings.Join(names, ", "))}
}
