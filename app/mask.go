package app

import (
	"strings"

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
