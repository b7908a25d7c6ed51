package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/adrg/xdg"

	"waferpair/app"
	"waferpair/app/keys"
	"waferpair/app/owner"
	"waferpair/engine/model"
	"waferpair/history"
	"waferpair/workspace"
)

// desk returns this process as others of the user see it.
func (e *env) desk() *owner.Self {
	if e.self == nil {
		e.self = owner.New(owner.Options{Build: Version, Settings: owner.Settings(xdg.DataHome), Run: e.runForClient})
	}
	return e.self
}

// elsewhere ends a command that ran in another process, with its exit code.
func elsewhere(code int) error {
	return &codeError{code: code, err: errors.New("done in another process"), quiet: true}
}

// settleWithin is how long to retry while another process has the project: that process is
// about to answer, or to close the project.
const settleWithin = 3 * time.Second

// open opens the project of -C as it is on disk now. If another process has it open, or should
// open it, the command runs there, and the error is its exit code.
func (e *env) open(ctx context.Context) (*owner.Use, error) {
	e.locate()
	for end := time.Now().Add(settleWithin); ; time.Sleep(10 * time.Millisecond) {
		if err := e.attach(ctx); err != nil {
			return nil, err
		}
		u, err := e.openHere(ctx)
		// another process was
		quicker := errors.Is(err, history.ErrBeingMade) || errors.Is(err, history.ErrOlder) || err == nil && u.Taken()
		if quicker && time.Now().Before(end) && e.another() {
			if u != nil {
				_ = u.Close() // nothing was done with it
			}
			if err := e.move(); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, classify(err)
		}
		if err := u.Fresh(ctx); err != nil {
			return nil, classify(errors.Join(err, u.Close()))
		}
		if r, ok := e.around().(remote); ok {
			r.run.Began()
		}
		return u, nil
	}
}

// another reports whether another process can run the command.
func (e *env) another() bool {
	_, client := e.around().(remote)
	return client || e.attaches() && history.Reach(e.historyDir()) != ""
}

// move sends a client to the process that has the project now.
func (e *env) move() error {
	r, client := e.around().(remote)
	if !client {
		return nil
	}
	r.run.Move()
	return elsewhere(exitFailed)
}

// attaches reports whether the command may run in another process: it does not already, and the
// project's folder exists.
func (e *env) attaches() bool {
	_, own := e.around().(here)
	return own && isFolder(e.dir)
}

func (e *env) historyDir() string { return history.Dir(xdg.DataHome, owner.Root(e.dir)) }

// others lists the addresses of processes that have the project of -C open, or should open it.
func (e *env) others() []string {
	if !e.attaches() {
		return nil
	}
	var out []string
	if addr := history.Reach(e.historyDir()); addr != "" {
		out = append(out, addr)
	}
	if place, err := e.desk().Place(); err == nil && place.Owner() != "" {
		out = append(out, place.Owner())
	}
	return out
}

// openHere opens the project in this process, and makes it reachable for others.
func (e *env) openHere(ctx context.Context) (*owner.Use, error) {
	return e.desk().Projects.Open(ctx, e.around().file(e.dir), app.Options{
		Notice:   func(s string) { e.notify(fmt.Sprintf("waferpair: %s\n", clean(s))) },
		Progress: e.progress(),

		UseFolder: e.useFolder,
		Models:    e.models,
	})
}

// attach runs the command in the process that has the project open, or else in the owner. nil:
// there is none, and this process is the owner if possible.
func (e *env) attach(ctx context.Context) error {
	if !e.attaches() {
		return nil
	}
	desk := e.desk()
	for end := time.Now().Add(settleWithin); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if addr := history.Reach(e.historyDir()); addr != "" {
			if err := e.attachTo(ctx, addr); !errors.Is(err, owner.ErrNobody) {
				return err
			}
		}
		place, err := desk.Place()
		if err != nil || e.useFolder {
			return nil
		}
		if addr := place.Owner(); addr != "" {
			err := e.attachTo(ctx, addr)
			if no := (*owner.RefusedError)(nil); errors.As(err, &no) { // it does not have this project
				if no.Silent {
					e.notify(fmt.Sprintf("waferpair: %v; continuing without it\n", no))
				}
				return nil
			}
			if !errors.Is(err, owner.ErrNobody) {
				return err
			}
		}
		if desk.Claim() || desk.Reach() == "" {
			return nil
		}
	}
	return nil // there is an owner, but it cannot be reached
}

// attachTo runs the command in the process at an address.
func (e *env) attachTo(ctx context.Context, addr string) error {
	code, err := owner.Attach(ctx, addr, Version, e.command(), owner.Streams{In: e.in, Out: e.out, Err: e.err})
	var lost *owner.LostError
	var refused *owner.RefusedError
	switch {
	case errors.Is(err, owner.ErrNobody):
		return err
	case errors.As(err, &lost):
		return fmt.Errorf("%w; what it recorded is kept: check 'waferpair history list' before you repeat the rest", err)
	case errors.As(err, &refused):
		return &codeError{code: exitFailed, err: fmt.Errorf("%w: %w", app.ErrReadOnly, err)}
	case err != nil:
		return classify(err)
	}
	return elsewhere(code)
}

// runForClient runs a client's command in this process.
func (e *env) runForClient(ctx context.Context, r *owner.Run) int {
	c := &env{in: r.In, out: r.Out, err: r.Err, outer: remote{r}, self: e.self, models: e.models, providers: e.providers,
		files: e.files, read: r.Read, process: e}
	if own := umask(); r.Umask != nil && own != nil && *r.Umask != *own {
		ctx = workspace.WithUmask(ctx, *r.Umask)
	}
	ctx = keys.WithEnv(ctx, func(name string) (string, bool) { v, is := r.Env[name]; return v, is })
	return c.run(model.WithFiles(ctx, c.around().file), r.Args)
}

// waitForOthers waits for the clients' commands in this process. Ctrl-C stops them, unless it ended
// our own command.
func (e *env) waitForOthers(ctx context.Context) {
	if e.self == nil {
		return
	}
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx) // a second signal ends the process
	}
	if n := e.self.Running(); n > 0 && e.isTerminal(os.Stderr) {
		fmt.Fprintf(os.Stderr, "waferpair: done; %s of another waferpair still runs here (Ctrl-C stops it)\n",
			count(n, "command"))
	}
	e.self.Close(ctx)
}
