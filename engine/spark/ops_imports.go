package spark

import "strings"

var importOps = []operation{{
	name: "add-import",
	phrases: []string{
		"@add [new] import [(of|for) [package|module]] <path:path> [@import-as] [@at-file]",
		"@add <path:path> import [@at-file]",
		"@add <path:path> to [the] imports [of (@file|@this)]",
		"import [the] [package|module] <path:path> [@import-as] [@at-file]",
		"[@add] import <names:names> from [package|module] <path:path> [(to|into) (@file|@this)]",
		"@add [import] from <path:path> import <names:names> [@at-file]",
		"from <path:path> import <names:names>",
		"@add import (of|for) <names:names> from [package|module] <path:path> [@at-file]",
	},
	say: func(a args) string {
		alias := ""
		if a["alias"] != "" {
			alias = "as " + a.name("alias")
		}
		if a["names"] != "" {
			return join("import {", strings.ReplaceAll(a["names"], ",", ", "), "} from", a.path("path"))
		}
		return join("add import", a.path("path"), alias)
	},
	check: checkImport,
}, {
	name: "remove-imports",
	phrases: []string{
		"@remove [@every] (unused|unneeded|unnecessary|superfluous|dead|redundant) (import|imports) [@at-file]",
		"@remove [@every] (import|imports) [that|which] (are not|aren't|is not|isn't) (used|needed) [any more|anymore] [@at-file]",
		"@remove [@every] (import|imports) [that|which] (are|is) (unused|unneeded|no longer used|no longer needed) [@at-file]",
		"@remove [@every] (import|imports) (that|which) nothing uses [@at-file]",
		"@remove [unused] import [(of|for) [package|module]] <path:path> [@at-file]",
		"@remove [unused] <path:path> import [@at-file]",
		"@remove <path:path> from [the] imports [of (@file|@this)]",
	},
	say: func(a args) string {
		if a["path"] != "" {
			return join("remove the import of", a.path("path"))
		}
		return "remove unused imports"
	},
	check: checkRemoveImport,
}, {
	name: "sort-imports",
	phrases: []string{
		"(sort|order|group|sort and group|alphabetize|alphabetise|group and sort) [@every] (imports|import statements|import block) [alphabetically] [@at-file]",
		"(sort|order) (@file|@this) 's imports [alphabetically]",
		"put imports [@at-file] in (order|alphabetical order)",
	},
	say: func(args) string { return "sort the imports" },
}}

var importMacros = []macro{
	{"import-as",
		"(as <alias:name> | (aliased as|under [the] (name|alias)|with [the] alias|using [the] alias) <alias:name>)"},
}

// checkImport keeps the file out of the path ("add import main.py"), and
// JavaScript's default imports out of the named ones.
func checkImport(a args, c *capture) string {
	if hasSourceExt(a["path"]) && !strings.HasPrefix(a["path"], ".") {
		return a["path"] + " is a file; say which package or module to import"
	}
	if a["names"] != "" && a["alias"] != "" {
		return "one alias for several names"
	}
	return ""
}

func checkRemoveImport(a args, _ *capture) string {
	p := a["path"]
	if hasSourceExt(p) && !strings.HasPrefix(p, ".") {
		return p + " is a file; say which package or module"
	}
	if p != "" && vague[strings.ToLower(p)] {
		return "it is not clear which import is meant; put the name in backticks"
	}
	return ""
}
