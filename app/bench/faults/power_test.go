//go:build linux

package faults

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const asWriter = "WAFERPAIR_TEST_AS_WRITER"

// writeOften replaces a file ten times, each time with the next number. how names the sync
// that it leaves out, if any.
func writeOften(how, dir string) error {
	for i := 1; i <= 10; i++ {
		if err := writeNext(how, dir, i); err != nil {
			return err
		}
	}
	return nil
}

func writeNext(how, dir string, i int) error {
	f, err := os.Create(filepath.Join(dir, "temp"))
	if err != nil {
		return err
	}
	if _, err := f.WriteString(numbered(i)); err != nil {
		return err
	}
	if how != "without the file's sync" {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close(), os.Rename(filepath.Join(dir, "temp"), filepath.Join(dir, "file"))); err != nil {
		return err
	}
	if how == "without the folder's sync" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// numbered returns text that is longer than a few sectors.
func numbered(i int) string { return strings.Repeat(fmt.Sprintf("number %d\n", i), 300) }

// TestPowerCutsFindLosses checks that crash states show losses of a writer that leaves out
// a sync, and none of a writer that does not. The recording must end as the disk does.
func TestPowerCutsFindLosses(t *testing.T) {
	if !IsInside() {
		inside(t)
		return
	}
	if why := tries(traceable); why != "" {
		t.Skip(why)
	}
	for _, c := range []struct {
		how    string
		loses  bool
		models []model
	}{
		{"without the file's sync", true, []model{ordered, strict}},
		{"without the folder's sync", true, []model{ordered, strict}},
		{"with both", false, []model{ordered, strict}},
	} {
		t.Run(c.how, func(t *testing.T) {
			log, acked := recordWriter(t, c.how)
			for _, m := range c.models {
				lost := lossesOf(log, acked, m)
				t.Logf("%v: %d events, %d of 300 crash states lose what was acknowledged", m, log.len(), lost)
				if (lost > 0) != c.loses {
					t.Errorf("%v: %d states lose something, want some: %v", m, lost, c.loses)
				}
			}
		})
	}
}

// recordWriter returns the recording, and for each number the count of events after which
// it is acknowledged: the sync of the folder after its rename, or the place where that
// would be.
func recordWriter(t *testing.T, how string) (*recording, []int) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Skip(err)
	}
	v, err := newVolume("tmpfs", t.TempDir(), filepath.Join(t.TempDir(), "v"), 1<<20, 4096)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(v.drop)
	log := newRecording()
	if err := log.begin(v.at); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, v.at)
	cmd.Env = append(os.Environ(), asWriter+"="+how, insideVar+"=")
	cmd.Stderr = os.Stderr
	if code, err := traced(log, cmd); err != nil || code != 0 {
		t.Fatalf("the writer ends with status %d: %v", code, err)
	}
	if got := log.whole()[v.at]["file"]; got != numbered(10) {
		t.Fatalf("the recording does not end as the disk does: %s", difference(got, numbered(10)))
	}
	var acked []int
	for i, e := range log.events {
		if e.kind == evRename {
			next := i + 1
			if next < len(log.events) && log.events[next].kind == evSync {
				next++
			}
			acked = append(acked, next)
		}
	}
	if len(acked) != 10 {
		t.Fatalf("%d renames were recorded", len(acked))
	}
	return log, acked
}

// lossesOf counts the crash states in which an acknowledged number is missing, or the file
// is torn.
func lossesOf(log *recording, acked []int, m model) (lost int) {
	for i := range 300 {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		cut := r.IntN(log.len() + 1)
		due := 0
		for n, at := range acked {
			if at <= cut {
				due = n + 1
			}
		}
		for _, all := range log.crash(r, cut, m) {
			content, there := all["file"]
			fine := !there && due == 0
			for n := due; n <= 10 && !fine; n++ {
				fine = there && content == numbered(n)
			}
			if !fine {
				lost++
			}
		}
	}
	return lost
}
