package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"waferpair/build/testdir"
	"waferpair/workspace/text"
)

// programs is where a program can be put: in memory, some computers allow none to run.
var programs = os.TempDir()

// Tests that need a process of their own run this test binary with HISTORY_CHILD set.
func TestMain(m *testing.M) {
	switch os.Getenv("HISTORY_CHILD") {
	case "writer":
		writerChild(os.Getenv("HISTORY_DIR"))
	case "move":
		moveChild(os.Getenv("HISTORY_DIR"))
	case "reclaim":
		reclaimChild(os.Getenv("HISTORY_DIR"))
	case "full":
		fullChild(os.Getenv("HISTORY_DIR"))
	case "migrate":
		migrateChild(os.Getenv("HISTORY_DIR"))
	case "migrate full":
		fullMigrateChild(os.Getenv("HISTORY_DIR"))
	case "small blocks":
		smallBlocksChild(os.Getenv("HISTORY_DIR"))
	}
	if m := testdir.Memory(); m != "" {
		if err := os.Setenv("TMPDIR", m); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// child prepares a run of this binary. If it must run as another user, the binary is first
// copied next to the test's data.
func child(kind, dir string) *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v")
	c.Env = append(os.Environ(), "HISTORY_CHILD="+kind, "HISTORY_DIR="+dir)
	c.Stderr = os.Stderr
	return c
}

func runChild(t *testing.T, kind, dir string, attr *syscall.SysProcAttr) {
	t.Helper()
	bin := filepath.Join(programs, fmt.Sprintf("history-child-%d", os.Getpid()))
	if out, err := exec.Command("cp", os.Args[0], bin).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	defer os.Remove(bin)
	os.Chmod(bin, 0o755)
	c := child(kind, dir)
	c.Path, c.Dir = bin, "/"
	c.SysProcAttr = attr
	c.Stderr = nil
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestChild is the body of a child that runs as another user.
func TestChild(t *testing.T) {
	switch os.Getenv("HISTORY_CHILD") {
	case "readonly":
		checkReadOnly(t, os.Getenv("HISTORY_DIR"))
	default:
		t.Skip("runs only as a child of another test")
	}
}

// writerChild appends edits until it is killed, and prints the ID of each edit that is
// acknowledged.
func writerChild(dir string) {
	s, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	v, _ := s.Head(context.Background(), "a")
	n, _ := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(string(v.Bytes), "v")))
	for {
		r, err := s.Append(context.Background(), Op{Author: Model, Edits: []NewEdit{versionEdit(n)}})
		if err == nil && n%3 == 0 {
			err = r.Wait(context.Background())
			fmt.Println(n+1, r.IDs()[0])
		}
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		n++
	}
}

func TestKillLosesNoAcknowledgedEdit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	baseline(t, s, map[string]string{"a": "v0\n"})
	s.Close()
	r := rand.New(rand.NewPCG(3, 3))
	acked := map[EditID]int{}
	for range long(30) {
		killOnce(t, dir, time.Duration(r.IntN(60))*time.Millisecond, acked)
	}
	s = openStore(t, dir)
	if n := s.Notices(); len(n) > 0 {
		t.Fatal(n)
	}
	for id, n := range acked {
		want(t, at(t, s, id, "a"), fmt.Sprintf("v%d\n", n))
	}
	if rep := must[Report](t)(s.Check(context.Background(), nil)); !rep.OK() {
		t.Fatalf("%+v", rep)
	}
	t.Logf("%d acknowledged edits are all there", len(acked))
}

// killOnce lets a writer work for a while after its first acknowledgement.
func killOnce(t *testing.T, dir string, after time.Duration, acked map[EditID]int) {
	t.Helper()
	c := child("writer", dir)
	out := must[io.ReadCloser](t)(c.StdoutPipe())
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	first := true
	for lines.Scan() {
		var n int
		var id EditID
		if _, err := fmt.Sscan(lines.Text(), &n, &id); err != nil {
			c.Process.Kill()
			t.Fatal(lines.Text())
		}
		acked[id] = n
		if first {
			first = false
			time.AfterFunc(after, func() { c.Process.Kill() })
		}
	}
	c.Wait()
}

// fullChild appends under a limit of the file size, which looks like a full disk to SQLite,
// then lifts the limit and continues.
func fullChild(dir string) {
	signal.Ignore(unix.SIGXFSZ)
	fail := func(args ...any) {
		fmt.Println(args...)
		os.Exit(1)
	}
	s, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		fail("open", err)
	}
	var was unix.Rlimit
	unix.Getrlimit(unix.RLIMIT_FSIZE, &was)
	unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 200 << 10, Max: was.Max})
	n, acked := 0, 0
	for ; n < 2000; n++ {
		r, e := s.Append(context.Background(), Op{Author: Model, Note: strings.Repeat("x", 500),
			Edits: []NewEdit{versionEdit(n)}, OrNot: true})
		if e == nil {
			e = r.Wait(context.Background())
		}
		if err = e; err != nil {
			break
		}
		acked++
	}
	if !errors.Is(err, ErrFull) {
		fail("no clear error for a full disk:", err)
	}
	unix.Setrlimit(unix.RLIMIT_FSIZE, &was)
	if v, e := s.Head(context.Background(), "a"); e != nil || string(v.Bytes) != fmt.Sprintf("v%d\n", acked) {
		fail("after the full disk:", string(v.Bytes), acked, e)
	}
	r, err := s.Append(context.Background(), Op{Author: Model, Edits: []NewEdit{versionEdit(acked)}})
	if err == nil {
		err = r.Wait(context.Background())
	}
	if err != nil {
		fail("once there is space again:", err)
	}
	if err := s.Close(); err != nil {
		fail("close", err)
	}
	fmt.Println("acked", acked+1)
	os.Exit(0)
}

func TestFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir)
	baseline(t, s, map[string]string{"a": "v0\n"})
	s.Close()
	out, err := child("full", dir).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s = openStore(t, dir)
	if n := s.Notices(); len(n) > 0 {
		t.Fatal(n)
	}
	var n int
	fmt.Sscanf(string(out), "acked %d", &n)
	want(t, at(t, s, Newest, "a"), fmt.Sprintf("v%d\n", n))
	if rep := must[Report](t)(s.Check(context.Background(), nil)); !rep.OK() {
		t.Fatalf("%+v", rep)
	}
}

// versionEdit turns "v(n)\n" into "v(n+1)\n".
func versionEdit(n int) NewEdit {
	before := text.OfString(fmt.Sprintf("v%d\n", n))
	cs, err := text.NewChangeSet(before.Len(), text.Change{From: 1, To: before.Len() - 1, Insert: strconv.Itoa(n + 1)})
	if err != nil {
		panic(err)
	}
	return NewEdit{Path: "a", Kind: Text, Before: before, Changes: cs}
}
