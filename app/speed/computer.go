package speed

import (
	"errors"
	"fmt"
	"time"

	"waferpair/app/query"
	"waferpair/engine"
	"waferpair/engine/refactor/golang/genproject"
	"waferpair/history"
)

// firstOpen opens the project for the first time, which reads and stores all files.
func (m *measuring) firstOpen() error {
	m.Doing("opening it for the first time")
	took, err := timed(func() error {
		if err := m.open(); err != nil {
			return err
		}
		return m.p.Baseline()
	})
	if err == nil {
		m.times(Figure{Name: "first-open", Help: fmt.Sprintf("open a new project of %d files, all stored", m.Files())},
			[]time.Duration{took})
	}
	return err
}

// reopen opens it again, and searches symbols, which are not in memory then.
func (m *measuring) reopen() error {
	m.Doing("opening it again")
	var symbols []time.Duration
	opened, err := m.repeat(patience, func(int) (time.Duration, error) {
		if err := m.close(); err != nil {
			return 0, err
		}
		opened, err := timed(m.open)
		if err != nil {
			return 0, err
		}
		if err := m.p.Ready(m.ctx); err != nil {
			return 0, err
		}
		found, err := timed(func() error {
			list, err := m.p.Query().Symbols(m.ctx, genproject.Exported, "", 10)
			if err == nil && len(list) == 0 {
				err = errors.New("measure: no symbol was found")
			}
			return err
		})
		symbols = append(symbols, found)
		return opened, err
	})
	if err != nil {
		return err
	}
	m.times(Figure{Name: "open", Help: "open it again"}, opened)
	m.times(Figure{Name: "symbols", Help: "find a symbol in it, just opened"}, symbols)
	return nil
}

// edited is the file that gets the edits, one after the other.
const edited = "p000/file00.go"

// keep applies patches of one line each.
func (m *measuring) keep() error {
	m.Doing("making edits")
	line := "package p000"
	took, err := m.repeat(patience, func(i int) (time.Duration, error) {
		was := line
		line = fmt.Sprintf("package p000 // %d", i)
		patch := fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch\n", edited, was, line)
		return timed(func() error {
			res, err := m.p.ApplyPatch(m.ctx, []byte(patch), false)
			if err == nil && res.Outcome.Status != engine.Completed {
				err = fmt.Errorf("measure: a patch was not applied: %s", res.Outcome.Message)
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	m.times(Figure{Name: "edit", Help: "make one edit: in the history and on disk"}, took)
	return m.past(len(took))
}

// past reads the file as it was after each of n edits.
func (m *measuring) past(n int) error {
	took, err := m.repeat(patience/4, func(i int) (time.Duration, error) {
		return timed(func() error {
			v, err := m.p.Query().Text(m.ctx, history.EditID(1+i*7%n), edited)
			if err == nil && !v.Exists {
				err = fmt.Errorf("measure: %s is not in the history", edited)
			}
			return err
		})
	})
	if err == nil {
		m.times(Figure{Name: "past", Help: "read a file as it was after any of them"}, took)
	}
	return err
}

// search searches all files for a text.
func (m *measuring) search() error {
	took, err := m.repeat(patience/2, func(int) (time.Duration, error) {
		return timed(func() error {
			_, err := m.p.Query().Grep(m.ctx, query.GrepQuery{Text: "no line has this"}, func(query.GrepMatch) error {
				return nil
			})
			return err
		})
	})
	if err == nil {
		m.times(Figure{Name: "search", Help: "search all files for a text"}, took)
	}
	return err
}
