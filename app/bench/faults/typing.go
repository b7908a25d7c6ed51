//go:build linux

package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"waferpair/app/bench/line"
)

// session is a run with an open page.
type session struct {
	*run
	s       *server
	durable map[string]int // for each document, the number of the state that was saved last

	root      *os.Root // of the project, even after it was moved or unmounted
	refusedIn string   // the file in which typing was refused last
}

// pages uses the program as a user at the window does, with the fault beginning and ending
// at random moments. It ends with a clean stop, a clean stop during the fault, or a kill.
func (r *run) pages() error {
	ses := &session{run: r, durable: map[string]int{}}
	if err := ses.start(); err != nil {
		return err
	}
	defer ses.root.Close()
	f := r.row.fault(r)
	ending := []string{"stop", "stop", "kill", "stop in the fault"}[r.rand.IntN(4)]
	r.trace("it will end with: %s", ending)
	if err := ses.use(f, ending == "stop in the fault"); err != nil {
		ses.s.kill()
		return err
	}
	if ending == "kill" {
		return ses.killed()
	}
	ses.follow()
	code, err := ses.s.stop()
	if err != nil {
		r.wronging("%v", err)
	}
	if ending == "stop" && code != 0 {
		r.wronging("a clean stop ends with status %d: %s", code, short(ses.s.words()))
	}
	if ending == "stop in the fault" {
		if err := f.out(); err != nil {
			return fmt.Errorf("the fault: %w", err)
		}
		ses.rescue()
	}
	return nil
}

func (ses *session) start() (err error) {
	if ses.root, err = os.OpenRoot(ses.w.root); err != nil {
		return err
	}
	if ses.s, err = ses.w.prog.serve(); err != nil {
		return err
	}
	if _, _, err := ses.s.textAt("a.txt", 0); err != nil { // waits for the comparison with the history
		return err
	}
	for _, name := range ses.now.paths() {
		if err := ses.s.page.open(name); err != nil {
			return fmt.Errorf("open %s: %w", name, err)
		}
	}
	return nil
}

func (ses *session) use(f fault, stay bool) error {
	for range 1 + ses.rand.IntN(2) {
		if err := ses.doSomething(nil, true); err != nil {
			return err
		}
	}
	ses.trace("fault comes")
	told := len(ses.s.page.notices())
	if err := ses.doSomething(f.in, f.silent); err != nil {
		return err
	}
	for range 1 + ses.rand.IntN(2) {
		if err := ses.doSomething(nil, f.silent); err != nil {
			return err
		}
	}
	if f.told {
		if err := ses.mustTell(f, told); err != nil {
			return err
		}
	}
	if stay {
		return nil
	}
	ses.trace("fault goes")
	if err := ses.doSomething(f.out, f.silent); err != nil {
		return err
	}
	if err := ses.recovers(); err != nil {
		return err
	}
	for range 1 + ses.rand.IntN(2) {
		if err := ses.doSomething(nil, true); err != nil {
			return err
		}
	}
	return nil
}

// recovers waits until the page shows that the fault is over, and then saves, which must
// work within patience.
func (ses *session) recovers() error {
	pg := ses.s.page
	if err := pg.wait("the folder is back", func() bool { return !pg.gone }); err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if err := pg.wait("things are recorded again", func() bool { return pg.unrecorded == "" }); err != nil {
			return err
		}
		_, err := pg.call("save", map[string]any{"path": "a.txt"})
		var f *line.Failure
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &f):
			return err
		case time.Now().After(deadline):
			ses.wronging("the fault is over, and after %v still: %v", patience, err)
			return nil
		}
	}
}

// aLot is the length of a word for which some file must grow, in bytes.
const aLot = 32 << 10

// mustTell types until the user is notified or the typing is refused. It renews the fault
// before each word, and the words are long, because the program may have reserved space,
// and its files may have unused space.
func (ses *session) mustTell(f fault, told int) error {
	pg := ses.s.page
	for deadline := time.Now().Add(patience); ; {
		if err := f.in(); err != nil {
			return fmt.Errorf("the fault: %w", err)
		}
		if refused := ses.typeSome(1, aLot); refused {
			return nil
		}
		err := pg.Wait(time.Second, "being told of the fault", func() bool { return len(pg.told) > told })
		switch {
		case err == nil || errors.Is(err, line.ErrLost):
			return err
		case time.Now().After(deadline):
			ses.wronging("what is typed is kept nowhere, and nobody was told: %v", err)
			return nil
		}
	}
}

