//go:build linux

package faults

// oldCalls is empty: this processor never had system calls without a directory argument.
var oldCalls = map[uint64]string{}

const sysOpen = 1 << 62 // there is no such call
