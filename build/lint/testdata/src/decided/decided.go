// Package decided drops errors by name: where that is not enough, the function says so.
package decided

import (
	"errors"
	"fmt"
	"os"
)

func fails() error { return errors.New("no") }

func given(do func() error) error { return do() }

func ofNoReason() {
	_ = fails()
	_ = given(func() error { return fails() })
	_, _ = fmt.Sscan("1")
}

func ofGoodReason(f *os.File) {
	_ = f.Close()

	_ = fails() // it is said why

	_ = given(func() error { return nil })

	// above it, too
	_, _ = fmt.Sscan("1")
}
