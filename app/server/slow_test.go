package server_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// TestASlowPageCostsNoMemory checks that a page that acknowledges nothing during a turn of
// 300,000 tokens costs almost no memory, and has everything once it catches up. With -short,
// there are fewer tokens.
func TestASlowPageCostsNoMemory(t *testing.T) {
	tokens := 300_000
	if testing.Short() {
		tokens = 60_000
	}
	w := newWorld(t, map[string]string{"a.txt": lines(3000), "b.txt": "one\n"})
	w.opt.AckWithin = time.Hour
	s := w.serve()
	slow, quick := dial(t, s), dial(t, s)
	slow.open("a.txt")
	quick.open("a.txt")
	slow.setDeaf(true)
	slow.Lock()
	had := slow.frames
	slow.Unlock()
	turn := quick.edit(w.script(manyTokens("a.txt", tokens)...))
	quick.wait("the turn has begun", func() bool { return quick.turn.live.Tokens > 20_000 })
	before := heap()
	for over := false; !over; time.Sleep(20 * time.Millisecond) { // however long it takes
		quick.look(func() { over = quick.turn.live.State == "ended" || quick.Lost() })
	}
	quick.ended(turn)
	// What waits for the slow page waits still; what waits for the history, which may
	// fall behind on a loaded computer, does not.
	quick.must("save", map[string]any{"path": "a.txt"}, nil)
	after := heap()
	t.Logf("heap: %d MB after the first tokens, %d MB after the last one", before>>20, after>>20)
	if grown := int64(after) - int64(before); grown > 60<<20 {
		t.Errorf("the heap grew by %d MB while the page was slow", grown>>20)
	}
	slow.wait("it was sent little", func() bool { return slow.frames <= had+2 })
	slow.setDeaf(false)
	slow.ended(turn)
	agree(t, w, "a.txt", slow, quick)
	slow.look(func() {
		if slow.frames > 20 {
			t.Errorf("it caught up in %d frames", slow.frames)
		}
	})
}

// heap returns the size of live objects.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// manyTokens returns an answer of n tokens that rewrites lines of a file, in chunks.
func manyTokens(file string, n int) []any {
	out := []any{"*** Begin Patch\n*** Update File: " + file + "\n"}
	for i := 1; n > 0; i += 3 {
		chunk := fmt.Sprintf("@@\n line %d\n-line %d\n", i-1, i)
		for range 25 {
			chunk += "+the quick brown fox jumps over the lazy dog, once more and again and once more, until all is said\n"
		}
		n -= len(chunk) / 4
		out = append(out, chunk)
	}
	return append(out, "*** End Patch\n")
}

// TestAPageThatStopsIsDropped checks that the server drops a page that acknowledges nothing
// for too long, and that it can come back. The limit is so long that even on a loaded
// computer the other page keeps within it.
func TestAPageThatStopsIsDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	w.opt.AckWithin = 5 * time.Second
	s := w.serve()
	stuck, other := dial(t, s), dial(t, s)
	stuck.open("a.txt")
	other.open("a.txt")
	stuck.setDeaf(true)
	other.typeAt("a.txt", at(0, "zero "))
	other.settle("a.txt")
	select {
	case <-stuck.Over():
	case <-time.After(patience):
		t.Fatal("it is still connected")
	}
	again := stuck.reconnect(s)
	again.wait("it has what it missed", func() bool { return again.docs["a.txt"].shown().String() == "zero one\n" })
}
