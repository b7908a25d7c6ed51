package mask

import (
	"waferpair/history"
	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// Hide returns the parts of secrets that a change completes and that were there before, so that
// history masks them in earlier versions. It is nil when no version can have any. was is the
// masked form of the text before.
func Hide(path string, before, was text.Text, cs text.ChangeSet, after text.Text, journaled bool) *history.Hide {
	from, to := touchedAfter(cs)
	from = after.LineStart(after.LineAt(max(0, from-around)))
	to = min(after.Len(), to+around)
	finds := secrets.Find(path, after.Slice(from, to).Bytes())
	h := history.Hide{}
	finished := false
	for _, f := range finds {
		secret := text.Range{From: from + text.Byte(f.From), To: from + text.Byte(f.To)}
		if !touches(cs, secret) {
			continue
		}
		finished = true
		for _, r := range unchangedBefore(before, cs, secret) {
			if before.Slice(r.From, r.To).Equal(was.Slice(r.From, r.To)) { // not masked yet
				h.Ranges = append(h.Ranges, r)
			}
		}
	}
	if !finished || len(h.Ranges) == 0 && !journaled {
		return nil
	}
	return &h
}

// nearSecret is the largest distance between a secret and a change that completes it: a rule may
// depend on the text around a secret.
const nearSecret = 8

func touches(cs text.ChangeSet, secret text.Range) bool {
	shift := text.Byte(0)
	for c := range cs.Changes {
		at := c.From + shift
		end := at + text.Byte(len(c.Insert))
		if at <= secret.To+nearSecret && end >= secret.From-nearSecret {
			return true
		}
		shift += text.Byte(len(c.Insert)) - (c.To - c.From)
	}
	return false
}

// unchangedBefore returns the parts of a range that were there before a change, and where. Text that
// the change replaces by itself counts.
func unchangedBefore(before text.Text, cs text.ChangeSet, after text.Range) (out []text.Range) {
	at, shift := text.Byte(0), text.Byte(0)
	add := func(from, to text.Byte) {
		if a, b := max(from, after.From-shift), min(to, after.To-shift); a < b {
			out = append(out, text.Range{From: a, To: b})
		}
	}
	for c := range cs.Changes {
		front, back := text.Same(before.Slice(c.From, c.To).String(), c.Insert)
		add(at, c.From+front)
		at, shift = c.To-back, shift+text.Byte(len(c.Insert))-(c.To-c.From)
	}
	add(at, cs.Len())
	return out
}
