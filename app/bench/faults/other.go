//go:build !linux

package faults

import (
	"context"
	"errors"
	"io"
)

// Options say what to run; see the Linux version.
type Options struct {
	Program []string
	Dir     string
	Runs    int
	Seed    uint64
	Only    string
	Each    int
	Log     func(string)
	Verbose bool
	Owner   bool
	Known   bool
}

var errLinux = errors.New("the faults need Linux: mount namespaces, tmpfs, ptrace")

// Names are the names of all rows: none here.
func Names() []string { return nil }

// IsInside reports whether this process is in a mount namespace of its own.
func IsInside() bool { return true }

// Inside is for Linux only.
func Inside([]string, io.Writer, io.Writer) (int, error) { return 1, errLinux }

// Run is for Linux only.
func Run(context.Context, Options) (Report, error) { return Report{}, errLinux }
