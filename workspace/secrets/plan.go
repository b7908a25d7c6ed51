package secrets

import (
	"math"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// plan says how to run a rule's expression on no more text than needed.
//
// An expression that is a sequence before · word · after where every string that word
// matches starts with a keyword can match only at a keyword, with `word · after` matching
// right there. probe is the beginning of `word · after`, loosened until it is cheap; before
// and after bound the reach of a match. An expression that is a choice of several such
// sequences has the bounds and the probes of all.
type plan struct {
	probe         lazyRegexp // text "" if no probe could be derived
	probeLen      int        // the length of the text that the probe needs
	before, after reach
}

// reach bounds a match on one side. Apart from its unlimited repetitions a match takes at
// most `bytes` bytes and `lines` newlines; any number of bytes in run may come on top of
// that. Thus `[a-z]{2}=[0-9]+` has 3 bytes and a run of digits.
type reach struct {
	bytes, lines int
	run          byteSet
}

type byteSet [4]uint64

func (s *byteSet) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }
func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }

func (s *byteSet) addAll(t byteSet) {
	for i := range s {
		s[i] |= t[i]
	}
}

const unlimited = math.MaxInt32

func (p *plan) derive(expression string, keywords []string) {
	re, err := syntax.Parse(expression, syntax.Perl)
	if expression == "" || err != nil {
		return
	}
	variants := []*syntax.Regexp{re}
	if re.Op == syntax.OpAlternate {
		variants = re.Sub
	}
	var probes []string
	for _, v := range variants {
		probe, ok := p.deriveOne(flatten(v), keywords)
		if !ok {
			return
		}
		probes = append(probes, probe)
	}
	p.probe.text = `\A(?:` + strings.Join(probes, "|") + ")"
}

// deriveOne returns a probe for one sequence and widens the plan's bounds for it.
func (p *plan) deriveOne(items []*syntax.Regexp, keywords []string) (probe string, ok bool) {
	at := 0
	for at < len(items) && !startsWithKeyword(items[at:], keywords) {
		at++
	}
	if at == len(items) {
		return "", false
	}
	var l loosener
	for _, item := range items[at:] {
		if !l.add(item) {
			break
		}
	}
	p.before = p.before.widest(reachOf(items[:at]))
	p.after = p.after.widest(reachOf(items[at:]))
	p.probeLen = max(p.probeLen, l.length+1)
	return l.text.String(), true
}

// flatten returns re as a sequence, without its groups.
func flatten(re *syntax.Regexp) []*syntax.Regexp {
	switch re.Op {
	case syntax.OpCapture:
		return flatten(re.Sub[0])
	case syntax.OpConcat:
		var items []*syntax.Regexp
		for _, sub := range re.Sub {
			items = append(items, flatten(sub)...)
		}
		return items
	}
	return []*syntax.Regexp{re}
}

// startsWithKeyword reports whether every match of the sequence begins with a keyword.
func startsWithKeyword(items []*syntax.Regexp, keywords []string) bool {
	for n := range items {
		words, ok := concatStrings(items[:n+1])
		if ok && allStart(words, keywords) {
			return true
		}
		if ok {
			continue
		}
		if items[n].Op != syntax.OpAlternate {
			return false
		}
		for _, sub := range items[n].Sub { // the parser turns (?:akia|asia) into a(?:kia|sia)
			if !startsWithKeyword(slices.Concat(items[:n], flatten(sub)), keywords) {
				return false
			}
		}
		return true
	}
	return false
}

func allStart(words, keywords []string) bool {
	for _, w := range words {
		has := func(k string) bool { return strings.HasPrefix(strings.ToLower(w), strings.ToLower(k)) }
		if !slices.ContainsFunc(keywords, has) {
			return false
		}
	}
	return true
}

const maxStrings = 256

// stringsOf returns all strings that re matches, ignoring case, if they are few.
func stringsOf(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpLiteral:
		return []string{string(re.Rune)}, true
	case syntax.OpCharClass:
		return classStrings(re.Rune)
	case syntax.OpCapture:
		return stringsOf(re.Sub[0])
	case syntax.OpQuest:
		words, ok := stringsOf(re.Sub[0])
		return append(words, ""), ok
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			words, ok := stringsOf(sub)
			if all = append(all, words...); !ok || len(all) > maxStrings {
				return nil, false
			}
		}
		return all, true
	case syntax.OpConcat:
		return concatStrings(re.Sub)
	}
	return nil, false
}

func concatStrings(subs []*syntax.Regexp) ([]string, bool) {
	all := []string{""}
	for _, sub := range subs {
		words, ok := stringsOf(sub)
		if !ok || len(all)*len(words) > maxStrings {
			return nil, false
		}
		var longer []string
		for _, a := range all {
			for _, w := range words {
				longer = append(longer, a+w)
			}
		}
		all = longer
	}
	return all, true
}

func classStrings(ranges []rune) ([]string, bool) {
	var words []string
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] > 8 {
			return nil, false
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			words = append(words, string(r))
		}
	}
	return words, true
}

