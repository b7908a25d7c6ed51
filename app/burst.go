package app

import "time"

// What the user types is live at once and journaled within draftEvery. It
// becomes an edit of the history when the burst ends: after a pause, or after
// so long without one, or when something needs it to be recorded (a save that
// was asked for, a turn, a revert, the end of the program).
//
// A burst that ends inside what may become a secret is waited for longer, so
// that it is recorded with the secret, masked. When the rest comes later still,
// history masks what it was given of it (history.Hide). Drafts have it in clear
// meanwhile: what a crash leaves of them is what was typed.
const (
	burstPause = time.Second
	burstLong  = 15 * time.Second

	secretPause = 10 * time.Second
	secretLong  = time.Minute
)

// burst is when the user typed what is not recorded yet.
type burst struct {
	began, last time.Time
	secret      bool // it seems to end inside a secret
}

// key notes that the user typed.
func (b *burst) key(now time.Time) {
	if b.began.IsZero() {
		b.began = now
	}
	b.last, b.secret = now, false
}

// ends is when the burst is to be recorded.
func (b burst) ends() time.Time {
	pause, long := b.last.Add(burstPause), b.began.Add(burstLong)
	if b.secret {
		pause, long = b.last.Add(secretPause), b.began.Add(secretLong)
	}
	if pause.Before(long) {
		return pause
	}
	return long
}
