package app_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"waferpair/app"
	"waferpair/history"
)

// TestFullDiskOfTheHistory fills a small file system that the history is on, in a
// process with mounts of its own: typing goes on, space is freed, and nothing
// that was typed is missing, in the same process and after the next start.
func TestFullDiskOfTheHistory(t *testing.T) {
	w := newWorld(t, map[string]string{"f.txt": "<end\n", "g.txt": "<end\n"})
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "WAFERPAIR_FULL="+w.dir, "WAFERPAIR_TYPIST_DATA="+w.data, "XDG_CACHE_HOME="+filepath.Join(w.data, "cache"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, syscall.EPERM) || strings.Contains(string(out), "no mount:"):
		t.Skipf("a small file system cannot be mounted here: %v %s", err, out)
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	}
}

func init() {
	if dir := os.Getenv("WAFERPAIR_FULL"); dir != "" {
		if err := fullDisk(dir, os.Getenv("WAFERPAIR_TYPIST_DATA")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// fullDisk is the process of TestFullDiskOfTheHistory.
func fullDisk(dir, data string) (err error) {
	small := filepath.Join(data, "small")
	if err := os.Mkdir(small, 0o700); err != nil {
		return err
	}
	err = syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
	if err == nil {
		err = syscall.Mount("none", small, "tmpfs", 0, "size=5m")
	}
	if err != nil {
		return fmt.Errorf("no mount: %w", err)
	}
	ctx := context.Background()
	h := &heard{}
	open := func() (*app.Project, error) {
		return app.Open(ctx, dir, app.Options{DataHome: small, StateHome: filepath.Join(small, "state"), Listener: h})
	}
	p, err := open()
	if err != nil {
		return err
	}
	told := func() string {
		h.mu.Lock()
		defer h.mu.Unlock()
		if len(h.unrecorded) == 0 {
			return ""
		}
		return h.unrecorded[len(h.unrecorded)-1]
	}
	filler := filepath.Join(small, "filler")
	typed := ""
	for round := range 3 {
		if err := fill(filler); err != nil {
			return err
		}
		for n := 0; n < 5 || told() == ""; n++ { // the log of the database has some room left
			s := fmt.Sprintf("%d.%d %s\n", round, n, noise(20_000))
			typed += s
			if err := errors.Join(typeBefore(ctx, p, "f.txt", "<end", s), typeBefore(ctx, p, "g.txt", "<end", s)); err != nil {
				return fmt.Errorf("typing on a full disk: %w", err)
			}
			_ = p.SaveFile(ctx, "f.txt")
			if n > 1000 {
				return errors.New("the disk never was full")
			}
		}
		if round == 2 { // a clean stop on a full disk, without room for it where it should be
			err := p.Close()
			if err == nil || !strings.Contains(err.Error(), filepath.Join(data, "cache")) {
				return fmt.Errorf("the stop does not say where what was typed is: %w", err)
			}
		}
		if err := os.Remove(filler); err != nil {
			return err
		}
		if round == 2 {
			break
		}
		for deadline := time.Now().Add(time.Minute); told() != ""; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				return fmt.Errorf("there is space, and still: %s", told())
			}
		}
		if err := same(ctx, p, dir, typed+"<end\n"); err != nil {
			return fmt.Errorf("round %d, in the same process: %w", round, err)
		}
	}
	if p, err = open(); err != nil {
		return err
	}
	if err := same(ctx, p, dir, typed+"<end\n"); err != nil {
		return fmt.Errorf("after the next start: %w", err)
	}
	return p.Close()
}

// same saves, and compares disk and history with what was typed.
func same(ctx context.Context, p *app.Project, dir, want string) error {
	for _, name := range []string{"f.txt", "g.txt"} {
		if err := p.SaveFile(ctx, name); err != nil {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(b) != want {
			return fmt.Errorf("%s on disk has %d bytes, want %d: %w", name, len(b), len(want), err)
		}
		v, err := p.History().At(ctx, history.Newest, name)
		if err != nil || string(v.Bytes) != want {
			return fmt.Errorf("%s in the history has %d bytes, want %d: %w", name, len(v.Bytes), len(want), err)
		}
	}
	if r, err := p.History().Check(ctx, nil); err != nil || !r.OK() {
		return fmt.Errorf("check: %+v %w", r, err)
	}
	return nil
}

// fill leaves no block free.
func fill(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for block := make([]byte, 4096); ; {
		if _, err := f.Write(block); errors.Is(err, syscall.ENOSPC) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// noise does not compress well.
func noise(n int) string {
	b := make([]byte, n)
	x := uint32(1 + n)
	for i := range b {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b[i] = 'a' + byte(x%26)
	}
	return string(b)
}
