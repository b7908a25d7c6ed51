package spark

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
	_ "waferpair/build/testseed/rapidseed"
	"waferpair/engine/refactor"
	"waferpair/engine/refactor/words"
)

// changers are words that change what a request asks for. The list is the
// test's own: the parser must not depend on knowing all of them.
var changers = strings.Fields(`only not never no except unless without but if when until before after instead maybe
	perhaps or either neither otherwise some most half partly almost temporarily sometimes twice however although
	excluding besides barely hardly eventually optionally conditionally partially privately recursively selectively
	tomorrow later quickly-ish unfortunately carefully roughly approximately experimentally occasionally`)

// gaps are the places between the words of a request, outside quotes and
// brackets: what stands there is the user's code or prose, whatever it says.
func gaps(request string) []int {
	at := []int{0}
	var quote rune
	depth := 0
	for i, r := range request {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '`' || r == '“' || r == '\'' && (i == 0 || request[i-1] == ' '):
			quote = map[rune]rune{'“': '”'}[r]
			if quote == 0 {
				quote = r
			}
		case strings.ContainsRune("([{<", r):
			depth++
		case strings.ContainsRune(")]}>", r) && depth > 0:
			depth--
		case r == ' ' && depth == 0:
			at = append(at, i+1)
		}
	}
	return append(at, len(request))
}

func insertWord(request string, at int, word string) string {
	return strings.TrimSpace(request[:at] + " " + word + " " + request[at:])
}

// withoutText lists the understood requests whose every word is grammar: none
// asks for prose, in which any word may stand.
func withoutText() []string {
	var rs []string
	for _, cases := range understoodRequests {
		for _, c := range cases {
			if c.program != "" && !strings.Contains(c.program, "text=") {
				rs = append(rs, c.request)
			}
		}
	}
	return rs
}

// sameAnyway lists the insertions that spell out what the operation does by itself.
var sameAnyway = map[string]bool{"delete oldHelper,  if nothing uses it": true,
	"delete oldHelper in server.go,  if nothing uses it": true, "parseConfig should be called loadConfig instead": true}

// TestInsertedWordDeclines puts every changing word into every gap of every
// understood request: whatever the request means then, it is not what the
// request meant before, and nothing else of ours either.
func TestInsertedWordDeclines(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	c := Context{Files: project}
	tried := 0
	for i, r := range withoutText() {
		for j, at := range gaps(r) {
			for k, w := range changers {
				if (i+j+k)%sample() != 0 {
					continue
				}
				changed := insertWord(r, at, w)
				if sameAnyway[changed] {
					continue
				}
				tried++
				if p, err := Parse(changed, c); err == nil {
					t.Errorf("%q is understood as %s", changed, programString(p))
				}
			}
		}
	}
	if tried < 3000 {
		t.Errorf("only %d requests tried", tried)
	}
}

// withSelection lists the declined requests that a selection completes.
var withSelection = map[string]bool{"remove the parameter verbose": true, "comment out lines 3-5": true,
	"comment out the selection": true, "comment out this": true, "add a TODO: check the version": true,
	"rename to y": true, "sort the imports in this file": true, "rename x to y on line 4": true}

// TestSelectionChangesNothingElse: with lines selected, what is declined stays
// declined, and a changing word in the way still makes a request declined.
func TestSelectionChangesNothingElse(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	c := Context{Files: project, Target: refactor.Target{File: "server.go", From: 3, To: 5}}
	for _, r := range declinedRequests {
		if p, err := Parse(r, c); err == nil && !withSelection[r] {
			t.Errorf("%q is understood as %s", r, programString(p))
		}
	}
	for i, r := range withoutText() {
		for j, at := range gaps(r) {
			for k, w := range changers {
				changed := insertWord(r, at, w)
				if (i+j+k)%(2*sample()) != 1 || sameAnyway[changed] {
					continue
				}
				if p, err := Parse(changed, c); err == nil {
					t.Errorf("%q is understood as %s", changed, programString(p))
				}
			}
		}
	}
}

// TestGluedRequests draws two understood requests and a piece of a third: the
// two together are understood as both or declined, never as something else,
// and with the piece behind them they are never understood as just the two.
func TestGluedRequests(t *testing.T) {
	all := withoutText()
	c := Context{Files: project}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.SampledFrom(all).Draw(t, "a"), rapid.SampledFrom(all).Draw(t, "b")
		join := rapid.SampledFrom([]string{" and ", "; ", ", then ", "\n"}).Draw(t, "join")
		glued := strings.TrimRight(a, ".?!") + join + b
		both, err := Parse(glued, c)
		if err != nil {
			return
		}
		pa, _ := Parse(a, c)
		pb, _ := Parse(b, c)
		want := append(append(refactor.Program{}, pa.Program...), pb.Program...)
		if got := (Parsed{Program: both.Program}); programString(got) != programString(Parsed{Program: want}) {
			t.Fatalf("%q:\n got %s\nwant %s", glued, programString(got), programString(Parsed{Program: want}))
		}
	})
}

