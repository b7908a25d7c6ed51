//go:build linux && (amd64 || arm64)

package faults

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// tracer runs a program with ptrace and records each system call that changes files in some
// folders, and each sync, from Go and from SQLite's C code alike.
//
// Calls that change files run one at a time, so that their order is known. A sync covers
// the events that were recorded when it began.
type tracer struct {
	under []string
	log   *recording
	tasks map[int]*task
	busy  int   // the task whose call changes something, or 0
	held  []int // tasks that wait for their turn
	main  int
	code  int
}

// task is a thread of the program.
type task struct {
	entered bool
	nr      uint64
	args    [6]uint64
	began   int  // the number of events when the call began
	turn    bool // its call may change something now
}

// syscallInfo is struct ptrace_syscall_info.
type syscallInfo struct {
	op    uint8
	_     [3]uint8
	arch  uint32
	ip    uint64
	sp    uint64
	nr    uint64 // or the result
	args  [6]uint64
	extra [2]uint64
}

const (
	ptraceGetSyscallInfo = 0x420e
	infoEntry, infoExit  = 1, 2
	stopOfCall           = unix.SIGTRAP | 0x80
)

// traceable returns why programs cannot be traced here.
func traceable() error {
	t := &tracer{log: newRecording()}
	code, err := t.run(exec.Command("/bin/true"))
	if err == nil && code != 0 {
		err = fmt.Errorf("/bin/true ends with status %d", code)
	}
	if err != nil {
		return fmt.Errorf("ptrace: %w", err)
	}
	return nil
}

// run runs a command to its end and returns its exit status; -1 if it was killed.
func (t *tracer) run(cmd *exec.Cmd) (int, error) {
	began := make(chan error)
	wait := t.start(cmd, began)
	if err := <-began; err != nil {
		return -1, err
	}
	return wait()
}

// start starts a command; began receives whether it runs.
func (t *tracer) start(cmd *exec.Cmd, began chan error) (wait func() (int, error)) {
	var err error
	over := make(chan struct{})
	go func() {
		defer close(over)
		// Only this thread may call ptrace for the program. It must not end with this
		// goroutine, because other programs that it started would get its death signal.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		attr := syscall.SysProcAttr{}
		if cmd.SysProcAttr != nil {
			attr = *cmd.SysProcAttr
		}
		attr.Ptrace, attr.Setpgid, attr.Pdeathsig = true, true, 0
		cmd.SysProcAttr = &attr
		if err = cmd.Start(); err != nil {
			began <- err
			return
		}
		err = t.follow(cmd.Process.Pid, began)
	}()
	return func() (int, error) {
		<-over
		return t.code, err
	}
}

// follow handles the stops of all threads until the program ends.
func (t *tracer) follow(pid int, began chan error) error {
	t.tasks, t.main, t.code = map[int]*task{pid: {}}, pid, -1
	var ws unix.WaitStatus
	_, err := unix.Wait4(pid, &ws, unix.WALL, nil)
	if err == nil {
		err = unix.PtraceSetOptions(pid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_TRACEFORK|
			unix.PTRACE_O_TRACEVFORK|unix.PTRACE_O_TRACEEXEC|unix.PTRACE_O_EXITKILL)
	}
	if err == nil {
		err = unix.PtraceSyscall(pid, 0)
	}
	began <- err
	if err != nil {
		return err
	}
	for {
		tid, err := unix.Wait4(-pid, &ws, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ECHILD):
			return nil
		case err != nil:
			return err
		}
		if err := t.stopped(tid, ws); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
}

func (t *tracer) stopped(tid int, ws unix.WaitStatus) error {
	if ws.Exited() || ws.Signaled() {
		if tid == t.main && ws.Exited() {
			t.code = ws.ExitStatus()
		}
		err := t.passTurn(tid)
		delete(t.tasks, tid)
		return err
	}
	if !ws.Stopped() {
		return nil
	}
	sig := ws.StopSignal()
	tk, known := t.tasks[tid]
	if !known {
		tk = &task{}
		t.tasks[tid] = tk
	}
	switch {
	case sig == stopOfCall:
		return t.call(tid, tk)
	case sig == unix.SIGTRAP, sig == unix.SIGSTOP && !known: // an event of ptrace, or a new thread
		sig = 0
	}
	return unix.PtraceSyscall(tid, int(sig))
}

