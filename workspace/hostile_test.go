package workspace

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// within fails the test when the call hangs.
func within(t *testing.T, d time.Duration, call func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); call() }()
	select {
	case <-done:
	case <-time.After(d):
		buf := make([]byte, 1<<16)
		t.Fatalf("hangs:\n%s", buf[:runtime.Stack(buf, true)])
	}
}

func TestSpecialFiles(t *testing.T) {
	w := open1(t, "f", "x")
	must(t, unix.Mkfifo(filepath.Join(w.root, "fifo"), 0o666))
	must(t, os.Symlink("fifo", filepath.Join(w.root, "tofifo")))
	l, err := net.Listen("unix", filepath.Join(w.root, "sock"))
	must(t, err)
	defer l.Close()
	for _, name := range []string{"fifo", "tofifo", "sock"} {
		within(t, 5*time.Second, func() {
			f, err := w.Read(context.Background(), name)
			if err != nil || f.Class != Other || f.Bytes != nil {
				t.Errorf("read %s: %+v, %v", name, f, err)
			}
			for _, write := range []Write{update(name, "x", "y"), {Path: name, Op: Create}, {Path: name, Op: Delete},
				{Path: name, Op: Rename, To: "g"}, {Path: "f", Op: Rename, To: name, Before: hashOf("x")}} {
				if _, err := w.Save(context.Background(), []Write{write}); err == nil {
					t.Errorf("%v %s was accepted", write.Op, name)
				}
			}
		})
	}
	w.tidy()
}

func TestLongNames(t *testing.T) {
	name := strings.Repeat("n", 255)
	deep := strings.Repeat(strings.Repeat("d", 200)+"/", 10) + name
	w := open1(t, name, "x")
	w.save(update(name, "x", "y"), Write{Path: deep, Op: Create, Content: []byte("deep")})
	w.save(update(deep, "deep", "deeper"), Write{Path: name, Op: Delete, Before: hashOf("y")})
	if w.cat(deep) != "deeper" {
		t.Error("not saved")
	}
	w.tidy()
}

