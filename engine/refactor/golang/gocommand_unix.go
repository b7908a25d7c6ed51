//go:build unix

package golang

import (
	"os/exec"
	"syscall"
)

// together makes a command end with all that it started: the go command's
// compilers would go on without it.
func together(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
