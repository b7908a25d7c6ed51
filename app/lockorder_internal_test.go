//go:build race

package app

import "testing"

// TestLocksOutOfOrder checks that, with -race, taking locks in an order that could deadlock
// panics at once, even if nothing waits.
func TestLocksOutOfOrder(t *testing.T) {
	p := &documents{table: newTable()}
	saving := ordered{rank: savingRank}
	for what, do := range map[string]func(){
		"a file after a file":          func() { defer p.locks.lock([]string{"b"}).unlock(); p.locks.lock([]string{"a"}) },
		"all files after one":          func() { defer p.locks.lock([]string{"b"}).unlock(); p.locks.lockAll() },
		"a save after a file":          func() { defer p.locks.lock([]string{"b"}).unlock(); saving.Lock() },
		"a file while asking for some": func() { p.table.mu.Lock(); defer p.table.mu.Unlock(); p.locks.lock([]string{"a"}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was not refused", what)
				}
			}()
			do()
		}()
	}
	saving.Lock()
	p.locks.lock([]string{"a", "b"}).unlock()
	saving.Unlock()
}
