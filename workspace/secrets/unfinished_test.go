package secrets

import (
	"strings"
	"testing"
)

// TestUnfinishedKnowsTheBeginnings: whatever is missing of a token, its beginning is
// recognized as soon as the keyword of its rule is complete.
func TestUnfinishedKnowsTheBeginnings(t *testing.T) {
	for _, p := range tokens {
		token := p.token(11)
		before, _, _ := strings.Cut(p.context, "%s")
		missed := 0
		for n := 6; n < len(token); n++ {
			b := []byte("first line\n" + before + token[:n])
			from, ok := Unfinished("a.txt", b)
			if !ok && len(Find("a.txt", b)) == 0 {
				missed++
			} else if ok && from < len("first line\n") {
				t.Errorf("%s: %d letters begin at %d", p.rule, n, from)
			}
		}
		if most := map[string]int{"openai-api-key": 26, "slack-webhook-url": 18}[p.rule]; missed > max(10, most) {
			t.Errorf("%s: %d of %d beginnings are not known", p.rule, missed, len(token))
		}
	}
}

func TestUnfinishedLeavesOrdinaryTextAlone(t *testing.T) {
	for _, s := range []string{
		"", "gh", "ghp_", "package main\n\nfunc main() {\n\tfmt.Println(", "the key", "a task for S", "ask", "return token",
		"token := next()", "for key, value := range m {", "password = os.Getenv(\"PW\")\n", "AKIA is a prefix",
	} {
		if from, ok := Unfinished("a.go", []byte(s)); ok {
			t.Errorf("%q: a secret from %d", s, from)
		}
	}
}

func BenchmarkUnfinished(b *testing.B) {
	s := []byte(strings.Repeat("the key of the api is a token, so access = ", 20) + "value")
	for b.Loop() {
		Unfinished("a.go", s)
	}
}
