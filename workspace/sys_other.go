//go:build unix && !linux

package workspace

import "golang.org/x/sys/unix"

// The fallback for Unix systems without Linux's calls: no atomic exchange (so a save checks
// the hash and renames, and reports the residual window), no leases (so every displaced
// file is watched for two seconds), no extended attributes. Not measured.

func exchange(*dir, string, string) error { return unix.ENOTSUP }

func renameNoReplace(*dir, string, *dir, string) error { return unix.ENOTSUP }

func openBeneath(*dir, string, int) (int, error) { return -1, unix.ENOSYS }

func holder(*dir) string { return "" }

func born(int) int64 { return 0 }

type writers int

const (
	unknownWriters writers = iota
	noWriters
	someWriters
)

func leaseRead(int) writers  { return unknownWriters }
func leaseWrite(int) writers { return unknownWriters }
func leaseHeld(int) bool     { return false }
func leaseDrop(int)          {}

func sealed(int, string) (immutable, appendOnly bool) { return false, false }

func copyAttributes(int, int) error { return nil }

func hasDefaultACL(int) bool { return false }
