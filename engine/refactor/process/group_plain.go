//go:build !unix

package process

import "os/exec"

// Together does nothing here.
func Together(*exec.Cmd) {}
