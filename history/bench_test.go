package history

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"waferpair/workspace/text"
)

// goroot is the folder of Go's standard library.
func goroot() string {
	out, _ := exec.Command("go", "env", "GOROOT").Output()
	return filepath.Join(strings.TrimSpace(string(out)), "src")
}

// goFiles returns n files of Go's standard library of about 12 KB.
func goFiles(t testing.TB, n int) map[string]string {
	t.Helper()
	out := map[string]string{}
	root := goroot()
	filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil || len(out) == n {
			return err
		}
		if fi, e := d.Info(); e == nil && strings.HasSuffix(p, ".go") && fi.Size() > 8_000 && fi.Size() < 16_000 {
			if b, e := os.ReadFile(p); e == nil {
				rel, _ := filepath.Rel(root, p)
				out[rel] = string(b)
			}
		}
		return nil
	})
	if len(out) < n {
		t.Skipf("only %d Go files of that size here", len(out))
	}
	return out
}

// typist makes edits like a model's hunks: it replaces a few lines by others from similar
// text.
type typist struct {
	r     *rand.Rand
	paths []string
	texts map[string]text.Text
	lines []string // real lines to insert
}

func newTypist(files map[string]string) *typist {
	y := &typist{r: rand.New(rand.NewPCG(1, 2)), texts: map[string]text.Text{}}
	for p, body := range files {
		y.paths = append(y.paths, p)
		y.texts[p] = text.OfString(body)
	}
	slices.Sort(y.paths)
	for _, p := range y.paths {
		y.lines = append(y.lines, strings.SplitAfter(files[p], "\n")...)
	}
	return y
}

// edit replaces one or two lines in one of the files and keeps their number.
func (y *typist) edit() NewEdit {
	path := y.paths[y.r.IntN(len(y.paths))]
	t := y.texts[path]
	n := 1 + y.r.IntN(2)
	line := y.r.IntN(max(1, int(t.Lines())-n))
	from, to := t.LineStart(line), t.LineStart(line+n)
	at := y.r.IntN(len(y.lines) - n)
	cs, err := text.NewChangeSet(t.Len(), text.Change{From: from, To: to, Insert: strings.Join(y.lines[at:at+n], "")})
	if err != nil {
		panic(err)
	}
	after, _ := cs.Apply(t)
	y.texts[path] = after
	return NewEdit{Path: path, Kind: Text, Before: t, Changes: cs}
}

// fill appends n edits, one operation each, as fast as the store takes them.
func fill(t testing.TB, s *Store, y *typist, n int) {
	t.Helper()
	var last Receipt
	for range n {
		r, err := s.Append(context.Background(), Op{Author: Model, Edits: []NewEdit{y.edit()}})
		if err != nil {
			t.Fatal(err)
		}
		last = r
	}
	if err := last.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// cpu returns the processor time of this process: on a busy computer it says more than the
// clock on the wall.
func cpu() time.Duration {
	var u unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// report prints a line that the testing package would drop.
func report(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// BenchmarkStore measures at the scale of the requirement: 100,000 edits of 200 Go files.
func BenchmarkStore(b *testing.B) {
	files := goFiles(b, 200)
	dir := filepath.Join(b.TempDir(), "store")
	s := openStore(b, dir)
	baseline(b, s, files)
	y := newTypist(files)
	const n = 100_000
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start, busy := time.Now(), cpu()
	best := time.Hour // of 2,000 edits, when nothing else ran
	for range n / 2000 {
		t0 := time.Now()
		fill(b, s, y, 2000)
		best = min(best, time.Since(t0))
	}
	took := time.Since(start)
	busy = cpu() - busy
	runtime.GC()
	runtime.ReadMemStats(&after)
	report("%d edits in %v (cpu %v): %.0f edits/s, at best %.0f; heap in use grew by %.1f MB", n, took, busy,
		n/took.Seconds(), 2000/best.Seconds(), float64(int64(after.HeapInuse)-int64(before.HeapInuse))/(1<<20))
	s.Close()
	fi, _ := os.Stat(filepath.Join(dir, "history.db"))
	report("database of %d edits: %.1f MB", n, float64(fi.Size())/1e6)
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			s := must[*Store](b)(Open(context.Background(), Options{Dir: dir}))
			b.StopTimer()
			s.Close()
			b.StartTimer()
		}
	})
	s = openStore(b, dir)
	z, _ := s.Size(context.Background())
	report("%+v", z)
	b.Run("at", func(b *testing.B) { benchAt(b, s, y, n) })
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			must[[]Edit](b)(s.List(context.Background(), Filter{Limit: 100, Before: EditID(y.r.IntN(n))}))
		}
	})
	b.Run("check", func(b *testing.B) {
		for range min(b.N, 1) {
			if r := must[Report](b)(s.Check(context.Background(), nil)); !r.OK() {
				b.Fatalf("%v", r.Damage[0])
			}
		}
	})
}

