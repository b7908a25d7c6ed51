package app_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/history"
)

// TestFullDiskOfTheHistory fills a small file system that contains the history, in a
// process with its own mounts. Typing must go on, and once there is space again nothing
// that was typed may be missing, in the same process and after the next start.
func TestFullDiskOfTheHistory(t *testing.T) {
	newWorld(t, map[string]string{"f.txt": "<end\n", "g.txt": "<end\n"}).withMounts("typing")
}

// withMounts runs one of the functions below in a process that has its own mounts.
func (w *world) withMounts(what string) {
	t := w.T
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "WAFERPAIR_FULL="+w.dir, "WAFERPAIR_FULL_DOES="+what, "WAFERPAIR_TYPIST_DATA="+w.data,
		"XDG_CACHE_HOME="+filepath.Join(w.data, "cache"))
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
		do := map[string]func(dir, data string) error{"typing": fullDisk, "recorded": fullOnceRecorded,
			"unrecorded": fullBeforeRecorded}[os.Getenv("WAFERPAIR_FULL_DOES")]
		if err := do(dir, os.Getenv("WAFERPAIR_TYPIST_DATA")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// fullDisk runs in the process of TestFullDiskOfTheHistory.
func fullDisk(dir, data string) (err error) {
	small, err := smallDisk(data)
	if err != nil {
		return err
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
		for n := 0; n < 5 || told() == ""; n++ { // the database's log has some room left
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
		if round == 2 { // a clean stop on a full disk: the spare file has to go to another folder
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

// smallDisk mounts a small file system.
func smallDisk(data string) (small string, err error) {
	small = filepath.Join(data, "small")
	if err := os.Mkdir(small, 0o700); err != nil {
		return "", err
	}
	err = syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
	if err == nil {
		err = syscall.Mount("none", small, "tmpfs", 0, "size=5m")
	}
	if err != nil {
		return "", fmt.Errorf("no mount: %w", err)
	}
	return small, nil
}

// TestWhatIsRecordedHasHappened fills the history's disk after a change of several files is
// recorded, when the documents follow. The change must stand, and must not be reported as
// failed.
func TestWhatIsRecordedHasHappened(t *testing.T) {
	newWorld(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "d.txt": "d\n"}).withMounts("recorded")
}

// TestWhatCannotBeRecordedHasNotHappened fills the history's disk when the files are
// written, so that the record does not fit. The files must be rolled back, without space on
// that disk.
func TestWhatCannotBeRecordedHasNotHappened(t *testing.T) {
	newWorld(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "d.txt": "d\n"}).withMounts("unrecorded")
}

// changes returns a patch with every kind of change, and the contents of the folder after
// it.
func changes(size int) (body []byte, after map[string]string) {
	var added, large strings.Builder
	for line := range slices.Chunk([]byte(noise(size)), 1000) {
		fmt.Fprintf(&added, "+%s\n", line)
		fmt.Fprintf(&large, "%s\n", line)
	}
	return []byte(patch("*** Update File: a.txt\n@@\n-a\n+A\n*** Update File: b.txt\n@@\n-b\n+B\n*** Update File: c.txt\n*** Move to: moved/c.txt\n@@\n-c\n+C\n" +
			"*** Delete File: d.txt\n*** Add File: large.txt\n" + added.String())),
		map[string]string{"a.txt": "A\n", "b.txt": "B\n", "moved/c.txt": "C\n", "large.txt": large.String()}
}

func apply(p *app.Project, body []byte) error {
	r, err := p.ApplyPatch(context.Background(), body, false)
	if err == nil && r.Outcome.Status != engine.Completed {
		err = errors.New(r.Outcome.Message)
	}
	return err
}

// holds compares the folder, including temporary files, with the wanted contents.
func holds(dir string, want map[string]string) error {
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		got[strings.TrimPrefix(path, dir+"/")] = string(b)
		return err
	})
	if err == nil && !maps.Equal(got, want) {
		err = fmt.Errorf("the folder holds %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	return err
}

// filling is a listener that fills the history's disk when a document changes, and returns
// once nothing can be recorded.
type filling struct {
	heard
	filler string
	store  *history.Store
	err    error
}

func (f *filling) TextChanged(path string) {
	f.heard.TextChanged(path)
	if f.store == nil {
		return
	}
	store := f.store
	f.store = nil
	f.err = fill(f.filler)
	for f.err == nil && store.Stalled() == nil { // the database's log has some room left
		if _, err := store.PutItems(context.Background(), 1, history.Item{Status: history.ItemCompleted,
			Body: fmt.Appendf(nil, "%q", noise(20_000))}); err != nil && store.Stalled() == nil {
			f.err = err
		}
		_ = store.Flush(context.Background())
	}
}

// fullOnceRecorded runs in the process of TestWhatIsRecordedHasHappened.
func fullOnceRecorded(dir, data string) error {
	small, err := smallDisk(data)
	if err != nil {
		return err
	}
	f := &filling{filler: filepath.Join(small, "filler")}
	ctx := context.Background()
	open := func() (*app.Project, error) {
		return app.Open(ctx, dir, app.Options{DataHome: small, StateHome: filepath.Join(small, "state"), Listener: f})
	}
	body, after := changes(1000)
	before := map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "d.txt": "d\n"}
	for _, step := range []struct {
		name string
		do   func(p *app.Project) error
		want map[string]string
	}{
		{"apply", func(p *app.Project) error { return apply(p, body) }, after},
		{"revert", func(p *app.Project) error {
			_, err := p.Revert(ctx, app.RevertRequest{Turn: 1})
			return err
		}, before},
	} {
		p, err := open()
		if err != nil {
			return err
		}
		f.store, f.err = p.History(), nil
		if err := errors.Join(step.do(p), f.err); err != nil {
			return fmt.Errorf("%s was recorded, and is said to have failed: %w", step.name, err)
		}
		if f.store != nil {
			return fmt.Errorf("%s: the disk was never full", step.name)
		}
		_ = p.Close() // reports what of the turn could not be recorded
		if err := errors.Join(holds(dir, step.want), os.Remove(f.filler)); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		if p, err = open(); err != nil {
			return err
		}
		if err := errors.Join(holds(dir, step.want), sameHistory(p, step.want), p.Close()); err != nil {
			return fmt.Errorf("%s, after the next start: %w", step.name, err)
		}
	}
	return nil
}

// sameHistory compares the newest versions with the wanted contents.
func sameHistory(p *app.Project, want map[string]string) error {
	for name, body := range want {
		if v, err := p.History().At(context.Background(), history.Newest, name); err != nil || string(v.Bytes) != body {
			return fmt.Errorf("%s in the history has %d bytes, want %d: %w", name, len(v.Bytes), len(body), err)
		}
	}
	edits, err := p.History().List(context.Background(), history.Filter{})
	for _, e := range edits {
		if e.Author == history.Outside {
			err = errors.Join(err, fmt.Errorf("edit %d of %s is by another program", e.ID, e.Path))
		}
	}
	r, cerr := p.History().Check(context.Background(), nil)
	if cerr == nil && !r.OK() {
		cerr = fmt.Errorf("check: %+v", r)
	}
	return errors.Join(err, cerr)
}

// fullBeforeRecorded runs in the process of TestWhatCannotBeRecordedHasNotHappened. The
// disk has room for the intent, but not for the record.
func fullBeforeRecorded(dir, data string) error {
	small, err := smallDisk(data)
	if err != nil {
		return err
	}
	ctx, filler := context.Background(), filepath.Join(small, "filler")
	before := map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "d.txt": "d\n"}
	for round, restart := range []bool{false, true} {
		body, after := changes(900_000 + round) // not stored yet: what the history has needs no space
		p, err := app.Open(ctx, dir, app.Options{DataHome: small, StateHome: filepath.Join(small, "state")})
		if err != nil {
			return err
		}
		if err := fill(filler); err != nil {
			return err
		}
		// the intent fits; the record of 900 KB never does
		for full, room := size(filler), int64(400<<10); ; room += 100 << 10 {
			if err := os.Truncate(filler, full-room); err != nil {
				return err
			}
			err := apply(p, body)
			if err != nil && strings.Contains(err.Error(), "record the change") {
				break
			}
			if err == nil || room >= 800<<10 {
				return fmt.Errorf("on a disk without room for the record: %w", err)
			}
			if err := holds(dir, before); err != nil {
				return fmt.Errorf("it was not begun: %w", err)
			}
			for p.History().Stalled() != nil {
				time.Sleep(10 * time.Millisecond)
			}
		}
		if err := holds(dir, before); err != nil {
			return fmt.Errorf("it failed: %w", err)
		}
		if restart {
			_ = p.Close()
		}
		if err := os.Remove(filler); err != nil {
			return err
		}
		if restart {
			if p, err = app.Open(ctx, dir, app.Options{DataHome: small, StateHome: filepath.Join(small, "state")}); err != nil {
				return err
			}
		}
		if err := errors.Join(holds(dir, before), sameHistory(p, before)); err != nil {
			return fmt.Errorf("there is space again: %w", err)
		}
		if err := apply(p, body); err != nil {
			return fmt.Errorf("again: %w", err)
		}
		if err := errors.Join(holds(dir, after), sameHistory(p, after)); err != nil {
			return fmt.Errorf("again: %w", err)
		}
		if _, err := p.Restore(ctx, app.RestoreRequest{At: 0}); err != nil {
			return err
		}
		if err := errors.Join(holds(dir, before), p.Close()); err != nil {
			return err
		}
	}
	return nil
}

func size(name string) int64 {
	st, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return st.Size()
}

// same saves both files, and compares disk and history with what was typed.
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

// fill writes a file until no block is free.
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

// noise returns text that does not compress well.
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
