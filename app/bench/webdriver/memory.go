package webdriver

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Memory returns the proportional set size, in bytes, of the driver's windows: of all
// processes in its group but the driver itself.
func (d *Driver) Memory() (int64, error) {
	group := d.process.cmd.Process.Pid
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	var total int64
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			continue // the process has ended
		}
		pid := strings.Split(name, "/")[2]
		if groupOf(b) != group || pid == strconv.Itoa(group) {
			continue
		}
		n, err := proportional(pid)
		if err != nil {
			return 0, err
		}
		total += n
	}
	if total == 0 {
		return 0, fmt.Errorf("the window has no process in the driver's group")
	}
	return total, nil
}

// groupOf reads the process group from a line of /proc/PID/stat. The process name before
// it, in parentheses, may contain anything.
func groupOf(stat []byte) int {
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 3 {
		return 0
	}
	n, err := strconv.Atoi(fields[2])
	if err != nil {
		return 0
	}
	return n
}

func proportional(pid string) (int64, error) {
	f, err := os.Open(filepath.Join("/proc", pid, "smaps_rollup"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), "Pss:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("read the memory of process %s: no Pss line", pid)
}
