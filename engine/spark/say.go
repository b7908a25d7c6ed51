package spark

import (
	"fmt"
	"strings"

	"waferpair/engine/refactor"
)

// The sentences that say a program back. Each parses to the same program
// again, which is how the tests know that "understood: ..." is the truth.

// join puts the parts that are not empty into a sentence.
func join(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, " ")
}

// name is an argument that is a name, in backticks where it would be taken for a word.
func (a args) name(arg string) string {
	v := a[arg]
	if isPointer(v) {
		return pointerWords(v)
	}
	if v == "" || dotted(v) == v && !reserved(v) && codeLike(v) ||
		identifier(v) == v && !reserved(v) && !strings.EqualFold(v, "a") && !strings.EqualFold(v, "i") && v != "an" {
		return v
	}
	return codeQuote(v)
}

// code is "preposition `argument`", or nothing without the argument.
func (a args) code(preposition, arg string) string {
	if a[arg] == "" {
		return ""
	}
	if v := a[arg]; number.FindString(v) == v || dotted(v) == v && codeLike(v) {
		return preposition + " " + v
	}
	return preposition + " " + codeQuote(a[arg])
}

// in is "in NAME", or nothing.
func (a args) in(arg string) string {
	if a[arg] == "" {
		return ""
	}
	return "in " + a.name(arg)
}

// using is "with NAME", or nothing.
func (a args) using(arg string) string {
	if a[arg] == "" {
		return ""
	}
	return "with " + a.name(arg)
}

func (a args) path(arg string) string { return codeQuote(a[arg]) }

// codeQuote puts code in a code span, with as many backticks as it takes.
func codeQuote(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// quoteText puts prose in quotes that it does not hold itself.
func quoteText(s string) string {
	if strings.ContainsAny(s, "\"\\") {
		return codeQuote(s)
	}
	return `"` + s + `"`
}

// sayAll says a list of clauses.
func sayAll(clauses []clause) string {
	var parts []string
	for _, c := range clauses {
		parts = append(parts, c.op.say(c.args))
	}
	return strings.Join(parts, "; ")
}

// sayIn says a whole request: the clauses, and where they apply when the request says so.
func sayIn(clauses []clause, p place, t refactor.Target) string {
	s := sayAll(clauses)
	switch {
	case p.from > 0:
		return fmt.Sprintf("on lines %d-%d of %s, %s", p.from, p.to, codeQuote(t.File), s)
	case p.everywhere:
		return s + " everywhere"
	case p.file != "":
		return "in " + codeQuote(t.File) + ", " + s
	case p.this == "file":
		return "in the current file, " + s
	}
	return s
}
