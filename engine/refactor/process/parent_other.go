//go:build !linux

package process

import "os/exec"

// WithParent does nothing here: such a program has to notice that its input ends.
func WithParent(*exec.Cmd) {}
