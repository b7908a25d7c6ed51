//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// Together makes a command end with all that it started when its context ends: the go command's
// compilers would go on without it.
func Together(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
