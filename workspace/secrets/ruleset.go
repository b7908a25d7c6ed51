package secrets

import (
	"fmt"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/zricethezav/gitleaks/v8/config"
)

func defaultRules() string { return config.DefaultConfig }

// block is the TOML text of one rule with its keywords. Parsing the whole configuration
// takes milliseconds that most commands do not need, so a scan of lines reads the keywords,
// and a rule's text is parsed only when one of its keywords occurs.
type block struct {
	text     string
	keywords []string
}

const ruleStart = "[[rules]]\n"

// splitRules splits the configuration into the part before the first rule and the rules.
func splitRules(source string) (head string, blocks []block) {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	parts := strings.Split("\n"+source, "\n"+ruleStart)
	for _, text := range parts[1:] {
		blocks = append(blocks, block{text: ruleStart + text, keywords: keywordsOf(text)})
	}
	return parts[0], blocks
}

// keywordsOf parses `keywords = ["a", "b"]`, on one line or several.
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

// The parts of the configuration that are used here.
type (
	tomlFile struct {
		Rules      []tomlRule
		Allowlist  *tomlAllow // deprecated spelling of a single element of Allowlists
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

// parseTOML panics if the text is malformed: it is compiled into the program, and the tests
// parse all of it.
func parseTOML(text string) tomlFile {
	var f tomlFile
	if err := toml.Unmarshal([]byte(text), &f); err != nil {
		panic(fmt.Sprintf("secrets: built-in rules: %v", err))
	}
	return f
}

// rule parses and compiles itself in steps, each on first use.
type rule struct {
	order int // position in the configuration: earlier rules name a finding first
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

// prepare compiles what is needed from the first candidate on.
func (r *rule) prepare() {
	r.compile.Do(func() {
		r.allow = newAllowlists(r.spec.Allowlists, r.spec.Allowlist)
	})
}

// applies reports whether the rule applies to this kind of file at all.
func (r *rule) applies(path string) bool {
	return r.spec.Regex != "" && (r.spec.Path == "" || path == "" || r.path.get().MatchString(path))
}
