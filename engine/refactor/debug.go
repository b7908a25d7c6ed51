package refactor

import (
	"fmt"
	"regexp"
	"strings"
)

// A print is for debugging only with evidence: a marker in its text or in the comment
// behind it, or a value under its own name. Anything else may be what the program
// says to its users.

var (
	debugWord = regexp.MustCompile(`(?i)^\W*(debug|debugging|dbg|xxx+|fixme|hack|wtf)\b`)
	// a banner such as "=== Results ===" is the program's own, one around a lower-case name is not
	debugSign = regexp.MustCompile(`^\s*(>>>|<<<|#{3,}|!{3,}|@{3,}|(={3,}|-{3,})\s*[a-z_][\w.]*\W*$)`)
	debugHere = regexp.MustCompile(`(?i)^\W*(got |gets |i am |i'm |am |in |reached |called |entered )?here\W*\d*\W*$`)
)

// DebugMark reports whether the text of a print, or a comment behind it, marks it as
// one for debugging.
func DebugMark(text string) bool {
	return debugWord.MatchString(text) || debugSign.MatchString(text) || debugHere.MatchString(text)
}

// Labels reports whether a text names the expression whose value follows it: "n = " and
// n, "len(xs):" and len(xs), "size" and r.size.
func Labels(label, expr string) bool {
	label = strings.Trim(strings.TrimRight(strings.TrimSpace(label), ":=->( "), ",; ")
	if i := strings.LastIndexAny(label, " \t,;"); i >= 0 && strings.Contains(label[:i], "=") {
		label = label[i+1:] // "x=1 y=": the last of several
	}
	expr = strings.TrimSpace(expr)
	return label != "" && (label == expr || label == expr[strings.LastIndexByte(expr, '.')+1:])
}

// Error values are what a program tells its users about, and so is what it prints
// before it ends.
var errorNames = regexp.MustCompile(`^(err|error|e|ex|exc|exception)$`)

// ErrorName reports whether a variable of that name is an error.
func ErrorName(name string) bool { return errorNames.MatchString(name) }

// Few joins the first of several places.
func Few(places []string) string {
	const limit = 4
	if len(places) > limit {
		return strings.Join(places[:limit], ", ") + fmt.Sprintf(" and %d more", len(places)-limit)
	}
	return strings.Join(places, ", ")
}
