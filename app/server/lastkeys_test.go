package server_test

import (
	"testing"
	"time"
)

// TestTheEndWaitsForTheLastKeysOfASlowPage checks that the program waits at its end for
// typing that a page can push only after an earlier push is confirmed, however slow the
// page is.
func TestTheEndWaitsForTheLastKeysOfASlowPage(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	c := dial(t, s)
	c.open("a.txt")
	c.setDeafTo("a.txt")
	c.typeAt("a.txt", at(0, "t"))
	c.settle("a.txt") // though the page has not said that it knows
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case err := <-closed:
		t.Fatalf("closed while the page may have more: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	c.typeAt("a.txt", at(1, "wo"))
	c.setDeaf(false)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	w.onDisk("a.txt", "twoone\n")
}
