package workspace

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// crash is the value of panics in the middle of a save. The disk is then as a killed
// process leaves it.
type crash struct{}

func crashing(save func()) {
	defer func() {
		if p := recover(); p != nil && p != (crash{}) {
			panic(p)
		}
	}()
	save()
}

var crashBatch = []Write{
	update("a", "a", "A"), update("d/b", "b", "B"), {Path: "n/new", Op: Create, Content: []byte("new")},
	{Path: "r", Op: Rename, To: "d/r", Before: hashOf("r")},
	{Path: "m", Op: Rename, To: "d/m", Before: hashOf("m"), Content: []byte("M")},
	{Path: "x", Op: Delete, Before: hashOf("x")},
}

// TestCrashPoints crashes a batch before and after each exchange and each check of a
// displaced file, and recovers: with the content available everything is finished, without
// it every file is complete and in one of its two states.
func TestCrashPoints(t *testing.T) {
	for _, after := range []bool{false, true} {
		for _, finish := range []bool{false, true} {
			for point := 0; ; point++ {
				if !crashAt(t, point, after, finish) {
					if point < 4 {
						t.Errorf("only %d crash points", point)
					}
					break
				}
			}
		}
	}
}

// crashAt reports whether the save reached the crash point.
func crashAt(t *testing.T, point int, after, finish bool) bool {
	w := open1(t, "a", "a", "d/b", "b", "r", "r", "m", "m", "x", "x")
	crashed, n := false, -1
	reach := func(call func()) {
		if n++; n == point && !after {
			crashed = true
			panic(crash{})
		}
		call()
		if n == point {
			crashed = true
			panic(crash{})
		}
	}
	w.sys.exchange = func(d *dir, a, b string) (err error) {
		reach(func() { err = exchange(d, a, b) })
		return err
	}
	w.sys.leaseRead = func(fd int) (who writers) {
		reach(func() { who = leaseRead(fd) })
		return who
	}
	crashing(func() { w.save(crashBatch...) })
	if !crashed {
		return false
	}
	w.sys = kernel
	content := contentOf("A", "B", "new", "M", "a", "b", "x", "m", "r")
	if !finish {
		content = nil
	}
	report, err := w.Recover(context.Background(), content)
	must(t, err)
	for _, r := range report.Writes {
		if r.Err != nil || r.State != Written && (finish || r.State != NotWritten) {
			t.Errorf("point %d, after %v: %s %s: %v, %v", point, after, r.Op, r.Path, r.State, r.Err)
		}
	}
	if finish {
		wholeBatch(t, w)
	}
	for name, states := range map[string]string{"a": "aA", "d/b": "bB"} {
		if got := w.cat(name); !strings.Contains(states, got) {
			t.Errorf("point %d: %s holds %q", point, name, got)
		}
	}
	w.tidy()
	return true
}

func contentOf(all ...string) func([32]byte) ([]byte, bool) {
	return func(hash [32]byte) ([]byte, bool) {
		for _, s := range all {
			if hashOf(s) == hash {
				return []byte(s), true
			}
		}
		return nil, false
	}
}

func wholeBatch(t *testing.T, w *world) {
	t.Helper()
	got := map[string]string{}
	for _, name := range w.files() {
		if info, _ := os.Stat(filepath.Join(w.root, name)); info.Mode().IsRegular() {
			got[name] = w.cat(name)
		}
	}
	want := map[string]string{"a": "A", "d/b": "B", "n/new": "new", "d/r": "r", "d/m": "M"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("recovered: %v", got)
	}
}

