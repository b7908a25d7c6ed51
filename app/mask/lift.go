package mask

import (
	"strings"

	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

// Lift returns the unmasked bytes of a version whose recorded text is want; now is the
// unmasked text of the file at present. A secret that both have keeps its bytes. A secret
// that only the version had is lost: Lift returns a LostError.
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

// Has reports whether a recorded text has a masked secret in it.
func Has(s string) bool { return strings.Contains(s, minFiller) }

// minFiller is the shortest text that replaces a secret.
const minFiller = secrets.Filler

// LostError means that a version cannot be restored, because the history does not hold a
// secret that was in it.
type LostError struct{ Path string }

func (e *LostError) Error() string {
	return e.Path + ": that version held a secret, which the history does not keep; nothing was written. Edit the file by hand, or revert the other edits one by one"
}
