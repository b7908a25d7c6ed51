// Package stress attacks the saves of workspace.Folder the way a bad day does: another
// program saves the same file at the same moment (Races), and the process is killed at a
// random moment (Kills). Tests run it in small numbers and the benchmark command in large
// ones.
//
// Both start other processes of the running program. Its main, or TestMain, calls Child
// first:
//
//	func main() {
//		stress.Child()
//		...
package stress

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Report is the result of a series of attacks.
type Report struct {
	Runs    int
	Lost    []string       // versions that are gone: each is a failure
	Broken  []string       // files with content that nobody wrote, and leftover files
	Counts  map[string]int // the course of the runs: evidence that the attacks hit
	Elapsed time.Duration
}

// OK reports whether nothing was lost and nothing is broken.
func (r Report) OK() bool { return len(r.Lost) == 0 && len(r.Broken) == 0 }

func (r Report) String() string {
	return fmt.Sprintf("%d runs in %v: %d lost, %d broken; %v", r.Runs, r.Elapsed.Round(time.Millisecond), len(r.Lost),
		len(r.Broken), r.Counts)
}

const roleVar = "WAFERPAIR_STRESS_ROLE"

// Child runs a role and exits if this package started the process; otherwise it returns.
func Child() {
	role := os.Getenv(roleVar)
	if role == "" {
		return
	}
	var err error
	switch role {
	case "outsider":
		err = otherProgram(os.Stdin, os.Stdout)
	case "saver":
		err = saver(os.Args[1], os.Args[2], os.Stdout)
	default:
		err = fmt.Errorf("unknown role %q", role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "stress:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// self returns a command that runs this program in a role.
func self(role string, args ...string) (*exec.Cmd, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), roleVar+"="+role)
	cmd.Stderr = os.Stderr
	return cmd, nil
}
