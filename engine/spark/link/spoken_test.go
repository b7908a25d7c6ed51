package link

import "testing"

// Numbers and files' names that dictation spells in words are units of their own.
func TestSpoken(t *testing.T) {
	table := NewTable(nil, []string{"lib/issue.js", "src/run_file.py", "billing.py"})
	for _, c := range []struct{ request, kind, text string }{
		{"make the two hundred and twenty a constant", "literal", "220"},
		{"bump it to a hundred please", "literal", "100"},
		{"set retention to three hundred sixty five", "literal", "365"},
		{"seventy two hours", "literal", "72"},
		{"threshold zero point four", "literal", "0.4"},
		{"twelve hundred", "literal", "1200"},
		{"two thousand and one", "literal", "2001"},
		{"thirty", "literal", "30"},
		{"set step minutes to five", "literal", "5"},
		{"the two lines", "", ""},
		{"one more parameter, and a test", "", ""},
		{"five twenty", "literal", "20"},
		{"move it to billing dot py", "file", "billing.py"},
		{"kill slug in issue dot js", "file", "issue.js"},
		{"parse line in run file dot p y", "file", "run_file.py"},
		{"put it into types dot ts", "file", "types.ts"},
		{"log dot fine", "", ""},
	} {
		kind, text := "", ""
		for _, u := range (Linker{}).Link(c.request, table) {
			if u.Spoken {
				kind, text = string(u.Kind), u.Text
			}
		}
		if kind != c.kind || text != c.text {
			t.Errorf("%s: %s %q, want %s %q", c.request, kind, text, c.kind, c.text)
		}
	}
}
