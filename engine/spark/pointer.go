package spark

import (
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/words"
)

// A request may point at what is selected instead of naming it: "this
// function", "the selected type", "it". The argument is then refactor.Pointer
// with the kind of declaration that is meant, and whoever carries the program
// out finds the declaration that encloses the selection.

// pointedKinds are the nouns that can be pointed at. Parameters and locals
// cannot: a line does not say which of several is meant.
var pointedKinds = map[string]string{
	"function": "func", "func": "func", "helper": "func", "procedure": "func", "method": "method",
	"type": "type", "struct": "type", "class": "type", "interface": "type", "enum": "type",
	"variable": "var", "var": "var", "constant": "const", "const": "const",
	"field": "field", "property": "field", "attribute": "field", "member": "field",
	"declaration": "", "definition": "", "symbol": "", "thing": "", "one": "",
}

// anaphor is "it": the selection in the first clause, and what the clause
// before was about in the others.
const anaphor = refactor.Pointer + "it"

var (
	pointingAdjectives = words.Set("selected enclosing surrounding containing highlighted current")
	pointingPlaces     = []string{"here", "at the cursor", "under the cursor", "at cursor", "in the selection",
		"around the selection", "i selected", "i have selected", "that is selected", "that i selected"}
	wholeSelection = []string{"the selection", "selection", "this selection", "the selected code",
		"the selected lines", "this code", "this here"}
)

// scanSubject finds a name, or any way to point.
func scanSubject(m *matcher, pos int) []found {
	return append(scanThing(m, pos), pointsAtAll(m.src, pos)...)
}

// scanThing finds a name, or "this function": where "this" alone would mean
// the lines rather than a declaration.
func scanThing(m *matcher, pos int) []found {
	return append(scanSymbol(m, pos), scanPointed(m, pos)...)
}

// scanPointed finds "this function", "the selected type", "the method here".
func scanPointed(m *matcher, pos int) []found {
	p, said := pos, false
	if end, ok := literalEnd(m.src, p, "the"); ok {
		p = skipSpace(m.src, end)
	} else if end, ok := anyLiteral(m.src, p, "this", "that"); ok {
		p, said = skipSpace(m.src, end), true
	}
	if w := wordAt(m.src, p); pointingAdjectives[strings.ToLower(w)] {
		p, said = skipSpace(m.src, p+len(w)), true
	}
	if w := strings.ToLower(wordAt(m.src, p)); said && (w == "unused" || w == "dead") {
		p = skipSpace(m.src, p+len(w))
	}
	w := wordAt(m.src, p)
	kind, ok := pointedKinds[strings.ToLower(w)]
	if !ok || !endsName(m.src, p+len(w)) || p == pos {
		return nil
	}
	end := p + len(w)
	for _, place := range pointingPlaces {
		if e, ok := phraseEnd(m.src, end, place); ok {
			return []found{{refactor.Pointer + kind, e}}
		}
	}
	if !said {
		return nil
	}
	return []found{{refactor.Pointer + kind, end}}
}

// scanPointedFunc finds "this function" and "this method" only.
func scanPointedFunc(m *matcher, pos int) []found {
	return keep(scanPointed(m, pos), func(f found) bool {
		return f.val == refactor.Pointer+"func" || f.val == refactor.Pointer+"method"
	})
}

// pointsAtAll finds "it", "this" and "the selection".
func pointsAtAll(src string, pos int) []found {
	for _, words := range wholeSelection {
		if end, ok := phraseEnd(src, pos, words); ok {
			return []found{{refactor.Pointer, end}}
		}
	}
	if end, ok := literalEnd(src, pos, "it"); ok {
		return []found{{anaphor, end}}
	}
	end, ok := anyLiteral(src, pos, "this", "that")
	next := strings.ToLower(wordAt(src, skipSpace(src, end)))
	if _, kind := pointedKinds[next]; !ok || kind || nouns[next] {
		return nil
	}
	return []found{{refactor.Pointer, end}}
}

func anyLiteral(src string, pos int, words ...string) (int, bool) {
	for _, w := range words {
		if end, ok := literalEnd(src, pos, w); ok {
			return end, true
		}
	}
	return pos, false
}

// pointerWords says a pointer back, in words that mean it.
func pointerWords(v string) string {
	switch kind := strings.TrimPrefix(v, refactor.Pointer); kind {
	case "func":
		return "this function"
	case "var":
		return "this variable"
	case "const":
		return "this constant"
	case "", "it":
		return "this declaration"
	default:
		return "this " + kind
	}
}

func isPointer(v string) bool { return strings.HasPrefix(v, refactor.Pointer) }

// points reports whether the clause means what is selected.
func (c clause) points() bool {
	return slices.ContainsFunc(subjectArgs, func(arg string) bool { return isPointer(c.args[arg]) })
}

// subjectArgs are the arguments that say what a clause is about.
var subjectArgs = []string{"symbol", "func", "type", "name"}

// pointers settles what the clauses point at: "it" is the selection in the
// first clause and the subject of the clause before in the others. It returns
// the first pointer at the selection, if any.
func pointers(clauses []clause) (pointer string, d *refactor.Declined) {
	for i, c := range clauses {
		for _, arg := range subjectArgs {
			v := c.args[arg]
			if !isPointer(v) {
				continue
			}
			if v == anaphor && i > 0 {
				if v = clauses[i-1].outcome(); v == "" {
					return "", &refactor.Declined{Code: refactor.Ambiguous, Reason: `it is not clear what "it" is; name it`}
				}
				c.args[arg] = v
			} else if v == anaphor {
				c.args[arg] = refactor.Pointer
			} else if v == refactor.Pointer && i > 0 && !isPointer(clauses[i-1].outcome()) {
				return "", &refactor.Declined{Code: refactor.Ambiguous, Reason: `it is not clear what "this" is; name it`}
			}
			if isPointer(c.args[arg]) && pointer == "" {
				pointer = c.args[arg]
			}
		}
	}
	return pointer, nil
}

// outcome is what "it" means behind a clause: the subject, under its new name
// after a rename; "" where the clause is about two things.
func (c clause) outcome() string {
	switch c.op.name {
	case "rename":
		if isPointer(c.args["symbol"]) {
			return c.args["symbol"] // the lines still hold it
		}
		if owner, _, ok := cutLast(c.args["symbol"]); ok {
			return owner + "." + c.args["to"]
		}
		return c.args["to"]
	case "doc", "add-test", "log-entry", "json-tags", "set-constant", "todo", "handle-error":
		for _, arg := range subjectArgs {
			if v := c.args[arg]; v != "" {
				return v
			}
		}
	}
	return ""
}

// nothingSelected declines a request that points while nothing is selected.
func nothingSelected(pointer string) *refactor.Declined {
	kind, _, _ := strings.Cut(pointer, ".")
	return &refactor.Declined{
		Code:    refactor.Ambiguous,
		Reason:  "nothing is selected, so it is not clear what " + quoteText(pointerWords(kind)) + " is",
		Nearest: []string{"name it", "select it: --file server.go --lines 12-14"},
	}
}
