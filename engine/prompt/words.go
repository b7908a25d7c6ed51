package prompt

import (
	"iter"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// words are the words of a request that may be part of a name: at most 64, so that a set of them is
// one number.
type words struct {
	list    []string
	byStart [1 << 10][]uint8 // by the hash of the first two letters
}

// maxWords is the number of words of a request that count.
const maxWords = 64

func newWords(text string) *words {
	w := &words{}
	seen := map[string]bool{}
	add := func(s string) {
		if len(s) < 3 || common[s] || seen[s] || len(w.list) == maxWords {
			return
		}
		seen[s] = true
		k := start(s)
		w.byStart[k] = append(w.byStart[k], uint8(len(w.list)))
		w.list = append(w.list, s)
	}
	last := ""
	var pairs []string // names are often written as one word: copytree, dirlist
	subwords(text, func(s string) {
		s = strings.ToLower(s)
		add(s)
		if len(s) > 2 && len(last) > 2 && len(pairs) < maxWords/4 {
			pairs = append(pairs, last+s)
		}
		last = s
	})
	for _, s := range pairs {
		add(s)
	}
	return w
}

func start(s string) int { return (int(s[0]|0x20)*31 + int(s[1]|0x20)) & (1<<10 - 1) }

// in returns the set of words that are part of a name.
func (w *words) in(name string) (set uint64) {
	if len(w.list) == 0 {
		return 0
	}
	subwords(name, func(s string) {
		if len(s) < 3 {
			return
		}
		for _, i := range w.byStart[start(s)] {
			if akin(w.list[i], s) {
				set |= 1 << i
			}
		}
	})
	return set
}

// each yields the words of a set, by their place in the list.
func (w *words) each(set uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; set != 0 && yield(bits.TrailingZeros64(set)); set &= set - 1 {
		}
	}
}

// all is in, if a name has no other words than these.
func (w *words) all(name string) (set uint64) {
	other := false
	subwords(name, func(s string) {
		in := w.in(s)
		set |= in
		other = other || in == 0
	})
	if other {
		return 0
	}
	return set
}

// akin reports whether two words are equal but for case and ending: retry and retries, parse and
// parser.
func akin(word, s string) bool {
	n := 0
	for n < len(word) && n < len(s) && word[n] == lower(s[n]) {
		n++
	}
	if n == len(word) && n == len(s) {
		return true
	}
	return n >= 4 && len(word)-n <= 4 && len(s)-n <= 4 && endings[word[n:]] && endings[strings.ToLower(s[n:])]
}

// endings are what words that mean about the same differ by.
var endings = func() map[string]bool {
	out := setOf("s es d ed e er ers r rs or ors ing ings ion ions y ies ied")
	out[""] = true
	return out
}()

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// subwords calls do with the words that a text or a name consists of: HTTPServer2 is HTTP, Server.
func subwords(s string, do func(string)) {
	from := -1
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case !isLetter(c):
			if from >= 0 {
				do(s[from:i])
			}
			from = -1
		case from < 0:
			from = i
		case isUpper(c) && (!isUpper(s[i-1]) || i+1 < len(s) && isLetter(s[i+1]) && !isUpper(s[i+1])):
			do(s[from:i])
			from = i
		}
	}
	if from >= 0 {
		do(s[from:])
	}
}

func isLetter(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// identifiers calls do with each identifier of a text.
func identifiers(s string, do func(string)) {
	from := -1
	for i := 0; i <= len(s); i++ {
		part := i < len(s) && (isLetter(s[i]) || s[i] == '_' || from >= 0 && '0' <= s[i] && s[i] <= '9')
		switch {
		case part && from < 0:
			from = i
		case !part && from >= 0:
			do(s[from:i])
			from = -1
		}
	}
}

// isName reports whether a word of a sentence is spelled as code: with a capital or an underscore
// inside, or a digit behind letters.
func isName(s string) bool {
	for i, r := range s {
		if i > 0 && (r == '_' || unicode.IsUpper(r) && !allUpper(s) || unicode.IsDigit(r)) {
			return true
		}
	}
	return false
}

func allUpper(s string) bool { return s == strings.ToUpper(s) && !strings.Contains(s, "_") }

// common are words of requests that say nothing about the place.
var common = setOf(`the a an and or but not no nor for from with without into onto over under out off all any each
every some this that these those there here then than when where which who whom whose what why how does did
done doing can could should would will shall may might must let lets make makes made making add adds added adding
use uses used using change changes changed changing fix fixes fixed fixing remove removes removed delete rename
renamed move moved create new old please want wants need needs needed have has had are was were been being its
it's you your our ours their they them him her she his let's like also only just very more most less least other
another same such file files function functions func method methods class classes code line lines project
program implement implementation instead whole give gives get gets set sets put puts show shows say says tell
explain write writes written rewrite update updates updated replace replaced call calls called so that work works
working way ways thing things everywhere anywhere now about after before while until because between both two
three one first last next`)

func setOf(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}
