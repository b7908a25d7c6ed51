package spark

var docMacros = []macro{
	{"doccomment", `([missing] (doc|documentation|godoc|jsdoc|doc-comment) [comment|comments|string|strings] | docstring | docstrings |
		doc-comments | (documentation|documenting) (comment|comments))`},
	{"dockinds", `((functions|funcs) <kind=func> | methods <kind=method> | (types|structs|interfaces) <kind=type> | classes <kind=class> |
		symbols | declarations | identifiers | names | things | API | items)`},
	{"dockind", "((function|func) <kind=func> | method <kind=method> | (type|struct|interface) <kind=type> | class <kind=class> | symbol | declaration)"},
	{"undocumented", `[@in-file] [(that|which) (lack|lacks) [one|them|it|doc comment|doc comments|documentation|docstring|docstrings] | (that|which) (have|has) (none|no (doc comment|doc comments|documentation|docs|docstring|docstrings|comment|comments)) |
		(that|which) (are|is) (undocumented|not documented) | without (doc comment|doc comments|documentation|docs|docstring|docstrings|one|comments)]`},
	{"documented", `([@every] [undocumented] (exported|public) <which=exported> [@dockinds|@dockind] @undocumented |
		@every [undocumented] (@dockinds|@dockind) <which=all> @undocumented |
		[undocumented] @dockinds <which=all> @undocumented |
		everything <which=all> |
		(these|selected) @dockinds <which=all> <@this=selection> |
		[@dockind] <symbol:subj> [@dockind])`},
	{"saying",
		"(saying [that] [:]|that says [:]|which says [:]|reading [:]|with [the] text|:|with content|as follows [:])"},
}

var docOps = []operation{{
	name: "doc",
	phrases: []string{
		"(@add|generate|give|provide) @doccomment (to|for|on|above) @documented",
		"(@add|generate) @doccomment [@at-file]",
		"(@add|generate) @doccomment to @documented (of|from) @file",
		"give @documented [a] @doccomment",
		"document @documented [(of|from) @file]",
		"document (@file|@this)",
		"(@add|give) comment (to|for|on|above) <@only=above> [@dockind] <symbol:subj> [@dockind] [@in-file] [,] @saying <text:text>",
		"(@add|give) @doccomment (to|for|on|above) [@dockind] <symbol:subj> [@dockind] [@in-file] [,] @saying <text:text>",
		"@add @doccomment @saying <text:text> <symbol=@>",
		"(@add|give) comment <text:quoted> (to|for|on|above) <@only=above> [@dockind] <symbol:subj> [@dockind] [@in-file]",
		"(@add|give) @doccomment <text:quoted> (to|for|on|above) [@dockind] <symbol:subj> [@dockind]",
		"document [@dockind] <symbol:subj> [@dockind] [@in-file] ((as|with|by|saying) [the text] [:] | :) <text:text>",
	},
	more: []string{"[@dockind] <symbol:codesym> [@dockind]"},
	say: func(a args) string {
		switch {
		case a["text"] != "":
			return join("add doc comment to", a["kind"], a.name("symbol"), "saying", quoteText(a["text"]))
		case a["symbol"] != "":
			return join("add a doc comment to", a["kind"], a.name("symbol"))
		case a["which"] == "all" && a["kind"] == "":
			return "add doc comments to everything"
		}
		which := map[string]string{"exported": "exported", "all": "all"}[a["which"]]
		if which == "" {
			return "add doc comments"
		}
		return join("add doc comments to", which, plural(a["kind"]))
	},
}}

// plural is the word for all declarations of a kind.
func plural(kind string) string {
	switch kind {
	case "func":
		return "functions"
	case "class":
		return "classes"
	case "":
		return "declarations"
	}
	return kind + "s"
}
