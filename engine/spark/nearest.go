package spark

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"waferpair/engine/refactor"
)

// hint is a request that is often made and means one of several things.
type hint struct {
	pattern string
	near    func(args) []string
	why     string // what is to be said of it, where that is known
	node    *node
}

var hints = []hint{
	{pattern: "(change|replace|switch|swap|turn|update|convert) [@kind] <a:sym> (to|with|by|into|for) [@kind] <b:sym>",
		near: func(a args) []string {
			return []string{join("rename", a.name("a"), "to", a.name("b")), join("replace calls to", a.name("a"),
				"with", a.name("b")), join("set", a.name("a"), a.code("to", "b"))}
		}},
	{pattern: "use <b:sym> instead of <a:sym>", near: func(a args) []string {
		return []string{join("rename", a.name("a"), "to", a.name("b")), join("replace calls to", a.name("a"),
			"with", a.name("b"))}
	}},
	{pattern: "rename [@kind] <a:sym> <b:sym>", near: func(a args) []string {
		return []string{join("rename", a.name("a"), "to", a.name("b"))}
	}},
	{pattern: "(organize|organise|clean up|tidy|tidy up|fix|clean) imports", near: func(args) []string {
		return []string{"remove unused imports", "sort the imports"}
	}},
	{pattern: "(set|@change) [value of] <a:sym> [from <c:value>] to <b:sym>", near: func(a args) []string {
		return []string{join("set", a.name("a"), a.code("to", "b")), join("set", a.name("a"), "to", `"`+a["b"]+`"`)}
	}},
	{pattern: "@change [value of] <a:sym> from <c:value> to <b:value>", near: func(a args) []string {
		return []string{join("set", a.name("a"), a.code("to", "b"))}
	}},
	{pattern: "@remove <a:sym>", near: func(a args) []string {
		return []string{join("delete the unused function", a.name("a")), join("comment out", a.name("a")),
			join("remove the import of", a.path("a"))}
	}},
	{pattern: "extract <e:expr> (to|into|as) <n:name>", near: func(a args) []string {
		return []string{join("extract variable", a.name("n"), a.code("from", "e")),
			join("extract constant", a.name("n"), a.code("from", "e"))}
	}},
	{pattern: "(delete|remove) (unused|dead) (functions|code)", near: func(args) []string {
		return []string{"delete the unused function NAME", "remove unused imports"}
	}},
}

// hinted lists the requests that a known unclear one may mean, and says what is
// unclear when it is known.
func (m *matcher) hinted(g *grammar) (near []string, why string) {
	for _, h := range g.hints {
		m.match(g.opening, state{}, func(s state) {
			s.caps = nil
			m.match(h.node, s, func(s state) {
				m.match(g.closing, s, func(end state) {
					if atEnd(m.src, end.pos) {
						near = append(near, h.near(argsOf(s.caps))...)
						why = cmp.Or(why, h.why)
					}
				})
			})
		})
	}
	slices.Sort(near)
	near = slices.Compact(near)
	if why != "" { // those that do not fit the project are left out where they are tried
		return near, why
	}
	return near[:min(len(near), 3)], ""
}

// nearestExamples lists the examples of the operations whose words the request
// uses, the rare words counting most; without any, the commonest operations.
func nearestExamples(g *grammar, request string) []string {
	vocabulary, uses := g.vocabulary()
	type scored struct {
		name  string
		score float64
	}
	var all []scored
	for _, op := range refactor.Ops {
		score := 0.0
		for _, w := range requestWords(request) {
			if v := closest(w, vocabulary[op.Name]); v != "" {
				score += math.Log(1 + float64(len(vocabulary))/float64(uses[v]))
			}
		}
		if score > 0.8 {
			all = append(all, scored{op.Name, score})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	if len(all) == 0 {
		return examples("rename", "doc", "set-constant")
	}
	var names []string
	for _, s := range all[:min(3, len(all))] {
		if s.score >= all[0].score/2 {
			names = append(names, s.name)
		}
	}
	return examples(names...)
}

// vocabularies collects the words of each operation's phrases and help, and in
// how many operations each word is used.
func (g *grammar) vocabularies() (map[string]map[string]bool, map[string]int) {
	vocabulary := map[string]map[string]bool{}
	for _, op := range g.ops {
		words := map[string]bool{}
		for _, n := range op.full {
			n.words(words)
		}
		spec, _ := refactor.Lookup(op.name)
		for _, w := range requestWords(spec.Help) {
			words[w] = true
		}
		vocabulary[op.name] = words
	}
	uses := map[string]int{}
	for _, words := range vocabulary {
		for w := range words {
			uses[w]++
		}
	}
	return vocabulary, uses
}

func requestWords(s string) []string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !isNameRune(r) })
	words = slices.DeleteFunc(words, func(w string) bool {
		return len(w) < 3 || articles[w] || meaningful[w] || prepositions[w]
	})
	return words[:min(len(words), 60)]
}

// closest is the word of the vocabulary that w is, or is a typing mistake for.
func closest(w string, vocabulary map[string]bool) string {
	if vocabulary[w] {
		return w
	}
	if len(w) < 5 {
		return ""
	}
	best := ""
	for v := range vocabulary {
		if len(v) >= 5 && refactor.Distance(w, v, 1) <= 1 && (best == "" || v < best) {
			best = v
		}
	}
	return best
}

func examples(ops ...string) []string {
	var es []string
	for _, name := range ops {
		if s, ok := refactor.Lookup(name); ok {
			es = append(es, s.Example)
		}
	}
	return es
}