// doSomething does one thing, with the fault in the middle. When calm, it must succeed.
func (ses *session) doSomething(meanwhile func() error, calm bool) error {
	ses.n++
	kind := ses.rand.IntN(10)
	calm = calm && meanwhile == nil
	var failed error
	err := ses.during(func() {
		switch {
		case kind < 4:
			if ses.typeSome(1+ses.rand.IntN(8), 0) && calm {
				failed = ses.typeAgain()
			}
		case kind < 6:
			ses.typeSome(2, 0)
			failed = ses.save(calm)
		case kind < 7:
			failed = ses.turn(calm)
		case kind < 8:
			failed = ses.revert(calm)
		default:
			failed = ses.structure(calm)
		}
	}, meanwhile, 120*time.Millisecond)
	ses.follow()
	if err != nil {
		return fmt.Errorf("the fault: %w", err)
	}
	return failed
}

// typeAgain opens the file in which typing was refused, and types there. Nothing is wrong
// with it any more, so typing must work within patience.
func (ses *session) typeAgain() error {
	for deadline := time.Now().Add(patience); ses.typeInto(ses.refusedIn, 1, 0); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			ses.wronging("nothing is wrong, but typing in %s is refused", ses.refusedIn)
			return nil
		}
		if err := ses.lostIn(ses.s.page.open(ses.refusedIn)); err != nil {
			return err
		}
	}
	return nil
}

// typeSome types a few words in one file, and reports whether one was refused.
func (ses *session) typeSome(words, long int) (refused bool) {
	names := ses.now.paths()
	return ses.typeInto(names[ses.rand.IntN(len(names))], words, long)
}

// typeInto types words of at least long letters, and reports whether one was refused.
func (ses *session) typeInto(name string, words, long int) (refused bool) {
	if _, open := ses.s.page.text(name); !open {
		return false
	}
	for range words {
		ses.bytes++
		w := ses.letters(long) + fmt.Sprintf("w%dx%d", ses.n, ses.bytes)
		at, lines := ses.rand.Float64(), ses.rand.IntN(3) == 0
		err := ses.s.page.typeIn(name, func(shown string) (int, int, string) {
			// at the end of a line, so that the lines in the patches stay
			i := strings.IndexByte(shown[int(at*float64(len(shown))):], '\n')
			if i < 0 {
				return len(shown), len(shown), w + "\n"
			}
			i += int(at * float64(len(shown)))
			if lines {
				return i, i, "\n" + w
			}
			return i, i, " " + w
		})
		if err != nil {
			ses.trace("typing in %s is refused: %v", name, err)
			ses.refusedIn = name
			if f := (*line.Failure)(nil); errors.As(err, &f) && f.Code == "stale" {
				_ = ses.s.page.open(name)
			}
			return true
		}
		ses.acked++
		ses.words, ses.live[name] = append(ses.words, word{name, w}), true
	}
	ses.trace("typed %d words in %s", words, name)
	return false
}

// letters returns n random letters.
func (ses *session) letters(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + ses.rand.IntN(26))
	}
	return string(b)
}

// follow makes the shown texts the expected contents of the project. judgeWords checks that
// no typed word got lost on its way to the page.
func (ses *session) follow() {
	for name := range ses.now {
		// No step empties a file, so an empty text is a fault of the page and not expected.
		if shown, open := ses.s.page.text(name); open && shown != "" {
			ses.now[name] = shown
		}
	}
}

// save saves one file, and checks that it is on disk.
func (ses *session) save(calm bool) error {
	if len(ses.words) == 0 {
		return nil
	}
	name := ses.words[len(ses.words)-1].path
	if _, there := ses.now[name]; !there {
		return nil
	}
	_, err := ses.s.page.call("save", map[string]any{"path": name})
	ses.trace("save %s: %v", name, err)
	if err != nil {
		return ses.refused("save "+name, err, calm)
	}
	shown, _ := ses.s.page.text(name)
	b, err := ses.root.ReadFile(name) // in the original folder, wherever that is by now
	if !ses.contested.has(name) && (string(b) != shown || err != nil) {
		ses.losing("save %s was answered ok: %v, %s", name, err, difference(string(b), shown))
	}
	ses.s.page.Lock()
	ses.durable[name] = len(ses.s.page.docs[name].states) - 1
	ses.s.page.Unlock()
	ses.acked++
	ses.bytes += int64(len(shown))
	return nil
}

// refused processes an error answer, which must not happen when nothing is wrong.
func (ses *session) refused(what string, err error, calm bool) error {
	var f *line.Failure
	if !errors.As(err, &f) {
		return fmt.Errorf("%s: %w", what, err)
	}
	if calm && !ses.contestedAny() {
		ses.wronging("nothing is wrong, but %s: %v", what, err)
	}
	return nil
}

func (ses *session) contestedAny() bool {
	return len(ses.contested.all()) > 0
}

