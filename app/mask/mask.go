package mask

import (
	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// whole is the size up to which every edit searches the whole file. In a larger file it searches
// only around the edit.
const whole = 256 << 10

// around is the distance around an edit that is searched in a large file, in bytes.
const around = 16 << 10

// Text returns the masked text, and the number of masked secrets.
func Text(path string, t text.Text) (text.Text, int) {
	b, found := secrets.Mask(path, t.Bytes())
	if len(found) == 0 {
		return t, 0
	}
	return text.Of(b), len(found)
}

// Change masks a change. was is the masked text before, after the true text after the change. It
// returns the masked change, the masked text after it, and whether that hides a secret.
func Change(path string, was text.Text, cs text.ChangeSet,
	after text.Text, redacted bool) (text.ChangeSet, text.Text, bool, error) {
	next, err := cs.Apply(was)
	if err != nil {
		return cs, after, redacted, err
	}
	if !redacted && after.Len() > whole {
		return changePart(path, cs, next, after)
	}
	m, n := Text(path, after)
	if n == 0 && !redacted {
		return cs, after, false, nil
	}
	return withMask(cs, next, m, n > 0)
}

// changePart searches for secrets only around the change; the rest of the file has none.
func changePart(path string, cs text.ChangeSet, next, after text.Text) (text.ChangeSet, text.Text, bool, error) {
	from, to := touchedAfter(cs)
	from = after.LineStart(after.LineAt(max(0, from-around)))
	to = min(after.Len(), to+around)
	part, n := Text(path, after.Slice(from, to))
	if n == 0 {
		return cs, after, false, nil
	}
	m := after.Slice(0, from).Concat(part).Concat(after.Slice(to, after.Len()))
	return withMask(cs, next, m, true)
}

// touchedAfter returns the range that a change touches, in the text after it.
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

// withMask extends cs so that its result is want, which differs from its current result, next,
// only in masked bytes.
func withMask(cs text.ChangeSet, next, want text.Text, redacted bool) (text.ChangeSet, text.Text, bool, error) {
	fix, err := text.NewChangeSet(next.Len(), differing(next.Bytes(), want.Bytes())...)
	if err != nil {
		return cs, want, redacted, err
	}
	all, err := cs.Compose(fix)
	return all, want, redacted, err
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
