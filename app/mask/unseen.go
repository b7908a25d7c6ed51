package mask

import (
	"strings"

	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// Unseen returns why a change by a model that read a masked text must not be made; "" when it may. A
// model may change everything around a secret, but it can neither rewrite a line of one, because it
// would write the mask, nor remove one that it has not seen. plain means that the file
// itself has the text of a mask.
func Unseen(path string, t text.Text, cs text.ChangeSet, plain bool) string {
	for c := range cs.Changes {
		if c.From < c.To && holds(path, t, c.From, c.To) {
			return "the line holds a secret that the model cannot see, so it was left as it is; edit it by hand"
		}
		if !plain && strings.Contains(c.Insert, secrets.Filler) {
			return "the new text has a mask in place of a secret that the model cannot see; write it by hand"
		}
	}
	return ""
}

// holds reports whether a part of a text holds a secret, or a piece of one.
func holds(path string, t text.Text, from, to text.Byte) bool {
	start := t.LineStart(t.LineAt(max(0, from-around)))
	for _, f := range secrets.Find(path, t.Slice(start, min(t.Len(), to+around)).Bytes()) {
		if start+text.Byte(f.From) < to && start+text.Byte(f.To) > from {
			return true
		}
	}
	return false
}
