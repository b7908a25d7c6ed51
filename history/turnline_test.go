package history

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The turns of a history's lines, against a model that is slow and obvious: it writes out
// each line in full, and a fork copies its parent's line.

// lineEvent is a turn that begins (no edit), or an edit.
type lineEvent struct {
	turn TurnID
	edit EditID
}

type lineMachine struct {
	s       *Store
	dir     string
	session SessionID
	lines   map[string][]lineEvent
	made    map[EditID]string // the branch on which an edit was made
	branch  string
	turn    TurnID // the running turn
}

func (m *lineMachine) events() []lineEvent { return m.lines[m.branch] }

func (m *lineMachine) add(e lineEvent) { m.lines[m.branch] = append(m.lines[m.branch], e) }

// before returns a line right after an edit: everything up to the next edit, without a turn
// that had made no edits yet.
func before(line []lineEvent, at EditID) []lineEvent {
	n := slices.IndexFunc(line, func(e lineEvent) bool { return e.edit > at })
	if n < 0 {
		return line
	}
	began := slices.IndexFunc(line, func(e lineEvent) bool { return e.edit == at }) // the turns before it had begun
	var out []lineEvent
	for i, e := range line[:n] {
		if e.edit != 0 || i < began || !slices.ContainsFunc(line[n:], func(l lineEvent) bool {
			return l.edit != 0 &&
				l.turn == e.turn
		}) {
			out = append(out, e)
		}
	}
	return out
}

func (m *lineMachine) step(t *rapid.T) {
	ctx := context.Background()
	var err error
	switch rapid.SampledFrom([]string{"ask", "ask", "edit", "edit", "edit", "type", "end", "fork", "switch", "reopen"}).
		Draw(t, "step") {
	case "ask":
		if err = m.end(); err == nil {
			m.turn, err = m.s.StartTurn(ctx, Turn{Session: m.session, Request: "r", Model: "m"})
			m.add(lineEvent{turn: m.turn})
		}
	case "edit":
		err = m.edit(m.turn)
	case "type":
		err = m.edit(0)
	case "end":
		err = m.end()
	case "fork":
		if err = m.end(); err == nil {
			err = m.fork(t)
		}
	case "switch":
		if err = m.end(); err == nil {
			m.branch = rapid.SampledFrom(slices.Sorted(maps.Keys(m.lines))).Draw(t, "to")
			err = m.s.SetBranch(ctx, m.branch)
		}
	case "reopen":
		if err = m.end(); err == nil {
			err = m.reopen(nil)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (m *lineMachine) edit(turn TurnID) error {
	author := User
	if turn != 0 {
		author = Model
	}
	r, err := m.s.Append(context.Background(),
		Op{Author: author, Turn: turn, Edits: []NewEdit{{Path: fmt.Sprint("f", len(m.made)), Kind: Create}}})
	if err == nil {
		m.made[r.IDs()[0]] = m.branch
		m.add(lineEvent{turn, r.IDs()[0]})
	}
	return err
}

func (m *lineMachine) end() error {
	if m.turn == 0 {
		return nil
	}
	id := m.turn
	m.turn = 0
	return m.s.EndTurn(context.Background(), id, "completed", "", nil)
}

func (m *lineMachine) fork(t *rapid.T) error {
	at := rapid.SampledFrom(append(slices.Sorted(maps.Keys(m.made)), 0, Newest)).Draw(t, "at")
	parent := m.branch
	if at != Newest {
		parent = "main"
		if at != 0 {
			parent = m.made[at]
		}
	}
	name := fmt.Sprint("fork ", len(m.lines))
	m.lines[name] = slices.Clone(before(m.lines[parent], at))
	_, err := m.s.Fork(context.Background(), name, at)
	return err
}

// reopen closes the store, runs between, and opens it again.
func (m *lineMachine) reopen(between func(path string) error) error {
	if err := m.s.Close(); err != nil {
		return err
	}
	if between != nil {
		if err := between(m.s.files.db); err != nil {
			return err
		}
	}
	s, err := Open(context.Background(), Options{Dir: m.dir})
	m.s = s
	return err
}

func (m *lineMachine) compare(t *rapid.T) {
	ctx := context.Background()
	var have, all []TurnID
	turns, err := m.s.AllTurns(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range turns {
		have = append(have, x.ID)
	}
	for _, e := range m.events() {
		if e.edit == 0 {
			all = append(all, e.turn)
		}
	}
	if !slices.Equal(have, all) {
		t.Fatalf("the turns of %s are %v, should be %v", m.branch, have, all)
	}
	sessions, err := m.s.Sessions(ctx)
	if err != nil || sessions[0].Count != len(all) {
		t.Fatalf("%+v %v", sessions, err)
	}
}

func (m *lineMachine) compareAll(t *rapid.T) {
	for _, name := range slices.Sorted(maps.Keys(m.lines)) {
		m.branch = name
		if err := m.s.SetBranch(context.Background(), name); err != nil {
			t.Fatal(err)
		}
		m.compare(t)
	}
}

func TestTurnsBelongToLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "history-lines-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		m := &lineMachine{dir: dir, branch: "main", lines: map[string][]lineEvent{"main": nil}, made: map[EditID]string{}}
		if m.s, err = Open(context.Background(), Options{Dir: dir}); err != nil {
			t.Fatal(err)
		}
		defer func() { m.s.Close() }()
		if m.session, err = m.s.StartSession(context.Background(), "s"); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(5, 20).Draw(t, "steps") {
			m.step(t)
		}
		if err := m.end(); err != nil {
			t.Fatal(err)
		}
		m.compareAll(t)
		if len(m.lines) == 1 || !rapid.Bool().Draw(t, "of before") {
			return
		}
		if err := m.reopen(withoutLines); err != nil { // an old database is read like a new one
			t.Fatal(err)
		}
		m.compareAll(t)
	})
}

// withoutLines converts a database to the schema in which turns had no line.
func withoutLines(path string) error {
	if err := withoutSteps(path); err != nil {
		return err
	}
	db, err := openWriter(path)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, q := range []string{
		"DROP TABLE outline", "DROP TABLE item", "DROP TABLE head", "ALTER TABLE branch DROP COLUMN heads",
		"ALTER TABLE turn DROP COLUMN parts", "ALTER TABLE turn DROP COLUMN branch", "ALTER TABLE branch DROP COLUMN turn",
		"DELETE FROM goose_db_version WHERE version_id > 2", "PRAGMA user_version = 2",
	} {
		if _, err := db.Exec(q); err != nil {
			return err
		}
	}
	return nil
}
