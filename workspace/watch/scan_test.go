package watch

import (
	"context"
	"fmt"
	"go/build"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
)

// TestScanTree: exactly the files and links that are not ignored, sorted.
func TestScanTree(t *testing.T) {
	root := t.TempDir()
	for _, f := range []string{"a", "a.b/c", "a-b", "dir/sub/x", "dir/skip.o", "out/y", ".git/HEAD",
		"dir/.git/z", ".github/w"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, f)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, f), []byte(f), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Symlink(".", filepath.Join(root, "loop"))
	ignored := func(path string, isDir bool) bool { return path == "out" && isDir || strings.HasSuffix(path, ".o") }
	s, err := Scan(context.Background(), root, ignored)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, stamp := range s.Stamps {
		got = append(got, stamp.Path)
		if stamp.ModTime == 0 || stamp.Path != "loop" && stamp.Size != int64(len(stamp.Path)) {
			t.Errorf("bad stamp %+v", stamp)
		}
	}
	want := []string{".github/w", "a", "a-b", "a.b/c", "dir/sub/x", "loop"}
	if !slices.Equal(got, want) {
		t.Errorf("scanned %q, want %q", got, want)
	}
}

// TestScanFails: without a root there is an error.
func TestScanFails(t *testing.T) {
	if _, err := Scan(context.Background(), filepath.Join(t.TempDir(), "gone"), nil); err == nil {
		t.Error("a missing root scans as an empty one")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Scan(ctx, t.TempDir(), nil); err == nil {
		t.Error("a canceled scan has a result")
	}
}

// TestDiff compares Diff with the obvious comparison of two maps.
func TestDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`[ab](/[ab.]){0,2}`)
		content := rapid.MapOf(path, rapid.Int64Range(0, 2))
		a, b := content.Draw(t, "old"), content.Draw(t, "new")
		unread := rapid.SliceOfN(path, 0, 2).Draw(t, "unread")
		want := []string{}
		for p := range a {
			if _, ok := b[p]; !ok && !slices.ContainsFunc(unread, func(d string) bool { return strings.HasPrefix(p, d+"/") }) {
				want = append(want, p)
			}
		}
		for p, size := range b {
			if old, ok := a[p]; !ok || old != size {
				want = append(want, p)
			}
		}
		slices.Sort(want)
		if got := Diff(snapshot(a), Snapshot{snapshot(b).Stamps, unread}); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func snapshot(sizes map[string]int64) Snapshot {
	var s Snapshot
	for _, p := range slices.Sorted(maps.Keys(sizes)) {
		s.Stamps = append(s.Stamps, Stamp{Path: p, Size: sizes[p]})
	}
	return s
}

// TestUnread: a directory that cannot be read is not an empty one.
func TestUnread(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	root := t.TempDir()
	dir := filepath.Join(root, "dir")
	os.Mkdir(dir, 0o755)
	os.WriteFile(filepath.Join(dir, "f"), nil, 0o644)
	before, _ := Scan(context.Background(), root, nil)
	os.Chmod(dir, 0)
	defer os.Chmod(dir, 0o755)
	after, err := Scan(context.Background(), root, nil)
	if err != nil || !slices.Equal(after.Unread, []string{"dir"}) || len(Diff(before, after)) > 0 {
		t.Errorf("%+v %v: %q changed", after, err, Diff(before, after))
	}
}

func TestPollPause(t *testing.T) {
	for cost, want := range map[time.Duration]time.Duration{
		0: 2 * time.Second, 30 * time.Millisecond: 3 * time.Second, time.Second: 10 * time.Second,
	} {
		if got := pollPause(cost, 2*time.Second); got != want {
			t.Errorf("cost %v: pause %v, want %v", cost, got, want)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	src := filepath.Join(build.Default.GOROOT, "src")
	for b.Loop() {
		s, err := Scan(context.Background(), src, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(s.Stamps)), "files")
	}
}

func ExampleDiff() {
	old := Snapshot{Stamps: []Stamp{{Path: "a", Size: 1}, {Path: "b", Size: 1}}}
	new := Snapshot{Stamps: []Stamp{{Path: "b", Size: 2}, {Path: "c", Size: 1}}}
	fmt.Println(Diff(old, new))
	// Output: [a b c]
}
