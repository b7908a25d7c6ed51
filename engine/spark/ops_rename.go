package spark

import (
	"slices"
	"strings"

	"waferpair/engine/refactor/words"
)

var renameOps = []operation{{
	name: "rename",
	phrases: []string{
		"rename [@kind] <symbol:oldsym> [@kind] [@rename-in] (to|as|into|@arrow) [@new-name] <to:newsym> @rename-tail",
		"(in|inside|within) [@typekind|@func] <@owner:thing> [@func] [,|:] rename [@kind] <symbol:oldsym> [@kind] (to|as|into|@arrow) [@new-name] <to:newsym> @callers",
		"rename @file ['s] [@kind] <symbol:oldsym> [@kind] (to|as|into|@arrow) [@new-name] <to:newsym> @rename-tail",
		"rename (to|as) <symbol=@> <to:newsym> @rename-tail",
		"rename @every [@kinds|@kind] [@called] <symbol:sym> <all=true> [@rename-in] (to|as|into|@arrow) <to:newsym> @rename-tail",
		"rename every @onekind [@called] <symbol:sym> <all=true> [@rename-in] (to|as|into|@arrow) <to:newsym> @rename-tail",
		"rename @every <symbol:sym> (@kinds|@onekind) <all=true> (to|as|into|@arrow) <to:newsym> @rename-tail",
		"rename every declaration of <symbol:sym> <all=true> (to|as|into) <to:newsym> @rename-tail",
		"rename [@every] (use|uses|usages|usage|references|occurrences|instances) of [@kind] <symbol:sym> (to|as|into|@arrow) <to:newsym> @rename-tail",
		"rename [@kind] <@owner:name> 's [@kind] <symbol:name> [@kind] (to|as|into|@arrow) <to:newsym> @rename-tail",
		"(change|update|modify|switch) name of [@kind] <symbol:subj> [@kind] [@rename-in] [from <@old:sym>] (to|into) <to:newsym> @rename-tail",
		"(change|update|modify|switch) [@kind] <symbol:subj> 's name (to|into) <to:newsym> @rename-tail",
		"(change|replace) [@kind] name <symbol:sym> (to|with|by|into) <to:newsym> @rename-tail",
		"call [the] [@kind] <symbol:subj> <to:sym> instead @rename-tail",
		"call [the] [@kind] <symbol:subj> <to:sym> from now on @rename-tail",
		"[@kind] <symbol:subj> [@kind] (should|shall|must|ought to|needs to|has to) be (called|named) <to:newsym> [instead|from now on] @rename-tail",
		"[@kind] <symbol:subj> [@kind] (should|shall|must|ought to|needs to|has to) be renamed (to|as) <to:newsym> @rename-tail",
		"[@kind] <symbol:subj> [@kind] (should|must) have the name <to:newsym> [instead|from now on] @rename-tail",
		"give [@kind] <symbol:subj> (the [new]|a new|a different|new) name <to:newsym> @rename-tail",
		"use [the] name <to:newsym> instead of <symbol:sym> @rename-tail",
	},
	more: []string{
		"<symbol:oldsym> (to|as|into|@arrow) <to:newsym> @rename-tail",
	},
	say: func(a args) string {
		if pointer, name, ok := strings.Cut(a["symbol"], "."); ok && isPointer(pointer) {
			return join("rename", a["kind"], args{"n": name}.name("n"), "to", a.name("to"), "in", pointerWords(pointer))
		}
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
	{"rename-in",
		"((of|in|on|from) [@typekind|@func|package] <@owner:thing> [@typekind|@func|package] | @in-file | @at-lines)"},
	{"where-tail",
		"(in|inside|within) ((@typekind|@func|package) <@where:thing> | <@where:owner> [@typekind|@func|package])"},
	{"rename-tail", "[@where-tail] [@all-files] @callers [@all-files]"},
}

// checkRename composes Owner.symbol and sees to it that the new name is a name:
// Server.Close may become Server.Shutdown, which is Shutdown, but not Client.Close.
func checkRename(a args, c *capture) string {
	if why := qualify(a, "symbol", c); why != "" {
		return why
	}
	if why := qualifyTail(a, c); why != "" {
		return why
	}
	if a["kind"] == "var" && strings.Contains(a["symbol"], ".") {
		delete(a, "kind") // the variables of a function are locals and parameters, those of a class fields
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
	if caseStyles[strings.ToLower(a["to"])] && nouns[a["symbol"]] {
		return "one name is renamed at a time; " + a["to"] + " is a way of writing names"
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

// qualifyTail puts the place behind a rename, "in area" or "in the type Box",
// before the symbol. A clause that was joined on may get it from the next one.
func qualifyTail(a args, c *capture) string {
	owner, ok := c.get("@where")
	switch {
	case !ok:
		return ""
	case strings.Contains(a["symbol"], ".") || a["all"] != "" || isPointer(a["symbol"]):
		return "the place of " + a["symbol"] + " is given twice"
	}
	a["symbol"] = owner + "." + a["symbol"]
	return ""
}

// shareOwners lets "rename a to b and c to d in f" mean both: the clauses that
// one verb joins have one place. Renames joined otherwise must each have their
// own, or none may.
func shareOwners(clauses []clause) string {
	for i := len(clauses) - 1; i > 0; i-- {
		owner, ok := clauses[i].caps.get("@where")
		before := clauses[i-1]
		if _, joined := clauses[i].caps.get("@more"); !ok || !joined || !before.ownerless() || owner == before.args["to"] {
			continue
		}
		if owner == before.args["symbol"] { // it has its new name by then
			clauses[i].args["symbol"] = before.args["to"] + "." + lastName(clauses[i].args["symbol"])
			continue
		}
		clauses[i-1].args["symbol"] = owner + "." + clauses[i-1].args["symbol"]
		clauses[i-1].caps = &capture{"@where", owner, clauses[i-1].caps}
	}
	var owners []string
	for _, c := range clauses {
		if owner, ok := c.caps.get("@where"); ok {
			owners = append(owners, owner)
		}
	}
	unplaced := func(c clause) bool {
		return c.ownerless() && !slices.Contains(owners, c.args["to"]) && !slices.Contains(owners, c.args["symbol"])
	}
	if len(owners) > 0 && slices.ContainsFunc(clauses, unplaced) {
		return "it names a place for one rename and not for the other; make it one request for each"
	}
	return ""
}

func (c clause) ownerless() bool {
	_, placed := c.caps.get("@where")
	return c.op.name == "rename" && !placed && !strings.Contains(c.args["symbol"], ".") && !isPointer(c.args["symbol"])
}

// notOwners are the words behind "in" that without a noun or quotes name no function or type.
var notOwners = words.Set("comments strings docs documentation code text prose production tests test logs messages general fact particular both all names")

// scanOwner finds what a symbol is in: a function, a type, a package.
func scanOwner(m *matcher, pos int) []found {
	return keep(scanThing(m, pos), func(f found) bool { return !notOwners[m.src[pos:f.end]] })
}

// caseStyles are ways of writing names, not names.
var caseStyles = words.Set("snake_case camelcase pascalcase kebab-case lowercamelcase uppercamelcase screaming_snake_case snake camel pascal english lowercase uppercase")

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
