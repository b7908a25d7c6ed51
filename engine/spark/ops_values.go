package spark

var valueOps = []operation{{
	name: "set-constant",
	phrases: []string{
		"set [value of] [@ckind] <name:sym> [@ckind] [@in-file] (to|=|equal to|:=) [value [of]] <value:value>",
		"set [@ckind] <name:sym> 's value to <value:value>",
		"@change value of [@ckind] <name:sym> [@ckind] [@in-file] to <value:value>",
		"@change [@ckind] <name:sym> 's value to <value:value>",
		"@change [@ckind] <name:sym> [@ckind] [@in-file] to [value [of]] <value:literal>",
		"make [@ckind] <name:sym> [@ckind] [be|equal [to]] <value:literal>",
		"let [@ckind] <name:sym> be <value:literal>",
		"[@ckind] <name:sym> [@ckind] @must (be|equal|be equal to|be set to|have the value) <value:literal>",
		"<name:sym> = <value:value>",
		"assign [value] <value:value> to [@ckind] <name:sym> [@ckind]",
		"give [@ckind] <name:sym> [@ckind] [the] value [of] <value:value>",
	},
	more: []string{"<name:sym> to <value:value>", "<name:sym> = <value:value>"},
	say: func(a args) string {
		return join("set", a.name("name"), a.code("to", "value"))
	},
}}

var valueMacros = []macro{
	{"ckind", "[package-level|top-level|global|module-level] (constant|const|variable|var)"},
}
