package prompt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/engine/model"
)

// project is a model.Source in memory.
type project struct {
	files   map[string]string
	symbols []model.Symbol
}

func (p project) Files(context.Context) ([]string, error) {
	var out []string
	for f := range p.files {
		out = append(out, f)
	}
	slices.Sort(out)
	return out, nil
}

func (p project) Read(path string) ([]byte, error) {
	s, ok := p.files[path]
	if !ok {
		return nil, fmt.Errorf("there is no such file: %w", fs.ErrNotExist)
	}
	return []byte(s), nil
}

func (p project) Root() string                                    { return "/home/me/project" }
func (p project) Symbols(context.Context) ([]model.Symbol, error) { return p.symbols, nil }

// shop is a small project.
func shop() project {
	return project{files: map[string]string{
		"AGENTS.md": "Be brief.\n", "price/AGENTS.md": "Prices are in cents.\n", "README.md": "# Shop\n",
		"price/price.go":      "package price\n\nfunc Total(n int) int {\n\treturn n * rate\n}\n",
		"price/rate.go":       "package price\n\nconst rate = 3\n",
		"cart/cart.go":        "package cart\n\ntype Cart struct{}\n\nfunc (c *Cart) Add() {}\n",
		"cart/checkout.go":    "package cart\n\nfunc checkOut() { price.Total(1) }\n",
		"server/retry.go":     "package server\n\n// backoff\nfunc retryRequest() {}\n",
		"server/server.go":    "package server\n\nfunc Serve() {}\n",
		"docs/fences.md":      "```go\nx\n```\n",
		"server/windows.txt":  "one\r\ntwo\r\n",
		"server/unnamed.data": "x",
	}, symbols: []model.Symbol{
		{Name: "Cart", Kind: "type", Path: "cart/cart.go", Line: 3, EndLine: 3},
		{Name: "Add", Kind: "method", Owner: "Cart", Path: "cart/cart.go", Line: 5, EndLine: 5},
		{Name: "checkOut", Kind: "func", Path: "cart/checkout.go", Line: 3, EndLine: 3},
		{Name: "Total", Kind: "func", Path: "price/price.go", Line: 3, EndLine: 5},
		{Name: "rate", Kind: "const", Path: "price/rate.go", Line: 3, EndLine: 3},
		{Name: "retryRequest", Kind: "func", Path: "server/retry.go", Line: 4, EndLine: 4},
		{Name: "Serve", Kind: "func", Path: "server/server.go", Line: 3, EndLine: 3},
	}}
}

