//go:build linux

package faults

// oldCalls: this processor never had calls without a directory.
var oldCalls = map[uint64]string{}

const sysOpen = 1 << 62 // none