// TestLargeFile: 200 MB, sparse. It is listed, not read, not edited.
func TestLargeFile(t *testing.T) {
	w := open1(t)
	full := filepath.Join(w.root, "big")
	must(t, os.WriteFile(full, nil, 0o666))
	must(t, os.Truncate(full, 200<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := w.Read(context.Background(), "big")
	runtime.ReadMemStats(&after)
	if err != nil || f.Class != TooLarge || f.Bytes != nil || f.Entry.Size != 200<<20 {
		t.Errorf("%+v, %v", f, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("reading it took %d bytes", used)
	}
	for _, write := range []Write{update("big", "", "x"), {Path: "big", Op: Delete},
		{Path: "new", Op: Create, Content: make([]byte, 17<<20)}} {
		if _, err := w.Save(context.Background(), []Write{write}); !errors.Is(err, errTooLarge) {
			t.Errorf("%v %s: %v", write.Op, write.Path, err)
		}
	}
	must(t, os.Truncate(full, DefaultMaxEditable))
	if f, err := w.Read(context.Background(), "big"); err != nil || len(f.Bytes) != DefaultMaxEditable {
		t.Errorf("a file of just the limit: %d bytes, %v", len(f.Bytes), err)
	}
}

// TestFileDirectorySwap: a file that became a directory, and the reverse.
func TestFileDirectorySwap(t *testing.T) {
	w := open1(t, "f", "x", "d/inner", "y")
	must(t, os.Remove(filepath.Join(w.root, "f")))
	must(t, os.Mkdir(filepath.Join(w.root, "f"), 0o777))
	put(t, w.root, "f/child", "child")
	must(t, os.RemoveAll(filepath.Join(w.root, "d")))
	put(t, w.root, "d", "file now")
	for _, c := range []struct {
		write Write
		says  string
	}{
		{update("f", "x", "y"), "directory"}, {Write{Path: "f", Op: Delete, Before: hashOf("x")}, "directory"},
		{Write{Path: "f", Op: Create}, "directory"},
		{update("d/inner", "y", "z"), "a file is where the path needs a directory"},
		{Write{Path: "d/new", Op: Create}, "a file is where the path needs a directory"},
		{Write{Path: "d/a/b/new", Op: Create}, "a file is where the path needs a directory"},
		{Write{Path: "d", Op: Rename, Before: hashOf("file now"), To: "f"}, "directory"},
	} {
		_, err := w.Save(context.Background(), []Write{c.write})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v %s: %v", c.write.Op, c.write.Path, err)
		}
	}
	if w.cat("f/child") != "child" || w.cat("d") != "file now" {
		t.Error("something changed")
	}
	w.tidy()
}

// TestSwapDuringSave puts a directory, a link, a FIFO or a huge file in the
// file's place in the last microsecond before the exchange.
func TestSwapDuringSave(t *testing.T) {
	swaps := map[string]func(full string) error{
		"directory": func(full string) error {
			return errors.Join(os.Remove(full), os.Mkdir(full, 0o777), os.WriteFile(full+"/child", []byte("child"), 0o666))
		},
		"link": func(full string) error { return errors.Join(os.Remove(full), os.Symlink("elsewhere", full)) },
		"fifo": func(full string) error { return errors.Join(os.Remove(full), unix.Mkfifo(full, 0o666)) },
		"huge": func(full string) error { return os.Truncate(full, 100<<20) },
		"gone": os.Remove,
	}
	for name, swap := range swaps {
		t.Run(name, func(t *testing.T) {
			w := open1(t, "f", "x")
			full := filepath.Join(w.root, "f")
			want := ""
			w.sys.exchange = func(d *dir, a, b string) error {
				w.sys.exchange = exchange
				must(t, swap(full))
				want = shape(t, full)
				return exchange(d, a, b)
			}
			saved, err := w.Save(context.Background(), []Write{update("f", "x", "y")})
			if err == nil || saved[0].State != NotWritten {
				t.Errorf("%v, %v", saved[0].State, err)
			}
			if got := shape(t, full); got != want {
				t.Errorf("now %s, was %s", got, want)
			}
			must(t, w.Settle(context.Background()))
			w.tidy()
		})
	}
}

func shape(t *testing.T, path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return "nothing"
	}
	if info.IsDir() {
		return snapshot(t, path)
	}
	return info.Mode().String() + " " + info.ModTime().String()
}

// TestDisplacedIsPreserved: another program saves between our last check and the exchange,
// in each way.
func TestDisplacedIsPreserved(t *testing.T) {
	for _, way := range []string{"rename", "in place"} {
		w := open1(t, "f", "x")
		w.sys.exchange = func(d *dir, a, b string) error {
			w.sys.exchange = exchange
			if way == "rename" {
				put(t, w.root, "f2", "theirs")
				must(t, os.Rename(filepath.Join(w.root, "f2"), filepath.Join(w.root, "f")))
			} else {
				put(t, w.root, "f", "theirs")
			}
			return exchange(d, a, b)
		}
		saved := w.save(update("f", "x", "ours"))
		if saved[0].State != Conflict || saved[0].Displaced == nil || string(saved[0].Displaced.Content) != "theirs" {
			t.Errorf("%s: %+v", way, saved[0])
		}
		if d := <-w.preserved; string(d.Content) != "theirs" || d.Hash != hashOf("theirs") || d.Path != "f" {
			t.Errorf("%s: preserved %+v", way, d)
		}
		if w.cat("f") != "ours" {
			t.Error(w.cat("f"))
		}
		w.tidy()
	}
}

// TestWriterHasItOpen: the outside program opened the file before our save and writes after
// it. Its version is passed on when it closes the file.
func TestWriterHasItOpen(t *testing.T) {
	w := open1(t, "f", "x", "d", "x")
	f, err := os.OpenFile(filepath.Join(w.root, "f"), os.O_RDWR, 0)
	must(t, err)
	d, err := os.OpenFile(filepath.Join(w.root, "d"), os.O_RDWR, 0)
	must(t, err)
	saved := w.save(update("f", "x", "ours"), Write{Path: "d", Op: Delete, Before: hashOf("x")})
	if !saved[0].Pending || !saved[1].Pending {
		t.Errorf("not pending: %+v", saved)
	}
	if pending, _ := w.journal.Pending(context.Background()); len(pending) != 1 {
		t.Errorf("the intent was forgotten too early: %v", pending)
	}
	for _, file := range []*os.File{f, d} {
		_, err = file.WriteAt([]byte("late save"), 0)
		must(t, err)
		must(t, file.Close())
	}
	start := time.Now()
	must(t, w.Settle(context.Background()))
	if took := time.Since(start); took > time.Second {
		t.Errorf("settled after %v although the writer was gone", took)
	}
	if got := <-w.preserved; string(got.Content) != "late save" || got.Path != "f" {
		t.Errorf("preserved %+v", got)
	}
	if w.cat("f") != "ours" || w.cat("d") != "late save" { // a file that is still being written is not deleted
		t.Errorf("f %q, d %q", w.cat("f"), w.cat("d"))
	}
	w.tidy()
}

// TestWriterStays keeps the file open for longer than the grace: nothing is
// removed, and the next start takes over.
func TestWriterStays(t *testing.T) {
	t.Parallel()
	w := open1(t, "log", "x")
	f, err := os.OpenFile(filepath.Join(w.root, "log"), os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	saved := w.save(update("log", "x", "ours"))
	_, err = f.WriteAt([]byte("one"), 0)
	must(t, err)
	must(t, w.Settle(context.Background()))
	if d := <-w.preserved; string(d.Content) != "one" {
		t.Errorf("after the grace: %q", d.Content)
	}
	_, err = f.WriteAt([]byte("two"), 0)
	must(t, err)
	must(t, w.Close())
	if d := <-w.preserved; string(d.Content) != "two" {
		t.Errorf("at Close: %q", d.Content)
	}
	_, err = f.WriteAt([]byte("333"), 0)
	must(t, err)
	must(t, f.Close())
	again := &world{t: t, journal: w.journal, preserved: w.preserved}
	again.Folder, err = Open(w.root, Options{Journal: w.journal, Preserve: func(d Displaced) error {
		w.preserved <- d
		return nil
	}})
	must(t, err)
	defer again.Close()
	report, err := again.Recover(context.Background(), nil)
	must(t, err)
	if d := <-w.preserved; string(d.Content) != "333" {
		t.Errorf("at the next start: %q", d.Content)
	}
	if len(report.Writes) != 1 || report.Writes[0].State != Written || again.cat("log") != "ours" {
		t.Errorf("%+v, %+v", saved, report)
	}
	again.tidy()
}

// TestNoLeases: where leases do not work, displaced files are watched for the grace.
func TestNoLeases(t *testing.T) {
	t.Parallel()
	w := open1(t, "f", "x")
	w.sys.leaseRead = func(int) writers { return unknownWriters }
	f, err := os.OpenFile(filepath.Join(w.root, "f"), os.O_RDWR, 0)
	must(t, err)
	saved := w.save(update("f", "x", "ours"))
	time.Sleep(200 * time.Millisecond)
	_, err = f.WriteAt([]byte("late"), 0)
	must(t, err)
	must(t, f.Close())
	must(t, w.Settle(context.Background()))
	if d := <-w.preserved; !saved[0].Pending || string(d.Content) != "late" {
		t.Errorf("%q", d.Content)
	}
	w.tidy()
}

// TestOpeningWhileWeLook: a program opens the displaced file for writing while we hold the
// lease. It waits for us, we notice, and its version arrives.
func TestOpeningWhileWeLook(t *testing.T) {
	w := open1(t, "f", "x")
	written := make(chan error, 1)
	w.sys.leaseRead = func(fd int) writers {
		w.sys.leaseRead = leaseRead
		who := leaseRead(fd)
		go func() {
			f, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", fd), os.O_RDWR, 0) // waits for the lease
			if err == nil {
				_, err = f.WriteAt([]byte("theirs"), 0)
				err = errors.Join(err, f.Close())
			}
			written <- err
		}()
		for leaseHeld(fd) {
			time.Sleep(time.Millisecond)
		}
		return who
	}
	saved := w.save(update("f", "x", "ours"))
	must(t, <-written)
	must(t, w.Settle(context.Background()))
	if d := <-w.preserved; !saved[0].Pending || string(d.Content) != "theirs" {
		t.Errorf("%+v %q", saved[0], d.Content)
	}
	w.tidy()
}

// TestOpenedAtTheLastInstant: a program that is inside open() when we exchange writes into
// a file that no longer has a name. The last check finds its version.
func TestOpenedAtTheLastInstant(t *testing.T) {
	w := open1(t, "f", "x")
	w.save(update("f", "x", "ours"))
	a := w.pending.open[0]
	f, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", a.fd), os.O_RDWR, 0)
	must(t, err)
	_, err = f.WriteAt([]byte("very late"), 0)
	must(t, err)
	must(t, f.Close())
	must(t, w.Close())
	if d := <-w.preserved; string(d.Content) != "very late" {
		t.Errorf("%q", d.Content)
	}
}

// TestNoExchange is the fallback: hash, then rename, with a notice.
func TestNoExchange(t *testing.T) {
	w := open1(t, "f", "x", "g", "x")
	w.sys.exchange = func(*dir, string, string) error { return unix.EINVAL }
	w.save(update("f", "x", "y"), update("g", "x", "y"))
	if w.cat("f") != "y" || w.cat("g") != "y" {
		t.Error("not saved")
	}
	if n := <-w.notices; n.Kind != Window {
		t.Error(n)
	}
	if len(w.notices) != 0 {
		t.Errorf("announced again: %v", <-w.notices)
	}
	w.sys.exchange = func(*dir, string, string) error { put(t, w.root, "f", "theirs"); return unix.EINVAL }
	if _, err := w.Save(context.Background(), []Write{update("f", "y", "z")}); !errors.As(err, new(*StaleError)) ||
		w.cat("f") != "theirs" {
		t.Errorf("%v; %q", err, w.cat("f"))
	}
	w.tidy()
}

// TestPreserveFails: a version that cannot be stored is not removed.
func TestPreserveFails(t *testing.T) {
	for _, fallback := range []bool{false, true} {
		w := open1(t, "f", "x")
		w.opt.Preserve = func(Displaced) error { return errors.New("the history is full") }
		file, err := os.OpenFile(filepath.Join(w.root, "f"), os.O_RDWR, 0)
		must(t, err)
		if fallback {
			w.sys.exchange = func(*dir, string, string) error { return unix.ENOSYS }
		}
		w.save(update("f", "x", "ours"))
		_, err = file.WriteAt([]byte("theirs"), 0)
		must(t, err)
		must(t, file.Close())
		must(t, w.Settle(context.Background()))
		var kept string
		for len(w.notices) > 0 {
			if n := <-w.notices; n.Kind == NotPreserved {
				kept = n.Temp
			}
		}
		if kept == "" || w.cat(kept) != "theirs" || w.cat("f") != "ours" {
			t.Fatalf("fallback %v: kept as %q; %v", fallback, kept, w.files())
		}
		if _, err := w.Recover(context.Background(), nil); err != nil || w.cat(kept) != "theirs" {
			t.Error("recovery removed what could not be stored", err)
		}
		w.opt.Preserve = func(d Displaced) error { w.preserved <- d; return nil }
		_, err = w.Recover(context.Background(), nil)
		must(t, err)
		if d := <-w.preserved; string(d.Content) != "theirs" {
			t.Errorf("%q", d.Content)
		}
		w.tidy()
	}
}