// TestCaseOfKeywords: the case of the grammar's words does not matter, that of names does.
func TestCaseOfKeywords(t *testing.T) {
	for _, r := range []string{"rename Foo to Bar", "add a test for Foo", "set Foo to 5",
		"handle the ignored error in Foo"} {
		want, err := Parse(r, Context{})
		if err != nil {
			t.Fatal(err)
		}
		shouted := strings.NewReplacer("FOO", "Foo", "BAR", "Bar").Replace(strings.ToUpper(r))
		if got, err := Parse(shouted, Context{}); err != nil || programString(got) != programString(want) {
			t.Errorf("%q: %v %v", shouted, got.Program, err)
		}
	}
}

// fixedValues are the arguments that phrases set rather than copy.
var fixedValues = words.Set("wrap wrap-all return " +
	"func method type field var const param local class exported all true first last 2 3 4 5 snake camel " +
	"public private protected fstring template format concat")

// holds checks what Parse promises about any answer at all.
func holds(t interface{ Fatalf(string, ...any) }, request string, p Parsed, err error) {
	if err != nil {
		var d *refactor.Declined
		if !errors.As(err, &d) || d.Reason == "" || len(p.Program) > 0 {
			t.Fatalf("%q: declined with %#v and program %v", request, err, p.Program)
		}
		if !utf8.ValidString(d.Error()) {
			t.Fatalf("%q: the error is not valid UTF-8", request)
		}
		return
	}
	if len(p.Program) == 0 || p.Understood == "" {
		t.Fatalf("%q: neither declined nor understood", request)
	}
	plain := normalise(request)
	for _, op := range p.Program {
		spec, ok := refactor.Lookup(op.Name)
		if !ok {
			t.Fatalf("%q: no operation %s", request, op.Name)
		}
		for _, param := range spec.Params {
			if v := op.Args[param.Name]; !param.Optional && v == "" {
				t.Fatalf("%q: %s lacks %s", request, op.Name, param.Name)
			}
		}
		for arg, v := range op.Args {
			if !copied(plain, arg, v) {
				t.Fatalf("%q: %s=%q is not from the request", request, arg, v)
			}
		}
	}
}

// copied reports whether a value stands in the request; names that the parser
// joins (Owner.symbol, lists of names) stand there part by part.
func copied(request, arg, v string) bool {
	if v == "" {
		return false
	}
	if fixedValues[v] || strings.Contains(request, v) {
		return true
	}
	if pointer, name, ok := strings.Cut(v, "."); isPointer(pointer) {
		return (pointer == refactor.Pointer || pointedKind(pointer[1:])) && (!ok || strings.Contains(request, name))
	}
	sep := "."
	if arg == "names" {
		sep = ","
	}
	for _, part := range strings.Split(v, sep) {
		if part == "" || !strings.Contains(request, part) {
			return false
		}
	}
	return true
}

func pointedKind(kind string) bool {
	for _, k := range pointedKinds {
		if k == kind {
			return true
		}
	}
	return false
}

func FuzzParse(f *testing.F) {
	for _, cases := range understoodRequests {
		for _, c := range cases {
			f.Add(c.request)
		}
	}
	for _, r := range declinedRequests {
		f.Add(r)
	}
	f.Fuzz(func(t *testing.T, request string) {
		c := Context{Files: project, Target: refactor.Target{File: "server.go", From: 2, To: 3}}
		p, err := Parse(request, c)
		holds(t, request, p, err)
		if err != nil {
			return
		}
		again, err := Parse(p.Understood, c)
		if err != nil || programString(again) != programString(p) {
			t.Fatalf("%q: said back as %q: %s, not %s (%v)", request, p.Understood, programString(again), programString(p), err)
		}
	})
}

// TestShuffledWords feeds the parser sentences of its own vocabulary in no
// order, which get further into it than random bytes do.
func TestShuffledWords(t *testing.T) {
	words := map[string]bool{}
	for _, op := range theGrammar().ops {
		for _, n := range op.full {
			n.words(words)
		}
	}
	pool := []string{"parseConfig", "Foo", "x", "a", "server.go", "5", "`a b`", "\"q\"", "int", "func(a int) error", "{",
		"(", "'", "`", ",", ";", ".", ":", "only", "not", "\n"}
	for w := range words {
		pool = append(pool, w)
	}
	c := Context{Files: project}
	rapid.Check(t, func(t *rapid.T) {
		request := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pool), 1, 30).Draw(t, "words"), " ")
		p, err := Parse(request, c)
		holds(t, request, p, err)
	})
}
