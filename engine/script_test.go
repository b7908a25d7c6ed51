package engine_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	. "waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/drivertest"
	"waferpair/engine/script"
)

// written has the same answer in every format, with characters of one to four bytes in the
// prose and in the edits.
var written = map[string]string{
	"v4a":    "Ä世🙂.\n*** Begin Patch\n*** Update File: a.go\n@@\n one\n-two 🙂\n+zwei 🙃é世\n*** End Patch\n🙂\n",
	"blocks": "Ä世🙂.\na.go\n<<<<<<< SEARCH\ntwo 🙂\n=======\nzwei 🙃é世\n>>>>>>> REPLACE\n🙂\n",
	"whole":  "Ä世🙂.\na.go\n```go\none\nzwei 🙃é世\nthree\n```\n🙂\n",
}

// TestCharactersSplitOverChunks cuts each answer at every place, also inside characters,
// and plays it as a script: in UTF-8, and in JSON's escapes.
func TestCharactersSplitOverChunks(t *testing.T) {
	for format, answer := range written {
		t.Run(format+"/bytes", func(t *testing.T) {
			for cut := range len(answer) { // also inside characters
				playSplit(t, answer, quoted(answer[:cut]), quoted(answer[cut:]))
			}
		})
		t.Run(format+"/escapes", func(t *testing.T) {
			units := utf16.Encode([]rune(answer))
			for cut := range units {
				playSplit(t, answer, escaped(units[:cut]), escaped(units[cut:]))
			}
			var each []string
			for i := range units {
				each = append(each, escaped(units[i:i+1]))
			}
			playSplit(t, answer, each...)
		})
	}
}

func quoted(s string) string {
	return `"` + strings.NewReplacer("\n", `\n`, `"`, `\"`, `\`, `\\`).Replace(s) + `"`
}

func escaped(units []uint16) string {
	var b strings.Builder
	for _, u := range units {
		fmt.Fprintf(&b, `\u%04x`, u)
	}
	return `"` + b.String() + `"`
}

// playSplit plays texts, given as JSON strings, and checks all effects.
func playSplit(t *testing.T, answer string, texts ...string) {
	t.Helper()
	var lines strings.Builder
	for _, s := range texts {
		lines.WriteString(`{"text":` + s + "}\n")
	}
	path := filepath.Join(t.TempDir(), "answer.jsonl")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p := drivertest.NewMemory(map[string]string{"a.go": "one\ntwo 🙂\nthree\n"})
	turn := NewSession(p).Start(t.Context(), Request{Driver: agent.New(script.Model{Path: path})})
	var prose strings.Builder
	for ev := range turn.Events() {
		if ev, ok := ev.(Prose); ok {
			prose.WriteString(ev.Text)
		}
		if b, err := json.Marshal(ev); err != nil || strings.Contains(string(b), "\uFFFD") {
			t.Fatalf("%s\nsent %s (%v)", lines.String(), b, err)
		}
	}
	out := turn.Wait()
	if got := p.Texts["a.go"].String(); got != "one\nzwei 🙃é世\nthree\n" || out.Said != answer ||
		prose.String() != "Ä世🙂.\n🙂\n" {
		t.Fatalf("%s\nwrote %q, said %q, prose %q (%v)", lines.String(), got, out.Said, prose.String(), out)
	}
}

// TestHalfACharacterAtTheEnd checks that the missing half becomes a replacement character.
func TestHalfACharacterAtTheEnd(t *testing.T) {
	for name, c := range map[string]struct{ script, said string }{
		"the end":          {`{"text":"a\ud83d"}`, "a\uFFFD"},
		"other text":       {`{"text":"a\ud83d"}` + "\n" + `{"text":"b"}`, "a\uFFFDb"},
		"a second half":    {`{"text":"\ude00b"}`, "\uFFFDb"},
		"an escaped slash": {`{"text":"a\\ud83d"}` + "\n" + `{"text":"b"}`, `a\ud83db`},
		"before an error":  {`{"text":"a\ud83d"}` + "\n" + `{"error":"gone"}`, "a\uFFFD"},
		"a steer's part":   {`{"text":"a\ud83d"}` + "\n" + `{"steer":true}` + "\n" + `{"text":"\ude00"}`, "a\uFFFD"},
		"no text":          {`{"text":"a\ud83d"}` + "\n" + `{"after_ms":1}` + "\n" + `{"text":"\ude00"}`, "a😀"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "answer.jsonl")
			if err := os.WriteFile(path, []byte(c.script), 0o600); err != nil {
				t.Fatal(err)
			}
			turn := NewSession(drivertest.NewMemory(nil)).Start(t.Context(),
				Request{Driver: agent.New(script.Model{Path: path})})
			if out := drain(turn); out.Said != c.said {
				t.Errorf("said %q, want %q", out.Said, c.said)
			}
		})
	}
}
