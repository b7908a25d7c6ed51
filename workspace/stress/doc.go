// Package stress attacks workspace.Folder's saves the way a bad day does:
// another program saves the same file at the same moment (Races), and the
// process is killed at a random moment (Kills). Tests run it in small numbers
// and the benchmark command in large ones.
//
// Both start other processes of the running program. Its main, or TestMain,
// calls Child first:
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

// Report is what a series of attacks found.
type Report struct {
	Runs    int
	Lost    []string       // versions that are gone: each is a failure
	Broken  []string       // files that hold what nobody wrote, files left over
	Counts  map[string]int // how the runs went: evidence that the attacks hit
	Elapsed time.Duration
}

// OK reports whether nothing was lost and nothing is broken.
func (r Report) OK() bool { return len(r.Lost) == 0 && len(r.Broken) == 0 }

func (r Report) String() string {
	return fmt.Sprintf("%d runs in %v: %d lost, %d broken; %v", r.Runs, r.Elapsed.Round(time.Millisecond), len(r.Lost),
		len(r.Broken), r.Counts)
}

const roleVar = "WAFERPAIR_STRESS_ROLE"

// Child takes the process over when it was started by this package, and
// returns otherwise.
func Child() {
	role := os.Getenv(roleVar)
	if role == "" {
		return
	}
	var err error
	switch role {
	case "outsider":
		err = outsider(os.Stdin, os.Stdout)
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

// self is a command that runs this program in a role.
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
