package mask

import (
	"strings"

	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// Lift gives the true bytes of a version that history holds as want, from the true
// text of the file now. Secrets that the version shares with the file
// keep their true bytes; one that only the version had cannot come back.
func Lift(path string, now, want text.Text) ([]byte, error) {
	m, found := Text(path, now)
	if found == 0 && !Has(want.String()) {
		return want.Bytes(), nil
	}
	cs := text.Diff(m, want)
	for c := range cs.Changes {
		if Has(c.Insert) {
			return nil, &LostError{path}
		}
	}
	t, err := cs.Apply(now)
	return t.Bytes(), err
}

// Has reports whether text that history holds has a masked secret in it.
func Has(s string) bool { return strings.Contains(s, minFiller) }

// minFiller is what at least stands in the place of a secret.
const minFiller = secrets.Filler

// LostError says that a version cannot be brought back because the history does
// not hold the secret that was in it.
type LostError struct{ Path string }

func (e *LostError) Error() string {
	return e.Path + ": that version held a secret, which the history does not keep; nothing was written. Edit the file by hand, or revert the other edits one by one"
}
