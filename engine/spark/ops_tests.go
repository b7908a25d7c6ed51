package spark

var testOps = []operation{{
	name: "add-test",
	phrases: []string{
		"(@add|generate|make|scaffold|stub) [unit|new] (test|tests|test skeleton|test stub|test function|test case|skeleton test|test scaffold) (for|of|to) [@func] <func:subj> [@func]",
		"(@add|generate|make) skeleton of [unit] test (for|of) [@func] <func:subj> [@func]",
		"give [@func] <func:subj> [@func] [a] [unit] test [skeleton]",
		"[@func] <func:subj> [@func] (needs|should have|must have) [unit] test [skeleton]",
	},
	more: []string{"[for] [@func] <func:codesym> [@func]"},
	say: func(a args) string {
		return join("add a test for", a.name("func"))
	},
}, {
	name:    "todo",
	pointed: "symbol",
	phrases: []string{
		"(@add|leave|attach) todo [comment|note] @todo-at [@kind-word] <symbol:thing> [@kind-word] [@in-file] [,] @todo-says <text:text>",
		"(@add|leave|attach) todo [comment|note] (@at-lines|@todo-at @selected) [,] @todo-says <text:text>",
		"(@add|leave|attach) todo [comment|note] (: <text:text> | saying [that] [:] <text:quoted>)",
		"(@add|leave|attach) todo [comment|note] [saying|:|that says] <text:quoted> @todo-at [@kind-word] <symbol:thing> [@kind-word]",
		"(@add|leave|attach) todo [comment|note] [saying|:|that says] <text:quoted> (@at-lines|@todo-at @selected)",
		"todo [comment|note] @todo-at [@kind-word] <symbol:thing> [@kind-word] : <text:text>",
		"mark [@kind-word] <symbol:thing> [@kind-word] (with [a] todo|as todo) : <text:text>",
	},
	say: func(a args) string {
		at := "above " + a.name("symbol")
		if a["symbol"] == "" {
			at = "above the selection"
		}
		return join("add a TODO", at, "saying", quoteText(a["text"]))
	},
	check: checkTodo,
}}

var testMacros = []macro{
	{"kind-word", "(function|func|method|type|struct|class|interface|constant|const|variable|var|declaration)"},
	{"todo-at", "(to|above|on|for|before|over)"},
	{"todo-says", "(: | saying [that] [:] | that says | which says | reading | with [the] text [:])"},
}

func checkTodo(a args, _ *capture) string {
	if a["text"] == "" {
		return "what is to be done is missing"
	}
	return ""
}