func benchAt(b *testing.B, s *Store, y *typist, n int) {
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		must[Version](b)(s.At(context.Background(), EditID(1+y.r.IntN(n)), y.paths[y.r.IntN(len(y.paths))]))
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkRecord measures the processor time of recording in bulk, in a history of 20
// files and, in turns with it, in one of 10,000, where nearly each edit of a group is of
// another file, and so of another page of table step.
func BenchmarkRecord(b *testing.B) {
	const n = 5000
	var stores [2]*Store
	var typists [2]*typist
	for i, copies := range []int{1, 500} {
		files := map[string]string{}
		for path, body := range goFiles(b, 20) {
			for c := range copies {
				files[fmt.Sprintf("d%d/%s", c, path)] = body
			}
		}
		stores[i], typists[i] = newStore(b), newTypist(files)
		baseline(b, stores[i], files)
	}
	var busy [2]time.Duration
	for b.Loop() {
		for i, s := range stores {
			start := cpu()
			fill(b, s, typists[i], n)
			busy[i] += cpu() - start
		}
	}
	b.ReportMetric(float64(busy[0].Microseconds())/float64(b.N*n), "cpu-us/edit-few")
	b.ReportMetric(float64(busy[1].Microseconds())/float64(b.N*n), "cpu-us/edit-many")
	b.ReportMetric(float64(busy[1])/float64(busy[0]), "many/few")
}

func BenchmarkOpen10000(b *testing.B) {
	files := goFiles(b, 200)
	dir := filepath.Join(b.TempDir(), "store")
	s := openStore(b, dir)
	baseline(b, s, files)
	fill(b, s, newTypist(files), 10_000)
	s.Close()
	for b.Loop() {
		s := must[*Store](b)(Open(context.Background(), Options{Dir: dir}))
		must[map[string]FileState](b)(s.Files(context.Background()))
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
}

func BenchmarkLoneAck(b *testing.B) {
	s := newStore(b)
	files := goFiles(b, 20)
	baseline(b, s, files)
	y := newTypist(files)
	for b.Loop() {
		b.StopTimer()
		time.Sleep(12 * time.Millisecond)
		e := y.edit()
		b.StartTimer()
		r := must[Receipt](b)(s.Append(context.Background(), Op{Author: User, Edits: []NewEdit{e}}))
		r.Wait(context.Background())
	}
}

func BenchmarkBaseline100k(b *testing.B) {
	for range b.N {
		s := newStore(b)
		seq := func(yield func(BaseFile) bool) {
			for i := range 100_000 {
				if !yield(BaseFile{Path: fmt.Sprintf("dir%d/some/folder/file%d.go", i%500, i), Bytes: fmt.Appendf(nil,
					"package p%d\n\nfunc F%d() {}\n", i, i), Mode: 0o644, Size: 30, MTime: int64(i), Inode: uint64(i)}) {
					return
				}
			}
		}
		start, busy := time.Now(), cpu()
		must[int](b)(s.Baseline(context.Background(), seq))
		b.ReportMetric((cpu() - busy).Seconds(), "baseline-cpu-s")
		b.ReportMetric(time.Since(start).Seconds(), "baseline-s")
		start = time.Now()
		busy = cpu()
		must[map[string]FileState](b)(s.Files(context.Background()))
		for range 5 {
			t0 := time.Now()
			must[map[string]FileState](b)(s.Files(context.Background()))
			report("files again: %v", time.Since(t0))
		}
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "files-ms")
		b.ReportMetric(float64((cpu() - busy).Milliseconds()), "files-cpu-ms")
		s.Close()
	}
}

func BenchmarkBaselineGoroot(b *testing.B) {
	var files []string
	var bytes int64
	filepath.WalkDir(goroot(), func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, p)
		}
		return nil
	})
	for range b.N {
		s := newStore(b)
		start := time.Now()
		must[int](b)(s.Baseline(context.Background(), func(yield func(BaseFile) bool) {
			for _, p := range files {
				body, err := os.ReadFile(p)
				if err != nil {
					continue
				}
				bytes += int64(len(body))
				if !yield(BaseFile{Path: p, Bytes: body, Mode: 0o644}) {
					return
				}
			}
		}))
		b.ReportMetric(time.Since(start).Seconds(), "s")
		b.ReportMetric(float64(len(files)), "files")
		s.Close()
	}
	b.Logf("%d files, %d MB", len(files), bytes>>20)
}
