package refactor

import (
	"fmt"
	"slices"
	"strings"
)

// Occurrence is a place where the expression of an extraction is written.
type Occurrence struct {
	Path string
	Line int
	Func string // the function around it, as a request names it; "" if there is none
}

// WhichOccurrence declines an extraction whose expression is written in several places, and offers
// requests for every one of the file, if that is a constant's value, for those of a function, and for one.
func WhichOccurrence(op Op, all []Occurrence) *Declined {
	what := strings.ReplaceAll(op.Name, "-", " ") + " " + op.Args["name"] + " from "
	expr := "`" + strings.TrimSpace(op.Args["expr"]) + "`"
	var places, near, funcs, lines []string
	if one := !slices.ContainsFunc(all, func(o Occurrence) bool { return o.Path != all[0].Path }); one &&
		op.Name == "extract-constant" && op.Args["func"] == "" {
		near = append(near, what+"every "+expr+" in "+all[0].Path)
	}
	for _, o := range all {
		places = append(places, fmt.Sprintf("%s:%d", o.Path, o.Line))
		if o.Func != "" && op.Args["func"] == "" {
			funcs = append(funcs, what+expr+" in "+o.Func)
		}
		lines = append(lines, fmt.Sprintf("%s%s on line %d of %s", what, expr, o.Line, o.Path))
	}
	funcs, lines = slices.Compact(funcs), slices.Compact(lines)
	return &Declined{Code: Ambiguous, Understood: op.String(),
		Reason:  fmt.Sprintf("%s is written in %d places: %s", strings.TrimSpace(op.Args["expr"]), len(all), Few(places)),
		Nearest: slices.Concat(near, funcs[:min(len(funcs), 2)], lines[:min(len(lines), 3)])}
}
