package corrections

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// TestKeep: nothing is kept unasked; several writers lose nothing; a line that was cut off hides no
// other; the file is the user's alone, and does not grow for ever.
func TestKeep(t *testing.T) {
	b := In(t.TempDir())
	keep := func(n int, meant string) {
		if err := b.Keep(Correction{Request: fmt.Sprint("request ", n), Meant: meant, How: Chosen}); err != nil {
			t.Error(err)
		}
	}
	has := func(want int) {
		t.Helper()
		if all, err := b.All(); err != nil || len(all) != want {
			t.Errorf("%d corrections, %v; want %d", len(all), err, want)
		}
	}
	keep(0, "unasked")
	has(0)
	for range 2 {
		if err := b.Switch(true); err != nil {
			t.Fatal(err)
		}
	}
	keep(1, "request 1") // it is none
	has(0)
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() { keep(i, strings.Repeat("meant ", i)) })
	}
	all.Wait()
	has(40)
	f, err := os.OpenFile(b.File(), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString("{\"request\":\"cut\n")
	}
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	keep(2, "after it")
	has(41)
	info, err := os.Stat(b.File())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	for range 2 {
		if err := b.Switch(false); err != nil {
			t.Fatal(err)
		}
	}
	keep(3, "off")
	has(41)
	for range 2 {
		if err := b.Delete(); err != nil {
			t.Fatal(err)
		}
	}
	has(0)
	if err := b.Switch(true); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		keep(4, strings.Repeat("long", 1<<18))
	}
	has(4)
}