func build(t interface{ Fatal(...any) }, r Request) Context {
	c, err := Build(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// said returns everything that a model reads, with a line between items.
func said(items []model.Item) string {
	var b strings.Builder
	for _, i := range items {
		fmt.Fprintf(&b, "<%s %s %s %s>\n%s\n", i.Kind, i.Role, i.CallID, i.Status, i.Text())
	}
	return b.String()
}

func names(c Context, kinds ...Kind) string {
	var out []string
	for _, p := range c.Parts {
		if len(kinds) == 0 || slices.Contains(kinds, p.Kind) {
			out = append(out, p.Name)
		}
	}
	return strings.Join(out, " ")
}

// TestFirstPrompt checks what is in a first prompt, and in which order.
func TestFirstPrompt(t *testing.T) {
	p := shop()
	c := build(t, Request{Text: "make Total round up; see cart.go and /home/me/project/server/windows.txt:2", Files: p,
		Target: model.Target{File: "price/price.go", From: 3, To: 4}})
	if got, want := names(c),
		"instructions AGENTS.md price/AGENTS.md map server/windows.txt cart/cart.go price/price.go place request"; got !=
		want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	all := said(c.Items)
	for _, want := range []string{"cart.go: Cart{Add}",
		"```go\npackage price\n\nfunc Total(n int) int {\n\treturn n * rate\n}\n```\n",
		"lines 3 to 4:\n```\nfunc Total(n int) int {\n\treturn n * rate\n```", "Total 3", "one\ntwo\n",
		"for price/ (price/AGENTS.md)\nPrices"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
	if last := c.Items[c.From]; c.From != len(c.Items)-1 || last.Role != model.RoleUser ||
		!strings.HasPrefix(last.Text(), "make Total") {
		t.Errorf("the request is %+v", last)
	}
}

// TestMentions checks which files a request is about.
func TestMentions(t *testing.T) {
	for request, want := range map[string]string{
		"why does Cart.Add() take no item?": "cart/cart.go",
		"rename checkOut":                   "cart/checkout.go",
		"what is `rate`?":                   "price/rate.go",
		"the rate is wrong":                 "price/rate.go",
		"the prices are wrong":              "price/price.go",
		"a rat is in the house":             "",
		"at cart.checkOut (/srv/app/cart/checkout.go:3:9)\n at /srv/lib/node.js:1": "cart/cart.go cart/checkout.go",
		`File "C:\x\server\retry.go", line 4, in f`:                                "server/retry.go",
		"look at docs/fences.md, please":                                           "docs/fences.md",
		"use exponential backoff in retry requests":                                "server/retry.go",
		"add a feature":  "",
		"see ./price.go": "price/price.go",
	} {
		if got := names(build(t, Request{Text: request, Files: shop()}), File); got != want {
			t.Errorf("%s: %s", request, got)
		}
	}
}

// TestRulesAreCutFromOutside checks the limit of all instructions together, and that a text counts
// once.
func TestRulesAreCutFromOutside(t *testing.T) {
	p := project{files: map[string]string{"AGENTS.md": strings.Repeat("outer\n", 5000),
		"a/CLAUDE.md": strings.Repeat("inner\n", 1000), "a/b/AGENTS.md": strings.Repeat("inner\n", 1000),
		"a/b/x.go": "package x\n", "a/b/CLAUDE.md": "not this one", ".github/copilot-instructions.md": "nor this"}}
	c := build(t, Request{Text: "x", Files: p, Target: model.Target{File: "a/b/x.go"}})
	if got := names(c, Rules); got != "AGENTS.md a/b/AGENTS.md" {
		t.Error(got)
	}
	if p := c.Parts[1]; p.Bytes > maxRules || p.Cut == "" || c.Parts[2].Cut != "" {
		t.Errorf("%+v", p)
	}
	delete(p.files, "AGENTS.md")
	if got := names(build(t, Request{Text: "x", Files: p}), Rules); got != ".github/copilot-instructions.md" {
		t.Error(got)
	}
}

// call returns a call of a tool and its output.
func call(id, output string) []model.Item {
	c := model.Item{Kind: model.FunctionCall, Status: model.Complete, CallID: id, Name: "read", Input: "{}"}
	return []model.Item{c, c.Answer(output)}
}

// TestATurnBeginsWithTheOneBefore checks that the prompts of a session extend each other as long as
// nothing changes, whatever is asked; and that a changed file costs only what stands behind it.
func TestATurnBeginsWithTheOneBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := shop()
		var turns []Turn
		var memory *Memory
		last, changed := "", false
		for n := range rapid.IntRange(2, 6).Draw(t, "turns") {
			target := model.Target{File: rapid.SampledFrom([]string{"", "cart/cart.go", "price/price.go"}).Draw(t, "file")}
			if target.File != "" && rapid.Bool().Draw(t, "selects") {
				target.From, target.To = 1, 2
			}
			asks := rapid.Bool().Draw(t, "question")
			c := build(t, Request{Text: rapid.SampledFrom([]string{"explain retryRequest", "look at cart.go",
				"see README.md and rate.go", "go on"}).
				Draw(t, "request"), Target: target, ReadOnly: asks, Files: p,
				Turns: turns, Before: memory})
			now := said(c.Items)
			if !changed && !strings.HasPrefix(now, last) {
				t.Fatalf("turn %d:\n%s\ndoes not begin with\n%s", n, now, last)
			}
			items := append([]model.Item{c.Items[c.From]}, call(fmt.Sprint("c", n), "text")...)
			items = append(items, model.Assistant("done"))
			turns, memory = append(turns, Turn{ID: int64(10 + n), Items: items, Target: target}), &c.Memory
			turns[n].ReadOnly = asks
			last = now + said(items[1:])
			if rapid.Bool().Draw(t, "restarts") {
				memory = stored(t, memory)
			}
			if changed = rapid.Bool().Draw(t, "changes"); changed {
				p.files["cart/cart.go"] += "// more\n"
				if i := strings.Index(last, "# cart/cart.go"); i >= 0 {
					last = last[:i]
				}
				if i := strings.Index(last, "<message user  completed>\n# cart/cart.go"); i >= 0 {
					last = last[:i]
				}
			}
		}
	})
}

