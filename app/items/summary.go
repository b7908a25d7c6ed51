package items

import (
	"bytes"
	"encoding/json"

	"waferpair/engine/model"
	"waferpair/history"
)

// Summary is an item about the summary of earlier turns of a session, in the turn that asked for it.
// The latest one in a session counts.
type Summary struct {
	First, Last int64  // the turns that it stands for
	Text        string // "": there is none
	Failed      string // why there is none
	Back        bool   // the user took the summary of these turns back
}

func (s Summary) body() body {
	b := body{Type: summary, First: s.First, Last: s.Last, Failed: s.Failed, Back: s.Back}
	if s.Text != "" {
		b.Content = []content{{Type: model.OutputText, Text: s.Text}}
	}
	return b
}

// Summarize adds a summary.
func (l *Log) Summarize(s Summary) {
	l.aside(s.body()).whole = true
}

// Item returns a summary as an item of its own, masked for the history.
func (s Summary) Item() (history.Item, error) {
	it := &item{body: s.body(), whole: true}
	return it.now().record()
}

// Summaries returns those among the items of a turn, oldest first.
func Summaries(items []history.Item) (out []Summary) {
	for _, it := range items {
		if !bytes.Contains(it.Body, []byte(summary)) { // most are not, and every prompt looks at all
			continue
		}
		var b body
		if json.Unmarshal(it.Body, &b) == nil && b.Type == summary {
			out = append(out, Summary{b.First, b.Last, b.text(), b.Failed, b.Back})
		}
	}
	return out
}
