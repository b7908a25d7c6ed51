package secrets

import (
	"slices"
	"strings"
	"testing"
)

// TestSplitRules compares the fast reading of the configuration with the real one.
func TestSplitRules(t *testing.T) {
	want := parseTOML(defaultRules()).Rules
	_, blocks := splitRules(defaultRules())
	if len(blocks) != len(want) || len(want) < 200 {
		t.Fatalf("%d rules, TOML has %d", len(blocks), len(want))
	}
	for i, b := range blocks {
		var keywords []string
		for _, k := range want[i].Keywords {
			keywords = append(keywords, strings.ToLower(k))
		}
		if !slices.Equal(b.keywords, keywords) {
			t.Errorf("%s: keywords %q, TOML has %q", want[i].ID, b.keywords, keywords)
		}
		got := parseTOML(b.text).Rules
		if len(got) != 1 || got[0].ID != want[i].ID || got[0].Regex != want[i].Regex ||
			len(got[0].Allowlists) != len(want[i].Allowlists) {
			t.Errorf("rule %d, %s: its text does not stand alone: %v", i, want[i].ID, got)
		}
	}
}

// TestRulesCompile compiles everything that is otherwise compiled on first use, and counts
// the rules that have a probe.
func TestRulesCompile(t *testing.T) {
	d := newDetector(defaultRules())
	if d.words == nil {
		t.Fatal("the keywords do not fit into the automaton")
	}
	for _, a := range d.global.get() {
		a.paths.get()
		a.regexes.get()
	}
	probes := 0
	for _, r := range d.rules {
		r.load()
		r.prepare()
		r.full.get()
		r.path.get()
		for _, a := range r.allow {
			for _, l := range []*lazyRegexp{a.paths, a.regexes} {
				if l != nil {
					l.get()
				}
			}
		}
		if r.plan.probe.text == "" {
			t.Logf("no probe: %-40s %q", r.spec.ID, r.spec.Keywords)
			continue
		}
		probes++
		r.plan.probe.get()
	}
	if probes < len(d.rules)*9/10 {
		t.Errorf("only %d of %d rules have a probe", probes, len(d.rules))
	}
}
