package spark

import (
	"context"
	"fmt"
	"strings"
	"time"

	"waferpair/engine/model"
	"waferpair/engine/refactor"
)

// conclude has the types checked that edits may break, and says how it went. The user sees the
// edits meanwhile; new errors revert them.
func (m *Model) conclude(ctx context.Context, p model.Prompt, edits []model.FileEdit, said string,
	yield func(model.Delta) error) error {
	t := m.types(ctx, p, edits)
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(t.Errors) == 0 {
		return model.Say(yield, said+typesSaid(t), 0)
	}
	finds := fmt.Sprintf("%s finds %s", t.By, counted(len(t.Errors), "error that was not there before:",
		"errors that were not there before:"))
	found := finds + "\n" + listed(t.Errors)
	if err := yield(model.Revert{Why: finds + " " + t.Errors[0]}); err != nil {
		return model.Say(yield, said+"Note: "+found+"\nNote: the edit could not be reverted: "+err.Error()+"\n", 0)
	}
	return &model.Refusal{Code: model.Types, Reason: "the edit was reverted, because " + found}
}

// types is what the type checkers say about edits, and tells the user while they work.
func (m *Model) types(ctx context.Context, p model.Prompt, edits []model.FileEdit) refactor.Types {
	var edited []refactor.Edited
	for _, e := range edits {
		one := refactor.Edited{Path: e.Path}
		if !e.Create {
			one.Before = e.Base.Bytes()
		}
		if !e.Delete {
			after, err := e.Changes.Apply(e.Base)
			if err != nil {
				return refactor.Types{} // it was applied
			}
			one.After = append([]byte{}, after.Bytes()...) // nil is no file
		}
		edited = append(edited, one)
	}
	defer counting(refactor.ProgressOf(ctx), "Checking types")()
	return m.runner.Types(ctx, p.Files.Root(), edited)
}

// counting tells of work that takes more than a second, each second, until it is done.
func counting(tell refactor.Progress, what string) (done func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-over:
				if n > 1 {
					tell(what, 0, true)
				}
				return
			case <-tick.C:
				tell(what, n, false)
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}

// typesSaid is what the user is told of types that were checked.
func typesSaid(t refactor.Types) string {
	var b strings.Builder
	switch {
	case t.Skipped != "":
		fmt.Fprintf(&b, "Note: types were not checked by %s: %s\n", t.By, t.Skipped)
	case t.By != "":
		fmt.Fprintf(&b, "Types checked: %s, by %s.\n", counted(t.Files, "file", "files"), t.By)
	}
	if len(t.Unused) > 0 {
		fmt.Fprintf(&b, "Note: %s says what is not used now:\n%s\n", t.By, listed(t.Unused))
	}
	return b.String()
}

const mostListed = 5

func listed(lines []string) string {
	out := lines[:min(len(lines), mostListed)]
	s := "  " + strings.Join(out, "\n  ")
	if n := len(lines) - len(out); n > 0 {
		s += fmt.Sprintf("\n  and %d more", n)
	}
	return s
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
