package infer

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestThreads: one for each core that the process may use, and no more than its quota.
func TestThreads(t *testing.T) {
	// siblings of each processor, by the name of the file that has them
	pairs := []string{"0,4", "1,5", "2,6", "3,7", "0,4", "1,5", "2,6", "3,7"}
	for name, of := range map[string]struct {
		file     string
		siblings []string
		allowed  string
		quota    int
		want     int
	}{
		"two threads a core":         {"core_cpus_list", pairs, "0-7", 8, 4},
		"an older Linux":             {"thread_siblings_list", pairs, "0-7", 8, 4},
		"allowed two threads of one": {"core_cpus_list", pairs, "1,5", 2, 1},
		"allowed some of each":       {"core_cpus_list", pairs, "0-2,4,7", 5, 4},
		"a quota":                    {"core_cpus_list", pairs, "0-7", 3, 3},
		"one thread a core":          {"core_cpus_list", []string{"0", "1", "2"}, "0-2", 3, 3},
		"nothing is said":            {"nothing", pairs, "0-7", 8, 8},
		"a processor is not there":   {"core_cpus_list", []string{"0", "1"}, "0-2", 3, 3},
		"a list that is none":        {"core_cpus_list", pairs, "0-x", 8, 8},
	} {
		dir := t.TempDir()
		for i, list := range of.siblings {
			topology := filepath.Join(dir, "cpu"+strconv.Itoa(i), "topology")
			if err := os.MkdirAll(topology, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(topology, of.file), []byte(list+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		status := "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t" + of.allowed + "\nMems_allowed:\t1\n"
		if got := threadsOf(dir, []byte(status), of.quota); got != of.want {
			t.Errorf("%s: %d threads, want %d", name, got, of.want)
		}
	}
	if got := Threads(); got < 1 {
		t.Errorf("%d threads here", got)
	}
}
