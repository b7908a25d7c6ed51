//go:build linux

package faults

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// insideVar marks the process that Inside started.
const insideVar = "WAFERPAIR_FAULTS_INSIDE"

// IsInside reports whether this process is in a mount namespace of its own.
func IsInside() bool { return os.Getenv(insideVar) != "" }

// Inside starts this program again, with the same arguments, in a mount namespace of its own,
// as root or in a user namespace: so its mounts end with it, even if it crashes. It returns
// the exit status.
func Inside(args []string, stdout, stderr io.Writer) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 1, err
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), insideVar+"=1")
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode(), nil
	case err != nil:
		return 1,
			fmt.Errorf(
				"a mount namespace: %w; run this as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)",
				err)
	}
	return 0, nil
}

// can tells what this computer allows. Each field is "" or the reason why not.
type can struct{ tmpfs, ext4, immutable, trace, nobody string }

// look tries everything once.
func look(dir string, argv []string) can {
	var c can
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		c.tmpfs = "mounts cannot be made private: " + err.Error()
		return c
	}
	c.tmpfs = tries(func() error { return try("tmpfs", dir, func(*volume) error { return nil }) })
	c.immutable = tries(func() error {
		return try("tmpfs", dir, func(v *volume) error {
			name := filepath.Join(v.at, "f")
			return errors.Join(os.WriteFile(name, nil, 0o600), setImmutable(name, true), setImmutable(name, false))
		})
	})
	c.ext4 = tries(func() error { return try("ext4", dir, func(*volume) error { return nil }) })
	c.trace = tries(traceable)
	c.nobody = tries(func() error {
		p := program{argv: argv, dir: "/", somebody: true}
		res, err := p.run("", nil, "--version")
		if err == nil && res.code != 0 {
			err = fmt.Errorf("%v", res)
		}
		if err != nil {
			return fmt.Errorf("another user (%d) cannot start the program: %w", nobody, err)
		}
		ls := exec.Command("ls", dir)
		ls.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		if err := ls.Run(); err != nil {
			return fmt.Errorf("another user (%d) cannot look into %s: %w", nobody, dir, err)
		}
		return nil
	})
	return c
}

func tries(do func() error) string {
	if err := do(); err != nil {
		return err.Error()
	}
	return ""
}

func try(kind, dir string, do func(*volume) error) error {
	v, err := newVolume(kind, dir, filepath.Join(dir, "try-"+kind), 1<<20, 4096)
	if err != nil {
		return err
	}
	defer v.drop()
	return do(v)
}
