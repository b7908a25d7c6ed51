package propose

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"waferpair/engine/refactor"
	"waferpair/engine/spark/decoder"
	"waferpair/engine/spark/linear"
	"waferpair/engine/spark/link"
)

var someTable = link.NewTable([]link.Symbol{
	{Name: "fetchAll", Kind: link.Func, File: "net/client.go", Line: 10, EndLine: 30, Params: []string{"urls", "verbose"}},
	{Name: "Client", Kind: link.Type, File: "net/client.go", Line: 3, EndLine: 8},
	{Name: "Close", Kind: link.Method, Owner: "Client", File: "net/client.go", Line: 32, EndLine: 40},
	{Name: "Close", Kind: link.Method, Owner: "Server", File: "server.go", Line: 12, EndLine: 20},
}, []string{"net/client.go", "server.go"})

func someReader(request string) (reader, []link.Unit) {
	p := New(&linear.Model{Header: linear.Header{Vocabulary: []string{"rename", "to", "and", "document", "it", "please"},
		General: []int{1, 2, 5}, Uses: map[string][]int{"rename": {0}, "doc": {3}}}}, nil)
	return reader{p, request, someTable, refactor.Target{}}, p.linker.Link(request, someTable)
}

// labelled are the labels of a clause: a slot for each unit that it names.
func labelled(units int, slots map[int]string) []string {
	out := slices.Repeat([]string{linear.None}, units)
	for i, s := range slots {
		out[i] = s
	}
	return out
}

// TestProgram: an answer's clauses become a program of the project's names; "it" is what the
// clause before leaves.
func TestProgram(t *testing.T) {
	r, units := someReader("rename fetchAll to downloadAll and document it")
	found := r.program(units, []decoder.Clause{
		{Op: "rename", Labels: labelled(len(units), map[int]string{1: "symbol", 3: "to"})},
		{Op: "doc", Labels: labelled(len(units), map[int]string{6: "symbol"})},
	})
	if len(found) != 1 ||
		fmt.Sprint(found[0].Program) != "[rename symbol=fetchAll to=downloadAll doc symbol=downloadAll]" ||
		len(found[0].Loose) > 0 {
		t.Errorf("%+v", found)
	}
}

// TestWays: a name of two symbols is two programs, and each says so.
func TestWays(t *testing.T) {
	r, units := someReader("rename Close to Shutdown")
	found := r.program(units, []decoder.Clause{
		{Op: "rename", Labels: labelled(len(units), map[int]string{1: "symbol", 3: "to"})}})
	if len(found) != 2 || found[0].Ways != 2 || found[1].Ways != 2 {
		t.Errorf("%+v", found)
	}
}

// TestLoose: a word that requests for the operation do not have is left over, unless it gives a
// reason; a restriction is left over even there.
func TestLoose(t *testing.T) {
	for request, want := range map[string][]string{
		"please rename fetchAll to downloadAll":                                   nil,
		"rename fetchAll to downloadAll in tests":                                 {"in", "tests"},
		"rename fetchAll to downloadAll because nobody gets it":                   nil,
		"rename fetchAll to downloadAll so that people see it. only windows":      {"only", "windows"},
		"rename fetchAll to downloadAll since it lies, but only where it matters": {"but", "only", "where", "matters"},
		"document fetchAll": {"document"},
	} {
		r, units := someReader(request)
		labels := labelled(len(units), nil)
		for i, u := range units {
			if u.Kind == link.Func || u.Kind == link.New {
				labels[i] = "symbol"
			}
		}
		if got := r.loose(units, labels, "rename"); !slices.Equal(got, want) {
			t.Errorf("%s: %q is left over, want %q", request, got, want)
		}
	}
}

// TestSure: only an agreed and complete program with one symbol for each name is carried out.
func TestSure(t *testing.T) {
	good := Understanding{Agreed: true, Least: 0.99,
		Proposals: []Proposal{{Program: refactor.Program{{Name: "doc"}}, Ways: 1}}}
	if !good.Sure() {
		t.Error("an agreed request is not carried out")
	}
	for name, change := range map[string]func(*Understanding){
		"not agreed":     func(u *Understanding) { u.Agreed = false },
		"doubted":        func(u *Understanding) { u.Least = 0.3 },
		"two symbols":    func(u *Understanding) { u.Proposals[0].Ways = 2 },
		"more symbols":   func(u *Understanding) { u.Proposals[0].More = 1 },
		"incomplete":     func(u *Understanding) { u.Proposals[0].Lacks = []string{"to"} },
		"negated":        func(u *Understanding) { u.Request = "do not make load() async" },
		"negated later":  func(u *Understanding) { u.Request = "document it, don't rename it" },
		"nicht":          func(u *Understanding) { u.Request = "mach load bitte nicht async" },
		"a question":     func(u *Understanding) { u.Request = "how can i start it for two cards at the same time?" },
		"a word is left": func(u *Understanding) { u.Proposals[0].Loose = []string{"tests"} },
		"it deletes, and one voice doubts it": func(u *Understanding) {
			u.Least, u.Proposals[0].Program = 0.6, refactor.Program{{Name: "delete-unused"}}
		},
	} {
		u := good
		u.Proposals = slices.Clone(good.Proposals)
		change(&u)
		if u.Sure() {
			t.Errorf("%s: carried out", name)
		}
	}
}

