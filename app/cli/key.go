package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

	"waferpair/engine"
)

// keyWithin is how long a list on a terminal waits for a key. Whoever is away finds the list, and
// --choose takes one later.
const keyWithin = 30 * time.Second

// choose lets the user take one of the listed requests with one key; 0: none.
func (e *env) choose(ctx context.Context, o engine.Outcome) int {
	if e.json || o.Refusal == nil || len(o.Refusal.Candidates) == 0 || !e.isTerminal(e.in) || !e.isTerminal(e.err) {
		return 0
	}
	n := len(o.Refusal.Candidates)
	keys := "1"
	if n > 1 {
		keys = fmt.Sprintf("1 to %d", n)
	}
	fmt.Fprintf(e.err, "  Press %s to take one, another key to leave it: ", keys)
	key := e.key(ctx)
	fmt.Fprintln(e.err)
	if at := int(key) - '0'; at >= 1 && at <= n {
		return at
	}
	return 0
}

// key waits for one key at the terminal of standard input; 0 if none comes in time. It opens the
// terminal anew: this process may have another one, or none.
func (e *env) key(ctx context.Context) byte {
	tty, err := os.Open(e.around().file("/dev/stdin"))
	if err != nil {
		return 0
	}
	defer tty.Close()
	ctx, cancel := context.WithTimeout(ctx, keyWithin)
	defer cancel()
	leave := context.AfterFunc(ctx, func() { _ = tty.SetReadDeadline(time.Now()) }) // ends the read
	defer leave()
	raw, err := tty.SyscallConn()
	if err != nil {
		return 0
	}
	var was *term.State
	if cerr := raw.Control(func(fd uintptr) { was, err = term.MakeRaw(int(fd)) }); cerr != nil || err != nil {
		return 0
	}
	defer func() {
		_ = raw.Control(func(fd uintptr) { _ = term.Restore(int(fd), was) }) // the terminal is gone if it fails
	}()
	key := make([]byte, 1)
	if n, _ := tty.Read(key); n == 0 {
		return 0
	}
	return key[0]
}
