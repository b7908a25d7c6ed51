//go:build linux

package faults

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"time"
)

// commands uses the program as a script does: command after command, with the fault beginning
// and ending at random moments of one.
func (r *run) commands() error {
	if err := r.look(); err != nil {
		return err
	}
	f := r.row.fault(r)
	for range 1 + r.rand.IntN(3) {
		if err := r.command(nil, true); err != nil {
			return err
		}
	}
	r.trace("fault comes")
	if err := r.command(f.in, f.silent); err != nil {
		return err
	}
	for range r.rand.IntN(3) {
		if err := r.command(nil, f.silent); err != nil {
			return err
		}
	}
	r.trace("fault goes")
	if err := r.command(f.out, f.silent); err != nil {
		return err
	}
	if err := r.again(); err != nil {
		return err
	}
	return r.command(nil, true)
}

// look lets the program compare the files, and settles what was uncertain.
func (r *run) look() error {
	res, err := r.w.prog.run("", nil, "history", "list")
	if err != nil {
		return err
	}
	if res.code != 0 {
		r.wronging("nothing is wrong any more, but %v", res)
	}
	r.compare("after " + res.what)
	r.compareGroups("after " + res.what)
	r.settle()
	return nil
}

// sure returns the part of the project whose content is known exactly.
func (r *run) sure() files {
	out := maps.Clone(r.now)
	maps.DeleteFunc(out, func(name, _ string) bool { return r.maybe[name] != nil || r.contested.has(name) })
	return out
}

// command carries out one step. When calm, it must succeed.
func (r *run) command(meanwhile func() error, calm bool) error {
	if calm && meanwhile == nil {
		if err := r.look(); err != nil {
			return err
		}
	}
	r.n++
	if r.w.prog.owner != nil && r.rand.IntN(4) == 0 {
		return r.twoTurns(meanwhile)
	}
	s := r.choose()
	return r.carryOut(s, meanwhile, calm && meanwhile == nil, r.rand.IntN(6) == 0)
}

// twoTurns lets the owner run two turns at once, in sessions and files of their own, and kills
// it in the middle in half of all cases.
func (r *run) twoTurns(meanwhile func() error) error {
	var turns [2]step
	var args [2][]string
	left := r.sure()
	for i := range turns {
		if i > 0 {
			r.n++
		}
		turns[i] = newPatch(r.rand, left, r.n, true)
		turns[i].what = "one of two turns"
		if len(turns[i].touched) == 0 {
			return r.carryOut(turns[0], meanwhile, false, false) // a second turn has no files
		}
		for _, name := range turns[i].touched {
			delete(left, name)
			r.live[name] = true
		}
		script, err := turns[i].script(r.rand, r.w.dir)
		if err != nil {
			return err
		}
		args[i] = []string{"edit", "--session", "new", "--model", "script:" + script, "go on"}
	}
	callOff := func() {}
	if r.rand.IntN(2) == 0 {
		callOff = soon(time.Duration(r.rand.Int64N(int64(200*time.Millisecond))), r.w.prog.owner.kill)
	}
	defer callOff()
	mayBeKilled := func(*os.Process) func() { return func() {} }
	var ended [2]result
	var failed [2]error
	err := r.during(func() {
		var both sync.WaitGroup
		for i := range turns {
			both.Go(func() { ended[i], failed[i] = r.w.prog.run("", mayBeKilled, args[i]...) })
		}
		both.Wait()
	}, meanwhile, 100*time.Millisecond)
	if err = errors.Join(err, failed[0], failed[1]); err != nil {
		return fmt.Errorf("two turns, and the fault: %w", err)
	}
	for i, s := range turns {
		r.trace("%s %v: %v", s.what, s.touched, ended[i])
		r.takeIn(s, ended[i], false)
	}
	r.compareAfter(fmt.Sprintf("%v and %v", ended[0], ended[1]))
	return nil
}

// choose picks the next step.
func (r *run) choose() step {
	sure := r.sure()
	switch r.rand.IntN(6) {
	case 0, 1:
		for i := len(r.steps) - 1; i >= 0 && i > len(r.steps)-4; i-- {
			if r.rand.IntN(2) == 0 && r.steps[i].revertible(sure) && r.free(r.steps[i].touched) {
				return r.steps[i].reverting()
			}
		}
	case 2:
		if len(r.moments) > 0 && len(r.contested.all())+len(r.maybe) == 0 {
			return restoring(r.moments[r.rand.IntN(len(r.moments))], r.now)
		}
	case 3:
		s := newPatch(r.rand, sure, r.n, true)
		s.what = "turn"
		return s
	}
	return newPatch(r.rand, sure, r.n, false)
}

// free reports whether no file is uncertain.
func (r *run) free(names []string) bool {
	for _, name := range names {
		if r.maybe[name] != nil || r.contested.has(name) {
			return false
		}
	}
	return true
}

