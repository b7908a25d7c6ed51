package propose

import (
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/spark/link"
)

// Some words are spelled like code and name nothing of the project: the rule that a linter's message
// is about, and what comments and prints are called in a language.

// jargon reports whether unit i is such a word in requests for these operations.
func jargon(units []link.Unit, i int, ops ...string) bool {
	u := units[i]
	if len(u.Symbols)+len(u.Files) > 0 {
		return false
	}
	for _, op := range ops {
		if re := called[op]; re != nil && re.MatchString(u.Text) {
			return true
		}
	}
	return rule(units, i)
}

// called is what an operation's subject is called in some language.
var called = map[string]*regexp.Regexp{
	"doc": regexp.MustCompile(`(?i)^@?(js|java|ts|go|py)-?docs?$|^@(param|returns?|throws)$`),
	"remove-debug-prints": regexp.MustCompile(
		`(?i)^(console\.\w+|print(ln|f)?s?|fmt\.print\w*|system\.out(\.\w+)?|sysouts?|logs?)(\(\))?$`),
	"string-style": regexp.MustCompile(
		`(?i)^(\.?format|f-?strings?|sprintf|fmt\.sprintf|string\.format|%s?)(\(\))?$`),
}

// rule reports whether unit i is the name or the number of a linter's rule, or the column of its
// message: at the beginning, at the end, or in brackets.
func rule(units []link.Unit, i int) bool {
	text := units[i].Text
	inside := i > 0 && i+1 < len(units) && (units[i-1].Text == "[" && units[i+1].Text == "]" ||
		units[i-1].Text == "(" && units[i+1].Text == ")")
	switch {
	case ruleNumber.MatchString(text), namespaced.MatchString(text):
		return i <= 1 || i >= len(units)-3 || inside
	case ruleName.MatchString(text):
		return i == len(units)-1 || inside || i == 0 && len(units) > 1 && units[1].Text == ":"
	case units[i].Kind == link.New && inside:
		return i+2 == len(units)
	case units[i].Kind == link.Literal: // src/a.js:100:17, 100:17 error
		return i > 1 && units[i-1].Text == ":" && (units[i-2].A > 0 || units[i-2].Kind == link.Literal) ||
			i+2 < len(units) && units[i+1].Text == ":" && units[i+2].Kind == link.Literal &&
				slices.ContainsFunc(units[:i], func(u link.Unit) bool { return u.Kind == link.File })
	}
	return strings.HasSuffix(text, "%") && i+1 < len(units) && units[i+1].Text == "confidence"
}

var (
	ruleNumber = regexp.MustCompile(`^([A-Z]{1,4}[0-9]{3,4}|ts\([0-9]+\)|TS[0-9]{4,5})$`)
	namespaced = regexp.MustCompile(`^@?[a-z-]+/[a-z-]+(/[a-z-]+)?$`)
	ruleName   = regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)
)
