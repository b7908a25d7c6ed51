package propose

import (
	"slices"
	"strings"
	"unicode"

	"waferpair/engine/refactor/words"
	"waferpair/engine/spark/link"
)

// Words that no slot holds and that requests for the operation do not have may ask for something
// else, or restrict what is asked: "with exponential backoff". Most of them only talk: "that 1300
// is begging for a name".

// mostIdle is how many words of a request may be left over where it is carried out.
const mostIdle = 3

// idle reports whether the words that a proposal leaves over are prose that restricts nothing.
func (r reader) idle(units []link.Unit, p Proposal) bool {
	if len(p.Loose) > mostIdle {
		return false
	}
	for _, text := range p.Loose {
		i := slices.IndexFunc(units, func(u link.Unit) bool { return u.Text == text })
		if i < 0 || !r.talk(units, i) || p.Program[0].Name == "rename" && mayName(units, i) {
			return false
		}
	}
	return true
}

// talk reports whether unit i is a word of prose that restricts nothing, and is no part of a name.
func (r reader) talk(units []link.Unit, i int) bool {
	word := strings.ToLower(units[i].Text)
	if named := slices.Contains(symbols, units[i].Kind); named {
		return word == units[i].Text && len(word) > 2 && !strings.ContainsFunc(word, notLetter) && !wishes[word] &&
			!slices.ContainsFunc(units[max(0, i-2):i], func(u link.Unit) bool {
				w := strings.ToLower(u.Text)
				return brings[w] || wishes[w] || more[w] || constraints[w]
			})
	}
	switch {
	case units[i].Kind != link.Word, len(word) < 2, strings.ContainsFunc(word, notLetter), constraints[word], more[word],
		wishes[word], numbers[word] != "", r.table.HasPart(word):
		return false
	}
	for _, before := range units[max(0, i-2):i] { // "with exponential backoff", "using a memo"
		if brings[strings.ToLower(before.Text)] {
			return false
		}
	}
	return true
}

// mayName reports whether a word may be the new name of what a request wants to rename, rather
// than the one that was taken for it: "helper is a silly name, fallback says it, see TICKET_41".
func mayName(units []link.Unit, i int) bool {
	return i+1 < len(units) && prefers[strings.ToLower(units[i+1].Text)] ||
		i > 0 && announces[strings.ToLower(units[i-1].Text)]
}

// symbols are the units that name one. A common word may be the name of one, too: "log it, the crew wants that".
var symbols = []link.Kind{link.Const, link.Field, link.Param, link.Func, link.Method, link.Type}

func notLetter(c rune) bool { return !unicode.IsLetter(c) }

var (
	// brings are the words before something that a request asks for besides.
	brings = words.Set("as als into called named with without using via through by per mit ohne per plus including excluding like than instead")
	// wishes are words that ask for something else, restrict a request, or spell a name.
	wishes = words.Set(`add remove rename delete drop kill strip move extract inline document expose replace swap reorder
		check verify ensure keep leave skip avoid ignore catch throw raise return print call calls retry wrap guard cache lock fix change make use write rewrite handle convert support allow accept honour honor respect validate format
		limit reuse split merge copy log test mock dot point underscore slash dash minus hyphen colon quote bracket before after
		until while when whenever where if unless once never always every each all none any both half most some few one other
		rest others else instead rather not no without again still yet already again synchronized static final abstract
		synchron wenn falls bevor solange jede jeden jedes alle keine nie immer`)
)
