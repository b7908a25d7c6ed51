package spark

import (
	"testing"

	"waferpair/engine/refactor"
	"waferpair/engine/spark/propose"
)

// TestForms: an operation that says itself how it is asked for is understood, and said back in
// words that mean the same.
func TestForms(t *testing.T) {
	param := func(name string, s refactor.Sort, kinds string, optional bool) refactor.Param {
		return refactor.Param{Name: name, Sort: s, Kinds: kinds, Optional: optional}
	}
	g := compileGrammar(formOf(refactor.Spec{Name: "shield",
		Params: []refactor.Param{param("symbol", refactor.Symbol, "func", false), param("to", refactor.NewName, "", true),
			param("style", refactor.Word, "thin thick", true), param("value", refactor.Expr, "", true)},
		Forms: []string{"shield <symbol> [with a <style> guard] [named <to>]", "shield <symbol> against <value>"}}))
	for _, c := range []struct{ request, program, back string }{
		{"shield load", "symbol=load", "shield load"},
		{"please shield the function Server.load named guard", "symbol=Server.load to=guard",
			"shield Server.load named guard"},
		{"shield load with a thick guard named `to`", "style=thick symbol=load to=to",
			"shield load with a thick guard named `to`"},
		{"shield load against `n + 1`", "symbol=load value=n + 1", "shield load against `n + 1`"},
		{"shield this function", "symbol=@func", "shield this function"},
		{"shield load with a purple guard", "", ""},
		{"shield", "", ""},
	} {
		m := &matcher{src: c.request, files: newFileIndex(nil)}
		readings := m.readings(g)
		if c.program == "" {
			if len(readings) > 0 {
				t.Errorf("%q: understood as %v", c.request, program(readings[0].clauses))
			}
			continue
		}
		if len(readings) != 1 {
			t.Errorf("%q: %d readings", c.request, len(readings))
			continue
		}
		clauses := readings[0].clauses
		if got := program(clauses)[0].String(); got != "shield "+c.program {
			t.Errorf("%q: %s, want %s", c.request, got, c.program)
		}
		if got := sayAll(clauses); got != c.back {
			t.Errorf("%q: said back as %q, want %q", c.request, got, c.back)
		}
	}
}

// TestFlowRequests: the ways to ask for what moves code, each said back so that it means the same.
func TestFlowRequests(t *testing.T) {
	files := []string{"a.go", "b/c.py"}
	for _, c := range []struct {
		request, program string
		target           refactor.Target
	}{
		{"on lines 10-20 of a.go, extract function readHeader", "extract-function name=readHeader",
			refactor.Target{File: "a.go", From: 10, To: 20}},
		{"extract lines 3-5 of b/c.py into a new function read_all", "extract-function name=read_all",
			refactor.Target{File: "b/c.py", From: 3, To: 5}},
		{"please pull the selected lines out into a helper called parseTail", "extract-function name=parseTail",
			refactor.Target{File: "a.go", From: 2, To: 4}},
		{"extract function tail from Reader.load", "extract-function name=tail func=Reader.load",
			refactor.Target{File: "a.go", From: 2, To: 4}},
		{"inline the variable total", "inline symbol=total", refactor.Target{File: "a.go", From: 2, To: 4}},
		{"please inline Reader.size", "inline symbol=Reader.size", refactor.Target{File: "a.go", From: 2, To: 4}},
		{"replace total by its value", "inline symbol=total", refactor.Target{File: "a.go", From: 2, To: 4}},
		{"move parseConfig to b/config.go", "move symbol=parseConfig to=b/config.go",
			refactor.Target{File: "a.go", From: 2, To: 4}},
		{"pull the class Foo out into its own file foo.py", "move symbol=Foo to=foo.py",
			refactor.Target{File: "a.go", From: 2, To: 4}},
		{"put parseConfig in its own file", "move symbol=parseConfig", refactor.Target{File: "a.go", From: 2, To: 4}},
	} {
		at := refactor.Target{File: "a.go", From: 2, To: 4}
		p, err := Parse(c.request, Context{Target: at, Files: files})
		if err != nil || len(p.Program) != 1 || p.Program[0].String() != c.program || p.Target != c.target {
			t.Errorf("%q: %v %v, %v", c.request, p.Program, p.Target, err)
			continue
		}
		back, ok := inWords(propose.Proposal{Program: p.Program, Target: p.Target}, Context{Target: at, Files: files})
		if !ok {
			t.Errorf("%q cannot be said back: %q", c.request, back)
		}
	}
}
