package live

import (
	"context"
	"time"

	"waferpair/workspace/secrets"
)

// What the user types is live at once and journaled within DraftEvery. It becomes an
// edit of the history when the burst ends: after a pause, after a maximum time without
// one, or as soon as something needs it recorded (an explicit save, a turn, a revert,
// the end of the program).
//
// A burst that ends inside a possible secret gets more time, so that the whole secret
// is recorded at once, and masked. If the rest arrives even later, history masks the
// part that it already has (history.Hide). Until then drafts hold the text unmasked,
// because a crash must not change what was typed.
const (
	burstPause = time.Second
	burstLong  = 15 * time.Second

	secretPause = 10 * time.Second
	secretLong  = time.Minute
)

// burst is the time span of the typing that is not recorded yet.
type burst struct {
	began, last time.Time
	secret      bool // the text seems to end inside a secret
}

// key extends the burst: the user typed.
func (b *burst) key(now time.Time) {
	if b.began.IsZero() {
		b.began = now
	}
	b.last, b.secret = now, false
}

// ends returns when to record the burst.
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

// Key extends the burst: the user typed.
func (d *Document) Key(now time.Time) {
	d.key(now)
	d.undrafted = d.Tracked()
}

// Keep journals unrecorded changes that are due, and records the user's typing when
// its burst has ended. It returns when to call it again; more is false when nothing is
// left to do.
func (d *Document) Keep(ctx context.Context, now time.Time) (next time.Time, more bool) {
	next, more = d.keepTyped(ctx, now)
	if at, hunk := d.keepHunk(ctx, now); hunk && (!more || at.Before(next)) {
		return at, true
	}
	return next, more
}

func (d *Document) keepTyped(ctx context.Context, now time.Time) (next time.Time, more bool) {
	if !d.Typing() {
		d.burst, d.undrafted = burst{}, false
		d.undraft(ctx, d.typeDrafted)
		return next, false
	}
	if !now.Before(d.ends()) && !d.secret {
		d.secret = d.Tracked() && d.endsInSecret()
	}
	if ends := d.ends(); !now.Before(ends) && !d.Moving() {
		err := d.RecordTyped(ctx)
		d.host.Trouble(d.Path, err)
		if err == nil {
			d.undrafted = false
			return next, false
		}
		d.burst = burst{began: now, last: now.Add(RetryAfter - burstPause)}
	}
	if next = d.ends(); d.Moving() {
		next = now.Add(DraftEvery)
	}
	if d.undrafted && !d.Moving() && !now.Before(d.draftNext) {
		d.journal(ctx)
	}
	if d.undrafted && d.draftNext.Before(next) {
		next = d.draftNext
	}
	return next, true
}

// RetryAfter is the pause before a failed recording or save is tried again.
const RetryAfter = 5 * time.Second

// endsInSecret reports whether the user's typing ends, in some place, inside a word
// that may become a secret.
func (d *Document) endsInSecret() bool {
	for c := range d.Back().Changes {
		end := c.To
		tail := d.Live().Slice(end, min(d.Live().Len(), end+maxWord)).Bytes()
		for n := 0; n < len(tail) && wordByte(tail[n]); n++ {
			end++
		}
		if _, yes := secrets.Unfinished(d.Path, d.Live().Slice(max(0, end-maxWord), end).Bytes()); yes && c.To > c.From {
			return true
		}
	}
	return false
}

// maxWord bounds the text that is searched for a secret on each side of the caret.
const maxWord = 1 << 10

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
