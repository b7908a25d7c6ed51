package spark

var extractMacros = []macro{
	{"pull", "(extract|pull|pull out|factor out|move|hoist|introduce|lift)"},
	{"local-var", "[new] [local] (variable|var)"},
	{"new-const", "[new] [named|global|package-level|top-level|module-level] (constant|const)"},
	{"expr", "([expression|literal|value|magic number|magic string|number|string literal] <expr:expr> | @selected)"},
	{"in-func", "((in|inside|within|of) [@func] <func:thing> [@func])"},
	{"ex-tail", "[@in-func] [@in-file] [@in-func]"},
}

var extractOps = []operation{{
	name:    "extract-variable",
	pointed: "expr",
	phrases: []string{
		"(extract|introduce|create|make|add) @local-var [@called] <name:name> (from|for|out of|holding|with [the] value) @expr @ex-tail",
		"@pull @expr [@in-func] [@in-file] [out] (to|into|as|in) @local-var [@called] <name:name> @ex-tail",
		"(assign|bind) @expr [@in-func] to @local-var [@called] <name:name> @ex-tail",
		"(replace|turn|make) @expr [@in-func] (with|by|into) @local-var [@called] <name:name> @ex-tail",
	},
	say: func(a args) string {
		return join("extract variable", a.name("name"), "from", a.expr(), a.in("func"))
	},
}, {
	name:    "extract-constant",
	pointed: "expr",
	phrases: []string{
		"(extract|introduce|create|make|add) @new-const [@called] <name:name> (from|for|out of|holding|with [the] value) [every <all=true>] @expr @ex-tail",
		"@pull @expr [@in-func] [@in-file] [out] (to|into|as|in) @new-const [@called] <name:name> @ex-tail",
		"(replace|turn|make) @expr [@in-func] (with|by|into|in to) @new-const [@called] <name:name> @ex-tail",
		"make @expr [a|the] @new-const @called <name:name> @ex-tail",
	},
	say: func(a args) string {
		every := ""
		if a["all"] != "" {
			every = "every"
		}
		return join("extract constant", a.name("name"), "from", every, a.expr(), a.in("func"))
	},
}}

// expr is the expression, or the selection that stands for it.
func (a args) expr() string {
	if a["expr"] == "" {
		return "the selection"
	}
	return codeQuote(a["expr"])
}