// TestRecoverStates constructs each possible state by hand.
func TestRecoverStates(t *testing.T) {
	temp := newTemp()
	intent := func(op Op) IntentWrite {
		w := IntentWrite{Path: "f", Op: op, Before: hashOf("before"), After: hashOf("after"), Temp: temp}
		switch op {
		case Create:
			w.Before = [32]byte{}
		case Delete:
			w.After = [32]byte{}
		case Rename:
			w.To, w.After = "g", w.Before
		}
		return w
	}
	none := "(none)"
	for _, c := range []struct {
		name          string
		op            Op
		f, g, temp    string
		finish        bool
		state         State
		wantF, wantG  string
		wantPreserved string
	}{
		{"not begun", Update, "before", none, none, false, NotWritten, "before", none, ""},
		{"not begun, finish", Update, "before", none, none, true, Written, "after", none, ""},
		{"temp written", Update, "before", none, "after", false, NotWritten, "before", none, ""},
		{"temp cut off", Update, "before", none, "aft", true, Written, "after", none, ""},
		{"exchanged", Update, "after", none, "before", false, Written, "after", none, ""},
		{"exchanged, outside version displaced", Update, "after", none, "theirs", false, Written, "after", none, "theirs"},
		{"exchanged, outside version is a part of ours", Update, "after", none, "aft", true, Written, "after", none, "aft"},
		{"done", Update, "after", none, none, false, Written, "after", none, ""},
		{"outside save since", Update, "theirs", none, none, true, Conflict, "theirs", none, ""},
		{"outside save since, temp left", Update, "theirs", none, "after", true, Conflict, "theirs", none, ""},
		{"outside saves everywhere", Update, "theirs", none, "theirs too", true, Conflict, "theirs", none, "theirs too"},
		{"file gone", Update, none, none, "before", true, Conflict, none, none, ""},
		{"torn", Update, "aftore", none, none, true, Written, "after", none, "aftore"},
		{"new, not begun", Create, none, none, none, false, NotWritten, none, none, ""},
		{"new, finish", Create, none, none, "af", true, Written, "after", none, ""},
		{"new, done", Create, "after", none, none, false, Written, "after", none, ""},
		{"new, somebody else's", Create, "theirs", none, "after", true, Conflict, "theirs", none, ""},
		{"delete not begun", Delete, "before", none, none, false, NotWritten, "before", none, ""},
		{"delete, finish", Delete, "before", none, none, true, Written, none, none, ""},
		{"delete, moved aside", Delete, none, none, "before", false, Written, none, none, ""},
		{"delete, changed", Delete, none, none, "theirs", false, Conflict, "theirs", none, ""},
		{"delete, a new file since", Delete, "theirs", none, "before", true, Conflict, "theirs", none, ""},
		{"rename not begun", Rename, "before", none, none, true, Written, none, "before", ""},
		{"rename done", Rename, none, "before", none, true, Written, none, "before", ""},
		{"rename, both there", Rename, "before", "theirs", none, true, Conflict, "before", "theirs", ""},
	} {
		w := open1(t)
		for name, content := range map[string]string{"f": c.f, "g": c.g, temp: c.temp} {
			if content != none {
				put(t, w.root, name, content)
			}
		}
		_, err := w.journal.Intend(context.Background(), []IntentWrite{intent(c.op)})
		must(t, err)
		content := contentOf("before", "after")
		if !c.finish {
			content = nil
		}
		report, err := w.Recover(context.Background(), content)
		must(t, err)
		if r := report.Writes[0]; r.State != c.state || r.Err != nil {
			t.Errorf("%s: %v, %v", c.name, r.State, r.Err)
		}
		for name, want := range map[string]string{"f": c.wantF, "g": c.wantG} {
			got := none
			if b, err := os.ReadFile(filepath.Join(w.root, name)); err == nil {
				got = string(b)
			}
			if got != want {
				t.Errorf("%s: %s holds %q, want %q", c.name, name, got, want)
			}
		}
		preserved := ""
		if len(w.preserved) > 0 {
			preserved = string((<-w.preserved).Content)
		}
		if preserved != c.wantPreserved {
			t.Errorf("%s: preserved %q, want %q", c.name, preserved, c.wantPreserved)
		}
		w.tidy()
	}
}

// TestRecoverExchangeBack: the crash came after a directory was displaced.
func TestRecoverExchangeBack(t *testing.T) {
	w := open1(t, "f", "before")
	w.sys.exchange = func(d *dir, a, b string) error {
		must(t, os.Remove(filepath.Join(w.root, "f")))
		put(t, w.root, "f/child", "child")
		must(t, exchange(d, a, b))
		panic(crash{})
	}
	crashing(func() { w.save(update("f", "before", "after")) })
	w.sys = kernel
	report, err := w.Recover(context.Background(), contentOf("after", "before"))
	must(t, err)
	if report.Writes[0].State != Conflict || w.cat("f/child") != "child" {
		t.Errorf("%+v %v", report, w.files())
	}
	w.tidy()
}

// TestTorn: whatever prefix of rewrite's steps ran, the result is recognized; it is
// repaired, and also kept.
func TestTorn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := rapid.SliceOfN(rapid.ByteRange('a', 'c'), 0, 20).Draw(t, "old")
		new := rapid.SliceOfN(rapid.ByteRange('a', 'c'), 0, 20).Draw(t, "new")
		common := min(len(old), len(new))
		disk := append([]byte{}, old...)
		// The steps of rewrite, byte by byte.
		var steps []func()
		for i := common; i < len(new); i++ {
			steps = append(steps, func() { disk = append(disk[:i], new[i]) })
		}
		for i := range common {
			steps = append(steps, func() { disk[i] = new[i] })
		}
		for _, step := range steps[:rapid.IntRange(0, len(steps)).Draw(t, "steps")] {
			step()
		}
		if !torn(disk, old, new) {
			t.Fatalf("old %q new %q disk %q", old, new, disk)
		}
	})
	for _, c := range []string{"theirs", "", "beforeafter!", "xefore"} {
		if torn([]byte(c), []byte("before"), []byte("after")) {
			t.Errorf("%q passes for torn", c)
		}
	}
}

// TestFileJournal: an intent that Intend returned survives; a truncated line does no harm.
func TestFileJournal(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "journal")
	open := func() *FileJournal {
		j, err := OpenFileJournal(path)
		must(t, err)
		return j
	}
	j := open()
	first, err := j.Intend(ctx, []IntentWrite{{Path: "a", Op: Update, Before: hashOf("x")}})
	must(t, err)
	second, err := j.Intend(ctx, []IntentWrite{{Path: "b", Op: Delete}})
	must(t, err)
	must(t, j.Done(ctx, first, []Outcome{{"a", Written}}))
	must(t, j.Close())
	b, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, append(b, `{"intent":{"id":9`...), 0o600))
	j = open()
	pending, err := j.Pending(ctx)
	must(t, err)
	if len(pending) != 1 || pending[0].ID != second || pending[0].Writes[0].Path != "b" {
		t.Errorf("%+v", pending)
	}
	third, err := j.Intend(ctx, nil)
	must(t, err)
	must(t, j.Close())
	j = open()
	defer j.Close()
	if pending, _ := j.Pending(ctx); third <= second || len(pending) != 2 {
		t.Errorf("%d, %+v", third, pending)
	}
}