// call handles the entry into a system call, and the return from it.
func (t *tracer) call(tid int, tk *task) error {
	var info syscallInfo
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, ptraceGetSyscallInfo, uintptr(tid), unsafe.Sizeof(info),
		uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return errno
	}
	switch info.op {
	case infoEntry:
		tk.entered, tk.nr, tk.args, tk.began = true, info.nr, info.args, t.log.len()
		if t.changes(tid, tk) {
			if t.busy != 0 {
				t.held = append(t.held, tid)
				return nil
			}
			t.busy, tk.turn = tid, true
		}
	case infoExit:
		if result := int64(info.nr); tk.entered && result >= 0 {
			t.done(tid, tk, result)
		}
		tk.entered = false
		if err := t.passTurn(tid); err != nil {
			return err
		}
	}
	return unix.PtraceSyscall(tid, 0)
}

// passTurn gives the turn to the next waiting task.
func (t *tracer) passTurn(tid int) error {
	if tk := t.tasks[tid]; tk == nil || !tk.turn {
		return nil
	}
	t.tasks[tid].turn = false
	t.busy = 0
	for len(t.held) > 0 {
		next := t.held[0]
		t.held = t.held[1:]
		if tk := t.tasks[next]; tk != nil {
			t.busy, tk.turn, tk.began = next, true, t.log.len()
			if err := unix.PtraceSyscall(next, 0); !errors.Is(err, unix.ESRCH) {
				return err
			}
			t.busy, tk.turn = 0, false
		}
	}
	return nil
}

// changes reports whether a call may change the recorded files.
func (t *tracer) changes(tid int, tk *task) bool {
	switch tk.nr {
	case unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_WRITEV, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE:
		_, ours := t.fd(tid, tk.args[0])
		return ours
	case unix.SYS_OPENAT:
		return tk.args[2]&(unix.O_CREAT|unix.O_TRUNC) != 0 && t.ours(t.path(tid, tk.args[0], tk.args[1]))
	}
	return len(t.names(tid, tk)) > 0
}

// names returns the paths that a call creates, removes or renames.
func (t *tracer) names(tid int, tk *task) []string {
	a := tk.args
	cwd := uint64(0xffffffffffffff9c) // AT_FDCWD
	var out []string
	switch kind := t.kind(tk.nr); kind {
	case "mkdirat", "unlinkat":
		out = []string{t.path(tid, a[0], a[1])}
	case "renameat", "renameat2", "linkat":
		out = []string{t.path(tid, a[0], a[1]), t.path(tid, a[2], a[3])}
	case "symlinkat":
		out = []string{t.path(tid, a[1], a[2])}
	case "mkdir", "unlink", "rmdir":
		out = []string{t.path(tid, cwd, a[0])}
	case "rename", "link":
		out = []string{t.path(tid, cwd, a[0]), t.path(tid, cwd, a[1])}
	}
	for _, name := range out {
		if t.ours(name) {
			return out
		}
	}
	return nil
}

func (t *tracer) kind(nr uint64) string {
	switch nr {
	case unix.SYS_MKDIRAT:
		return "mkdirat"
	case unix.SYS_UNLINKAT:
		return "unlinkat"
	case unix.SYS_RENAMEAT:
		return "renameat"
	case unix.SYS_RENAMEAT2:
		return "renameat2"
	case unix.SYS_LINKAT:
		return "linkat"
	case unix.SYS_SYMLINKAT:
		return "symlinkat"
	}
	return oldCalls[nr]
}

