package secrets

import (
	"fmt"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/zricethezav/gitleaks/v8/config"
)

func defaultRules() string { return config.DefaultConfig }

// A block is the TOML text of one rule with the keywords found in it. Parsing all
// of the configuration takes milliseconds that most commands never need, so that
// the keywords are read by a scan of lines, and a rule's text only when one of
// its keywords turns up.
type block struct {
	text     string
	keywords []string
}

const ruleStart = "[[rules]]\n"

// splitRules cuts the configuration into what precedes the first rule and the rules.
func splitRules(source string) (head string, blocks []block) {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	parts := strings.Split("\n"+source, "\n"+ruleStart)
	for _, text := range parts[1:] {
		blocks = append(blocks, block{text: ruleStart + text, keywords: keywordsOf(text)})
	}
	return parts[0], blocks
}

// keywordsOf reads `keywords = ["a", "b"]`, on one line or several.
func keywordsOf(text string) []string {
	const start = "\nkeywords = ["
	i := strings.Index(text, start)
	if i < 0 {
		return nil
	}
	list, _, _ := strings.Cut(text[i+len(start):], "]")
	var words []string
	for {
		_, rest, ok := strings.Cut(list, `"`)
		if !ok {
			return words
		}
		word, after, ok := strings.Cut(rest, `"`)
		if !ok {
			return words
		}
		words = append(words, strings.ToLower(word))
		list = after
	}
}

// The parts of the configuration that matter here.
type (
	tomlFile struct {
		Rules      []tomlRule
		Allowlist  *tomlAllow // deprecated spelling of one of Allowlists
		Allowlists []tomlAllow
	}
	tomlRule struct {
		ID          string
		Regex       string
		Path        string
		SecretGroup int
		Entropy     float64
		Keywords    []string
		Allowlist   *tomlAllow
		Allowlists  []tomlAllow
	}
	tomlAllow struct {
		Condition   string
		Paths       []string
		RegexTarget string
		Regexes     []string
		StopWords   []string
	}
)

// parseTOML panics when the text is malformed: it is compiled into the program,
// and the tests parse all of it.
func parseTOML(text string) tomlFile {
	var f tomlFile
	if err := toml.Unmarshal([]byte(text), &f); err != nil {
		panic(fmt.Sprintf("secrets: built-in rules: %v", err))
	}
	return f
}

// A rule parses and compiles itself in steps, each when first needed.
type rule struct {
	order int // in the configuration: earlier rules name a finding first
	text  string

	parse sync.Once
	spec  tomlRule
	plan  plan
	path  lazyRegexp

	partly  partial
	compile sync.Once
	full    lazyRegexp
	allow   []allowlist
}

func (r *rule) load() {
	r.parse.Do(func() {
		r.spec = parseTOML(r.text).Rules[0]
		r.plan.derive(r.spec.Regex, r.spec.Keywords)
		r.full.text, r.path.text = r.spec.Regex, r.spec.Path
	})
}

// prepare readies what is needed from the first candidate on.
func (r *rule) prepare() {
	r.compile.Do(func() {
		r.allow = newAllowlists(r.spec.Allowlists, r.spec.Allowlist)
	})
}

// applies tells whether the rule looks at this kind of file at all.
func (r *rule) applies(path string) bool {
	return r.spec.Regex != "" && (r.spec.Path == "" || path == "" || r.path.get().MatchString(path))
}
