package spark

import "strings"

var renameOps = []operation{{
	name: "rename",
	phrases: []string{
		"rename [@kind] <symbol:sym> [@kind] [@rename-in] (to|as|into|@arrow) [@new-name] <to:newsym> @rename-tail",
		"rename @every [@kinds|@kind] [@called] <symbol:sym> <all=true> [@rename-in] (to|as|into|@arrow) <to:newsym> @rename-tail",
		"rename every @onekind [@called] <symbol:sym> <all=true> [@rename-in] (to|as|into|@arrow) <to:newsym> @rename-tail",
		"rename every declaration of <symbol:sym> <all=true> (to|as|into) <to:newsym> @rename-tail",
		"rename [@every] (use|uses|usages|usage|references|occurrences|instances) of [@kind] <symbol:sym> (to|as|into|@arrow) <to:newsym> @rename-tail",
		"rename [@kind] <@owner:name> 's [@kind] <symbol:name> [@kind] (to|as|into|@arrow) <to:newsym> @rename-tail",
		"(change|update|modify|switch) name of [@kind] <symbol:sym> [@kind] [@rename-in] [from <@old:sym>] (to|into) <to:newsym> @rename-tail",
		"(change|update|modify|switch) [@kind] <symbol:sym> 's name (to|into) <to:newsym> @rename-tail",
		"(change|replace) [@kind] name <symbol:sym> (to|with|by|into) <to:newsym> @rename-tail",
		"call [the] [@kind] <symbol:sym> <to:newsym> instead @rename-tail",
		"call [the] [@kind] <symbol:sym> <to:newsym> from now on @rename-tail",
		"[@kind] <symbol:sym> [@kind] (should|shall|must|ought to|needs to|has to) be (called|named) <to:newsym> [instead|from now on] @rename-tail",
		"[@kind] <symbol:sym> [@kind] (should|shall|must|ought to|needs to|has to) be renamed (to|as) <to:newsym> @rename-tail",
		"[@kind] <symbol:sym> [@kind] (should|must) have the name <to:newsym> [instead|from now on] @rename-tail",
		"give [@kind] <symbol:sym> (the [new]|a new|a different|new) name <to:newsym> @rename-tail",
		"use [the] name <to:newsym> instead of <symbol:sym> @rename-tail",
	},
	more: []string{
		"<symbol:sym> (to|as|into|@arrow) <to:newsym> @rename-tail",
	},
	say: func(a args) string {
		if a["all"] != "" {
			if k := a["kind"]; k != "" {
				return join("rename every", k, a.name("symbol"), "to", a.name("to"))
			}
			return join("rename every declaration of", a.name("symbol"), "to", a.name("to"))
		}
		return join("rename", a["kind"], a.name("symbol"), "to", a.name("to"))
	},
	check: checkRename,
}}

var renameMacros = []macro{
	{"new-name", "[new] name"},
	{"rename-in", "((of|in|on|from) [@typekind|@func|package] <@owner:name> [@typekind|@func|package] | @in-file | @at-lines)"},
	{"rename-tail", "[@all-files] @callers [@all-files]"},
}

// checkRename composes Owner.symbol and sees to it that the new name is a name:
// Server.Close may become Server.Shutdown, which is Shutdown, but not Client.Close.
func checkRename(a args, c *capture) string {
	if why := qualify(a, "symbol", c); why != "" {
		return why
	}
	if old, ok := c.get("@old"); ok && old != lastName(a["symbol"]) {
		return "the old name is given twice, and differently"
	}
	if q, name, ok := cutLast(a["to"]); ok {
		if old, _, _ := cutLast(a["symbol"]); old != q {
			return "the new name " + a["to"] + " would move it somewhere else; a rename keeps it where it is"
		}
		a["to"] = name
	}
	if hasSourceExt(a["symbol"]) || hasSourceExt(a["to"]) {
		return "files cannot be renamed this way"
	}
	if lastName(a["symbol"]) == a["to"] {
		return "the old name and the new name are the same"
	}
	return ""
}

// qualify puts the owner that a phrase names before the symbol: "the method
// Close of Server" is Server.Close.
func qualify(a args, arg string, c *capture) string {
	owner, ok := c.get("@owner")
	if !ok {
		return ""
	}
	if strings.Contains(a[arg], ".") {
		return "the place of " + a[arg] + " is given twice"
	}
	a[arg] = owner + "." + a[arg]
	return ""
}

func cutLast(s string) (before, last string, ok bool) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}

func lastName(s string) string {
	_, last, _ := cutLast(s)
	return last
}
