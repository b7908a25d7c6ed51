package infer

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Threads returns how many threads compute best: one for each physical core that this process may use. Two
// threads of a core share what the kernels keep busy, and wait for each other at each layer. A quota of the
// process, by a control group or GOMAXPROCS, is the most.
func Threads() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return runtime.GOMAXPROCS(0)
	}
	return threadsOf("/sys/devices/system/cpu", status, runtime.GOMAXPROCS(0))
}

// threadsOf counts the cores of the processors that a process's status allows it, as Linux describes them in a
// folder. Where that says nothing, there are as many as threads may run at once.
func threadsOf(dir string, status []byte, most int) int {
	cores := map[string]bool{}
	for _, n := range allowed(status) {
		topology := filepath.Join(dir, "cpu"+strconv.Itoa(n), "topology")
		siblings, err := os.ReadFile(filepath.Join(topology, "core_cpus_list"))
		if err != nil { // before Linux 5.3
			siblings, err = os.ReadFile(filepath.Join(topology, "thread_siblings_list"))
		}
		if err != nil {
			return most
		}
		cores[string(siblings)] = true
	}
	if len(cores) == 0 {
		return most
	}
	return min(len(cores), most)
}

// allowed returns the numbers of the processors that a process may run on: "0-3,8" of its status.
func allowed(status []byte) (list []int) {
	_, rest, _ := bytes.Cut(status, []byte("\nCpus_allowed_list:"))
	line, _, _ := strings.Cut(string(rest), "\n")
	for part := range strings.SplitSeq(strings.TrimSpace(line), ",") {
		from, to, is := strings.Cut(part, "-")
		if !is {
			to = from
		}
		first, err := strconv.Atoi(from)
		last, bad := strconv.Atoi(to)
		if err != nil || bad != nil || last-first > 1<<16 {
			return nil
		}
		for n := first; n <= last; n++ {
			list = append(list, n)
		}
	}
	return list
}