// turn runs a turn of a model.
func (ses *session) turn(calm bool) error {
	s := newPatch(ses.rand, ses.sure(), ses.n, true)
	script, err := s.script(ses.rand, ses.w.dir)
	if err != nil || len(s.touched) == 0 {
		return err
	}
	raw, err := ses.s.page.call("edit", map[string]any{"text": "go on", "model": "script:" + script, "file": "", "from": 0,
		"to": 0, "scope": []string{}})
	if err != nil {
		ses.trace("turn: %v", err)
		return ses.refused("a turn", err, calm)
	}
	for _, name := range s.touched {
		ses.live[name] = true
	}
	var id int64
	if id, err = turnOf(raw); err != nil {
		return err
	}
	pg := ses.s.page
	if err := pg.wait("the end of the turn", func() bool { return pg.ended[id] != "" }); err != nil {
		return err
	}
	pg.Lock()
	ended, acked := pg.ended[id], slices.Clone(pg.acked[id])
	pg.Unlock()
	ses.trace("turn %d on %v: %s", id, s.touched, ended)
	ses.keep(s, acked)
	ses.acked += len(acked)
	if completed := strings.HasPrefix(ended, "completed"); calm && !completed && !ses.contestedAny() {
		ses.wronging("nothing is wrong, but the turn %s", ended)
	} else if completed {
		for _, name := range s.touched {
			ses.shows(name, s.after[name], "the turn is completed")
			ses.now[name] = s.after[name]
		}
		return nil
	}
	for _, name := range s.touched { // every written part stays
		if content, was := s.before[name]; !was {
			ses.maybe[name] = append(ses.maybe[name], gone, "")
		} else if _, open := ses.s.page.text(name); !open {
			ses.maybe[name] = append(ses.maybe[name], content)
		} else {
			continue // the expected text is the page's
		}
		ses.maybe[name] = append(ses.maybe[name], s.parts[name]...)
	}
	return nil
}

// shows waits until the page shows the result of a step.
func (ses *session) shows(name, want, when string) {
	pg := ses.s.page
	if _, open := pg.text(name); !open || ses.contestedAny() {
		return
	}
	if err := pg.wait(name, func() bool { d := pg.docs[name]; return d == nil || d.shown() == want }); err != nil {
		shown, _ := pg.text(name)
		ses.wronging("%s, but the page shows %s differently: %s", when, name, difference(shown, want))
	}
}

// revert saves a file, changes it, and restores it to the saved moment.
func (ses *session) revert(calm bool) error {
	names := ses.now.paths()
	name := names[ses.rand.IntN(len(names))]
	if _, open := ses.s.page.text(name); !open || ses.contested.has(name) {
		return nil
	}
	// The save makes the present text a moment.
	if _, err := ses.s.page.call("save", map[string]any{"path": name}); err != nil {
		return ses.refused("save "+name, err, calm)
	}
	before, _ := ses.s.page.text(name)
	head, err := ses.newest()
	if err != nil || head == 0 {
		return err
	}
	err = ses.s.page.typeIn(name, func(shown string) (int, int, string) { return 0, 0, fmt.Sprintf("r%d\n", ses.n) })
	if err != nil {
		return ses.refused("typing", err, calm)
	}
	ses.live[name] = true
	_, err = ses.s.page.call("restore", map[string]any{"at": head, "paths": []string{name}})
	ses.trace("restore %s at %d: %v", name, head, err)
	if err != nil {
		ses.words = append(ses.words, word{name, fmt.Sprintf("r%d", ses.n)})
		return ses.refused("restore", err, calm)
	}
	ses.acked++
	ses.shows(name, before, "restore is answered ok")
	line := fmt.Sprintf("r%d\n", ses.n)
	if err := ses.s.page.wait(name, func() bool {
		d := ses.s.page.docs[name]
		return d == nil ||
			!strings.Contains(d.shown(), line)
	}); err != nil {
		ses.wronging("restore is answered ok, but the page still shows %q in %s: %v", line, name, err)
	}
	return nil
}

// structure deletes, renames or creates files and folders.
func (ses *session) structure(calm bool) error {
	names := slices.DeleteFunc(ses.now.paths(), func(name string) bool {
		return ses.maybe[name] != nil || name == "a.txt" || name == "lib/l.txt"
	})
	name := names[ses.rand.IntN(len(names))]
	switch ses.rand.IntN(5) {
	case 0:
		return ses.remove(name, calm)
	case 4:
		return ses.repository()
	case 1:
		if len(ses.below("dir")) > 0 {
			return ses.remove("dir", calm)
		}
	case 2:
		return ses.create(fmt.Sprintf("made/m%d.txt", ses.n), calm)
	}
	return ses.rename(name, fmt.Sprintf("moved/m%d.txt", ses.n), calm)
}

func (ses *session) below(name string) []string {
	var out []string
	for f := range ses.now {
		if f == name || strings.HasPrefix(f, name+"/") {
			out = append(out, f)
		}
	}
	return out
}

