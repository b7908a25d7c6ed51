package infer

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// roomFor returns an error if the computer has not so much memory left: Linux would give it,
// and end some process later.
func roomFor(need int64, what string) error {
	have, known := available()
	if known && need > have {
		return fmt.Errorf(
			"%s take %s of memory, and the computer has %s left: close other programs, or choose a smaller model or context",
			what, megabytes(need), megabytes(have))
	}
	return nil
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", (n+1<<20-1)>>20) }

// available returns how many bytes can be had without swapping, where the system says it.
func available() (int64, bool) {
	raw, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		fields := bytes.Fields(lines.Bytes())
		if len(fields) >= 2 && string(fields[0]) == "MemAvailable:" {
			kilobytes, err := strconv.ParseInt(string(fields[1]), 10, 64)
			return kilobytes << 10, err == nil
		}
	}
	return 0, false
}
