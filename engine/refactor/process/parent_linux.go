package process

import (
	"os/exec"
	"syscall"
)

// WithParent makes a command end when this program does, however that ends. Call it after Together.
func WithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