// TestNeverTooLong checks the limit, that the request is in, that what is missing is listed, and
// that the same request gives the same prompt.
func TestNeverTooLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := shop()
		for f := range p.files {
			if rapid.IntRange(0, 2).Draw(t, "long") == 0 {
				p.files[f] += strings.Repeat("a line of text\n", rapid.IntRange(0, 3000).Draw(t, "lines"))
			}
		}
		var turns []Turn
		for n := range rapid.IntRange(0, 8).Draw(t, "turns") {
			items := append([]model.Item{model.User("do this")},
				call("c", strings.Repeat("output ", rapid.IntRange(0, 4000).Draw(t, "output")))...)
			turns = append(turns, Turn{ID: int64(n + 1), Items: append(items, model.Assistant("done"))})
		}
		r := Request{Text: "explain Total, Cart.Add() and retry.go", Files: p, Turns: turns,
			Limit: rapid.IntRange(3000, 20_000).Draw(t, "limit"), Pins: []string{"README.md"},
			Target: model.Target{File: "price/price.go"}}
		c := build(t, r)
		tokens := 0
		for _, i := range c.Items {
			tokens += Ratio{}.Tokens(len(i.Text()))
		}
		if most := c.Limit - c.Reserve; tokens > most || c.Tokens > most {
			t.Fatalf("%d tokens, said to be %d, of %d", tokens, c.Tokens, most)
		}
		if c.Items[len(c.Items)-1].Text() != r.Text {
			t.Fatal("the request is not in")
		}
		have := names(c)
		for _, l := range c.Out {
			have += " " + l.Name
		}
		for _, want := range []string{"price/price.go", "cart/cart.go", "server/retry.go", "README.md", "map", "AGENTS.md"} {
			if !strings.Contains(have, want) {
				t.Fatalf("%s is neither in nor out: %s", want, have)
			}
		}
		if again := build(t, r); !reflect.DeepEqual(again, c) {
			t.Fatal("the same request gave another prompt")
		}
		checkCalls(t, c.Items)
	})
}

// checkCalls checks that each call has one output behind it.
func checkCalls(t *rapid.T, items []model.Item) {
	open := 0
	for _, i := range items {
		switch {
		case i.Kind.IsCall():
			open++
		case i.Kind.IsOutput():
			open--
		}
		if open < 0 || open > 1 {
			t.Fatalf("calls and outputs do not match:\n%s", said(items))
		}
	}
	if open != 0 {
		t.Fatal("a call has no output")
	}
}

// TestRequestAloneTooLong checks the error, and that it says what to do.
func TestRequestAloneTooLong(t *testing.T) {
	_, err := Build(t.Context(), Request{Text: strings.Repeat("long ", 10_000), Files: shop(), Limit: 4000})
	if large := new(TooLargeError); !errors.As(err, &large) || !strings.Contains(err.Error(), "shorten it") {
		t.Error(err)
	}
}

