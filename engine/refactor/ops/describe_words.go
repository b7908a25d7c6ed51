package ops

import (
	"slices"
	"strings"
	"unicode"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/words"
)

// The words of names, and how English inflects them.

// actions are verbs that begin the names of functions, and that with an object say what those do.
var actions = words.Set(`add append apply assign attach authenticate authorize build calculate cancel check clear clone
	close collect compare compile compress compute configure connect convert copy count create decode decrypt delete
	deserialize detach disable disconnect dispatch display download draw emit enable encode encrypt escape
	evaluate execute export extract fetch fill filter find flush format generate get group handle hide import
	increment decrement initialize insert install invalidate invoke iterate join launch list load lock log lookup
	make mark merge migrate move normalize notify open parse persist pop populate prepare print process publish
	purge push put quote raise read record redirect refresh register reject release reload remove rename render
	replace report request reset resolve restore resume retrieve retry reverse revoke rewrite rotate round run
	sanitize save scan schedule search select send serialize set show shuffle shut skip sort split start stop store
	strip submit subscribe sum suspend swap sync toggle track transfer transform translate traverse trigger truncate
	unescape uninstall unlock unregister unsubscribe update upload validate verify visit withdraw deposit wrap write`)

// direct are verbs of actions whose one argument is what they are about.
var direct = words.Set(`save delete validate cancel send process publish register unregister close render print verify
	notify submit upload store handle ship archive enqueue schedule encode decode serialize deserialize`)

// returnsNoun reports whether the name may be that of a thing which the function returns.
func returnsNoun(d *kit.Documented, w []string) bool {
	if len(d.Results) == 0 && d.Body == nil {
		return false
	}
	if named(d.Results, w[len(w)-1]) && nouns[w[0]] {
		return true
	}
	return nouns[w[0]] && (measures[strings.ToLower(w[len(w)-1])] || always[w[0]] && len(d.Results) > 0)
}

// named reports whether a word ends the name of a type: escapeCommand that gives a Command escapes none.
func named(types []string, word string) bool {
	return slices.ContainsFunc(types, func(t string) bool {
		ws := words.Of(strings.TrimRight(strings.TrimSuffix(t, " | null"), "[]>"))
		return len(ws) > 0 && strings.EqualFold(ws[len(ws)-1], word)
	})
}

// always are the nouns among the actions that begin names of things more often than not.
var always = words.Set("request report record group schedule log query display lock sum join")

// nouns are actions that are things as well: RequestURI requests nothing.
var nouns = words.Set(`request report record group schedule log query display lock store start stop process list set
	load sort split count build read write wrap run print show import export filter format move search track mark
	compare update transfer put push pop join select hide escape draw copy close open save mark reset retry escape`)

// measures end the names of things: startTime, sortOrder.
var measures = words.Set(`time index count size name key order factor state type id mode level version uri url length
	number position point date len method status code limit interval handler function callback path dir`)

// prepositions may stand between the objects of a name: loadConfigFromFile.
var prepositions = words.Set("to from by for in into on at of as with without per")

// fillers are words in names that are no objects.
var fillers = words.Set(`all any impl internal helper func fn cb if or and not is are once again now async sync raw n ex
	only ahead behind before after when until up down out off over back front left right it them this that maybe
	unsafe locked f ln and do`)

// third is a verb in the third person: parse parses, apply applies.
func third(verb string) string {
	verb, rest, more := strings.Cut(verb, " ")
	switch {
	case verb == "be":
		verb = "is"
	case verb == "have":
		verb = "has"
	case strings.HasSuffix(verb, "y") && len(verb) > 1 && !strings.ContainsRune("aeiou", rune(verb[len(verb)-2])):
		verb = verb[:len(verb)-1] + "ies"
	case strings.HasSuffix(verb, "s"), strings.HasSuffix(verb, "x"), strings.HasSuffix(verb, "ch"),
		strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "z"), strings.HasSuffix(verb, "o"):
		verb += "es"
	default:
		verb += "s"
	}
	if more {
		return verb + " " + rest
	}
	return verb
}

// enumerated joins what is said: a, b and c.
func enumerated(xs []string, last string) string {
	if n := len(xs); n > 1 {
		return strings.Join(xs[:n-1], ", ") + " " + last + " " + xs[n-1]
	}
	return strings.Join(xs, "")
}

// aOrAn puts the indefinite article before a word.
func aOrAn(s string) string {
	bare := strings.TrimLeft(strings.TrimPrefix(s, "{@code "), "`*[]&(\"' ")
	if bare == "" {
		return "a " + s
	}
	first := strings.ToLower(bare[:1])
	acronym := len(bare) > 1 && strings.ToUpper(bare[:2]) == bare[:2] && unicode.IsLetter(rune(bare[1]))
	switch {
	case strings.HasPrefix(strings.ToLower(bare), "uni"), strings.HasPrefix(strings.ToLower(bare), "use"),
		strings.HasPrefix(strings.ToLower(bare), "uint"), strings.HasPrefix(strings.ToLower(bare), "url"):
		return "a " + s
	case acronym && strings.Contains("aefhilmnorsx", first), !acronym && strings.Contains("aeiou", first):
		return "an " + s
	}
	return "a " + s
}

