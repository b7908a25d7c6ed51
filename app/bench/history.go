package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"waferpair/history"
	"waferpair/workspace/text"
)

// sample is the text with which history is measured: files, and lines to put into them.
type sample struct {
	files []string
	lines []string
	rand  *rand.Rand
}

// sampleFiles is the number of files in a sample, of about 12 KB each.
const sampleFiles = 200

// newSample returns files of Go's standard library if it is installed, and generated source
// otherwise.
func newSample() *sample {
	s := &sample{files: goFiles(), rand: rand.New(rand.NewPCG(1, 2))}
	for len(s.files) < sampleFiles {
		s.files = append(s.files, source(s.rand, 12<<10))
	}
	for _, f := range s.files {
		s.lines = append(s.lines, strings.SplitAfter(f, "\n")...)
	}
	return s
}

func goFiles() []string {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil
	}
	var out []string
	_ = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src"),
		func(path string, d os.DirEntry, err error) error {
			if err != nil || len(out) == sampleFiles || !strings.HasSuffix(path, ".go") {
				return err
			}
			if b, err := os.ReadFile(path); err == nil && len(b) > 8_000 && len(b) < 16_000 {
				out = append(out, string(b))
			}
			return nil
		})
	return out
}

// edit replaces one or two lines by as many, as a model's hunks do.
func (s *sample) edit(t text.Text) (text.ChangeSet, error) {
	n := 1 + s.rand.IntN(2)
	line, at := s.rand.IntN(max(1, t.Lines()-n)), s.rand.IntN(len(s.lines)-n)
	return text.NewChangeSet(t.Len(), text.Change{From: t.LineStart(line), To: t.LineStart(line + n),
		Insert: strings.Join(s.lines[at:at+n], "")})
}

// fillHistory records n edits over the files of a sample.
func fillHistory(ctx context.Context, s *history.Store, n int) error {
	sample := newSample()
	texts := make([]text.Text, sampleFiles)
	var base []history.BaseFile
	for i, f := range sample.files {
		texts[i] = text.OfString(f)
		base = append(base, history.BaseFile{Path: benchFile(i), Bytes: []byte(f), Mode: 0o644})
	}
	if _, err := s.Baseline(ctx, slices.Values(base)); err != nil {
		return err
	}
	var last history.Receipt
	for range n {
		at := sample.rand.IntN(sampleFiles)
		cs, err := sample.edit(texts[at])
		if err != nil {
			return err
		}
		last, err = s.Append(ctx, history.Op{Author: history.Model, Edits: []history.NewEdit{
			{Path: benchFile(at), Kind: history.Text, Changes: cs, Before: texts[at]}}})
		if err != nil {
			return err
		}
		if texts[at], err = cs.Apply(texts[at]); err != nil {
			return err
		}
	}
	return last.Wait(ctx)
}

func benchFile(i int) string { return fmt.Sprintf("pkg%02d/file%03d.go", i%20, i) }

// source generates n bytes of text that looks like code.
func source(r *rand.Rand, n int) string {
	words := strings.Fields("func return if err nil range config value index server handle request open close read write for switch case string error type")
	var b strings.Builder
	for b.Len() < n {
		b.WriteByte('\t')
		for range 3 + r.IntN(6) {
			fmt.Fprintf(&b, "%s%d ", words[r.IntN(len(words))], r.IntN(40))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func openFilled(ctx context.Context, dir string, n int) (*history.Store, error) {
	s, err := history.Open(ctx, history.Options{Dir: dir, Root: dir})
	if err != nil {
		return nil, err
	}
	return s, fillHistory(ctx, s, n)
}

// benchHistory reads random versions from a long history.
func benchHistory(ctx context.Context, e *Env) error {
	n := e.scale(100_000)
	start := time.Now()
	s, err := openFilled(ctx, filepath.Join(e.Dir, "store"), n)
	if err != nil {
		return err
	}
	e.Log(fmt.Sprintf("%d edits recorded in %.1f s", n, time.Since(start).Seconds()))
	if err := s.Close(); err != nil {
		return err
	}
	size, err := dirSize(filepath.Join(e.Dir, "store"))
	if err != nil {
		return err
	}
	ballast, backups, err := setAside(filepath.Join(e.Dir, "store"))
	if err != nil {
		return err
	}
	if s, err = history.Open(ctx, history.Options{Dir: filepath.Join(e.Dir, "store"), Root: e.Dir}); err != nil {
		return err
	}
	defer s.Close()
	times, err := readVersions(ctx, s, n)
	if err != nil {
		return err
	}
	e.Report(Result{Measure: fmt.Sprintf("any version of any file among %d edits, p99", n),
		Value: millis(percentile(times, 0.99)), Unit: "ms", Bound: 5, AtMost: true})
	e.Report(Result{Measure: fmt.Sprintf("%d edits of 12 KB files on disk", n), Value: float64(size-ballast-backups) / 1e6,
		Unit: "MB", Bound: 30, AtMost: true,
		Note: fmt.Sprintf("without %.0f MB of reserve for a full disk and %.0f MB of backups", float64(ballast)/1e6,
			float64(backups)/1e6)})
	return nil
}

// setAside returns the sizes of the store's reserve and of its backups.
func setAside(dir string) (ballast, backups int64, err error) {
	list, err := os.ReadDir(dir)
	for _, f := range list {
		info, e := f.Info()
		if e != nil {
			return 0, 0, e
		}
		switch {
		case f.Name() == "ballast":
			ballast += info.Size()
		case strings.HasPrefix(f.Name(), "backup"):
			backups += info.Size()
		}
	}
	return ballast, backups, err
}

func readVersions(ctx context.Context, s *history.Store, n int) ([]time.Duration, error) {
	r := rand.New(rand.NewPCG(3, 4))
	times := make([]time.Duration, 3000)
	for i := range times {
		id, path := history.EditID(1+r.IntN(n)), benchFile(r.IntN(sampleFiles))
		start := time.Now()
		v, err := s.At(ctx, id, path)
		times[i] = time.Since(start)
		if err != nil || !v.Exists {
			return nil, fmt.Errorf("%s at %d: %v", path, id, err)
		}
	}
	return times, nil
}
