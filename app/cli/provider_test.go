package cli

import (
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"waferpair/engine/responses/fake"
)

// kinds are the providers that stories can start.
var kinds = map[string]func() fake.Caps{"openai": fake.OpenAI, "vllm": fake.VLLM, "cerebras": fake.Cerebras,
	"openrouter": fake.OpenRouter, "ollama": fake.Ollama}

// cmdProvider starts a provider and sets the variable NAME_URL to its address. It ends with the story.
// With a key, it refuses requests that have another. Its model counts when it is asked to, gives an
// answer to a question, and otherwise changes the first line of a.txt to "changed" with its tool.
func cmdProvider(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) >= 2 && len(args) <= 3 && kinds[args[1]] != nil, "provider NAME KIND [KEY]")
	s := fake.New(kinds[args[1]](), says)
	if len(args) == 3 {
		s.SetKey(args[2])
	}
	h, err := s.Serve()
	ts.Check(err)
	ts.Defer(h.Close)
	ts.Setenv(args[0]+"_URL", h.URL)
}

// twoHunks is an answer that breaks off when it is asked to, in its second hunk.
const twoHunks = "*** Begin Patch\n*** Update File: a.txt\n@@\n a\n+first\n@@\n b\n+second\n+third\n*** End Patch\n"

func says(r *fake.Request) fake.Answer {
	switch {
	case strings.Contains(r.Text(), "--- turn ") && r.Has("refuse to sum up"):
		return fake.Answer{Fault: fake.Status(400, "", "no summaries today")}
	case strings.Contains(r.Text(), "--- turn "): // of which it is asked for a summary
		return fake.Answer{Items: []fake.Item{
			fake.Say("They told stories about a.txt. The key was ghp_16C7e42F292c6912E7710c838347Ae178B4a.")}}
	case strings.Contains(r.Text(), "tell a story"):
		return fake.Answer{Items: []fake.Item{fake.Say("Once upon a time. " + strings.Repeat("And so on. ", 400))}}
	case strings.Contains(r.Text(), "numbers from 1 to 200"):
		var words []string
		for n := range 200 {
			words = append(words, strconv.Itoa(n+1))
		}
		return fake.Answer{Items: []fake.Item{fake.Say(strings.Join(words, " "))}}
	case r.Tools["ready"] != "":
		return fake.Answer{Items: []fake.Item{fake.Call("ready", "{}")}}
	case strings.Contains(r.Text(), "where is"):
		return fake.Answer{Items: []fake.Item{fake.Say("It is in a.txt:1, not in a.txt:9.")}}
	case strings.Contains(r.Text(), "when busy") && r.N == 0:
		return fake.Answer{Fault: fake.RateLimited("0.2")}
	case strings.Contains(r.Text(), "in words"):
		return fake.Answer{Items: []fake.Item{fake.Say("I did it!")}}
	case strings.Contains(r.Text(), "say nothing"):
		return fake.Answer{Items: []fake.Item{fake.Say(" ")}}
	case strings.Contains(r.Text(), "as a diff"):
		return fake.Answer{Items: []fake.Item{fake.Say(
			"Here.\n\n```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1,9 +1,9 @@\n-a\n+A\n" +
				" b\n--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-a\n+b\n```\nSo.\n")}}
	case r.Has("a.txt, lines 1 to 1 of 2"):
		return fake.Answer{Items: []fake.Item{fake.Say("It has two lines.")}}
	case strings.Contains(r.Text(), "look first"):
		return fake.Answer{Items: []fake.Item{fake.Say("I look."), fake.Call("read", `{"path":"a.txt","from":1,"to":1}`),
			fake.Call("shell", "{}")}}
	case strings.Contains(r.Text(), "break off"):
		return fake.Answer{Items: []fake.Item{fake.Say(twoHunks[:len(twoHunks)-30])}, Stop: "max_output_tokens"}
	case strings.Contains(r.Text(), "Your last answer broke off.") && r.Has(twoHunks[:40]):
		return fake.Answer{Items: []fake.Item{fake.Say(twoHunks)}}
	case strings.Contains(r.Text(), "change the first line") && r.Tools["apply_patch"] != "":
		return fake.Answer{Items: []fake.Item{fake.Custom("apply_patch",
			"*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+changed\n*** End Patch\n")}}
	}
	return fake.Answer{Items: []fake.Item{fake.Say("ready")}}
}
