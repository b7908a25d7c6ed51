package model

import "testing"

// TestAnAnswerThatBeginsWithinAThought checks where the answer begins when nothing says that the thought does.
func TestAnAnswerThatBeginsWithinAThought(t *testing.T) {
	for text, want := range map[string]struct {
		thought, answer string
		inside          bool
	}{
		"hm\n</think>\n\nyes</think>":   {"hm\n", "yes</think>", false},
		"<think>hm</think>yes":          {"hm", "yes", false},
		"</think>yes":                   {"", "yes", false},
		"yes, <b> and </thin air, done": {"", "yes, <b> and </thin air, done", true},
	} {
		for n := 1; n <= len(text); n++ {
			th := Thinking{Inside: true}
			var thought, answer string
			for at := 0; at < len(text); at += n {
				a, b := th.Push(text[at:min(at+n, len(text))])
				thought, answer = thought+a, answer+b
			}
			a, b := th.Close()
			thought, answer = thought+a, answer+b
			if thought != want.thought || answer != want.answer || th.Inside != want.inside {
				t.Errorf("%q in %d: %q, %q, %v", text, n, thought, answer, th.Inside)
			}
		}
	}
}
