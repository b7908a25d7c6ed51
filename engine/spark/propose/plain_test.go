package propose

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"waferpair/engine/refactor"
	"waferpair/engine/spark/link"
)

func smallTable() *link.Table {
	return link.NewTable([]link.Symbol{
		{Name: "Rail", Kind: link.Type, File: "rail.java", Line: 1, EndLine: 40},
		{Name: "Rail", Kind: link.Method, Owner: "Rail", File: "rail.java", Line: 3, EndLine: 5, Params: []string{"size"}},
		{Name: "late", Kind: link.Method, Owner: "Rail", File: "rail.java", Line: 7, EndLine: 9},
		{Name: "sendOne", Kind: link.Func, File: "send.js", Line: 1, EndLine: 9, Params: []string{"issue", "dryRun", "from"}},
		{Name: "maxBatchSize", Kind: link.Const, File: "send.js", Line: 11, EndLine: 11},
		{Name: "close", Kind: link.Method, Owner: "A", File: "a.ts", Line: 2, EndLine: 3},
		{Name: "close", Kind: link.Method, Owner: "B", File: "b.ts", Line: 2, EndLine: 3},
	}, []string{"rail.java", "send.js", "a.ts", "b.ts"})
}

// What changes nothing in a project is no other program; what does, is.
func TestPlain(t *testing.T) {
	p := &Proposer{}
	op := func(name string, args ...string) refactor.Op {
		o := refactor.Op{Name: name, Args: map[string]string{}}
		for i := 0; i < len(args); i += 2 {
			o.Args[args[i]] = args[i+1]
		}
		return o
	}
	late := op("rename", "symbol", "Rail.late", "to", "overdue")
	for name, c := range map[string]struct{ in, want refactor.Program }{
		"the method, where one has the name": {refactor.Program{op("rename", "symbol", "Rail.late", "to", "overdue",
			"kind", "method")}, refactor.Program{late}},
		"the method, where two have it": {refactor.Program{op("rename", "symbol", "close", "to", "end", "kind", "method")},
			refactor.Program{op("rename", "symbol", "close", "to", "end", "kind", "method")}},
		"a type that is a method": {refactor.Program{op("rename", "symbol", "Rail.late", "to", "overdue", "kind", "type")},
			refactor.Program{op("rename", "symbol", "Rail.late", "to", "overdue", "kind", "type")}},
		"as the last of three": {refactor.Program{op("add-param", "func", "sendOne", "name", "log", "position", "4")},
			refactor.Program{op("add-param", "func", "sendOne", "name", "log")}},
		"as the third of three": {refactor.Program{op("add-param", "func", "sendOne", "name", "log", "position", "3")},
			refactor.Program{op("add-param", "func", "sendOne", "name", "log", "position", "3")}},
		"last, after the last": {refactor.Program{op("reorder-params", "func", "sendOne", "name", "dryRun",
			"position", "last", "after", "from")},
			refactor.Program{op("reorder-params", "func", "sendOne", "name", "dryRun", "position", "last")}},
		"last, after the first": {refactor.Program{op("reorder-params", "func", "sendOne", "name", "dryRun",
			"position", "last", "after", "issue")},
			refactor.Program{op("reorder-params", "func", "sendOne", "name", "dryRun", "position", "last",
				"after", "issue")}},
		"a test of a method and its class": {refactor.Program{op("add-test", "func", "Rail.late"),
			op("add-test", "func", "Rail.Rail")}, refactor.Program{op("add-test", "func", "Rail.late")}},
		"tests of two functions": {refactor.Program{op("add-test", "func", "Rail.late"), op("add-test", "func", "sendOne")},
			refactor.Program{op("add-test", "func", "Rail.late"), op("add-test", "func", "sendOne")}},
	} {
		if got := p.Plain(c.in, smallTable()); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A parameter that is there cannot be added.
func TestPlainKnowsWhatExists(t *testing.T) {
	r := reader{Proposer: &Proposer{}, table: smallTable()}
	for name, want := range map[string]bool{"from": true, "log": false} {
		got := r.plainest([]Proposal{{Program: refactor.Program{{Name: "add-param",
			Args: map[string]string{"func": "sendOne", "name": name}}}}})
		if lacks := slices.Contains(got[0].Lacks, "name"); lacks != want {
			t.Errorf("%s: lacks its name %v, want %v", name, lacks, want)
		}
	}
}

// Words that are left over only talk, unless they may ask for something, restrict, count, or are part
// of a name.
func TestTalk(t *testing.T) {
	r := reader{Proposer: &Proposer{}, table: smallTable()}
	for request, want := range map[string]bool{
		"is begging":               true,
		"unreadable soup":          true,
		"overdue says":             false, // it may be the name
		"with exponential backoff": false,
		"only in tests":            false,
		"batch":                    false, // of maxBatchSize
		"bat":                      true,
		"retry":                    false,
		"three":                    false,
		"`x`":                      false,
	} {
		units := r.linker.Link(request, r.table)
		var loose []string
		for _, u := range units {
			loose = append(loose, u.Text)
		}
		p := Proposal{Loose: loose, Program: refactor.Program{{Name: "rename"}}}
		if got := r.idle(units, p); got != want {
			t.Errorf("%s: %v, want %v", request, got, want)
		}
	}
}

// The parts of a request end where a clause may end; what is cut off may not ask for anything.
func TestParts(t *testing.T) {
	r := reader{Proposer: &Proposer{}, table: smallTable()}
	request := "sendOne wants a log param, false by default, I'll wire it up tomorrow"
	units := r.linker.Link(request, r.table)
	var got []string
	for _, p := range parts(units) {
		got = append(got, request[units[p.from].From:units[p.to-1].To])
	}
	want := []string{"sendOne wants a log param, false by default", "false by default, I'll wire it up tomorrow",
		"I'll wire it up tomorrow", "sendOne wants a log param"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for rest, want := range map[string]bool{
		"I'll wire it up tomorrow": true,
		"the late method needs it": true,
		"and a test":               false,
		"only in send.js":          false,
		"with `x`":                 false,
		"5 of them":                false,
		"then check it":            false,
	} {
		if got := asksNothing(r.linker.Link(rest, r.table)); got != want {
			t.Errorf("%s: %v, want %v", rest, got, want)
		}
	}
}

// The rules of linters, and what comments are called, are no names that a request leaves over.
func TestJargon(t *testing.T) {
	r := reader{Proposer: &Proposer{}, table: smallTable()}
	for request, want := range map[string]string{
		"T201 `x` found":                       "T201",
		"send.js:100:17 error, no-empty":       "no-empty",
		"[NestedIfDepth] late is deep":         "",
		"late is deep [NestedIfDepth]":         "NestedIfDepth",
		"JSDoc for late":                       "JSDoc",
		"import/order: sort them":              "import/order",
		"call late T201 and sendOne no-op too": "",
	} {
		units := r.linker.Link(request, r.table)
		var got []string
		for i := range units {
			if jargon(units, i, "doc") {
				got = append(got, units[i].Text)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
}

// A word of requests is a new name only where something announces it.
func TestGiven(t *testing.T) {
	p := &Proposer{vocabulary: set(strings.Fields("the name is terrible call it total rename to bitte um would fit"))}
	r := reader{Proposer: p, table: smallTable()}
	for request, want := range map[string]bool{
		"rename late, the name is terrible": false,
		"late bitte um":                     false,
		"call it total":                     true,
		"rename late to total":              true,
		"late? total would fit":             true,
		"late, overdue":                     true,
	} {
		units := r.linker.Link(request, r.table)
		i := slices.IndexFunc(units, func(u link.Unit) bool {
			return slices.Contains([]string{"terrible", "um", "total", "overdue"}, u.Text)
		})
		if got := (clause{reader: r, op: "rename", units: units}).given(units[i]); got != want {
			t.Errorf("%s: %v, want %v", request, got, want)
		}
	}
}

// What a request likens its subject to is not its subject, and a word of prose is no value.
func TestValuesAndSubjects(t *testing.T) {
	r := reader{Proposer: &Proposer{}, table: smallTable(), target: refactor.Target{File: "a.ts", From: 2, To: 2}}
	for _, c := range []struct {
		request, op, slot, at string
		want                  string
	}{
		{"add it, zero by default", "add-param", "value", "by", ""},
		{"add it with 5", "add-param", "value", "5", "5"},
		{"document it like sendOne", "doc", "symbol", "sendOne", ""},
		{"document sendOne", "doc", "symbol", "sendOne", "sendOne"},
	} {
		r.request = c.request
		units := r.linker.Link(c.request, r.table)
		i := slices.IndexFunc(units, func(u link.Unit) bool { return u.Text == c.at })
		s, _ := slotOf(c.op, c.slot)
		got := clause{reader: r, op: c.op, units: units, target: r.target}.value(s, run{c.slot, units[i : i+1]})
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.request, got, c.want)
		}
	}
}

// Unused imports "in Rail" are those of its file, and not a package of that name.
func TestImportsInTheFileOfAType(t *testing.T) {
	c := clause{reader: reader{Proposer: &Proposer{}, table: smallTable()}, op: "remove-imports"}
	alternatives := map[string][]string{"path": {"Rail"}}
	if c.inFileOf(alternatives); c.target.File != "rail.java" || len(alternatives) > 0 {
		t.Errorf("%v of %q", alternatives, c.target.File)
	}
}
