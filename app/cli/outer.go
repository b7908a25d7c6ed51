package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"golang.org/x/term"

	"waferpair/app/owner"
)

// outer is the environment of a command: the process that the user started. The command may
// run in another process, see package owner.
type outer interface {
	getenv(name string) string
	file(name string) string // a file name of that process, for this one
	environ() []string       // for programs that are started there
	isTerminal(e *env, w any) bool
	zone() *time.Location
}

// around returns the command's environment: this process, or a client's.
func (e *env) around() outer {
	if e.outer == nil {
		return here{}
	}
	return e.outer
}

// here is this process.
type here struct{}

func (here) getenv(name string) string { return os.Getenv(name) }
func (here) file(name string) string   { return name }
func (here) environ() []string         { return nil }
func (here) zone() *time.Location      { return time.Local }

func (here) isTerminal(_ *env, w any) bool {
	fd, ok := descriptor(w)
	return ok && term.IsTerminal(fd)
}

// remote is the process of a client.
type remote struct{ run *owner.Run }

func (r remote) getenv(name string) string { return r.run.Env[name] }

func (r remote) environ() []string {
	out := os.Environ()
	for _, name := range desktop {
		out = append(out, name+"="+r.run.Env[name])
	}
	return out
}

// file makes a name absolute. Names such as /dev/stdin are looked up in the client's /proc.
func (r remote) file(name string) string {
	fds := fmt.Sprintf("/proc/%d/fd/", r.run.PID)
	switch name {
	case "/dev/stdin":
		return fds + "0"
	case "/dev/stdout":
		return fds + "1"
	case "/dev/stderr":
		return fds + "2"
	}
	for _, own := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if n, ok := strings.CutPrefix(name, own); ok {
			return fds + n
		}
	}
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.run.Dir, name)
}

func (r remote) isTerminal(e *env, w any) bool {
	switch w {
	case any(e.in):
		return r.run.Terminal[0]
	case any(e.out):
		return r.run.Terminal[1]
	case any(e.err):
		return r.run.Terminal[2]
	}
	return false
}

func (r remote) zone() *time.Location {
	tz, set := r.run.Env["TZ"]
	if !set || tz == os.Getenv("TZ") {
		return time.Local
	}
	if loc, err := time.LoadLocation(strings.TrimPrefix(tz, ":")); err == nil {
		return loc
	}
	return time.UTC
}

// shown are the variables that affect how a command prints.
var shown = []string{"NO_COLOR", "TERM", "COLORTERM", "TZ"}

// desktop are the variables that decide where windows appear.
var desktop = []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "BROWSER"}

// command returns this command line for another process. The variables with providers' keys go along,
// over a socket that only this user can open.
func (e *env) command() owner.Command {
	c := owner.Command{Args: e.args, Env: map[string]string{}, Read: e.read, Umask: umask(),
		Reads: onlyReads[strings.TrimPrefix(e.path, "waferpair ")]}
	c.Folders = owner.See(owner.Root(e.dir), xdg.DataHome)
	c.Dir, _ = os.Getwd() // "": names are relative to the root, as in a process whose folder is gone
	for _, name := range slices.Concat(shown, desktop, e.providers.Variables()) {
		if v, set := os.LookupEnv(name); set {
			c.Env[name] = v
		}
	}
	for i, w := range []any{e.in, e.out, e.err} {
		c.Terminal[i] = e.isTerminal(w)
	}
	return c
}

// onlyReads lists the commands that may be run twice.
var onlyReads = map[string]bool{
	"history list": true, "history show": true, "history cat": true, "history diff": true,
	"history export": true, "history check": true, "sessions list": true, "sessions show": true,
}

// openError says that a file could not be opened at all.
type openError struct{ error }

func (e *openError) Unwrap() error { return e.error }

// readAll reads a file, or "-" for standard input, up to most bytes. If the command runs in
// another process, the content is sent along, because that process cannot read this one's
// pipes again.
func (e *env) readAll(name string, most int64) ([]byte, error) {
	if b, ok := e.read[name]; ok {
		return b, nil
	}
	in := e.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, &openError{err}
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, most))
	if err == nil {
		e.read[name] = b
	}
	return b, err
}

// asNamed replaces the path in an error by the name that the user typed.
func asNamed(err error, name string) error {
	if no := (*fs.PathError)(nil); errors.As(err, &no) {
		no.Path = name
	}
	return err
}

// written waits until standard output is written, and returns the error if that failed.
func (e *env) written() error {
	if s, ok := e.out.(owner.Stream); ok {
		return s.Sync()
	}
	return nil
}

// notify writes to standard error without waiting.
func (e *env) notify(s string) {
	if w, ok := e.err.(owner.Stream); ok {
		w.WriteNow([]byte(s))
		return
	}
	fmt.Fprint(e.err, s)
}

// isFolder reports whether dir is a folder; anything else cannot be a project, and is refused here.
func isFolder(dir string) bool {
	st, err := os.Stat(dir)
	return err == nil && st.IsDir() || errors.Is(err, fs.ErrPermission)
}

// umask is this process's; nil when it is not known. It is read where that changes
// nothing: files may be made meanwhile.
func umask() *fs.FileMode {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		if octal, is := strings.CutPrefix(line, "Umask:"); is {
			n, err := strconv.ParseUint(strings.TrimSpace(octal), 8, 9)
			if err != nil {
				return nil
			}
			mask := fs.FileMode(n)
			return &mask
		}
	}
	return nil
}
