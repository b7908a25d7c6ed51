package app_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"
	_ "github.com/mattn/go-sqlite3"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/history"
)

// breakHistory makes every write to a project's history fail until mend is called, from
// outside, as a failing disk does.
func breakHistory(data, dir string) (mend func() error, err error) {
	db, err := sql.Open("sqlite3", filepath.Join(history.Dir(data, dir), "history.db")+
		"?_busy_timeout=5000&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	var broken, mended string
	for _, table := range []string{"op", "draft", "intent"} {
		broken += fmt.Sprintf(
			"CREATE TRIGGER broken_%s BEFORE INSERT ON %s BEGIN SELECT RAISE(ABORT, 'input/output error'); END;", table, table)
		mended += fmt.Sprintf("DROP TRIGGER broken_%s;", table)
	}
	if _, err := db.Exec(broken); err != nil {
		return nil, err
	}
	return func() error {
		defer db.Close()
		_, err := db.Exec(mended)
		return err
	}, nil
}

// stalled is a project whose history can be broken, with what its pages were notified of.
type stalled struct {
	*world
	*app.Project
	heard *heard
	spare string
	mend  func() error
}

func newStalled(t *testing.T, files map[string]string) *stalled {
	t.Helper()
	s := &stalled{world: newWorld(t, files), spare: t.TempDir()}
	s.reopen()
	return s
}

func (s *stalled) reopen() {
	s.Helper()
	s.heard = &heard{}
	s.Project = s.openWith(app.Options{Listener: s.heard, StateHome: s.spare})
}

func (s *stalled) breakIt() {
	s.Helper()
	var err error
	if s.mend, err = breakHistory(s.data, s.dir); err != nil {
		s.Fatal(err)
	}
}

func (s *stalled) mendIt() {
	s.Helper()
	if err := s.mend(); err != nil {
		s.Fatal(err)
	}
}

// told returns the last notification that something is not recorded, and the number of
// them.
func (s *stalled) told() (says string, times int) {
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	if n := len(s.heard.unrecorded); n > 0 {
		return s.heard.unrecorded[n-1], n
	}
	return "", 0
}

// kept waits for the spare file and returns its path.
func (s *stalled) kept() string {
	s.Helper()
	var file string
	s.until(func() bool {
		list, _ := filepath.Glob(filepath.Join(s.spare, "waferpair", "*.unrecorded"))
		if len(list) == 1 {
			file = list[0]
		}
		return file != ""
	})
	return file
}

func (s *stalled) over() {
	s.Helper()
	s.until(func() bool { says, n := s.told(); return n > 0 && says == "" })
}

// TestNothingTypedIsMissingWhenTheHistoryWorksAgain checks that what is typed while the
// history cannot be written is in the files and in the history once it can, in the same
// process, and that pages are notified of the beginning and the end.
func TestNothingTypedIsMissingWhenTheHistoryWorksAgain(t *testing.T) {
	s := newStalled(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "b\n", "c.txt": "c\n", ".gitignore": "ignored\n",
		"ignored": "i\n"})
	a, b, c, i, n := s.show(s.Project, "a.txt"), s.show(s.Project, "b.txt"), s.show(s.Project, "c.txt"),
		s.show(s.Project, "ignored"), s.show(s.Project, "new.txt")
	a.typed("one", "one, before")
	if err := s.SaveFile(t.Context(), "a.txt"); err != nil {
		t.Fatal(err)
	}
	s.breakIt()
	a.typed("before", "before, held")
	_ = s.SaveFile(t.Context(), "a.txt") // ends the burst: this edit waits for its receipt, and cannot be written
	s.until(func() bool { says, _ := s.told(); return says != "" })
	for k := range 20 {
		a.typed("two", fmt.Sprintf("%d two", k))
	}
	b.typed("b", "bb")
	i.typed("i", "typed in a file that the history does not keep")
	n.typed("", "a new file\n")
	if err := s.SaveFile(t.Context(), "a.txt"); err == nil {
		t.Error("a save that was asked for is answered as if it had been one")
	}
	s.write("c.txt", "c, changed by another program\n")
	s.until(func() bool { return s.disk("ignored") == "typed in a file that the history does not keep\n" })
	if s.disk("a.txt") != "one, before\ntwo\n" || s.disk("b.txt") != "b\n" {
		t.Errorf("written without an intent: %q %q", s.disk("a.txt"), s.disk("b.txt"))
	}
	if _, err := s.Edit(t.Context(), app.EditRequest{Text: "go", Model: "spark"}); err == nil {
		t.Error("a turn began")
	}
	spare := s.kept()
	s.mendIt()
	s.over()
	a.pull()
	for name, want := range map[string]string{"a.txt": a.Text.String(), "b.txt": "bb\n", "new.txt": "a new file\n",
		"c.txt": "c, changed by another program\n"} {
		s.until(func() bool { b, _ := os.ReadFile(filepath.Join(s.dir, name)); return string(b) == want })
		s.until(func() bool {
			v, err := s.History().Head(t.Context(), name)
			return err == nil && string(v.Bytes) == want
		})
		s.at(s.Project, history.Newest, name, want)
	}
	s.until(func() bool { c.pull(); return c.Text.String() == "c, changed by another program\n" })
	if !strings.Contains(a.Text.String(), "before, held\n0") && !strings.Contains(a.Text.String(), "19 ") {
		t.Errorf("%q", a.Text)
	}
	if _, err := os.Stat(spare); !os.IsNotExist(err) {
		t.Error("the spare file is still there:", err)
	}
	a.typed("two", "three")
	if err := s.SaveFile(t.Context(), "a.txt"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCleanStopSaysWhereWhatWasTypedIs checks that Close names the spare file, and that the
// next start reads it.
func TestCleanStopSaysWhereWhatWasTypedIs(t *testing.T) {
	s := newStalled(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "b\n"})
	a := s.show(s.Project, "a.txt")
	s.breakIt()
	a.typed("one", "one, typed")
	err := s.Close()
	spare := s.kept()
	if err == nil || !strings.Contains(err.Error(), spare) {
		t.Fatalf("the stop does not say where what was typed is: %v", err)
	}
	if info, err := os.Stat(spare); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	s.mendIt()
	s.reopen()
	if s.disk("a.txt") != "one, typed\ntwo\n" {
		t.Errorf("%q", s.disk("a.txt"))
	}
	s.at(s.Project, history.Newest, "a.txt", "one, typed\ntwo\n")
	if _, err := os.Stat(spare); !os.IsNotExist(err) {
		t.Error("the spare file is still there:", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestWhoeverComesFindsItRecorded checks that TryAgain records and saves at once what could
// not be recorded, if that is possible by then, and does not wait for the next try.
func TestWhoeverComesFindsItRecorded(t *testing.T) {
	s := newStalled(t, map[string]string{"a.txt": "one\ntwo\n"})
	a := s.show(s.Project, "a.txt")
	want := "one\ntwo\n"
	for range 6 { // the autosaver may happen to be first
		s.breakIt()
		a.typed("one", "one more")
		want = strings.Replace(want, "one", "one more", 1)
		s.kept()
		s.mendIt()
		s.TryAgain(t.Context())
		if s.disk("a.txt") != want || s.Unrecorded() != "" {
			t.Errorf("the disk has %q, and %q", s.disk("a.txt"), s.Unrecorded())
		}
		s.at(s.Project, history.Newest, "a.txt", want)
	}
}

// TestACleanStopRecordsWhatItCanByThen checks that Close records at once what could not be
// recorded, and does not wait for the next try.
func TestACleanStopRecordsWhatItCanByThen(t *testing.T) {
	s := newStalled(t, map[string]string{"a.txt": "one\ntwo\n"})
	a := s.show(s.Project, "a.txt")
	s.breakIt()
	a.typed("one", "one, typed")
	spare := s.kept()
	s.mendIt()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s.disk("a.txt") != "one, typed\ntwo\n" {
		t.Errorf("%q", s.disk("a.txt"))
	}
	if _, err := os.Stat(spare); !os.IsNotExist(err) {
		t.Error("the spare file is still there:", err)
	}
}

// TestSpareFileThatDoesNotFit checks that both texts are kept if another program changed
// the same lines before the next start, and that the user is notified where.
func TestSpareFileThatDoesNotFit(t *testing.T) {
	s := newStalled(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	a := s.show(s.Project, "a.txt")
	s.breakIt()
	a.typed("three", "THREE")
	_ = s.Close()
	file := s.kept()
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s.mendIt()
	os.Remove(file)
	s.write("a.txt", "1\ntwo\nthree\n")
	s.reopen() // records the other program's version
	s.Close()
	if err := os.WriteFile(file, saved, 0o600); err != nil {
		t.Fatal(err)
	}
	s.reopen() // other lines: both changes stay
	s.at(s.Project, history.Newest, "a.txt", "1\ntwo\nTHREE\n")
	s.Close()
	s.write("a.txt", "1\ntwo\nIII\n")
	s.reopen()
	s.Close()
	mine := withBefore(t, saved, "1\ntwo\nthree\n")
	if err := os.WriteFile(file, mine, 0o600); err != nil {
		t.Fatal(err)
	}
	s.reopen()
	if s.disk("a.txt") != "1\ntwo\nIII\n" {
		t.Errorf("%q", s.disk("a.txt"))
	}
	beside, _ := filepath.Glob(filepath.Join(s.spare, "waferpair", "kept-*-a.txt"))
	if len(beside) != 1 || !strings.Contains(s.world.told(), beside[0]) {
		t.Errorf("what does not fit is not kept, or the user is not told where: %v\n%s", beside, s.world.told())
	}
	s.Close()
	if err := os.WriteFile(file, saved[:len(saved)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	s.reopen()
	if list, _ := filepath.Glob(file + "-*"); len(list) != 1 {
		t.Errorf("a damaged spare file is not kept: %v", list)
	}
}

// TestTurnWhileTheHistoryCannotBeWritten checks that the turn ends with an error, and that
// what the model wrote stays on the screen and is recorded as the model's once that is
// possible.
func TestTurnWhileTheHistoryCannotBeWritten(t *testing.T) {
	s := newStalled(t, map[string]string{"a.txt": lines(40)})
	turn := s.start(s.Project, s.script(
		"*** Begin Patch\n*** Update File: a.txt\n@@\n line 3\n-line 4\n+line four\n line 5\n@@\n line 20\n-line 21\n+line twenty-one\n",
		300, " line 22\n@@\n line 30\n-line 31\n+line thirty-one\n line 32\n*** End Patch\n"))
	acked := 0
	for ev := range turn.Events() {
		switch e := ev.(type) {
		case engine.EditAcked:
			acked++
		case engine.HunkChanged:
			if e.Inserted == "line twenty-one\n" {
				s.breakIt()
			}
		}
	}
	out := turn.Wait()
	if out.Status != engine.Failed || out.Message == "" || len(out.Edits) != acked || acked > 1 {
		t.Errorf("%d acknowledged: %+v", acked, out)
	}
	a := s.show(s.Project, "a.txt")
	live := a.Text.String()
	if !strings.Contains(live, "line four\n") || !strings.Contains(live, "line twenty-one\n") {
		t.Errorf("what the model wrote is gone: %q", live)
	}
	s.mendIt()
	s.over()
	s.until(func() bool { return s.disk("a.txt") == live })
	s.at(s.Project, history.Newest, "a.txt", live)
	if got := s.authors(s.Project); strings.Contains(got, "user") || strings.Contains(got, "outside") {
		t.Errorf("recorded %s", got)
	}
}

// stalledTypist types while its history cannot be written, until it is killed.
func stalledTypist(dir, data string) {
	ctx := context.Background()
	fail := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	p, err := app.Open(ctx, dir, app.Options{DataHome: data, StateHome: data})
	fail(err)
	fail(typeBefore(ctx, p, "f.txt", "<end", "recorded "))
	fail(p.SaveFile(ctx, "f.txt"))
	_, err = breakHistory(data, dir)
	fail(err)
	fail(typeBefore(ctx, p, "f.txt", "<end", "held "))
	_ = p.SaveFile(ctx, "f.txt")
	fail(typeBefore(ctx, p, "f.txt", "<end", "live "))
	fmt.Println("typed")
	select {}
}

// TestKillWhileTheHistoryCannotBeWritten checks that the next start records what is in the
// spare file.
func TestKillWhileTheHistoryCannotBeWritten(t *testing.T) {
	w := newWorld(t, map[string]string{"f.txt": "typed: <end\n"})
	w.open().Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "WAFERPAIR_STALLED="+w.dir, "WAFERPAIR_TYPIST_DATA="+w.data)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if lines.Scan(); lines.Text() != "typed" {
		cmd.Process.Kill()
		t.Fatal(lines.Text())
	}
	w.until(func() bool {
		list, _ := filepath.Glob(filepath.Join(w.data, "waferpair", "*.unrecorded"))
		if len(list) == 0 {
			return false
		}
		b, err := os.ReadFile(list[0])
		// "typed: recorded held live <end" in base64
		return err == nil && strings.Contains(string(b), "dHlwZWQ6IHJlY29yZGVkIGhlbGQgbGl2ZSA8ZW5kCg")
	})
	cmd.Process.Kill()
	cmd.Wait()
	db, err := sql.Open("sqlite3", filepath.Join(history.Dir(w.data, w.dir), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("DROP TRIGGER broken_op; DROP TRIGGER broken_draft; DROP TRIGGER broken_intent"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	p := w.openWith(app.Options{StateHome: w.data})
	const want = "typed: recorded held live <end\n"
	w.at(p, history.Newest, "f.txt", want)
	if w.disk("f.txt") != want {
		t.Errorf("%q", w.disk("f.txt"))
	}
}

// withBefore returns a spare file as if it had been written on top of another version.
func withBefore(t *testing.T, data []byte, before string) []byte {
	t.Helper()
	_, body, _ := bytes.Cut(data, []byte("\n"))
	var file map[string]any
	if err := json.Unmarshal(body, &file); err != nil {
		t.Fatal(err)
	}
	for _, d := range file["Docs"].([]any) {
		h := history.HashBytes([]byte(before)).String()
		d.(map[string]any)["Before"], d.(map[string]any)["Head"] = h, h
	}
	body, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte(history.HashBytes(body).String()+"\n"), body...)
}

// TestRecoveryThatCannotBeRecorded checks that a project is not opened for changes until
// the spare file is recorded: changes would be on top of files that lack its text.
func TestRecoveryThatCannotBeRecorded(t *testing.T) {
	s := newStalled(t, map[string]string{"a.txt": "one\n"})
	a := s.show(s.Project, "a.txt")
	s.breakIt()
	a.typed("one", "one, typed")
	_ = s.Close()
	spare := s.kept()
	if p, err := app.Open(t.Context(), s.dir, app.Options{DataHome: s.data, StateHome: s.spare}); err == nil {
		p.Close()
		t.Fatal("it opened")
	}
	if _, err := os.Stat(spare); err != nil {
		t.Fatal(err)
	}
	s.mendIt()
	s.reopen()
	if s.disk("a.txt") != "one, typed\n" {
		t.Errorf("%q", s.disk("a.txt"))
	}
}

// TestSpareFileThatCouldNotBeReplacedGoesToo fills the disk of the spare file, too. Its
// text is older than what is recorded in the end, and the next start must not type it
// again.
func TestSpareFileThatCouldNotBeReplacedGoesToo(t *testing.T) {
	s := newStalled(t, map[string]string{"a.txt": "one\n"})
	noOtherSpares(t, filepath.Join(s.dir, "a.txt"))
	a := s.show(s.Project, "a.txt")
	s.breakIt()
	a.typed("one", "one two")
	_ = s.SaveFile(t.Context(), "a.txt")
	file := s.kept()
	a.typed("two", "two, three")
	s.until(func() bool { b, err := os.ReadFile(file); return err == nil && spareText(t, b) == "one two, three\n" })
	home := filepath.Dir(file)
	if err := os.Chmod(home, 0o777); err != nil { // from now on it is refused
		t.Fatal(err)
	}
	a.typed("three", "three, four")
	s.until(func() bool { says, _ := s.told(); return strings.Contains(says, "only in memory") })
	s.mendIt()
	s.over()
	if err := errors.Join(s.Close(), os.Chmod(home, 0o700)); err != nil {
		t.Fatal(err)
	}
	s.reopen()
	s.at(s.Project, history.Newest, "a.txt", "one two, three, four\n")
	if list, _ := os.ReadDir(home); len(list) > 0 {
		t.Errorf("left behind: %v", list)
	}
}

// TestSpareFileIsWrittenWhenItCanBe checks that the spare file is written as soon as that
// is possible, even if nobody types any more.
func TestSpareFileIsWrittenWhenItCanBe(t *testing.T) {
	s := newStalled(t, map[string]string{"a.txt": "one\n"})
	noOtherSpares(t, filepath.Join(s.dir, "a.txt"))
	home := filepath.Join(s.spare, "waferpair")
	if err := errors.Join(os.Mkdir(home, 0o700), os.Chmod(home, 0o777)); err != nil {
		t.Fatal(err)
	}
	a := s.show(s.Project, "a.txt")
	s.breakIt()
	a.typed("one", "one two")
	_ = s.SaveFile(t.Context(), "a.txt")
	s.until(func() bool { says, _ := s.told(); return strings.Contains(says, "only in memory") })
	if err := os.Chmod(home, 0o700); err != nil {
		t.Fatal(err)
	}
	file := s.kept()
	s.until(func() bool { says, _ := s.told(); return strings.Contains(says, file) })
	s.mendIt()
	s.over()
}

// resuming is a listener that types when a text changes, and reads the spare file when an
// edit is recorded.
type resuming struct {
	*heard
	typed func()
	spare func()
}

func (r *resuming) TextChanged(path string) {
	r.heard.TextChanged(path)
	if r.typed != nil {
		r.typed()
	}
}

func (r *resuming) Recorded(id history.EditID) {
	r.heard.Recorded(id)
	if r.typed != nil {
		r.spare()
	}
}

// TestSpareFileHoldsWhatIsRecordedThen checks that, while the history works again, the
// spare file contains what is being recorded: if the process dies then, the next start must
// not type anything twice.
func TestSpareFileHoldsWhatIsRecordedThen(t *testing.T) {
	s := newStalled(t, map[string]string{"a.txt": "one\n"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s.heard = &heard{}
	l := &resuming{heard: s.heard}
	s.Project = s.openWith(app.Options{Listener: l, StateHome: s.spare})
	a := s.show(s.Project, "a.txt")
	s.breakIt()
	a.typed("one", "one two")
	_ = s.SaveFile(t.Context(), "a.txt")
	file := s.kept()
	var held []byte
	l.typed = func() {
		s.mendIt()
		s.until(func() bool { return s.History().Stalled() == nil })
		l.typed = func() {}
	}
	l.spare = func() { held, _ = os.ReadFile(file) }
	a.typed("two", "two three")
	s.over()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := spareText(t, held); got != "one two three\n" {
		t.Errorf("it held %q", got)
	}
	if err := os.WriteFile(file, held, 0o600); err != nil {
		t.Fatal(err)
	}
	s.reopen()
	s.at(s.Project, history.Newest, "a.txt", "one two three\n")
}

// noOtherSpares leaves one place for the spare file: the other folders cannot be made,
// because their paths are below a file.
func noOtherSpares(t *testing.T, file string) {
	t.Helper()
	t.Cleanup(xdg.Reload)
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "TMPDIR"} {
		t.Setenv(name, file)
	}
	xdg.Reload()
}

func spareText(t *testing.T, data []byte) string {
	t.Helper()
	_, body, _ := bytes.Cut(data, []byte("\n"))
	var file struct{ Docs []struct{ Text []byte } }
	if err := json.Unmarshal(body, &file); err != nil || len(file.Docs) != 1 {
		t.Fatalf("%s: %v", body, err)
	}
	return string(file.Docs[0].Text)
}
