package spark

import (
	"strings"

	"waferpair/engine/refactor/words"
)

// Any word may be a name: variables are called half, other, file and from.
// Where a request says in so many words that a name comes ("the function
// other", "to half", "a variable called all"), such a word is taken for one. The
// rules below keep out what is more likely to be a name left out, with the
// sentence going on, than a name.

// explicitNouns announce a name.
var explicitNouns = words.Set(`function func method helper procedure type struct class interface field property attribute member
	variable var constant const parameter param argument arg local symbol identifier called named name`)

// valueNouns announce the name of a value, which may well be that of a kind:
// "parameter method". Behind the others that makes a compound: "struct field".
var valueNouns = words.Set(
	"field property attribute member variable var constant const parameter param argument arg local called named name")

// kindWords make compounds with other nouns, and stand for what they name.
var kindWords = words.Set(`function func method class struct interface variable constant parameter param argument field property attribute
	member symbol identifier import file package module project codebase repository selection declaration statement call calls expression literal comment`)

// compounds are the kind words that make one even in the clearest frame.
var compounds = words.Set(`function func method class struct interface variable constant parameter param argument field property attribute
	member symbol identifier declaration statement import`)

var (
	courtesy    = words.Set("please thanks also too just instead")
	pronouns    = words.Set("it its it's this that these those them they their he she we you me us my our your")
	quantifiers = words.Set(
		"all every each any both some most few several another everything anything something nothing none no")
	vagueThings  = words.Set("everything anything something another")
	places       = words.Set("here there everywhere anywhere above below under over")
	relatives    = words.Set("that which who whom whose what where why how")
	conjunctions = words.Set(`but if when whenever while until till before after unless without except excluding besides because since
		although though however and or then nor neither either else otherwise as so than`)
)

// loneNames are names behind a preposition when nothing follows them that they
// could belong to: "a test for half", "a parameter to other".
var loneNames = words.Set("half once twice again maybe other")

// nameRole is the part of the sentence in which a name is looked for.
type nameRole int

const (
	noName  nameRole = iota
	anyName          // some name: it must not be a word of the language, unless a noun announces it
	oldName          // directly before "to"
	newName          // behind "to"
)

var roles = map[string]nameRole{"sym": anyName, "name": anyName, "subj": anyName, "thing": anyName, "owner": anyName,
	"oldsym": oldName, "newsym": newName}

// announced offers a word of the language as a name where the sentence has a
// place for nothing else. article says that one was skipped before it.
func (m *matcher) announced(n *node, s state, article bool) []found {
	w := identifier(m.src[s.pos:])
	end := s.pos + len(w)
	if n.role == noName || w == "" || !reserved(w) || !endsName(m.src, end) || m.files.claims(w) {
		return nil
	}
	if !m.followsWell(w, end) || article && nouns[w] {
		return nil
	}
	low := strings.ToLower(w)
	ok := false
	switch n.role {
	case anyName:
		ok = s.prep && loneNames[low] && !article
	case newName:
		ok = mayReplace(low)
	case oldName:
		ok = beforeTo(m.src, end) && low != "to" && !places[low] && (s.noun == "" && mayBeReplaced(low) ||
			s.noun != "" && !articles[low] && (valueNouns[s.noun] || !compounds[low]))
	case noName:
	}
	if ok || s.noun != "" && n.role != newName && m.mayFollowNoun(s.noun, low, end) {
		return []found{{w, end}}
	}
	return nil
}

// followsWell keeps a word that changes what is asked from hiding as a name
// before the real one: "the function only parseConfig".
func (m *matcher) followsWell(w string, end int) bool {
	low := strings.ToLower(w)
	if !meaningful[low] && !quantifiers[low] {
		return true
	}
	next := identifier(m.src[skipSpace(m.src, end):])
	after := skipSpace(m.src, end) + len(next)
	if next == "" || reserved(next) || builtinTypes[next] {
		return true
	}
	// a type: time.Time
	return after < len(m.src) && strings.IndexByte(".[<", m.src[after]) >= 0 && !endsName(m.src, after)
}

// beforeTo reports whether what a rename or an assignment says next stands at pos.
func beforeTo(src string, pos int) bool {
	p := skipSpace(src, pos)
	for _, w := range []string{"to", "as", "into", "->", "=>", "→", "=", ":="} {
		if _, ok := literalEnd(src, p, w); ok {
			return true
		}
	}
	return false
}

func mayReplace(w string) bool {
	return !articles[w] && !pronouns[w] && !vagueThings[w] && !courtesy[w] && w != "here" && w != "there" &&
		w != "everywhere" && w != "called" && w != "named"
}

func mayBeReplaced(w string) bool {
	return !articles[w] && !pronouns[w] && !quantifiers[w] && !kindWords[w] && w != "called" && w != "named"
}

// mayFollowNoun: "the function other" has a name, "the function that nothing
// uses" and "the struct field" have none.
func (m *matcher) mayFollowNoun(noun, w string, end int) bool {
	switch {
	case prepositions[w] && w != "instead", courtesy[w], places[w], w == "the", w == "a", w == "an",
		w == "called", w == "named", inside[w], nouns[w] && !valueNouns[noun] && kindWords[w]:
		return false
	case conjunctions[w], relatives[w]:
		return framed(m.src, end)
	}
	return true
}

var inside = words.Set("within inside across throughout upon via per")

// framed reports whether what comes next can only come behind a name.
func framed(src string, pos int) bool {
	p := skipSpace(src, pos)
	if p < len(src) && strings.IndexByte("=:*[", src[p]) >= 0 {
		return true
	}
	next := identifier(src[p:])
	return builtinTypes[next] || next == "from" || next == "to" || next == "of" && p > pos ||
		next != "" && strings.HasPrefix(src[p+len(next):], ".") && !endsName(src, p+len(next))
}

// nameInTitleCase lets Before and Once be names in a sentence that does not
// capitalise its words.
func (m *matcher) nameInTitleCase(s string, pos, end int) bool {
	if strings.ToUpper(s[:1]) != s[:1] || strings.ToLower(s[1:]) != s[1:] || len(s) < 2 {
		return false
	}
	before := strings.TrimRight(m.src[:pos], " \t\n(")
	i := strings.LastIndexAny(before, " \t\n") + 1
	return i < len(before) && before[i] >= 'a' && before[i] <= 'z' && m.followsWell(s, end)
}
