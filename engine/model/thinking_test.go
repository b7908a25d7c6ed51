package model

import "testing"

// TestThinking separates thought from the answer however the text is cut.
func TestThinking(t *testing.T) {
	for text, want := range map[string][2]string{
		"<think>a<b></think>\n\nc <think>d</think>": {"a<b>", "c <think>d</think>"},
		" \n<think></think>c":                       {"", "c"},
		"<think>a</thi":                             {"a</thi", ""},
		"<thinks>c":                                 {"", "<thinks>c"},
		"<thi":                                      {"", "<thi"},
		"c</think>":                                 {"", "c</think>"},
		" c":                                        {"", " c"},
	} {
		for size := 1; size <= len(text); size++ {
			var of Thinking
			var got [2]string
			for from := 0; from < len(text); from += size {
				thought, answer := of.Push(text[from:min(from+size, len(text))])
				got[0], got[1] = got[0]+thought, got[1]+answer
			}
			thought, answer := of.Close()
			if got[0], got[1] = got[0]+thought, got[1]+answer; got != want {
				t.Errorf("%q in pieces of %d: %q, want %q", text, size, got, want)
			}
		}
	}
}