// done records the effect of a call.
func (t *tracer) done(tid int, tk *task, result int64) {
	a := tk.args
	switch tk.nr {
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		if path, ours := t.fd(tid, a[0]); ours {
			t.log.sync(inode(path), tk.began)
		}
		return
	case unix.SYS_WRITE, unix.SYS_PWRITE64:
		if path, ours := t.fd(tid, a[0]); ours {
			off := int64(a[3])
			if tk.nr == unix.SYS_WRITE {
				off = position(tid, a[0]) - result
			}
			t.log.write(inode(path), off, peek(tid, a[1], int(result)))
		}
		return
	case unix.SYS_FTRUNCATE:
		if path, ours := t.fd(tid, a[0]); ours {
			t.log.truncate(inode(path), int64(a[1]))
		}
		return
	case unix.SYS_FALLOCATE:
		if path, ours := t.fd(tid, a[0]); ours && a[1] == 0 {
			t.log.grow(inode(path), int64(a[2]+a[3]))
		}
		return
	case unix.SYS_OPENAT, sysOpen, unix.SYS_OPENAT2:
		t.opened(tid, tk, result)
		return
	}
	names := t.names(tid, tk)
	if len(names) == 0 {
		return
	}
	switch t.kind(tk.nr) {
	case "mkdirat", "mkdir":
		t.log.link(dirOf(names[0]), filepath.Base(names[0]), inode(names[0]), true, nil)
	case "unlinkat", "unlink", "rmdir":
		t.log.unlink(dirOf(names[0]), filepath.Base(names[0]))
	case "linkat", "link":
		t.log.link(dirOf(names[1]), filepath.Base(names[1]), inode(names[1]), false, nil)
	case "symlinkat":
		t.log.odd = append(t.log.odd, "a symbolic link: "+names[0])
	case "rename", "renameat", "renameat2":
		exchange := tk.nr == unix.SYS_RENAMEAT2 && a[4]&unix.RENAME_EXCHANGE != 0
		t.log.rename(dirOf(names[0]), filepath.Base(names[0]), dirOf(names[1]), filepath.Base(names[1]), exchange)
	}
}

// opened records a file that was created or truncated.
func (t *tracer) opened(tid int, tk *task, fd int64) {
	path, ours := t.fd(tid, uint64(fd))
	if !ours {
		return
	}
	flags := tk.args[2]
	switch tk.nr {
	case sysOpen:
		flags = tk.args[1]
	case unix.SYS_OPENAT2:
		b := peek(tid, tk.args[2], 8)
		flags = *(*uint64)(unsafe.Pointer(&b[0]))
	}
	proc := fmt.Sprintf("/proc/%d/fd/%d", tid, fd)
	id := inode(proc)
	switch {
	case flags&unix.O_TMPFILE == unix.O_TMPFILE:
		t.log.odd = append(t.log.odd, "a file without a name: "+path)
	case flags&unix.O_CREAT != 0 && !t.log.knows(id):
		t.log.link(dirOf(path), filepath.Base(path), id, false, nil)
	case flags&unix.O_TRUNC != 0:
		t.log.truncate(id, 0)
	}
}

func (t *tracer) ours(path string) bool {
	for _, dir := range t.under {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return !strings.HasSuffix(path, "-shm") // SQLite recreates it
		}
	}
	return false
}

// fd returns the path of an open file, and whether it is recorded.
func (t *tracer) fd(tid int, fd uint64) (string, bool) {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, int32(fd)))
	path, deleted := strings.CutSuffix(path, " (deleted)")
	if err != nil || !t.ours(path) {
		return "", false
	}
	if deleted { // no path leads to it, so a power cut cannot restore it
		return "", false
	}
	return path, true
}

// path returns the absolute path of a call's argument.
func (t *tracer) path(tid int, dirfd, at uint64) string {
	name := string(peekString(tid, at))
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	link := fmt.Sprintf("/proc/%d/cwd", tid)
	if int32(dirfd) != unix.AT_FDCWD {
		link = fmt.Sprintf("/proc/%d/fd/%d", tid, int32(dirfd))
	}
	dir, err := os.Readlink(link)
	if err != nil {
		return ""
	}
	return filepath.Join(dir, name)
}

func dirOf(path string) uint64 { return inode(filepath.Dir(path)) }

// position returns the offset of an open file.
func position(tid int, fd uint64) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", tid, int32(fd)))
	var pos int64
	_, _ = fmt.Sscanf(string(b), "pos:\t%d", &pos)
	return pos
}

// peek reads the memory of a stopped thread.
func peek(tid int, at uint64, n int) []byte {
	out := make([]byte, n)
	if n > 0 {
		local := []unix.Iovec{{Base: &out[0]}}
		local[0].SetLen(n)
		if got, err := unix.ProcessVMReadv(tid, local, []unix.RemoteIovec{{Base: uintptr(at), Len: n}}, 0); err != nil ||
			got != n {
			return make([]byte, max(n, 8))
		}
	}
	return out
}

func peekString(tid int, at uint64) []byte {
	var out []byte
	for len(out) < unix.PathMax {
		n := 4096 - int(at%4096) // do not read across the end of a page
		b := peek(tid, at, n)
		if end := bytes.IndexByte(b, 0); end >= 0 {
			return append(out, b[:end]...)
		}
		out, at = append(out, b...), at+uint64(n)
	}
	return out
}
