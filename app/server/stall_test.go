package server_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"waferpair/history"
)

// TestPagesAreToldThatNothingCanBeRecorded checks that, while the history cannot be
// written, every page shows it, even one that connects then, and typing goes on. Afterwards
// everything typed is on disk, and the pages show nothing.
func TestPagesAreToldThatNothingCanBeRecorded(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	a := dial(t, s)
	a.open("a.txt")
	a.typeAt("a.txt", at(0, "0 "))
	a.must("save", map[string]any{"path": "a.txt"}, nil)
	db, err := sql.Open("sqlite3", filepath.Join(history.Dir(w.opt.DataHome, w.dir), "history.db")+"?_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(query string) {
		t.Helper()
		if _, err := db.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TRIGGER broken BEFORE INSERT ON op BEGIN SELECT RAISE(ABORT, 'input/output error'); END")
	a.typeAt("a.txt", at(0, "1 "))
	a.settle("a.txt")
	a.call("save", map[string]any{"path": "a.txt"}, nil)
	a.wait("it is told, and where what is typed is", func() bool {
		return strings.Contains(a.unrecorded, w.opt.StateHome)
	})
	b := dial(t, s)
	a.look(func() {
		if b.hello.Unrecorded != a.unrecorded {
			t.Errorf("a new page is told %q", b.hello.Unrecorded)
		}
	})
	a.typeAt("a.txt", at(0, "2 "))
	a.settle("a.txt") // the push is taken
	if f := a.call("save", map[string]any{"path": "a.txt"}, nil); f == nil ||
		!strings.Contains(f.Message, "input/output error") {
		t.Errorf("save: %+v", f)
	}
	exec("DROP TRIGGER broken")
	a.wait("it is over", func() bool { return a.unrecorded == "" })
	a.must("save", map[string]any{"path": "a.txt"}, nil)
	w.onDisk("a.txt", "2 1 0 one\n")
}
