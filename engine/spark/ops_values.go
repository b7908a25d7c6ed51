package spark

var valueOps = []operation{{
	name: "set-constant",
	phrases: []string{
		"set [value of] [@ckind] <name:oldsym> [@ckind] [@in-file] (to|=|equal to|:=) [value [of]] <value:value>",
		"set [@ckind] <name:oldsym> 's value to <value:value>",
		"@change value of [@ckind] <name:oldsym> [@ckind] [@in-file] to <value:value>",
		"@change [@ckind] <name:oldsym> 's value to <value:value>",
		"@change [@ckind] <name:oldsym> [@ckind] [@in-file] to [value [of]] <value:literal>",
		"make [@ckind] <name:oldsym> [@ckind] [be|equal [to]] <value:literal>",
		"let [@ckind] <name:oldsym> be <value:literal>",
		"[@ckind] <name:oldsym> [@ckind] @must (be|equal|be equal to|be set to|have the value) <value:literal>",
		"<name:oldsym> = <value:value>",
		"assign [value] <value:value> to [@ckind] <name:oldsym> [@ckind]",
		"give [@ckind] <name:oldsym> [@ckind] [the] value [of] <value:value>",
	},
	more: []string{"<name:oldsym> to <value:value>", "<name:oldsym> = <value:value>"},
	say: func(a args) string {
		return join("set", a.name("name"), a.code("to", "value"))
	},
}}

var valueMacros = []macro{
	{"ckind", "[package-level|top-level|global|module-level] (constant|const|variable|var)"},
}