func reachOf(items []*syntax.Regexp) reach {
	var sum reach
	for _, item := range items {
		r := reachOne(item)
		sum.bytes, sum.lines = min(sum.bytes+r.bytes, unlimited), min(sum.lines+r.lines, unlimited)
		sum.run.addAll(r.run)
	}
	return sum
}

func (r reach) widest(s reach) reach {
	r.run.addAll(s.run)
	return reach{max(r.bytes, s.bytes), max(r.lines, s.lines), r.run}
}

func reachOne(re *syntax.Regexp) reach {
	switch re.Op {
	case syntax.OpLiteral:
		// case folding may lengthen
		return reach{bytes: len(string(re.Rune)) + 2*len(re.Rune), lines: strings.Count(string(re.Rune), "\n")}
	case syntax.OpCharClass:
		return classReach(re.Rune)
	case syntax.OpAnyChar:
		return reach{bytes: 4, lines: 1}
	case syntax.OpAnyCharNotNL:
		return reach{bytes: 4}
	case syntax.OpStar, syntax.OpPlus:
		return reach{run: bytesOf(re.Sub[0])}.endless()
	case syntax.OpRepeat:
		one := reachOne(re.Sub[0])
		if re.Max < 0 {
			return reach{run: bytesOf(re.Sub[0])}.endless()
		}
		return reach{min(one.bytes*re.Max, unlimited), min(one.lines*re.Max, unlimited), one.run}
	case syntax.OpAlternate:
		var most reach
		for _, sub := range re.Sub {
			most = most.widest(reachOne(sub))
		}
		return most
	}
	return reachOf(re.Sub) // concatenation, group, ?; the others have no width
}

// endless returns r without a bound on newlines if they are in its run.
func (r reach) endless() reach {
	if r.run.has('\n') {
		r.lines = unlimited
	}
	return r
}

func classReach(ranges []rune) reach {
	r := reach{bytes: 1}
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1] >= 0x80 {
			r.bytes = 4
		}
		if ranges[i] <= '\n' && '\n' <= ranges[i+1] {
			r.lines = 1
		}
	}
	return r
}

// bytesOf returns every byte that can occur in a match of re.
func bytesOf(re *syntax.Regexp) byteSet {
	var s byteSet
	add := func(lo, hi rune) {
		for c := lo; c <= min(hi, 0xff); c++ {
			s.add(byte(c))
		}
		if hi >= 0x80 {
			for c := 0x80; c <= 0xff; c++ { // any byte of a longer encoding
				s.add(byte(c))
			}
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			add(r, r)
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				add(f, f)
			}
		}
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			add(re.Rune[i], re.Rune[i+1])
		}
	case syntax.OpAnyCharNotNL:
		add(0, '\n'-1)
		add('\n'+1, 0x10ffff)
	case syntax.OpAnyChar:
		add(0, 0x10ffff)
	default: // only the bytes of its parts
	}
	for _, sub := range re.Sub {
		s.addAll(bytesOf(sub))
	}
	return s
}

// loosener builds a probe: what must follow a keyword, item by item, up to the first item
// that would make the probe long. Stopping early only makes the probe match more often.
type loosener struct {
	text   strings.Builder
	length int // the most bytes that the probe can match
}

const (
	probeItem = 100 // the longest item that is taken whole, in bytes
	probeRun  = 20  // how many of a longer repetition are required
)

// add appends re, whole or shortened; false means that nothing may follow.
func (l *loosener) add(re *syntax.Regexp) bool {
	r := reachOne(re)
	switch n := r.bytes; {
	case n <= probeItem && r.run == (byteSet{}):
		l.text.WriteString("(?:" + re.String() + ")")
		l.length += n
		return true
	case re.Op == syntax.OpCapture || re.Op == syntax.OpConcat:
		for _, sub := range re.Sub {
			if !l.add(sub) {
				return false
			}
		}
		return true
	case re.Op == syntax.OpAlternate:
		l.choice(re.Sub)
	case re.Op == syntax.OpRepeat && re.Min > 0:
		l.run(re.Sub[0], re.Min)
	case re.Op == syntax.OpPlus:
		l.run(re.Sub[0], 1)
	}
	return false
}

// choice shortens each alternative separately.
func (l *loosener) choice(subs []*syntax.Regexp) {
	longest := 0
	for i, sub := range subs {
		var one loosener
		for _, item := range flatten(sub) {
			if !one.add(item) {
				break
			}
		}
		l.text.WriteString([]string{"(?:", "|"}[min(i, 1)] + one.text.String())
		longest = max(longest, one.length)
	}
	l.text.WriteString(")")
	l.length += longest
}

func (l *loosener) run(sub *syntax.Regexp, least int) {
	if r := reachOne(sub); r.bytes <= 4 && r.run == (byteSet{}) {
		one := r.bytes
		least = min(least, probeRun)
		cut := syntax.Regexp{Op: syntax.OpRepeat, Min: least, Max: least, Sub: []*syntax.Regexp{sub}}
		l.text.WriteString(cut.String())
		l.length += least * one
	}
}
