//go:build unix

package stress

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"waferpair/workspace"
)

// Kills starts a process that saves batch after batch, kills it with SIGKILL at a random
// moment, and recovers: n times, in dir.
//
// The content of the folder after batch k is a function of k alone (state), so the oracle
// is exact: after Recover the folder is in the state of the last acknowledged batch or of
// the one after it, complete, with nothing left over.
func Kills(ctx context.Context, dir string, n int) (Report, error) {
	k := killing{root: filepath.Join(dir, "project"), journal: filepath.Join(dir, "journal"),
		report: Report{Counts: map[string]int{}}}
	start := time.Now()
	err := k.setUp()
	for k.report.Runs < n && err == nil {
		err = errors.Join(ctx.Err(), k.kill(ctx))
		k.report.Runs++
	}
	k.report.Elapsed = time.Since(start)
	return k.report, err
}

type killing struct {
	root, journal string
	report        Report
}

// content returns the content of a file as of batch n. The sizes vary, and are large enough
// for a kill to hit the middle of a write.
func content(name string, n int) []byte {
	seed := rand.New(rand.NewPCG(uint64(n), uint64(len(name))))
	return bytes.Repeat(fmt.Appendf(nil, "%s of batch %d\n", name, n), 1+seed.IntN(20000))
}

// state returns the whole folder after batch n. linked and twin are one file.
func state(n int) map[string][]byte {
	s := map[string][]byte{"a.txt": content("a", n), "dir/linked.txt": content("linked", n),
		"dir/twin.txt": content("linked", n)}
	if n >= 1 {
		s[fmt.Sprintf("c/%d.txt", n)] = content("c", n)
	}
	if n >= 2 {
		s[fmt.Sprintf("r/%d.txt", n-1)] = content("c", n-1)
	}
	return s
}

// batch returns the writes from state(n-1) to state(n).
func batch(n int) []workspace.Write {
	writes := []workspace.Write{
		{Path: "a.txt", Op: workspace.Update, Before: sum(content("a", n-1)), Content: content("a", n)},
		{Path: "dir/linked.txt", Op: workspace.Update, Before: sum(content("linked", n-1)), Content: content("linked", n)},
		{Path: fmt.Sprintf("c/%d.txt", n), Op: workspace.Create, Content: content("c", n)},
	}
	if n >= 2 {
		writes = append(writes, workspace.Write{Path: fmt.Sprintf("c/%d.txt", n-1), To: fmt.Sprintf("r/%d.txt", n-1),
			Op: workspace.Rename, Before: sum(content("c", n-1))})
	}
	if n >= 3 {
		writes = append(writes, workspace.Write{Path: fmt.Sprintf("r/%d.txt", n-2), Op: workspace.Delete,
			Before: sum(content("c", n-2))})
	}
	return writes
}

func (k *killing) setUp() error {
	for name, b := range state(0) {
		full := filepath.Join(k.root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(full, b, 0o666); err != nil {
			return err
		}
	}
	linked, twin := filepath.Join(k.root, "dir/linked.txt"), filepath.Join(k.root, "dir/twin.txt")
	return errors.Join(os.Remove(twin), os.Link(linked, twin))
}

// saver is the process that gets killed: it saves batches until then, and prints the number
// of each acknowledged one.
func saver(root, journal string, out io.Writer) error {
	j, err := workspace.OpenFileJournal(journal)
	if err != nil {
		return err
	}
	f, err := workspace.Open(root, workspace.Options{Journal: j})
	if err != nil {
		return err
	}
	n, err := current(root)
	if err != nil {
		return err
	}
	for {
		fmt.Fprintln(out, n) // state(n) is acknowledged
		if _, err := f.Save(context.Background(), batch(n+1)); err != nil {
			return err
		}
		n++
	}
}

// current reads from a.txt which state the folder is in.
func current(root string) (n int, err error) {
	b, err := os.ReadFile(filepath.Join(root, "a.txt"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(b), "\n")
	_, err = fmt.Sscanf(first, "a of batch %d", &n)
	return n, err
}

func (k *killing) kill(ctx context.Context) error {
	cmd, err := self("saver", k.root, k.journal)
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	lines.Scan() // it has started
	time.AfterFunc(time.Duration(rand.IntN(30000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
	acked := lines.Text()
	for lines.Scan() {
		acked = lines.Text()
	}
	if err := cmd.Wait(); err == nil || acked == "" {
		return fmt.Errorf("the saver exited early: %v", err)
	}
	var n int
	if _, err := fmt.Sscan(acked, &n); err != nil {
		return err
	}
	return k.recover(ctx, n)
}

// recover opens the folder as the next start would, and applies the oracle.
func (k *killing) recover(ctx context.Context, acked int) error {
	k.inspect()
	j, err := workspace.OpenFileJournal(k.journal)
	if err != nil {
		return err
	}
	defer j.Close()
	f, err := workspace.Open(k.root, workspace.Options{Journal: j, Preserve: func(workspace.Displaced) error {
		return nil
	}})
	if err != nil {
		return err
	}
	report, err := f.Recover(ctx, contents(acked))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	for _, w := range report.Writes {
		k.report.Counts[w.State.String()]++
		if w.Finished {
			k.report.Counts["finished"]++
		}
		if w.Repaired {
			k.report.Counts["torn and repaired"]++
		}
	}
	k.report.Counts["temporary files removed"] += report.Temps
	pending, err := j.Pending(ctx)
	if len(pending) > 0 {
		k.broken("intents are pending after recovery: %+v", pending)
	}
	k.judge(acked)
	return err
}

// inspect counts leftovers of the kill, as evidence that it hit the middle of saves.
func (k *killing) inspect() {
	_ = filepath.WalkDir(k.root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && workspace.IsTemp(p) {
			k.report.Counts["temporary files found"]++
		}
		return nil
	})
}

// contents finds bytes by hash among the states around a killed batch. It stands for the
// history.
func contents(acked int) func([32]byte) ([]byte, bool) {
	known := map[[32]byte][]byte{}
	for _, n := range []int{acked, acked + 1, acked + 2} {
		for _, b := range state(n) {
			known[sum(b)] = b
		}
	}
	return func(hash [32]byte) ([]byte, bool) {
		b, ok := known[hash]
		return b, ok
	}
}

func (k *killing) judge(acked int) {
	n, err := current(k.root)
	if err != nil || n < acked || n > acked+1 {
		k.report.Lost = append(k.report.Lost,
			fmt.Sprintf("batch %d was acknowledged, the folder is at %d (%v)", acked, n, err))
		return
	}
	want := state(n)
	_ = filepath.WalkDir(k.root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(k.root, p)
		have, err := os.ReadFile(p)
		if expected, ok := want[name]; !ok || !bytes.Equal(have, expected) {
			k.broken("run %d: %s in state %d has %d bytes, want %d (%v)", k.report.Runs, name, n, len(have), len(expected), err)
		}
		delete(want, name)
		return nil
	})
	for name := range want {
		k.broken("run %d: %s is missing in state %d", k.report.Runs, name, n)
	}
}

func (k *killing) broken(format string, args ...any) {
	k.report.Broken = append(k.report.Broken, fmt.Sprintf(format, args...))
}
