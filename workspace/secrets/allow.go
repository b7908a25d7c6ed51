package secrets

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// lazyRegexp compiles its text on first use.
type lazyRegexp struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

func (l *lazyRegexp) get() *regexp.Regexp {
	l.once.Do(func() { l.re = regexp.MustCompile(l.text) })
	return l.re
}

// allowlist describes matches of a rule that are not secrets.
type allowlist struct {
	all     bool // all kinds of test in the list must agree; otherwise one is enough
	target  string
	paths   *lazyRegexp
	regexes *lazyRegexp
	stops   []string
}

// newAllowlists compiles the lists and old, if it is not nil.
func newAllowlists(specs []tomlAllow, old *tomlAllow) []allowlist {
	if old != nil {
		specs = append(specs[:len(specs):len(specs)], *old)
	}
	var lists []allowlist
	for _, s := range specs {
		a := allowlist{target: s.RegexTarget, paths: anyOf(s.Paths), regexes: anyOf(s.Regexes)}
		a.all = strings.EqualFold(s.Condition, "and") || s.Condition == "&&"
		for _, w := range s.StopWords {
			a.stops = append(a.stops, strings.ToLower(w))
		}
		lists = append(lists, a)
	}
	return lists
}

func anyOf(expressions []string) *lazyRegexp {
	if len(expressions) == 0 {
		return nil
	}
	return &lazyRegexp{text: "(?:" + strings.Join(expressions, ")|(?:") + ")"}
}

// candidate is a match that may be a secret.
type candidate struct {
	path          string
	secret, match string
	line          func() string
}

// allows reports whether the list declares c harmless.
func (a *allowlist) allows(c candidate) bool {
	tests, agreed := 0, 0
	count := func(has bool, test func() bool) {
		if has {
			tests++
			if test() {
				agreed++
			}
		}
	}
	count(a.paths != nil, func() bool { return c.path != "" && a.paths.get().MatchString(c.path) })
	count(a.regexes != nil, func() bool { return a.regexes.get().MatchString(a.subject(c)) })
	count(len(a.stops) > 0, func() bool { return containsAny(strings.ToLower(c.secret), a.stops) })
	if a.all {
		return tests > 0 && agreed == tests
	}
	return agreed > 0
}

// allowsFile reports whether the list exempts everything in the file, so that it need not
// be searched.
func (a *allowlist) allowsFile(path string) bool {
	only := a.regexes == nil && len(a.stops) == 0
	return a.paths != nil && path != "" && (only || !a.all) && a.paths.get().MatchString(path)
}

func (a *allowlist) subject(c candidate) string {
	switch a.target {
	case "match":
		return c.match
	case "line":
		return c.line()
	}
	return c.secret
}

func containsAny(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// lazyAllow is the allowlists that apply to every rule.
type lazyAllow struct {
	text  string
	once  sync.Once
	lists []allowlist
}

func (l *lazyAllow) get() []allowlist {
	l.once.Do(func() {
		f := parseTOML(l.text)
		l.lists = newAllowlists(f.Allowlists, f.Allowlist)
	})
	return l.lists
}
