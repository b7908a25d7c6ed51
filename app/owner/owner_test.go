package owner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// at returns a process with a place in dir.
func at(t *testing.T, dir, build string, run func(context.Context, *Run) int) *Self {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	s := New(Options{Build: build, Settings: []string{"test"}, Run: run})
	if _, err := s.Place(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(t.Context()) })
	return s
}

// short returns a folder whose path leaves room for the name of a socket.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "wp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// ask has the owner of s's place run a command.
func ask(t *testing.T, s *Self, c Command, in string) (code int, out, diag string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	code, err = Attach(t.Context(), s.place.Owner(), s.opt.Build, c, Streams{strings.NewReader(in), &o, &e})
	return code, o.String(), e.String(), err
}

func TestCommandRunsThere(t *testing.T) {
	s := at(t, short(t), "b", func(ctx context.Context, r *Run) int {
		r.Began()
		in, err := io.ReadAll(r.In)
		fmt.Fprintf(r.Out, "%s %s %s %v %v", r.Args, r.Dir, in, err, r.Terminal)
		fmt.Fprint(r.Err, r.Env["TERM"], r.PID == os.Getpid())
		return 7
	})
	if !s.Claim() {
		t.Fatal("nobody is the owner")
	}
	large := strings.Repeat("standard input ", 100_000)
	code, out, diag, err := ask(t, s, Command{Args: []string{"a", "b"}, Dir: "/d", Env: map[string]string{"TERM": "vt100"},
		Terminal: [3]bool{false, true}}, large)
	if want := "[a b] /d " + large + " <nil> [false true false]"; err != nil || code != 7 || out != want ||
		diag != "vt100true" {
		t.Errorf("code %d, %d bytes of output (want %d), %q, %v", code, len(out), len(want), diag, err)
	}
}

// TestInputIsLeft checks that input that a command does not read is left for the next one.
func TestInputIsLeft(t *testing.T) {
	s := at(t, short(t), "b", func(context.Context, *Run) int { return 0 })
	s.Claim()
	in := strings.NewReader("for the next one")
	if _, err := Attach(t.Context(), s.place.Owner(), "b", Command{}, Streams{in, io.Discard, io.Discard}); err != nil {
		t.Fatal(err)
	}
	if in.Len() != len("for the next one") {
		t.Errorf("%d bytes are left", in.Len())
	}
}

func TestStop(t *testing.T) {
	began := make(chan bool, 1)
	s := at(t, short(t), "b", func(ctx context.Context, r *Run) int {
		began <- true
		<-ctx.Done()
		fmt.Fprint(r.Out, "stopped")
		return 1
	})
	s.Claim()
	ctx, stop := context.WithCancel(t.Context())
	go func() { <-began; stop() }()
	var out bytes.Buffer
	code, err := Attach(ctx, s.place.Owner(), "b", Command{}, Streams{strings.NewReader(""), &out, io.Discard})
	if code != 1 || err != nil || out.String() != "stopped" {
		t.Errorf("code %d, %q, %v", code, out.String(), err)
	}
}

// TestClientGone checks that the command of a client that was killed is stopped, too.
func TestClientGone(t *testing.T) {
	ended := make(chan error, 1)
	began := make(chan bool)
	s := at(t, short(t), "b", func(ctx context.Context, r *Run) int {
		close(began)
		<-ctx.Done()
		_, err := r.In.Read(make([]byte, 1))
		ended <- err
		return 1
	})
	s.Claim()
	conn, _, err := open(t.Context(), s.place.Owner(), "b", false)
	if err != nil {
		t.Fatal(err)
	}
	if err := (&attached{conn: conn}).send(fromClient{Cmd: "run", Run: &Command{}}); err != nil {
		t.Fatal(err)
	}
	<-began
	conn.CloseNow()
	if err := <-ended; err == nil {
		t.Error("standard input of a client that is gone can be read")
	}
}

