//go:build linux

package faults

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	powerName = "power"
	powerHelp = "the power fails: what the recorded writes and syncs may leave"
	// statesOfEach is the number of crash states that count as one run, as they are quick.
	statesOfEach = 10
	// statesOfOne is the largest number of crash states that are tried of one recorded run.
	statesOfOne = 40
)

// mark is the expected state after a number of recorded events.
type mark struct {
	at     int
	now    files
	kept   []keptEdit
	during *step // the step that was in progress from here on
}

// powerRow records runs, and opens crash states of each.
func powerRow(ctx context.Context, o Options, c can, dir string, n int) (*Row, error) {
	out := &Row{Name: powerName, Owner: o.Owner, Help: powerHelp, Lost: []string{}, Wrong: []string{}, Failed: []uint64{},
		Untried: c.tmpfs + c.trace}
	n *= statesOfEach
	for seed := o.Seed; out.Runs < n && out.Untried == "" && ctx.Err() == nil; seed++ {
		if err := powerOnce(ctx, o, dir, seed, n-out.Runs, out); err != nil {
			return out, fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	o.Log(fmt.Sprintf("%s: %d crash states, %d acknowledged, %d lost, %d wrong %s", powerName, out.Runs, out.Acked,
		len(out.Lost), len(out.Wrong), out.Untried))
	return out, nil
}

// powered is a recorded run.
type powered struct {
	*run
	log   *recording
	marks []mark
}

// powerOnce records a run and tries up to most of its crash states.
func powerOnce(ctx context.Context, o Options, dir string, seed uint64, most int, out *Row) error {
	p := &powered{run: newRun(o, powerName, seed)}
	defer p.cleanUp()
	if err := p.record(o, filepath.Join(dir, fmt.Sprintf("power-%d", seed))); err != nil {
		return err
	}
	out.Acked += p.acked
	out.Bytes += p.bytes
	for i := range min(most, statesOfOne) {
		if ctx.Err() != nil {
			return nil
		}
		lost, wrong, err := p.tryState(i)
		if err != nil {
			return err
		}
		out.Runs++
		if len(lost)+len(wrong) > 0 && !slices.Contains(out.Failed, seed) {
			out.Failed = append(out.Failed, seed)
		}
		out.Lost, out.Wrong = append(out.Lost, lost...), append(out.Wrong, wrong...)
	}
	return nil
}

func (p *powered) cleanUp() {
	if p.w != nil {
		p.w.close()
	}
}

// record runs a few steps and traces each command.
func (p *powered) record(o Options, dir string) (err error) {
	if p.w, err = newWorld(dir, o.Program, "tmpfs", false, 64<<20, 64<<20); err != nil {
		return err
	}
	p.log = newRecording()
	for _, root := range []string{p.w.root, p.w.data.at} {
		if err := p.log.begin(root); err != nil {
			return err
		}
	}
	p.w.prog.trace = p.log
	p.attach(o)
	p.mark(nil)
	if p.rand.IntN(2) == 0 {
		err = p.recordPage()
	} else {
		err = p.recordCommands()
	}
	if err != nil {
		return err
	}
	if err := p.leaveOwner(); err != nil {
		return err
	}
	p.w.prog.trace = nil
	if len(p.lost)+len(p.wrong) > 0 {
		return fmt.Errorf("while it was recorded: %s", p.failure())
	}
	return p.checkRecording()
}

func (p *powered) recordCommands() error {
	for range 5 {
		p.n++
		s := p.choose()
		p.mark(&s)
		if err := p.carryOut(s, nil, true, false); err != nil {
			return err
		}
		p.mark(nil)
	}
	return nil
}

// recordPage records a page in which the user types, saves and deletes. A saved file is
// durable; a file with newer typing holds one of its states since the last save.
func (p *powered) recordPage() error {
	ses := &session{run: p.run, durable: map[string]int{}}
	if err := ses.start(); err != nil {
		return err
	}
	defer ses.root.Close()
	for i := range 6 {
		p.n++
		names := slices.DeleteFunc(p.now.paths(), func(name string) bool { return name == "a.txt" })
		name := names[p.rand.IntN(len(names))]
		s := &step{what: "typing", touched: []string{name}, before: pick(p.now, []string{name}), after: files{},
			parts: map[string][]string{}}
		var err error
		if p.mark(s); i == 4 {
			err = ses.remove(name, true)
		} else {
			ses.typeInto(name, 3, 0)
			ses.s.page.Lock()
			s.parts[name] = slices.Clone(ses.s.page.docs[name].states)
			ses.s.page.Unlock()
			err = ses.save(true)
			ses.follow()
			s.after[name] = p.now[name]
		}
		if err != nil {
			ses.s.kill()
			return err
		}
		p.mark(nil)
	}
	p.words, p.deleted = nil, nil // the marks say what each state must hold
	if code, err := ses.s.stop(); err != nil || code != 0 {
		return fmt.Errorf("the recorded program ends with status %d: %v: %s", code, err, short(ses.s.words()))
	}
	return nil
}

func (p *powered) mark(s *step) {
	p.marks = append(p.marks, mark{p.log.len(), maps.Clone(p.now), slices.Clone(p.kept), s})
}

// checkRecording checks that the recording, replayed without losses, is equal to the disk:
// it has everything that the program did.
func (p *powered) checkRecording() error {
	if len(p.log.odd) > 0 {
		return fmt.Errorf("the recording cannot be replayed: %v", p.log.odd)
	}
	for root, made := range p.log.whole() {
		real, err := readFiles(root)
		if err != nil {
			return err
		}
		maps.DeleteFunc(made, func(name, _ string) bool {
			return strings.HasSuffix(name, "/") || strings.HasSuffix(name, "-shm")
		})
		maps.DeleteFunc(real, func(name, _ string) bool { return strings.HasSuffix(name, "-shm") })
		for _, name := range union(made, real) {
			a, recorded := made[name]
			b, there := real[name]
			if recorded != there || a != b {
				return fmt.Errorf("the recording is wrong about %s in %s: %v %v: %s", name, root, recorded, there, difference(a, b))
			}
		}
	}
	return nil
}

// tryState rebuilds one crash state and opens it with the real program.
func (p *powered) tryState(i int) (lost, wrong []string, err error) {
	r := rand.New(rand.NewPCG(p.seed, uint64(i)))
	cut, m := p.pickCut(r), model(i%2)
	for root, all := range p.log.crash(r, cut, m) {
		if err := rebuild(root, all); err != nil {
			return nil, nil, err
		}
	}
	at := p.markAt(cut)
	t := newRun(Options{}, powerName, p.seed)
	t.w, t.trace, t.now, t.kept = p.w, p.trace, maps.Clone(at.now), at.kept
	if at.during != nil {
		t.perhaps(*at.during)
	}
	p.trace("state %d: %v, cut at %d of %d", i, m, cut, p.log.len())
	if err := t.judge(); err != nil {
		t.wronging("%v", err)
	}
	name := func(all []string) []string {
		for j, s := range all {
			all[j] = fmt.Sprintf("seed %d, state %d (%v, event %d of %d): %s", p.seed, i, m, cut, p.log.len(), s)
		}
		return all
	}
	return name(t.lost), name(t.wrong), nil
}

// pickCut returns the number of events before the power cut: in half of all cases the last
// of them is a sync.
func (p *powered) pickCut(r *rand.Rand) int {
	n := len(p.log.events)
	cut := r.IntN(n + 1)
	if r.IntN(2) == 0 {
		for cut < n && (cut == 0 || p.log.events[cut-1].kind != evSync) {
			cut++
		}
	}
	return cut
}

// markAt returns the last mark at or before an event.
func (p *powered) markAt(cut int) mark {
	at := p.marks[0]
	for _, m := range p.marks {
		if m.at <= cut {
			at = m
		}
	}
	return at
}

// rebuild replaces the contents of a folder. The folder itself stays.
func rebuild(root string, all files) error {
	entries, err := os.ReadDir(root)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(root, e.Name())))
	}
	for _, name := range all.paths() {
		path := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			err = errors.Join(err, os.MkdirAll(path, 0o755))
			continue
		}
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(all[name]), 0o644))
	}
	return err
}

// traced runs a command to its end and records its changes of the recorded folders.
func traced(log *recording, cmd *exec.Cmd) (int, error) { return newTracer(log).run(cmd) }

func newTracer(log *recording) *tracer {
	t := &tracer{log: log}
	for root := range log.roots {
		t.under = append(t.under, root)
	}
	return t
}
