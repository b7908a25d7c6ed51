package local

import (
	"bytes"
	"os"
	"strconv"
)

// Installed returns how much memory the computer has, in bytes; where it does not say, enough for anything.
func Installed() int64 {
	raw, err := os.ReadFile("/proc/meminfo")
	if err == nil {
		_, rest, _ := bytes.Cut(raw, []byte("MemTotal:"))
		if f := bytes.Fields(rest); len(f) > 0 {
			if kilobytes, err := strconv.ParseInt(string(f[0]), 10, 64); err == nil {
				return kilobytes << 10
			}
		}
	}
	return 1 << 62
}
