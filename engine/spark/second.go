package spark

import (
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/words"
)

// A comment's text runs to the end of the request, and would swallow what else is
// asked for: "add a TODO to load: check the version and delete run". Two verbs of
// which one was understood are asked back; in quotes a text is a text.

// imperatives are what people tell a programmer to do, beside the words that the
// grammar's phrases begin with.
var imperatives = words.Set(`add annotate append apply bump call change check clean comment compute convert copy create
	declare decrease delete deprecate disable document drop eliminate enable ensure erase export extend extract fix format
	generate get give handle hide hoist implement import improve increase initialise initialize inline insert introduce
	invert investigate kill let lift log lower make mark merge migrate modify move mock normalise normalize optimise
	optimize order pass print propagate pull purge put raise redo reduce refactor reformat remove rename reorder replace
	return revert rewrite run save set simplify sort split strip swap switch tag test throw tidy toggle turn undo update
	use validate verify wrap write`)

// beforeVerb stand between a joiner and the verb.
var beforeVerb = words.Set(`please pls also then and finally afterwards next just now plus but while maybe simply to you can could
	at it as well are we i should would like want so`)

// secondVerb finds an imperative behind a joiner in an unquoted text, and where the
// joiner begins.
func secondVerb(text string) (at int, ok bool) {
	joiner := -1
	for i := 0; i < len(text); {
		if end, quoted := stringEnd(text, i); quoted {
			i, joiner = end, -1
			continue
		}
		w := wordAt(text, i)
		low := strings.ToLower(w)
		switch {
		case w == "" && strings.IndexByte(",;.:\n", text[i]) >= 0 && (i+1 == len(text) || isSpace(text[i+1])),
			w == "" && strings.HasPrefix(text[i:], "- "):
			joiner = first(joiner, i)
		case w == "":
			if !isSpace(text[i]) {
				joiner = -1
			}
		case joiner >= 0 && imperatives[low] && i > 0:
			return joiner, true
		case low == "and" || low == "then" || low == "also" || low == "plus" || low == "afterwards":
			joiner = first(joiner, i)
		case !beforeVerb[low]:
			joiner = -1
		}
		i += max(1, len(w))
	}
	return 0, false
}

func first(at, now int) int {
	if at >= 0 {
		return at
	}
	return now
}

// swallowed declines a clause whose text holds a second request, as it seems, and
// offers what it may mean: all of it is the text, or only what comes before.
func (m *matcher) swallowed(clauses []clause, p place, t refactor.Target) *refactor.Declined {
	for i, c := range clauses {
		text := c.args["text"]
		at, ok := secondVerb(text)
		if text == "" || !ok || m.quotes(text) {
			continue
		}
		d := &refactor.Declined{Code: refactor.Ambiguous, Understood: sayIn(clauses, p, t),
			Reason: "it asks for a second thing, or the text goes on with " +
				quoteText(clip(strings.TrimLeft(text[at:], " ,;.:\n"))) + "; a text can be put in quotes"}
		for _, said := range []string{text, strings.TrimSpace(text[:at])} {
			if strings.ContainsFunc(said, isNameRune) {
				meant := slices.Clone(clauses)
				meant[i].args = c.args.with("text", said)
				d.Nearest = append(d.Nearest, sayIn(meant, p, t))
			}
		}
		return d
	}
	return nil
}

// quotes reports whether the request holds the text in quotes.
func (m *matcher) quotes(text string) bool {
	i := strings.Index(m.src, text)
	before := strings.TrimRight(m.src[:max(i, 0)], " ")
	return before != "" && strings.IndexByte("\"'`", before[len(before)-1]) >= 0
}

func (a args) with(arg, val string) args {
	b := args{arg: val}
	for k, v := range a {
		if k != arg {
			b[k] = v
		}
	}
	return b
}
