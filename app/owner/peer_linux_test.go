package owner

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// TestOtherUser checks that a process of another user gets no command, is named in the
// error, and keeps its socket.
func TestOtherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be two users")
	}
	addr := filepath.Join(short(t), "s")
	if err := os.Chmod(filepath.Dir(addr), 0o777); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread() // the kernel records the listening thread's user, and each thread has its own
	defer runtime.UnlockOSThread()
	become := func(uid uintptr) {
		if _, _, no := syscall.RawSyscall(syscall.SYS_SETRESUID, ^uintptr(0), uid, ^uintptr(0)); no != 0 {
			t.Fatal(no)
		}
	}
	become(65534)
	l, err := net.Listen("unix", addr)
	become(0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Attach(t.Context(), addr, "b", Command{}, Streams{})
	if err == nil || err.Error() != fmt.Sprintf("process %d is another user's; run this as that user, or close it there",
		os.Getpid()) {
		t.Errorf("%v", err)
	}
	if PID(addr) != 0 {
		t.Error("it counts as one of ours")
	}
}