// TestOwnerGone kills the owner during a command. The client may run the command elsewhere
// if it had not begun, or only reads and has no output yet; otherwise it must not run it
// again.
func TestOwnerGone(t *testing.T) {
	for _, tt := range []struct {
		name         string
		begin, write bool
		reads        bool
		elsewhere    bool
	}{
		{"before it began", false, false, false, true},
		{"after it began", true, false, false, false},
		{"after it began, only reading", true, false, true, true},
		{"only reading, in the middle of its output", true, true, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := short(t)
			var s *Self
			s = at(t, dir, "b", func(ctx context.Context, r *Run) int {
				if tt.begin {
					r.Began()
				}
				if tt.write {
					fmt.Fprint(r.Out, "some")
				}
				_ = r.Out.Sync()
				s.http.Close() // hijacked connections stay open
				_ = r.In.(*input).conn.CloseNow()
				<-ctx.Done()
				return 0
			})
			s.Claim()
			_, _, _, err := ask(t, s, Command{Reads: tt.reads}, "")
			if elsewhere := errors.Is(err, ErrNobody); elsewhere != tt.elsewhere || err == nil {
				t.Errorf("%v", err)
			}
		})
	}
}

// fullDisk is a writer that fails.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

func TestOutputCannotBeWritten(t *testing.T) {
	got := make(chan error, 1)
	s := at(t, short(t), "b", func(_ context.Context, r *Run) int {
		fmt.Fprint(r.Out, "lost")
		got <- r.Out.Sync()
		return 0
	})
	s.Claim()
	if _, err := Attach(t.Context(), s.place.Owner(), "b", Command{},
		Streams{strings.NewReader(""), fullDisk{}, io.Discard}); err != nil {
		t.Fatal(err)
	}
	if err := <-got; !errors.Is(err, syscall.ENOSPC) || err.Error() != "write /dev/stdout: no space left on device" {
		t.Errorf("the command was told %v", err)
	}
}

func TestOtherVersion(t *testing.T) {
	s := at(t, short(t), "old", func(context.Context, *Run) int { return 0 })
	s.Claim()
	_, err := Attach(t.Context(), s.place.Owner(), "new", Command{}, Streams{})
	var no *RefusedError
	if !errors.As(err, &no) || no.PID != os.Getpid() || !strings.Contains(err.Error(), "(old, this is new)") {
		t.Errorf("%v", err)
	}
}

// TestOtherFolder checks that the owner refuses a path that leads to another folder in its
// process.
func TestOtherFolder(t *testing.T) {
	ran := false
	s := at(t, short(t), "b", func(context.Context, *Run) int { ran = true; return 0 })
	s.Claim()
	seen := See(t.TempDir())
	seen[0].Ino++
	if _, _, _, err := ask(t, s, Command{Folders: seen}, ""); !errors.As(err, new(*RefusedError)) || ran {
		t.Errorf("%v", err)
	}
}

// TestSilence checks that the error about a process that hangs names it and says how to end
// it.
func TestSilence(t *testing.T) {
	addr := filepath.Join(short(t), "s")
	l, err := net.Listen("unix", addr) // accepts, and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	was := answerWithin
	answerWithin = 50 * time.Millisecond
	defer func() { answerWithin = was }()
	_, err = Attach(t.Context(), addr, "b", Command{}, Streams{})
	if !errors.As(err, new(*RefusedError)) || !strings.Contains(err.Error(), fmt.Sprintf("kill %d", os.Getpid())) {
		t.Errorf("%v", err)
	}
}

// TestEnding checks that a process that closes connections without an answer counts as
// gone, although it still exists: another process may take its place.
func TestEnding(t *testing.T) {
	addr := filepath.Join(short(t), "s")
	l, err := net.Listen("unix", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	if _, err := Attach(t.Context(), addr, "b", Command{}, Streams{}); !errors.Is(err, ErrNobody) {
		t.Errorf("%v", err)
	}
}

// TestStays checks that a command that lasts until its user ends it is refused by an owner
// that ends before that, and moves elsewhere when its owner ends.
func TestStays(t *testing.T) {
	began := make(chan bool, 1)
	s := at(t, short(t), "b", func(ctx context.Context, r *Run) int {
		r.Began()
		began <- true
		<-ctx.Done()
		return 0
	})
	s.Claim()
	if _, _, _, err := ask(t, s, Command{Stays: true}, ""); !errors.As(err, new(*RefusedError)) {
		t.Errorf("by one that is running a single command: %v", err)
	}
	s.Stay(t.Context())
	addr := s.place.Owner()
	go func() { <-began; s.Close(t.Context()) }()
	if _, err := Attach(t.Context(), addr, "b", Command{Stays: true},
		Streams{strings.NewReader(""), io.Discard, io.Discard}); !errors.Is(err, ErrNobody) {
		t.Errorf("when the owner ends: %v", err)
	}
}

// TestOneOwner checks that of several processes exactly one becomes the owner, and after
// its end exactly one of the others.
func TestOneOwner(t *testing.T) {
	dir := short(t)
	var all []*Self
	for range 8 {
		all = append(all, at(t, dir, "b", func(context.Context, *Run) int { return 0 }))
	}
	for len(all) > 0 {
		var mu sync.Mutex
		var wg sync.WaitGroup
		var owners []int
		for i, s := range all {
			wg.Go(func() {
				if s.Claim() {
					mu.Lock()
					defer mu.Unlock()
					owners = append(owners, i)
				}
			})
		}
		wg.Wait()
		if len(owners) != 1 {
			t.Fatalf("of %d processes %d are the owner", len(all), len(owners))
		}
		s := all[owners[0]]
		if s.place.Owner() != s.Reach() {
			t.Fatalf("%s is said to be the owner, not %s", s.place.Owner(), s.Reach())
		}
		s.Close(t.Context())
		if s.place.Owner() != "" {
			t.Fatal("an owner that is gone is still named")
		}
		all = append(all[:owners[0]], all[owners[0]+1:]...)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "waferpair", "*")); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}

