package app

import (
	"strings"

	"waferpair/history"
	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// History never holds a secret. Before text goes there, every detected token
// is masked by filler of the same length, so that offsets in history are
// offsets in the true text: a change planned on the masked text fits the true
// one, as long as it does not have to bring a masked secret back.

// maskWhole is the size up to which a whole file is searched at each edit. In
// a larger one only the surroundings of the edit are.
const maskWhole = 256 << 10

// maskAround is how far around an edit a large file is searched, in bytes.
const maskAround = 16 << 10

// masked returns text as history may hold it, and how many secrets it hides.
func masked(path string, t text.Text) (text.Text, int) {
	b, found := secrets.Mask(path, t.Bytes())
	if len(found) == 0 {
		return t, 0
	}
	return text.Of(b), len(found)
}

// maskChange gives a change as history may hold it. was is the masked text
// before, after the true text that the change leads to. It returns the masked
// change, the masked text after it, and whether any secret is hidden in that.
func maskChange(path string, was text.Text, cs text.ChangeSet, after text.Text, hidden bool) (text.ChangeSet, text.Text, bool, error) {
	next, err := cs.Apply(was)
	if err != nil {
		return cs, after, hidden, err
	}
	if !hidden && after.Len() > maskWhole {
		return maskPart(path, cs, next, after)
	}
	m, n := masked(path, after)
	if n == 0 && !hidden {
		return cs, after, false, nil
	}
	return withMask(cs, next, m, n > 0)
}

// maskPart looks for secrets only around the change; nothing else in the file
// holds one.
func maskPart(path string, cs text.ChangeSet, next, after text.Text) (text.ChangeSet, text.Text, bool, error) {
	from, to := touchedAfter(cs)
	from = after.LineStart(after.LineAt(max(0, from-maskAround)))
	to = min(after.Len(), to+maskAround)
	part, n := masked(path, after.Slice(from, to))
	if n == 0 {
		return cs, after, false, nil
	}
	m := after.Slice(0, from).Concat(part).Concat(after.Slice(to, after.Len()))
	return withMask(cs, next, m, true)
}

// touchedAfter is the range that a change touches, in the text after it.
func touchedAfter(cs text.ChangeSet) (from, to text.Byte) {
	shift, first := text.Byte(0), true
	for c := range cs.Changes {
		if first {
			from, first = c.From, false
		}
		shift += text.Byte(len(c.Insert)) - (c.To - c.From)
		to = c.To + shift
	}
	return from, max(from, to)
}

// withMask extends cs so that it leads to want, which differs from what it
// leads to now, next, only in masked bytes.
func withMask(cs text.ChangeSet, next, want text.Text, hidden bool) (text.ChangeSet, text.Text, bool, error) {
	fix, err := text.NewChangeSet(next.Len(), differing(next.Bytes(), want.Bytes())...)
	if err != nil {
		return cs, want, hidden, err
	}
	all, err := cs.Compose(fix)
	return all, want, hidden, err
}

// differing lists the runs in which two slices of equal length differ.
func differing(a, b []byte) []text.Change {
	var out []text.Change
	for i := 0; i < len(a); i++ {
		if a[i] == b[i] {
			continue
		}
		j := i
		for j < len(a) && a[j] != b[j] {
			j++
		}
		out = append(out, text.Change{From: text.Byte(i), To: text.Byte(j), Insert: string(b[i:j])})
		i = j
	}
	return out
}

// maskWords hides secrets in what the user typed.
func maskWords(s string) string {
	m, _ := secrets.Mask("", []byte(s))
	return string(m)
}

// errSecret says that a version cannot be brought back because the history
// does not hold the secret that was in it.
type errSecret struct{ path string }

func (e *errSecret) Error() string {
	return e.path + ": that version held a secret, which the history does not keep; nothing was written. Edit the file by hand, or revert the other edits one by one"
}

// hide is what a change finishes of secrets: the letters of them that were there
// before, for history to mask in the versions that have them, too. It is nil when
// nothing of them can be anywhere yet. was is the masked form of the text before.
func hide(path string, before, was text.Text, cs text.ChangeSet, after text.Text, journaled bool) *history.Hide {
	from, to := touchedAfter(cs)
	from = after.LineStart(after.LineAt(max(0, from-maskAround)))
	to = min(after.Len(), to+maskAround)
	finds := secrets.Find(path, after.Slice(from, to).Bytes())
	h := history.Hide{}
	finished := false
	for _, f := range finds {
		secret := text.Range{From: from + text.Byte(f.From), To: from + text.Byte(f.To)}
		if !touches(cs, secret) {
			continue
		}
		finished = true
		for _, r := range keptBefore(before, cs, secret) {
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

// nearSecret is how far from a secret a change can be that makes it one: what
// stands around it may be part of how a rule knows it.
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

// keptBefore is what of a range was there before a change, and where. What a
// change replaces by the same text was there.
func keptBefore(before text.Text, cs text.ChangeSet, after text.Range) (out []text.Range) {
	at, shift := text.Byte(0), text.Byte(0)
	take := func(from, to text.Byte) {
		if a, b := max(from, after.From-shift), min(to, after.To-shift); a < b {
			out = append(out, text.Range{From: a, To: b})
		}
	}
	for c := range cs.Changes {
		front, back := text.Same(before.Slice(c.From, c.To).String(), c.Insert)
		take(at, c.From+front)
		at, shift = c.To-back, shift+text.Byte(len(c.Insert))-(c.To-c.From)
	}
	take(at, cs.Len())
	return out
}

// unmask gives the true bytes of a version that history holds as want, from
// the true text of the file now. Secrets that the version shares with the file
// keep their true bytes; one that only the version had cannot come back.
func unmask(path string, now, want text.Text) ([]byte, error) {
	m, found := masked(path, now)
	if found == 0 && !looksMasked(want.String()) {
		return want.Bytes(), nil
	}
	cs := text.Diff(m, want)
	for c := range cs.Changes {
		if looksMasked(c.Insert) {
			return nil, &errSecret{path}
		}
	}
	t, err := cs.Apply(now)
	return t.Bytes(), err
}

// looksMasked reports whether text that history holds has a masked secret in it.
func looksMasked(s string) bool { return strings.Contains(s, maskRun) }

// maskRun is what at least stands in the place of a secret.
const maskRun = secrets.Filler