// definite is a noun with its article, where its words let it have one.
func definite(ws []string) string {
	if slices.Contains([]string{"a", "an", "the", "all", "any", "each", "every", "no", "its", "my"}, ws[0]) {
		return strings.Join(ws, " ")
	}
	return "the " + strings.Join(ws, " ")
}

// capital is a sentence's beginning.
func capital(s string) string {
	for i, r := range s {
		return string(unicode.ToUpper(r)) + s[i+len(string(r)):]
	}
	return s
}

// nameAct is what a name says its function does, if it is a verb of actions and an object.
func nameAct(d *kit.Documented) (act, bool) {
	w := words.Of(d.Name)
	if len(w) == 1 && direct[w[0]] && len(d.Params) == 1 && d.Params[0].Name != "" && !d.Params[0].Rest {
		return do(w[0], "\x00"), true
	}
	if len(w) < 2 || !actions[w[0]] || returnsNoun(d, w) {
		return act{}, false
	}
	verb, rest := w[0], w[1:]
	for i, x := range rest {
		if len(x) == 1 || i < len(rest)-1 && strings.HasSuffix(x, "s") && !strings.HasSuffix(x, "ss") &&
			!prepositions[x] && !prepositions[rest[i+1]] {
			return act{}, false
		}
		if fillers[x] || actions[x] && i < len(rest)-1 && !prepositions[rest[i+1]] {
			return act{}, false
		}
	}
	at := slices.IndexFunc(rest, func(x string) bool { return prepositions[x] })
	if object := rest[:max(at, 0)]; at < 0 && !endsNoun(rest) || at > 0 && !endsNoun(object) {
		return act{}, false
	}
	switch {
	case at < 0:
		return do(verb, definite(rest)), true
	case at == 0:
		return act{}, false
	}
	what := definite(rest[:at]) + " " + strings.Join(rest[at:], " ")
	if at == len(rest)-1 || slices.ContainsFunc(rest[at+1:], func(x string) bool { return prepositions[x] }) {
		return act{}, false
	}
	return do(verb, what), true
}

// endsNoun reports whether words may end in a noun: appendDecode appends no decode, readQuoted reads
// no quoted.
func endsNoun(ws []string) bool {
	last := ws[len(ws)-1]
	return (!actions[last] || nouns[last]) && !adjectives[last] && !participle(last)
}

// adjectives end names, and no noun.
var adjectives = words.Set(`main pre post multi single own mine low high half big small full empty more less most least
	ready than otherwise unless specified just already always never exact safe strict lazy eager deep shallow fast slow`)

func participle(w string) bool {
	return len(w) > 4 && strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed") && w != "embed" || w == "made" ||
		w == "read" || w == "done" || w == "known" || w == "given" || w == "seen" || w == "taken" || w == "written"
}

// states are the words that may stand behind "is" in the name of a predicate.
var states = words.Set(`valid empty nil zero true open closed local ready done dirty upper lower public private equal
	sorted	new old safe alive dead idle busy full hidden exported constant present missing last first online offline set
	active inactive enabled disabled visible even odd prime leap admin expired available running blocked locked
	unlocked deleted archived numeric alphanumeric integer finite absolute relative positive negative admin
	authenticated authorized allowed required optional connected complete completed`)

// namePredicate is what a predicate's name says: "s is empty", "this account has overdrafts".
func namePredicate(d *kit.Documented, subject string) string {
	w := words.Of(d.Name)
	if len(w) != 2 || subject == "" {
		return ""
	}
	switch {
	case w[0] == "is" && states[w[1]]:
		return subject + " is " + w[1]
	case w[0] == "is" && kinds[w[1]]:
		return subject + " is " + aOrAn(w[1])
	case w[0] == "is" && looksAdjective(w[1]):
		return subject + " is " + w[1]
	case w[0] == "has" && strings.HasSuffix(w[1], "s"):
		return subject + " has " + w[1]
	}
	return ""
}

// kinds are nouns that may stand behind "is a".
var kinds = words.Set(`digit letter separator directory file symlink number integer palindrome vowel leaf weekend holiday
	duplicate prefix suffix`)

func looksAdjective(w string) bool {
	for _, end := range []string{"able", "ible", "ed", "ous", "less", "ful"} {
		if strings.HasSuffix(w, end) && len(w) > len(end)+2 {
			return true
		}
	}
	return false
}
