package keys

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// hidden is what a Secret shows.
const hidden = "•••"

// maxKey bounds the length of a key; Windows' keyring takes no more.
const maxKey = 2560

// Secret is a key. It does not print itself, not even as an unexported field of something else, where
// printing does not call methods: it holds the text in a function.
type Secret struct{ text func() string }

// Format prints the same for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(hidden)) } // a State does not fail

// String, GoString, MarshalText, MarshalJSON and LogValue hide the key from everything that prints.
func (s Secret) String() string               { return hidden }
func (s Secret) GoString() string             { return hidden }
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(hidden) }

// Reveal returns the key, for the header of a request.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return s.text()
}

// IsZero reports whether there is no key.
func (s Secret) IsZero() bool { return s.text == nil }

// New checks a key. Spaces around it, and the newline at its end, do not count.
func New(text string) (Secret, error) {
	text = strings.Trim(text, " \t\r\n")
	switch {
	case text == "":
		return Secret{}, errors.New("the key is empty")
	case len(text) > maxKey:
		return Secret{}, fmt.Errorf("the key has %d characters, more than the %d of a key", len(text), maxKey)
	case strings.ContainsAny(text, "\r\n"):
		return Secret{}, errors.New("the key has a line break in it; give one line")
	}
	for _, c := range text {
		if c <= ' ' || c > '~' {
			return Secret{}, errors.New("the key has a space, a control character or a letter that keys do not have; " +
				"copy it again")
		}
	}
	return Secret{func() string { return text }}, nil
}
