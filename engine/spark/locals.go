package spark

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/model"
	"waferpair/engine/refactor"
	"waferpair/engine/spark/link"
)

// The project's symbols have no local variables: there are too many, and most have the names of
// others. A request means one where it names the function, too ("k -> key in dedupe"), or where
// the file is open.

// The bounds of the search for local variables.
const (
	mostLocalFuncs = 200
	mostLocalFiles = 8
	mostLocalWords = 24
)

var wordAtAll = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)

// locals are the local variables that the words of a request may mean, and those that are
// declared on the selected lines.
func locals(files model.Source, t *link.Table, request string, at refactor.Target) []link.Symbol {
	named := wordAtAll.FindAllString(request, mostLocalWords)
	slices.Sort(named)
	var looked []*regexp.Regexp
	for _, w := range slices.Compact(named) {
		if len(t.Named(w)) == 0 {
			looked = append(looked, declares(regexp.QuoteMeta(w)))
		}
	}
	source := map[string][]string{} // lines by file
	var out []link.Symbol
	funcs := 0
	for n := range t.Len() {
		f := t.Symbol(n)
		if f.Kind != link.Func && f.Kind != link.Method || f.File != at.File && !slices.Contains(named, f.Name) {
			continue
		}
		lines, read := source[f.File]
		if !read {
			if len(source) == mostLocalFiles {
				continue
			}
			text, err := files.Read(f.File)
			if err != nil {
				text = nil // a file that went away has no variables
			}
			lines = strings.SplitAfter(string(text), "\n")
			source[f.File] = lines
		}
		if funcs++; funcs > mostLocalFuncs {
			break
		}
		out = append(out, localsOf(f, lines, looked)...)
		if f.File == at.File && at.From >= f.Line && at.To <= f.EndLine {
			out = append(out, localsOn(f, lines, at)...)
		}
	}
	return out
}

// localsOf are the variables that a function's lines declare, of those that are looked for.
func localsOf(f link.Symbol, lines []string, looked []*regexp.Regexp) []link.Symbol {
	if f.EndLine > len(lines) || f.Line < 1 || f.Line > f.EndLine {
		return nil
	}
	body := strings.Join(lines[f.Line-1:f.EndLine], "")
	var out []link.Symbol
	for _, re := range looked {
		if m := re.FindStringSubmatchIndex(body); m != nil {
			out = append(out, local(f, body[m[2]:m[3]], f.Line+strings.Count(body[:m[2]], "\n")))
		}
	}
	return out
}

// localsOn are the variables that the selected lines declare.
func localsOn(f link.Symbol, lines []string, at refactor.Target) []link.Symbol {
	var out []link.Symbol
	for n := max(at.From, f.Line+1); n <= min(at.To, len(lines)); n++ {
		if m := declaresAny.FindStringSubmatch(lines[n-1]); m != nil {
			out = append(out, local(f, m[1], n))
		}
	}
	return out
}

// onLocal lets "inline this" and "rename this" mean the local variable that the selected line
// declares, if there is one, and not the function around it.
func (m *Model) onLocal(ctx context.Context, p model.Prompt, files []string, parsed Parsed) refactor.Program {
	at := parsed.Target
	if at.From == 0 || at.From != at.To {
		return parsed.Program
	}
	out := slices.Clone(parsed.Program)
	for i, op := range out {
		at := op.Args["symbol"]
		if op.Name != "inline" && op.Name != "rename" || at != refactor.Pointer && at != refactor.Pointer+"var" {
			continue
		}
		table, err := m.table(ctx, p.Files, files)
		if err != nil || table == nil {
			return parsed.Program // the engine takes what is around the line
		}
		for _, s := range locals(p.Files, table, "", parsed.Target) {
			out[i] = refactor.Op{Name: op.Name, Args: maps.Clone(op.Args)}
			out[i].Args["symbol"] = s.Qualified()
			if op.Name == "rename" {
				out[i].Args["kind"] = "local"
			}
		}
	}
	return out
}

func local(f link.Symbol, name string, line int) link.Symbol {
	return link.Symbol{Name: name, Kind: link.Var, Owner: f.Qualified(), File: f.File, Line: line, EndLine: line,
		Local: true}
}

// declares finds a line that gives a name its first value, in any of the languages. It may find
// more than declarations: the engine, which tries every program, has the last word.
func declares(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:[\w$<>\[\].,?*]+[ \t]+\(?)*?(` + name + `)(?:[ \t]*,[ \t]*[\w$]+)*` +
		`[ \t]*(?::[^=\n]{1,60})?(?::?=(?:[^=>]|$)|in\b|of\b)`)
}

var declaresAny = declares(`[\pL_$][\pL\pN_$]*`)