func TestSweep(t *testing.T) {
	s := at(t, short(t), "b", nil)
	s.Claim()
	dead := filepath.Join(s.place.dir, socketName(s.place.key))
	young := filepath.Join(s.place.dir, socketName(s.place.key))
	for _, addr := range []string{dead, young} {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: addr, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		l.Close()
	}
	old := time.Now().Add(-time.Hour)
	for _, addr := range []string{dead, s.Reach()} {
		if err := os.Chtimes(addr, old, old); err != nil {
			t.Fatal(err)
		}
	}
	s.place.sweep()
	for addr, stays := range map[string]bool{dead: false, young: true, s.Reach(): true} {
		if _, err := os.Lstat(addr); (err == nil) != stays {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

func TestPlaceIsOurs(t *testing.T) {
	dir := short(t)
	ours := filepath.Join(dir, "waferpair")
	t.Setenv("XDG_RUNTIME_DIR", dir)
	find := func() string {
		p, err := Find(nil)
		if err != nil {
			t.Fatal(err)
		}
		return p.dir
	}
	if find() != ours {
		t.Fatalf("the place is %s", find())
	}
	if err := os.Chmod(ours, 0o777); err != nil {
		t.Fatal(err)
	}
	find()
	if st, err := os.Stat(ours); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("others may enter: %v, %v", st.Mode(), err)
	}
	if err := os.Remove(ours); err != nil {
		t.Fatal(err)
	}
	for what, make := range map[string]func() error{
		"a link":                func() error { return os.Symlink(t.TempDir(), ours) },
		"a file":                func() error { return os.WriteFile(ours, nil, 0o600) },
		"another user's folder": func() error { return othersFolder(ours) },
		"another user's runtime folder": func() error {
			theirs := filepath.Join(dir, "theirs")
			t.Setenv("XDG_RUNTIME_DIR", theirs)
			ours = filepath.Join(theirs, "waferpair")
			return othersFolder(theirs)
		},
		"a name that is too long": func() error {
			t.Setenv("XDG_RUNTIME_DIR", filepath.Join(dir, strings.Repeat("x", 100)))
			return nil
		},
		"a folder that is not there": func() error { t.Setenv("XDG_RUNTIME_DIR", filepath.Join(dir, "none")); return nil },
	} {
		if err := make(); errors.Is(err, syscall.EPERM) {
			continue
		} else if err != nil {
			t.Fatal(what, err)
		}
		if got := find(); got == ours {
			t.Errorf("%s is used", what)
		}
		os.Remove(ours)
		ours = filepath.Join(dir, "waferpair")
		t.Setenv("XDG_RUNTIME_DIR", dir)
	}
}

// othersFolder needs root.
func othersFolder(dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	return os.Chown(dir, 65534, 65534)
}

func TestSettingsKeepApart(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", short(t))
	key := func() string {
		p, err := Find(Settings("/data"))
		if err != nil {
			t.Fatal(err)
		}
		return p.key
	}
	was := key()
	if key() != was {
		t.Error("the same settings have two places")
	}
	t.Setenv("GOFLAGS", "-mod=vendor")
	if key() == was {
		t.Error("other settings have the same place")
	}
}
