package mask

import "testing"

func TestWhatIsBeingWrittenHidesTheBeginningOfASecret(t *testing.T) {
	start := "here it is: gh" + "p_9sKqL2vB7"
	if got, want := Growing(start), "here it is: <masked><maske"; got[:12] != want[:12] || got == start ||
		len(got) != len(start) {
		t.Errorf("%q", got)
	}
	if got := Growing("no secret in this sentence"); got != "no secret in this sentence" {
		t.Errorf("%q", got)
	}
}
