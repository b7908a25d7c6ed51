package live

import (
	"testing"
	"time"

	"waferpair/workspace/text"
)

// typedInto returns a document into which a user typed a text.
func typedInto(t *testing.T, before string, at int, typed string) *Document {
	t.Helper()
	d := &Document{Path: "a.go", Layers: At(text.OfString(before))}
	cs, err := text.NewChangeSet(d.Live().Len(), text.Change{From: text.Byte(at), To: text.Byte(at), Insert: typed})
	if err != nil {
		t.Fatal(err)
	}
	after, err := cs.Apply(d.Live())
	if err == nil {
		err = d.Type(cs, after)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestABurstWaitsForTheEndOfASecret(t *testing.T) {
	for _, c := range []struct {
		before string
		at     int
		typed  string
		want   bool
	}{
		{"x := \"\"\n", 6, "gh" + "p_9sKq", true},
		{"x := \"gh" + "p_9sKq\"\n", 10, "7", true}, // in the middle of the secret
		{"", 0, "password = hun", true},
		{"", 0, "password = read()\n", false},
		{"", 0, "func main() {", false},
		{"token = abc\n", 12, "other text", false}, // elsewhere
	} {
		d := typedInto(t, c.before, c.at, c.typed)
		if got := d.endsInSecret(); got != c.want {
			t.Errorf("%q typed into %q: %v", c.typed, c.before, got)
		}
	}
}

func TestABurstThatEndsInASecretWaitsForABoundedTime(t *testing.T) {
	began := time.Now()
	b := burst{began: began, last: began, secret: true}
	if got := b.ends().Sub(began); got != secretPause {
		t.Errorf("it waits for %v", got)
	}
	b.last = began.Add(2 * secretLong)
	if got := b.ends().Sub(began); got != secretLong {
		t.Errorf("with typing all the time it waits for %v", got)
	}
	if b.key(began.Add(time.Second)); b.ends().Sub(began) != time.Second+burstPause {
		t.Error("what is typed next is not looked at anew")
	}
}
