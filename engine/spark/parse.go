package spark

import (
	"slices"
	"strings"

	"waferpair/engine/refactor"
)

// Context is what the parser may look at beyond the words.
type Context struct {
	Target refactor.Target // what the user has open or selected
	Files  []string        // the project's files, to recognise paths
}

// Parsed is an understood request.
type Parsed struct {
	Program    refactor.Program
	Target     refactor.Target // Context.Target, narrowed or widened by the request
	Understood string          // the program in words; parses to the same program
}

// Parse understands a request completely or declines it: the error is always
// a *refactor.Declined.
func Parse(request string, c Context) (Parsed, error) {
	if d := guard(request); d != nil {
		return Parsed{}, d
	}
	m := &matcher{src: normalise(request), files: newFileIndex(c.Files)}
	g := theGrammar()
	readings := m.readings(g)
	if len(readings) != 1 || m.steps > maxSteps {
		return Parsed{}, m.declined(g, readings)
	}
	clauses := readings[0].clauses
	t, p, d := m.resolve(clauses, c)
	if d != nil {
		d.Understood = sayAll(clauses)
		return Parsed{}, d
	}
	if d := m.swallowed(clauses, p, t); d != nil {
		return Parsed{}, d
	}
	return Parsed{Program: program(clauses), Target: t, Understood: sayIn(clauses, p, t)}, nil
}

// resolve finds the target, and sees to it that what a clause leaves to the
// selection is selected.
func (m *matcher) resolve(clauses []clause, c Context) (refactor.Target, place, *refactor.Declined) {
	pointer, d := pointers(clauses)
	if d != nil {
		return refactor.Target{}, place{}, d
	}
	p, why := placeFor(clauses)
	if why == "" {
		why = shareOwners(clauses)
	}
	if why != "" {
		return refactor.Target{}, p, &refactor.Declined{Reason: why}
	}
	t, d := p.target(c, m.files)
	if d != nil {
		return t, p, d
	}
	if pointer != "" && t.From == 0 {
		return t, p, nothingSelected(pointer)
	}
	for _, cl := range clauses {
		if arg := cl.op.pointed; arg != "" && cl.args[arg] == "" && t.From == 0 {
			return t, p, noSelection()
		}
		if only, ok := cl.caps.get("@only"); ok {
			if why := suits(only, t.File, c.Files); why != "" {
				return t, p, &refactor.Declined{Reason: why}
			}
		}
	}
	return t, p, nil
}

// suits says why a phrase that only some languages have does not suit the file, or "".
func suits(only, file string, files []string) string {
	switch {
	case only == "js" && file == "" && !slices.ContainsFunc(files, func(f string) bool {
		return hasSourceExt(f) &&
			!isJavaScript(f)
	}):
		return ""
	case only == "js" && file == "":
		return "the project has other languages, too; name the file"
	case only == "js" && !isJavaScript(file):
		return file + " is not written in a language that has them"
	case only == "above" && (isPython(file) || file == "" && !slices.ContainsFunc(files,
		func(f string) bool { return hasSourceExt(f) && !isPython(f) })):
		return "documentation stands inside a Python function, not above it; ask for a docstring"
	}
	return ""
}

func isPython(file string) bool {
	return strings.HasSuffix(file, ".py") || strings.HasSuffix(file, ".pyi")
}

func isJavaScript(file string) bool {
	ext := file[strings.LastIndexByte(file, '.')+1:]
	return strings.Contains(" ts tsx mts cts js jsx mjs cjs ", " "+ext+" ")
}

func program(clauses []clause) refactor.Program {
	var p refactor.Program
	for _, c := range clauses {
		op := refactor.Op{Name: c.op.name, Args: map[string]string{}}
		for _, k := range c.args.keys() {
			op.Args[k] = c.args[k]
		}
		p = append(p, op)
	}
	return p
}

// normalise replaces typographic quotes and spaces by the plain ones, as
// editors and phones insert them unasked.
var normalise = strings.NewReplacer(
	"\u201c", `"`, "\u201d", `"`, "\u201e", `"`, "\u2018", "'", "\u2019", "'",
	"\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u3000", " ", "\r\n", "\n",
).Replace
