package app

import (
	"context"
	"errors"
	"testing"
)

// TestLocksThatTurnOutToBeNeeded checks that an operation that needs more locks starts
// again with all of them, taken in the order of the paths.
func TestLocksThatTurnOutToBeNeeded(t *testing.T) {
	p := &documents{table: newTable()}
	tries := 0
	err := p.holding(t.Context(), []string{"b"}, func(ctx context.Context) error {
		tries++
		if err := needs(ctx, "b", "c", "a"); err != nil {
			return err
		}
		if h := locksOf(ctx); len(h.paths) != 3 || h.paths[0] != "a" || h.has("d") {
			t.Errorf("held are %v", h.paths)
		}
		if p.locks.try("a") != nil {
			t.Error("a held file was taken once more")
		}
		return errors.ErrUnsupported
	})
	if !errors.Is(err, errors.ErrUnsupported) || tries != 2 || len(p.locks.list) != 0 {
		t.Errorf("%v after %d tries; left are %v", err, tries, p.locks.list)
	}
	_ = p.holdingAll(t.Context(), func(ctx context.Context) error {
		if needs(ctx, "x") != nil || p.locks.try("x") != nil {
			t.Error("not all files are held, or not by one")
		}
		return nil
	})
}
