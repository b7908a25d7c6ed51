package spark

import "strconv"

var paramMacros = []macro{
	// the thing itself: name and type, in the orders in which people say them
	{"newparam", `([new|extra|additional|optional|keyword] ( @param [@called] <name:name> [@ptype] |
		<type:plaintype> @param [@called] <name:name> | <name:param> @param [@ptype] | <name:name> = <value:value> @param |
		<name:param> [:] <type:plaintype> @param | @param of type <type:type> @called <name:name> ))`},
	{"bareparam", "<name:param> [:] <type:plaintype>"},
	{"ptype", "(of type <type:type> | : <type:type> | with type <type:type> | <type:plaintype>)"},
	{"default", `([,] [and] (with|using|having|give it|and) [new|its] [default] (value|default) [of] <value:value> | [,] [which] (defaulting|defaults|default) [to] <value:value> | [,] default (value|is|value is|=) <value:value> |
		= <value:value> | [,] [and] (passing|pass) <value:value> [(at|in|from|to|for) [@every] [existing|its|current] (@calls|places)])`},
	{"ordinal", `(first <position=first> | last <position=last> | second <position=2> | third <position=3> | fourth <position=4> | fifth <position=5>)`},
	{"position", `([,] (as|in|at) [its] @ordinal [@param|position|place|one] | (at|in) [very] (beginning|start|front) [of (parameters|parameter list|list|signature)] <position=first> |
		(at|in) [very] end [of (parameters|parameter list|list|signature)] <position=last> |
		(as|at|in) (@param|position|place) [number] (<position:number> | @ordinal))`},
	{"owner-func", "[@func] <func:subj> [@func] ['s (signature|parameters|parameter list)]"},
	{"ptail", "[@in-file] [@position] [@default] [@position] [@in-file] @callers"},
	{"must", "(should|must|needs to|has to|ought to|shall)"},
}

var paramOps = []operation{{
	name: "add-param",
	phrases: []string{
		"@add (@newparam|@bareparam) [@default] [@position] to [(signature|parameters|parameter list) of] @owner-func @ptail",
		"@add @newparam [@default] [@position] [@default] <func=@func>",
		"@add <name:name> [@ptype] [@default] as [its] @ordinal @param (to|of|for|in) @owner-func @ptail",
		"(make|let|have) @owner-func @takes [in] (@newparam|@bareparam) @ptail",
		"(make|let|have) @owner-func @takes [in] <type:plaintype> @called <name:name> @ptail",
		"(change|update|modify|extend) signature of @owner-func to (take|accept|receive|have|include) [in] (@newparam|@bareparam) @ptail",
		"@owner-func @must (take|accept|receive|have|get) [in] (@newparam|@bareparam) @ptail",
		"@owner-func @must (take|accept|receive|have|get) [in] <type:plaintype> @called <name:name> @ptail",
		"(give|extend) @owner-func [with] [a|an|the] @newparam @ptail",
		"(give|extend) @owner-func [with] [a|an] <type:plaintype> @called <name:name> @ptail",
	},
	more:  []string{"[to] [@func] <func:codesym> [@func]"},
	share: []string{"name", "type", "value", "position"},
	say: func(a args) string {
		return join("add parameter", a.name("name"), a.code("of type", "type"), "to", a.name("func"),
			a.position(), a.code("with default", "value"))
	},
	check: checkPosition,
}, {
	name: "remove-param",
	phrases: []string{
		"@remove [unused] @param [@called] <name:name> (from|of|in) [signature of] @owner-func [@in-file] @callers",
		"@remove [unused] @param [@called] <name:name> <func=@func>",
		"@remove [unused] <name:name> @param (from|of|in) [signature of] @owner-func [@in-file] @callers",
		"@remove <name:name> from [the] (parameters|arguments|signature|parameter list|argument list) of @owner-func [@in-file] @callers",
		"@remove [@func] <func:subj> 's [unused] @param [@called] <name:name> @callers",
		"@remove [@func] <func:subj> 's [unused] <name:name> @param @callers",
		"[@func] <func:subj> [@func] @must no longer (take|accept|receive|have|get) [@param] [@called] <name:name> [@param] @callers",
		"make [@func] <func:subj> [@func] no longer (take|accept|receive|have|get) @param [@called] <name:name> @callers",
		"make [@func] <func:subj> [@func] no longer (take|accept|receive|have|get) <name:name> [@param] @callers",
	},
	more:  []string{"from [@func] <func:subj> [@func]", "[@func] <func:codesym> [@func]"},
	share: []string{"name"},
	say: func(a args) string {
		return join("remove parameter", a.name("name"), "from", a.name("func"))
	},
}}

func (a args) position() string {
	if a["position"] == "" {
		return ""
	}
	return "as parameter " + a["position"]
}

func checkPosition(a args, _ *capture) string {
	p := a["position"]
	if n, err := strconv.Atoi(p); p != "" && err == nil && n < 1 {
		return "parameters are counted from 1"
	}
	return ""
}
