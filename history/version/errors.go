package version

import "errors"

var (
	// ErrNoEdit means that no edit has this ID.
	ErrNoEdit = errors.New("there is no edit with this ID")
	// ErrPurged means that the content was removed on purpose.
	ErrPurged = errors.New("its content was purged from the history")
	// ErrReclaimed is an ErrPurged: the content was removed to keep the history below its
	// cap.
	ErrReclaimed error = reclaimed{}
	// ErrDamaged means that stored bytes do not match their recorded hash.
	ErrDamaged = errors.New("stored content does not match its recorded hash; run `waferpair history check`")
)

type reclaimed struct{}

func (reclaimed) Error() string {
	return "its content was reclaimed to keep the history below its limit (`waferpair history size` shows it)"
}

func (reclaimed) Is(err error) bool { return err == ErrPurged }