// TestFieldNames: a new field is spelled like those of its type, and no adjective is one.
func TestFieldNames(t *testing.T) {
	table := link.NewTable([]link.Symbol{{Name: "Record", Kind: link.Type, File: "a.go"},
		{Name: "Source", Kind: link.Field, Owner: "Record", File: "a.go"},
		{Name: "Row", Kind: link.Type, File: "a.go"}, {Name: "cells", Kind: link.Field, Owner: "Row", File: "a.go"}},
		[]string{"a.go"})
	for _, c := range []struct {
		request, name string
		want          []string
	}{
		{"a hostname on record", "hostname", []string{"Hostname"}},
		{"a hostname on row", "hostname", []string{"hostname"}},
		{"a birth year on record", "birth year", []string{"BirthYear"}},
		{"an optional team on record", "optional", nil},
	} {
		r, _ := someReader(c.request)
		r.table = table
		units := r.linker.Link(c.request, table)
		part := clause{reader: r, op: "add-field", units: units, labels: labelled(len(units), nil)}
		var name run
		for i, u := range units {
			if u.Kind == link.Type {
				part.labels[i] = "type"
			}
			if slices.Contains(strings.Fields(c.name), u.Text) || u.Text == c.name {
				name.units = append(name.units, u)
			}
		}
		if got := part.value(slot{name: "name", sort: newName}, name); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.request, got, c.want)
		}
	}
}

// TestTalks: names that a request only talks about are no reason to ask if the voices have no other doubt.
func TestTalks(t *testing.T) {
	u := Understanding{Agreed: true, Idle: true, Least: 0.39, Certain: 0.98,
		Proposals: []Proposal{{Program: refactor.Program{{Name: "log-entry"}}, Ways: 1, Loose: []string{"crew"}}}}
	if !u.Sure() {
		t.Errorf("asked: %s", u.Doubt())
	}
	for name, change := range map[string]func(*Understanding){
		"not only talk": func(u *Understanding) { u.Idle, u.Certain = false, 0 },
		"less certain":  func(u *Understanding) { u.Certain = 0.9 },
		"may be none":   func(u *Understanding) { u.Declined = 0.05 },
		"it moves": func(u *Understanding) {
			u.Proposals = []Proposal{{Program: refactor.Program{{Name: "move"}}, Ways: 1}}
		},
	} {
		v := u
		if change(&v); v.Sure() {
			t.Errorf("%s: carried out", name)
		}
	}
	table := link.NewTable([]link.Symbol{{Name: "crew", Kind: link.Field, Owner: "Ship", File: "a.go"}}, []string{"a.go"})
	for request, want := range map[string]bool{
		"log at entry of load, the crew wants it":  true,
		"log at entry of load, with the crew":      false,
		"log at entry of load and remove the crew": false,
	} {
		units := (link.Linker{}).Link(request, table)
		i := slices.IndexFunc(units, func(u link.Unit) bool { return u.Text == "crew" })
		if i < 0 || units[i].Kind != link.Field {
			t.Fatalf("%s: crew is no field: %v", request, units)
		}
		if got := (reader{table: table}).talk(units, i); got != want {
			t.Errorf("%s: talk: %v, want %v", request, got, want)
		}
	}
}

// TestExplains: the reading that accounts for every word is what both voices mean, if the other one
// says the same and less.
func TestExplains(t *testing.T) {
	reading := func(probability float64, loose []string, ops ...refactor.Op) Proposal {
		return Proposal{Program: ops, Probability: probability, Loose: loose}
	}
	op := func(name string, args ...string) refactor.Op {
		o := refactor.Op{Name: name, Args: map[string]string{}}
		for i := 0; i < len(args); i += 2 {
			o.Args[args[i]] = args[i+1]
		}
		return o
	}
	full := reading(0.95, nil, op("add-param", "func", "pad", "name", "fill", "value", "1"))
	for name, c := range map[string]struct {
		p, q Proposal
		want bool
	}{
		"an argument less": {full, reading(0.4, []string{"1"}, op("add-param", "func", "pad", "name", "fill")), true},
		"another operation": {full, reading(0.4, []string{"1"}, op("remove-param", "func", "pad", "name", "fill")),
			false},
		"contradicted, leaving": {full, reading(0.4, []string{"fill"}, op("add-param", "func", "pad", "name", "1")), true},
		"contradicted":          {full, reading(0.4, nil, op("add-param", "func", "pad", "name", "1")), false},
		"itself with a word left": {reading(0.95, []string{"x"}, full.Program...),
			reading(0.4, []string{"1"}, op("add-param", "func", "pad", "name", "fill")), false},
		"one of two": {reading(0.95, nil, op("add-test", "func", "a"), op("add-test", "func", "b")),
			reading(0.4, []string{"b"}, op("add-test", "func", "a")), true},
		"two operations": {reading(0.95, nil, op("add-test", "func", "a"), op("doc", "symbol", "b")),
			reading(0.4, []string{"b"}, op("add-test", "func", "a")), false},
	} {
		if got := (reader{table: link.NewTable(nil, nil)}).explains(c.p, c.q); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
