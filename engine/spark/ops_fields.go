package spark

var fieldMacros = []macro{
	{"newfield", `([new|extra|additional|optional] ( @field [@called] <name:name> [@ftype] |
		<fieldtype:plaintype> @field [@called] <name:name> | <name:field> @field [@ftype] |
		<name:field> [:] <fieldtype:plaintype> @field | @field of type <fieldtype:type> @called <name:name> ))`},
	{"barefield", "<name:field> [:] <fieldtype:plaintype>"},
	{"ftype", "(of type <fieldtype:type> | : <fieldtype:type> | with type <fieldtype:type> | <fieldtype:plaintype>)"},
	{"initial", `([,] (with|having) [initial|default] (value|default) [of] <value:value> | [,] (initialised|initialized|set|defaulting|initially set) (to|with) <value:value> | = <value:value>)`},
	{"owner-type", "[@typekind] <type:subj> [@typekind]"},
}

var fieldOps = []operation{{
	name: "add-field",
	phrases: []string{
		"@add (@newfield|@barefield) [@initial] (to|in|into|on) @owner-type [@in-file] [@initial]",
		"(give|extend) @owner-type [with] [a|an|the] @newfield [@initial]",
		"(make|let) @owner-type have @newfield [@initial]",
		"@owner-type (should|must|needs to|has to) have @newfield [@initial]",
		"@owner-type needs [new|extra] @field [@called] <name:name> [@ftype] [@initial]",
	},
	more:  []string{"[to] [@typekind] <type:codesym> [@typekind]"},
	share: []string{"name", "fieldtype", "value"},
	say: func(a args) string {
		return join("add field", a.name("name"), a.code("of type", "fieldtype"), "to", a.name("type"),
			a.code("with value", "value"))
	},
}, {
	name: "json-tags",
	phrases: []string{
		"(@add|generate) [@style] json [struct] (tag|tags) (to|for|on) [[all] [exported] fields (of|in)] @owner-type [@in-file] [@in-style]",
		"(@add|generate) [@style] json [struct] (tag|tags) (to|for|on) @owner-type 's [exported] fields [@in-file] [@in-style]",
		"give @owner-type [@style] json [struct] tags [@in-style]",
		"(tag|annotate) [fields (of|in)] @owner-type ['s fields] (with|for) json [tags] [@in-style]",
		"(tag|annotate) [fields (of|in)] @owner-type ['s fields] with @style json tags",
		"@owner-type (should|must|needs to) have json tags [@in-style]",
	},
	more:  []string{"[@typekind] <type:codesym> [@typekind]"},
	share: []string{"style"},
	say: func(a args) string {
		style := a["style"]
		if style != "" {
			style = "in " + style + " case"
		}
		return join("add json tags to", a.name("type"), style)
	},
}}

var tagMacros = []macro{
	{"style", "((snake_case|snake case|snake-case|snakecase|snake) <style=snake> | (camelcase|camel case|camel-case|lowercamelcase|camel) <style=camel>)"},
	{"in-style", "[,] (in|using|with) @style [names|keys|style]"},
}