func (ses *session) remove(name string, calm bool) error {
	below := ses.below(name)
	ses.follow()
	var what struct {
		Total int
		Sum   string
	}
	if err := ses.s.get("removal", url.Values{"path": {name}}, &what); err != nil || what.Total > 0 {
		ses.trace("remove %s: the user is shown: %+v %v, and lets it be", name, what, err)
		return nil
	}
	raw, err := ses.s.page.call("remove", map[string]any{"path": name, "sum": what.Sum})
	ses.trace("remove %s: %s %v", name, raw, err)
	if err != nil {
		return ses.refused("remove "+name, err, calm)
	}
	var answer struct {
		Stayed []string
		Why    string
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return err
	}
	if answer.Why != "" && calm && !ses.contestedAny() {
		ses.wronging("nothing is wrong, but of %s %v could not be deleted: %s", name, answer.Stayed, answer.Why)
	}
	ses.acked++
	for _, f := range below {
		if slices.Contains(answer.Stayed, f) {
			continue
		}
		ses.deleted = append(ses.deleted, outsideWrite{path: f, content: ses.now[f]})
		delete(ses.now, f)
		ses.drop(f)
	}
	return nil
}

// repository tries to delete and to move a folder with a git repository in it; both must be
// refused. The judge checks that nothing in it changed.
func (ses *session) repository() error {
	ses.follow()
	var what struct{ Sum string }
	err := ses.s.get("removal", url.Values{"path": {"lib"}}, &what)
	if err == nil {
		_, err = ses.s.page.call("remove", map[string]any{"path": "lib", "sum": what.Sum})
	}
	if err == nil {
		ses.wronging("a git repository may be deleted")
	}
	_, err = ses.s.page.call("rename", map[string]any{"path": "lib", "to": fmt.Sprintf("lib%d", ses.n)})
	if err == nil {
		ses.wronging("a git repository may be moved")
	}
	return ses.lostIn(err)
}

// lostIn returns connection errors, and nil for error answers.
func (ses *session) lostIn(err error) error {
	var f *line.Failure
	if err == nil || errors.As(err, &f) {
		return nil
	}
	return err
}

// drop closes a document.
func (ses *session) drop(name string) {
	_, _ = ses.s.page.call("close", map[string]any{"path": name})
	ses.s.page.Lock()
	delete(ses.s.page.docs, name)
	ses.s.page.Unlock()
}

func (ses *session) create(name string, calm bool) error {
	_, err := ses.s.page.call("create", map[string]any{"path": name})
	ses.trace("create %s: %v", name, err)
	if err != nil {
		return ses.refused("create "+name, err, calm)
	}
	ses.acked++
	ses.now[name] = ""
	return ses.s.page.open(name)
}

func (ses *session) rename(name, to string, calm bool) error {
	_, err := ses.s.page.call("rename", map[string]any{"path": name, "to": to})
	ses.trace("rename %s to %s: %v", name, to, err)
	if err != nil {
		return ses.refused("rename "+name, err, calm)
	}
	ses.acked++
	ses.now[to] = ses.now[name]
	delete(ses.now, name)
	if ses.contested.has(name) {
		ses.contested.add(to)
	}
	ses.drop(name)
	return ses.s.page.open(to)
}

// killed kills the program during typing. Saved text must be there, and of the later typing
// everything up to some moment.
func (ses *session) killed() error {
	ses.typeSome(2, 0)
	if err := ses.save(true); err != nil {
		return err
	}
	after := time.Duration(ses.rand.Int64N(int64(400 * time.Millisecond)))
	time.AfterFunc(after, ses.s.slay)
	for !ses.typeSome(4, 0) {
	}
	_, _ = ses.s.gone()
	ses.follow()
	ses.trace("killed after %v", after)
	for name, d := range ses.s.page.docs {
		ses.maybe[name] = append(ses.maybe[name], d.states[ses.durable[name]:]...)
		ses.maybe[name] = append(ses.maybe[name], d.shown())
	}
	ses.words = slices.DeleteFunc(ses.words, func(w word) bool { return !strings.Contains(ses.saved(w.path), w.text) })
	return nil
}

// saved returns the last saved text of a document.
func (ses *session) saved(name string) string {
	if d := ses.s.page.docs[name]; d != nil && len(d.states) > 0 {
		return d.states[ses.durable[name]]
	}
	return ""
}

// rescue reads the files that the program named when it stopped, for the contents that it
// could not write.
func (ses *session) rescue() {
	said := ses.s.words() + strings.Join(ses.s.page.notices(), "\n")
	for _, path := range namedFiles(said) {
		if b, err := os.ReadFile(path); err == nil {
			ses.rescued = append(ses.rescued, string(b))
		}
	}
}
