package treesitter

import (
	"fmt"
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/words"
)

// mostNear is how many of the declarations that a name could mean are offered.
const mostNear = 5

// ambiguous declines a name that means several symbols. Its nearest entries say
// where each is and what to type to mean it alone.
func (j *job) ambiguous(symbol, kind string, all []*subject) error {
	places := make([]string, len(all))
	for i, s := range all {
		places[i] = s.spot()
	}
	return coded(refactor.Ambiguous, j.declineNear(j.choices(symbol, kind, all),
		"%s is declared in %d places (%s); name the file, select the place, or qualify the name", symbol,
		len(all), few(places)))
}

// choices lists "src/a.ts:12 (type --file src/a.ts)" for the first of the
// subjects, leaving out those that nothing typed would tell from the others.
func (j *job) choices(symbol, kind string, all []*subject) []string {
	var out []string
	for _, s := range all {
		words := j.toType(symbol, kind, s)
		if words == "" {
			continue
		}
		if c := fmt.Sprintf("%s (type %s)", s.spot(), words); !slices.Contains(out, c) {
			out = append(out, c)
		}
		if len(out) == mostNear {
			break
		}
	}
	return out
}

// toType is the shortest addition to the request, or else the name, by which
// the subject alone is meant: each is tried before it is offered.
func (j *job) toType(symbol, kind string, s *subject) string {
	file := refactor.Target{File: s.unit.path}
	if j.resolves(symbol, kind, file, s) {
		return "--file " + words.Shell(file.File)
	}
	for i := len(s.within) - 1; i >= 0; i-- {
		name := strings.Join(append(slices.Clone(s.within[i:]), s.name), ".")
		if j.resolves(name, kind, j.target, s) {
			return name
		}
	}
	line := s.node.line()
	if j.resolves(symbol, kind, refactor.Target{File: file.File, From: line, To: line}, s) {
		return fmt.Sprintf("--file %s --lines %d-%d", words.Shell(file.File), line, line)
	}
	return ""
}

// resolves reports whether a name with a target means the subject and no other.
func (j *job) resolves(symbol, kind string, target refactor.Target, s *subject) bool {
	other := *j
	other.target = target
	all, err := other.find(symbol, kind)
	if err == nil {
		all, err = other.distinct(all)
	}
	return err == nil && len(all) == 1 && all[0].unit == s.unit && all[0].node == s.node
}
