package spark

var callOps = []operation{{
	name: "replace-call",
	phrases: []string{
		"(replace|swap) [@every] (call|calls) (to|of) [@func] <from:sym> (with|by|for) [(call|calls) (to|of)] [@func] <to:newsym>",
		"(replace|swap) [@every] <from:sym> (call|calls) (with|by|for) [(call|calls) (to|of)] <to:newsym> [call|calls]",
		"(replace|swap) <from:dotted> (with|by|for) <to:dotted>",
		"(change|redirect|switch|migrate|move|convert) [@every] (call|calls) (to|of|from) [@func] <from:sym> (to|into) [(call|calls) (to|of)] [@func] <to:newsym>",
		"(change|make) [@every] (call|calls) (to|of) <from:sym> (call|use) <to:newsym>",
		"call <to:newsym> instead of [calling] <from:sym>",
		"use <to:dotted> instead of <from:dotted>",
		"(switch|migrate) from <from:dotted> to <to:dotted>",
	},
	more: []string{"[calls (to|of)] <from:sym> (with|by) [calls (to|of)] <to:newsym>"},
	say: func(a args) string {
		return join("replace calls to", a.name("from"), "with", a.name("to"))
	},
	check: func(a args, _ *capture) string {
		if a["from"] == a["to"] {
			return "both functions are the same"
		}
		return ""
	},
}}
