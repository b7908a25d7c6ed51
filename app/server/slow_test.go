package server_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// A page that shows nothing for the whole of a turn of 300,000 tokens costs
// next to no memory, and has everything once it catches up.
func TestASlowPageCostsNoMemory(t *testing.T) {
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
	turn := quick.edit(w.script(manyTokens("a.txt", 300_000)...))
	quick.wait("the turn has begun", func() bool { return quick.turn.live.Tokens > 20_000 })
	before, most := heap(), uint64(0)
	for ended := false; !ended; time.Sleep(200 * time.Millisecond) { // the heap is sampled
		most = max(most, heap())
		quick.Lock()
		ended = quick.turn.live.State == "ended"
		quick.Unlock()
	}
	quick.ended(turn)
	t.Logf("heap: %d MB after the first tokens, at most %d MB", before>>20, most>>20)
	if grown := int64(most) - int64(before); grown > 60<<20 {
		t.Errorf("the heap grew by %d MB while the page was slow", grown>>20)
	}
	slow.wait("it was sent little", func() bool { return slow.frames <= had+2 })
	slow.setDeaf(false)
	slow.ended(turn)
	agree(t, w, "a.txt", slow, quick)
	if slow.frames > 20 {
		t.Errorf("it caught up in %d frames", slow.frames)
	}
}

// heap is what is in use, garbage not counted.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// manyTokens is an answer of n tokens that rewrites lines of a file, in chunks.
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

// A page that acknowledges nothing for too long is given up; it can come back.
func TestAPageThatStopsIsDropped(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	w.opt.AckWithin = 50 * time.Millisecond
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
