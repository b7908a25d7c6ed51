package spark

import "waferpair/engine/refactor/words"

var removeOps = []operation{{
	name: "remove-debug-prints",
	phrases: []string{
		"@remove [@every] @debug-prints [(from|in|inside|within|of) [@func] <func:thing> [@func] | (from|of) @selected | @at-file]",
		"@remove [@every] @js-prints <@only=js> <which=console.log>",
		"@remove [@every] @js-prints (from|in|inside|within|of) (@file|@this) <@only=js> <which=console.log>",
		"@remove [@every] @js-prints (from|in|inside|within|of) [@func] <func:thing> [@func] <@only=js> <which=console.log>",
		"@remove @every @prints <which=all>",
		"@remove @every @prints (from|in|inside|within|of) (@file|@this) <which=all>",
		"@remove @every @prints (from|in|inside|within|of) [@func] <func:thing> [@func] <which=all>",
	},
	more: []string{"(from|in) [@func] <func:subj> [@func]", "[@func] <func:codesym> [@func]"},
	say: func(a args) string {
		what := "debug prints"
		switch a["which"] {
		case "all":
			what = "all print statements"
		case "console.log":
			what = "the console.log calls"
		}
		if a["func"] == "" {
			return join("remove", what)
		}
		return join("remove", what, "from", a.name("func"))
	},
}, {
	name:    "comment-out",
	pointed: "symbol",
	phrases: []string{
		"comment out [@kind-word] <symbol:thing> [@kind-word]",
		"comment [the] [@kind-word] <symbol:thing> [@kind-word] out",
		"comment out (@selected|@lines)",
		"comment [the] (@selected|@lines) out",
	},
	more: []string{"[@kind-word] <symbol:codesym> [@kind-word]"},
	say: func(a args) string {
		if a["symbol"] == "" {
			return "comment out the selection"
		}
		return join("comment out", a.name("symbol"))
	},
}, {
	name: "delete-unused",
	phrases: []string{
		"@delete <func:funcptr> [[,] @as-unused]",
		"@delete @uncalled [@func] <func:subj> [@func] [@as-unused]",
		"@delete @uncalled [@kind-word|field|enum] <func:subj> [@kind-word|field|enum] [@as-unused]",
		"@delete @func <func:subj> [[,] @as-unused]",
		"@delete <func:subj> @func [[,] @as-unused]",
		"@delete <func:subj> [@in-file] [,] @as-unused",
	},
	more: []string{"[@func] <func:codesym> [@func]"},
	say: func(a args) string {
		if isPointer(a["func"]) {
			return join("delete", a.name("func"), "because nothing uses it")
		}
		return join("delete the unused function", a.name("func"))
	},
	check: func(a args, _ *capture) string {
		if general[a["func"]] {
			return "it takes the name of one function; " + a["func"] + " is none"
		}
		return ""
	},
}}

// general words say what sort of thing is to go, not which.
var general = words.Set("code functions methods helpers stuff things types constants variables classes exports")

var removeMacros = []macro{
	{"debug-prints", `((debug|debugging) (print|prints|printing|print statement|print statements|print calls|statements|output|printouts|println|printlns) |
			print debugging)`},
	{"prints", "(print (statement|statements|call|calls) | prints | printing)"},
	{"js-prints",
		"(console.log|console.logs|console.log()|console log|console logs) [call|calls|statement|statements|line|lines]"},
	{"delete", "(delete|remove|drop|get rid of)"},
	{"uncalled", "(unused|dead|unreferenced|uncalled)"},
	{"as-unused", `([if|because|as|since] (it is|it's|that is|which is) (unused|not used|never used|no longer used|not called|never called|dead) [any more|anymore] |
			[because|as|since|which|if] nothing (uses|calls) [it] | (that|which) (nothing uses|nothing calls|is unused|is not used|is never called|is no longer used)) <@unused=yes>`},
}
