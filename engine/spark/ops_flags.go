package spark

import (
	"regexp"
	"strings"
)

// Flags of programs: the only new names that may hold dashes.

var flagMacros = []macro{
	{"cli", "(command line|command-line|cli|new)"},
	{"flag-tail", `[[,] (of type|type) <type:type>]
		[[,] [and|with|having|which|that] (default|defaults to|defaulting to|default value) [of|to|is|=] <value:value>]
		[to [@func] <func:sym> [command|subcommand|@func] | to (command line|command-line) [tool]]
		[[,] [and|with] (help|description|help text) [text] [:] <text:quoted>]`},
}

var spelledFlag = regexp.MustCompile(`^-{0,2}[\pL\pN][\pL\pN_-]*`)

// scanFlag finds the name of a flag, with or without its dashes.
func scanFlag(m *matcher, pos int) []found {
	if inner, end, ok := quotedAt(m.src, pos); ok {
		if name := strings.TrimSpace(inner); spelledFlag.FindString(name) == name {
			return bareFlag(name, end)
		}
		return nil
	}
	name := strings.TrimRight(spelledFlag.FindString(m.src[pos:]), "-")
	end := pos + len(name)
	if name == "" || !endsName(m.src, end) || reserved(name) {
		return nil
	}
	if !strings.Contains(name, "-") {
		return scanName(m, pos)
	}
	return bareFlag(name, end)
}

// scanDashed finds a flag that is written as one: a name that might be any word is none.
func scanDashed(m *matcher, pos int) []found {
	if strings.HasPrefix(strings.TrimLeft(m.src[pos:], "`\"'"), "-") {
		return scanFlag(m, pos)
	}
	return nil
}

func bareFlag(name string, end int) []found {
	if name = strings.TrimLeft(name, "-"); name == "" {
		return nil
	}
	return []found{{name, end}}
}