func (r *run) carryOut(s step, meanwhile func() error, calm, killed bool) error {
	if len(s.touched) == 0 {
		if meanwhile != nil {
			return meanwhile()
		}
		return nil
	}
	args, stdin, err := r.commandOf(s)
	if err != nil {
		return err
	}
	for _, name := range s.touched {
		r.live[name] = r.live[name] || !s.whole
	}
	var kill killing
	if killed {
		after := time.Duration(r.rand.Int64N(int64(120 * time.Millisecond)))
		kill = func(p *os.Process) func() { return soon(after, func() { _ = p.Kill() }) }
		if o := r.w.prog.owner; o != nil && r.rand.IntN(2) == 0 {
			kill = func(*os.Process) func() { return soon(after, o.kill) }
		}
	}
	var res result
	var failed error
	err = r.during(func() { res, failed = r.w.prog.run(stdin, kill, args...) }, meanwhile, 100*time.Millisecond)
	if err != nil {
		return fmt.Errorf("the fault: %w", err)
	}
	if failed != nil {
		r.wronging("%v", failed)
	}
	r.trace("%s %v: %v", s.what, s.touched, res)
	r.took(s, res, calm && kill == nil)
	return nil
}

// soon does something after a while, unless it is cancelled first; after the cancellation it
// is done or never will be.
func soon(after time.Duration, do func()) (callOff func()) {
	done := make(chan struct{})
	t := time.AfterFunc(after, func() {
		defer close(done)
		do()
	})
	return func() {
		if !t.Stop() {
			<-done
		}
	}
}

func (r *run) commandOf(s step) (args []string, stdin string, err error) {
	switch {
	case len(s.ids) > 0:
		args = []string{"history", "revert"}
		for _, id := range s.ids {
			args = append(args, fmt.Sprint(id))
		}
	case s.id > 0:
		args = []string{"history", "restore", "--at", fmt.Sprint(s.id)}
	case s.whole:
		args, stdin = []string{"apply"}, s.patch
	default:
		script, err := s.script(r.rand, r.w.dir)
		return []string{"edit", "--model", "script:" + script, "go on"}, "", err
	}
	return args, stdin, nil
}

// took processes the result of a step, and compares.
func (r *run) took(s step, res result, calm bool) {
	if edits := r.takeIn(s, res, calm); res.code == 0 {
		r.remember(edits)
	}
	r.compareAfter(res.String())
}

func (r *run) compareAfter(what string) {
	if _, err := os.Stat(r.w.root); err == nil {
		r.compare("after " + what)
	}
}

func (r *run) takeIn(s step, res result, calm bool) (edits []int64) {
	r.keep(s, res.acked)
	edits = res.edits
	for _, a := range res.acked {
		edits = append(edits, a.ID)
	}
	switch {
	case res.code == 0:
		if len(edits) == 0 {
			r.wronging("%v: it says that it is done, and made no edit", res)
		}
		r.acknowledged(s, edits)
		r.failed = nil
	case res.code == -1 && s.whole && len(edits) == 0:
		r.perhaps(s)
	case !s.whole || res.code == -1:
		r.partly(s, res.acked)
	case calm:
		r.wronging("nothing is wrong any more, but %v", res)
	default:
		if strings.Contains(res.err, "put back") {
			r.stuck(s)
		}
		r.failed = &s
	}
	return edits
}

// stuck processes a step that failed, and whose rollback failed as well. Files may hold its
// result until a start can roll it back; if a program records them before, they keep it.
func (r *run) stuck(s step) {
	s.whole = false
	r.perhaps(s)
}

// partly processes a step that may be done in part, but at least as far as it was acknowledged.
func (r *run) partly(s step, acked []ackedEdit) {
	s.whole = s.whole && len(acked) == 0
	r.perhaps(s)
	count := map[string]int{}
	for _, a := range acked {
		count[a.Path]++
	}
	r.acked += len(acked)
	r.due = append(r.due, cutOff{s, count})
}

// remember notes the moment after an edit, if everything is certain.
func (r *run) remember(edits []int64) {
	if len(r.maybe)+len(r.contested.all()) > 0 || len(edits) == 0 {
		return
	}
	newest := int64(0)
	for _, id := range edits {
		newest = max(newest, id)
	}
	r.moments = append(r.moments, moment{newest, maps.Clone(r.now)})
}

// again repeats the failed step: the fault is gone, so it must succeed.
func (r *run) again() error {
	s := r.failed
	r.failed = nil
	if err := r.look(); err != nil || s == nil {
		return err
	}
	for _, name := range s.touched {
		now, is := r.now[name]
		before, was := s.before[name]
		if is != was || now != before || r.contested.has(name) {
			return nil
		}
	}
	r.n++
	return r.carryOut(*s, nil, true, false)
}
