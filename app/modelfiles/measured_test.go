package modelfiles

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWhatWasMeasured is remembered by the file itself, whatever leads to it, until the file changes.
func TestWhatWasMeasured(t *testing.T) {
	dir := t.TempDir()
	f := In(dir, dir, nil)
	file, link := filepath.Join(dir, "a.gguf"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("some"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if _, is := f.MeasuredOf(file); is {
		t.Error("nothing was measured")
	}
	want := Measured{Decode: 50, First: 20}
	if err := f.Remember(link, want); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, link} {
		if got, is := f.MeasuredOf(name); !is || got != want {
			t.Errorf("%s: %+v, %v", name, got, is)
		}
	}
	if err := os.WriteFile(file, []byte("others"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, is := f.MeasuredOf(file); is {
		t.Error("the file is another one")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := f.Remember(f.State, want); err != nil {
		t.Fatal(err)
	}
	if l := f.readLearned(); len(l.Files) != 1 {
		t.Errorf("%+v: a file that is gone is forgotten", l)
	}
	if err := os.WriteFile(f.State, []byte("{damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, is := f.MeasuredOf(f.State); is {
		t.Error("a damaged state is empty")
	}
}

// TestTheBestBandwidthCounts: for a month, and on the computer that it is of.
func TestTheBestBandwidthCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads a lot of memory")
	}
	dir := t.TempDir()
	f := In(dir, dir, nil)
	measured := f.Bandwidth()
	if f.Bandwidth() != measured {
		t.Error("it was measured twice within an hour")
	}
	change := func(do func(*bandwidth)) {
		if err := f.learn(func(l *learned) { do(l.Computer) }); err != nil {
			t.Fatal(err)
		}
	}
	const fast = 1e15
	change(func(b *bandwidth) { b.Time, b.Speed = b.Time.Add(-2*time.Hour), fast })
	if got := f.Bandwidth(); got != fast {
		t.Errorf("%v, after %v", got, fast)
	}
	change(func(b *bandwidth) { b.Computer = "another" })
	if got := f.Bandwidth(); got == fast {
		t.Error("that was another computer")
	}
	change(func(b *bandwidth) { b.Best, b.Speed = b.Best.Add(-2*bandwidthCounts), fast })
	if got := f.Bandwidth(); got == fast {
		t.Error("that was months ago")
	}
}
