package spark

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"waferpair/engine/refactor"
)

func programString(p Parsed) string {
	var ops []string
	for _, op := range p.Program {
		ops = append(ops, op.String())
	}
	s := strings.Join(ops, "; ")
	if p.Target.File != "" {
		s += " @" + p.Target.File
	}
	if p.Target.From > 0 {
		s += fmt.Sprintf(":%d-%d", p.Target.From, p.Target.To)
	}
	return s
}

func mustDecline(t *testing.T, request string, c Context) *refactor.Declined {
	t.Helper()
	p, err := Parse(request, c)
	if err == nil {
		t.Errorf("%q: understood as %s, must be declined", request, programString(p))
		return nil
	}
	var d *refactor.Declined
	if !errors.As(err, &d) || d.Reason == "" {
		t.Errorf("%q: error %#v is no *refactor.Declined with a reason", request, err)
	}
	return d
}

func TestUnderstood(t *testing.T) {
	for family, cases := range understoodRequests {
		t.Run(family, func(t *testing.T) {
			for _, c := range cases {
				if c.program == "" {
					mustDecline(t, c.request, Context{Files: project})
					continue
				}
				p, err := Parse(c.request, Context{Files: project})
				if err != nil {
					t.Errorf("%q: %v", c.request, err)
				} else if got := programString(p); got != c.program {
					t.Errorf("%q:\n got %s\nwant %s", c.request, got, c.program)
				}
			}
		})
	}
}

func TestDeclined(t *testing.T) {
	for _, r := range declinedRequests {
		mustDecline(t, r, Context{Files: project})
	}
}

// TestTablesAreLarge keeps the tables honest about what they claim to cover.
func TestTablesAreLarge(t *testing.T) {
	n := len(declinedRequests)
	ops := map[string]bool{}
	for _, cases := range understoodRequests {
		n += len(cases)
		for _, c := range cases {
			for _, op := range strings.Split(c.program, "; ") {
				name, _, _ := strings.Cut(op, " ")
				ops[name] = true
			}
		}
	}
	if n < 300 {
		t.Errorf("%d requests, want at least 300", n)
	}
	for _, s := range refactor.Ops {
		if !ops[s.Name] && len(s.Forms) == 0 {
			t.Errorf("no request asks for %s", s.Name)
		}
	}
}

// TestGrammarMatchesOps checks the tables against the list of operations:
// every operation is asked for, its example is understood, and every argument
// that a phrase can fill is one that the operation has.
func TestGrammarMatchesOps(t *testing.T) {
	byName := map[string]*operation{}
	for _, op := range theGrammar().ops {
		byName[op.name] = op
	}
	for _, spec := range refactor.Ops {
		op := byName[spec.Name]
		if op == nil {
			t.Errorf("%s: no phrases", spec.Name)
			continue
		}
		params := map[string]bool{}
		for _, p := range spec.Params {
			params[p.Name] = true
		}
		for _, n := range op.full {
			checkArgs(t, spec.Name, n.node, params)
		}
		p, err := Parse(spec.Example, Context{Files: project})
		if err != nil || p.Program[0].Name != spec.Name {
			t.Errorf("example %q of %s: %v %v", spec.Example, spec.Name, p.Program, err)
		}
	}
	if len(byName) != len(refactor.Ops) {
		t.Errorf("%d operations in the grammar, %d in refactor.Ops", len(byName), len(refactor.Ops))
	}
}

func checkArgs(t *testing.T, op string, n *node, params map[string]bool) {
	t.Helper()
	if (n.kind == slotNode || n.kind == setNode) && n.word[0] != '@' && !params[n.word] {
		t.Errorf("%s: a phrase fills %s, which the operation does not have", op, n.word)
	}
	for _, k := range n.kids {
		checkArgs(t, op, k, params)
	}
}

// TestRequiredArguments: what the program lacks, no phrase may leave out.
func TestRequiredArguments(t *testing.T) {
	for _, cases := range understoodRequests {
		for _, c := range cases {
			p, err := Parse(c.request, Context{Files: project})
			if err != nil {
				continue
			}
			for _, op := range p.Program {
				spec, _ := refactor.Lookup(op.Name)
				for _, param := range spec.Params {
					if !param.Optional && op.Args[param.Name] == "" {
						t.Errorf("%q: %s lacks %s", c.request, op.Name, param.Name)
					}
				}
			}
		}
	}
}

// TestSaysBack: what is said to be understood means the same program.
func TestSaysBack(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for _, cases := range understoodRequests {
		for _, c := range cases {
			p, err := Parse(c.request, Context{Files: project})
			if err != nil {
				continue
			}
			again, err := Parse(p.Understood, Context{Files: project})
			if err != nil {
				t.Errorf("%q: said back as %q: %v", c.request, p.Understood, err)
			} else if programString(again) != programString(p) {
				t.Errorf("%q: said back as %q, which means\n     %s\nnot  %s", c.request, p.Understood, programString(again),
					programString(p))
			}
		}
	}
}

// TestConsoleLog: only JavaScript has it, so the file must be one of its, or all must.
func TestConsoleLog(t *testing.T) {
	for _, c := range []struct {
		target string
		files  []string
		want   string
	}{
		{"app.ts", project, "remove-debug-prints which=console.log @app.ts"},
		{"", []string{"a.ts", "b.js", "README.md"}, "remove-debug-prints which=console.log"},
		{"", project, ""},
		{"server.go", project, ""},
	} {
		ctx := Context{Files: c.files, Target: refactor.Target{File: c.target}}
		if c.want == "" {
			mustDecline(t, "remove console.log", ctx)
		} else if p, err := Parse("remove console.log", ctx); err != nil || programString(p) != c.want {
			t.Errorf("%s: %s %v, want %s", c.target, programString(p), err, c.want)
		}
	}
}
