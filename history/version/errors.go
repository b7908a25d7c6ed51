package version

import "errors"

var (
	// ErrNoEdit: no edit has this ID.
	ErrNoEdit = errors.New("there is no edit with this ID")
	// ErrPurged: the content asked for was removed on purpose.
	ErrPurged = errors.New("its content was purged from the history")
	// ErrReclaimed is an ErrPurged: it was given up to keep the history below its cap.
	ErrReclaimed error = reclaimed{}
	// ErrDamaged: stored bytes do not match their recorded hash.
	ErrDamaged = errors.New("stored content does not match its recorded hash; run `waferpair history check`")
)

type reclaimed struct{}

func (reclaimed) Error() string {
	return "its content was reclaimed to keep the history below its limit (`waferpair history size` shows it)"
}

func (reclaimed) Is(err error) bool { return err == ErrPurged }
