package secrets

import (
	"bytes"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// findPlainly is find without probes and windows: every rule with one of its keywords
// anywhere runs on the whole text.
func (d *detector) findPlainly(path string, b []byte) []Finding {
	s := search{d: d, path: path, b: b, index: map[*rule]int{}}
	low := bytes.ToLower(b)
	for i, r := range d.rules {
		r.load()
		if len(r.spec.Keywords) > 0 && !slices.ContainsFunc(d.rules[i].spec.Keywords, func(k string) bool {
			return bytes.Contains(low, []byte(strings.ToLower(k)))
		}) {
			continue
		}
		if r.applies(path) && !s.fileAllowed(d.global.get()) {
			s.run(r, window{0, len(b)})
		}
	}
	return s.merged()
}

// standardLibrary returns the text files of GOROOT/src by path.
func standardLibrary(tb testing.TB) (names []string, files map[string][]byte, size int) {
	src := filepath.Join(build.Default.GOROOT, "src")
	files = map[string][]byte{}
	err := filepath.WalkDir(src, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil || bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 {
			return err
		}
		rel, _ := filepath.Rel(src, p)
		names = append(names, rel)
		files[rel] = b
		size += len(b)
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return names, files, size
}

// TestStandardLibrary measures how often clean, real source is suspected, and how fast, and
// compares the fast search with the plain one on a part of it.
func TestStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	names, files, size := standardLibrary(t)
	searched, every := 16, 240 // one in so many of the files
	if os.Getenv("WAFERPAIR_LONG") != "" {
		searched, every = 1, 1
	}
	start := time.Now()
	found := map[string]int{}
	hits := 0
	for i := 0; i < len(names); i += searched {
		for _, f := range Find(names[i], files[names[i]]) {
			found[f.Rule]++
			hits++
		}
	}
	t.Logf("one in %d of %d files, %.1f MB, in %v: %d findings %v", searched, len(names), float64(size)/1e6,
		time.Since(start).Round(time.Millisecond), hits, found)
	if hits > len(names)/searched/25 {
		t.Errorf("%d findings in source without secrets", hits)
	}
	d := theDetector()
	for i := 0; i < len(names); i += every {
		b := files[names[i]]
		if diff := cmp.Diff(d.findPlainly(names[i], b), d.find(names[i], b)); diff != "" {
			t.Errorf("%s: plain (-) and quick (+) search differ:\n%s", names[i], diff)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	names, files, size := standardLibrary(b)
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, name := range names {
			Find(name, files[name])
		}
	}
}

// BenchmarkScan measures the pass over keywords, which every text pays for.
func BenchmarkScan(b *testing.B) {
	names, files, size := standardLibrary(b)
	d := theDetector()
	b.SetBytes(int64(size))
	for b.Loop() {
		n := 0
		for _, name := range names {
			d.words.scan(files[name], func(int32, int) { n++ })
		}
		b.ReportMetric(float64(n), "keywords")
	}
}

func BenchmarkNoKeywords(b *testing.B) {
	text := bytes.Repeat([]byte("for i := range 10 { fmt.Println(i, x+y) } // nothing to see here\n"), 20000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if Find("x.go", text) != nil {
			b.Fatal("found something")
		}
	}
}

func BenchmarkFirstUse(b *testing.B) {
	for _, text := range []string{"package main\n\nfunc main() {}\n",
		"package main\n\n// A key is a token that the user gets.\nfunc main() { apiKey := get(\"user-key\") }\n"} {
		b.Run(fmt.Sprint(len(text)), func(b *testing.B) {
			for b.Loop() {
				newDetector(defaultRules()).find("main.go", []byte(text))
			}
		})
	}
}

// BenchmarkOneLine searches a bundled script: one line of many megabytes, full of words
// that may precede a secret, and strings that might be one.
func BenchmarkOneLine(b *testing.B) {
	text := bytes.Repeat(
		[]byte(
			`{key:"abc",token:t.auth,secret:"Zx81kd93jfk2dl3",n:function(e){return e.api||t.key},password:"correct-horse"},`),
		4000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Find("bundle.js", text)
	}
}