// TestRepair checks conversations of turns that were cut.
func TestRepair(t *testing.T) {
	cut := model.Item{Kind: model.CustomCall, Status: model.Incomplete, CallID: "a", Name: model.ApplyPatch,
		Input: "*** Beg"}
	got := said(repaired([]model.Item{model.User("go"), {Kind: model.Reasoning, Status: model.Incomplete}, cut,
		call("b", "x")[1]}))
	want := said([]model.Item{model.User("go"), {Kind: cut.Kind, Status: model.Complete, CallID: "a", Name: cut.Name,
		Input: cut.Input},
		cut.Answer("The turn ended before this call had a result.")})
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestTakenOutAndPinned checks what the user decides.
func TestTakenOutAndPinned(t *testing.T) {
	c := build(t, Request{Text: "look at cart.go", Files: shop(), Pins: []string{"server/server.go", "gone.go"},
		Without: []string{"map", "cart/cart.go", "AGENTS.md"}})
	if got := names(c); got != "instructions server/server.go request" {
		t.Error(got)
	}
	if len(c.Out) != 4 || c.Out[0].Name != "AGENTS.md" || c.Out[0].Reason != "you took it out" {
		t.Errorf("%+v", c.Out)
	}
}

// TestRatioLearns checks that estimates approach what a provider counts.
func TestRatioLearns(t *testing.T) {
	var r Ratio
	for range 10 {
		r = r.Learn(40_000, 10_000)
	}
	if n := r.Tokens(4000); n != 1000 {
		t.Error(n)
	}
	if r.Learn(100, 90) != r {
		t.Error("a short prompt teaches something")
	}
}

// TestAWordThatIsAName checks that a capitalised word of a sentence brings the file that declares it,
// and that one that only begins a sentence does not.
func TestAWordThatIsAName(t *testing.T) {
	for text, want := range map[string]bool{
		"make the Cart forget the oldest entry": true, "Does a Cart expire?": true,
		"Cart the boxes away. Cart them back!": false, "make the cart forget the oldest entry": false} {
		c, err := Build(t.Context(), Request{Text: text, Files: shop()})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.ContainsFunc(c.Parts, func(p Part) bool {
			return p.Path == "cart/cart.go" && p.Reason == "it declares Cart"
		})
		if got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestLongFilesAreCutWhereItMatters checks which lines of a file that is too long are in: at the line that a stack
// trace has, or at what is declared with words of the request.
func TestLongFilesAreCutWhereItMatters(t *testing.T) {
	var p project
	var b strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&b, "line %d of a long file\n", i+1)
	}
	p.files = map[string]string{"net/pool.go": b.String(), "main.go": "package main\n"}
	for i := range 100 {
		p.symbols = append(p.symbols, model.Symbol{Name: fmt.Sprintf("step%c", 'a'+i%26), Kind: "func", Path: "net/pool.go",
			Line: 100 * (i + 1)})
	}
	p.symbols[80].Name = "evictIdleConn"
	for request, want := range map[string]string{
		"panic at /build/src/net/pool.go:20000 +0x1a":                             "line 20000 of",
		"File \"/srv/net/pool.go\", line 15000, in x":                             "line 15000 of",
		"the pool evicts connections too late that are idle, also in stepa and b": "line 8100 of",
		"look at pool.go": "line 1 of",
	} {
		if all := said(build(t, Request{Text: request, Files: p}).Items); !strings.Contains(all, want) {
			t.Errorf("%s: %s is not in", request, want)
		}
	}
}

// TestTheOpenFileIsCutRatherThanLeftOut checks a context that is too small for what the user chose.
func TestTheOpenFileIsCutRatherThanLeftOut(t *testing.T) {
	p := shop()
	p.files["price/price.go"] += strings.Repeat("// one more line of a long file\n", 3000)
	for _, limit := range []int{4096, 8192, 32_768} {
		c := build(t, Request{Text: "explain Total", Files: p, Limit: limit, Target: model.Target{File: "price/price.go"},
			Pins: []string{"price/price.go"}, Tools: strings.Repeat("a tool. ", 400)})
		i := slices.IndexFunc(c.Parts, func(p Part) bool { return p.Path == "price/price.go" && p.Cut != "" })
		if i < 0 || !strings.Contains(c.Parts[i].Text, "func Total") || c.Tokens > c.Limit-c.Reserve {
			t.Errorf("%d: %s, %+v", limit, names(c), c.Out)
		}
	}
}

// secretive is a project with files that no model gets.
type secretive struct {
	project
	why map[string]error
}

func (p secretive) Read(path string) ([]byte, error) {
	if why, is := p.why[path]; is {
		return []byte("hidden\n"), why
	}
	return p.project.Read(path)
}

// TestWhatIsNamedAndNotInIsSaid checks files that a request names, and instructions, which models do not get.
func TestWhatIsNamedAndNotInIsSaid(t *testing.T) {
	p := secretive{shop(), map[string]error{".env": errors.New("it may hold secrets"), "CLAUDE.md": nil,
		"price/AGENTS.md": errors.New("it is not a text file")}}
	delete(p.files, "AGENTS.md")
	delete(p.files, "price/AGENTS.md")
	c := build(t, Request{Text: "compare .env, none.txt and v1.2", Files: p, Target: model.Target{File: "price/price.go"}})
	var out []string
	for _, l := range c.Out {
		out = append(out, l.Name)
	}
	if got := strings.Join(out, " "); got != "CLAUDE.md price/AGENTS.md .env" && got != "price/AGENTS.md CLAUDE.md .env" {
		t.Errorf("%+v", c.Out)
	}
	if all := said(c.Items); strings.Contains(all, "hidden") {
		t.Errorf("a hidden file is in\n%s", all)
	}
}
