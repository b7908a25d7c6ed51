package golang

import (
	"bytes"
	"context"
	"path"
	"runtime"
	"sort"
	"strings"
	"sync"

	"go/token"

	"waferpair/engine/refactor"
)

// project is one reading of the tree: the same bytes for the whole operation,
// so that offsets found in one phase hold in the next. A project with changed
// files is made with overlay; it shares every file that did not change.
type project struct {
	src   refactor.Source
	fset  *token.FileSet
	all   []string            // every file, sorted
	dirs  map[string][]string // Go files of each folder
	bytes map[string][]byte   // contents of the Go, assembly and module files
	mods  *modules

	mu     *sync.Mutex
	parsed map[string]*goFile
	ext    *externals

	base    *project        // of an overlay: what it was made from
	changed map[string]bool // and the files that differ from it

	backOnce sync.Once
	back     bool // see comesBack

	importsOnce sync.Once
	imports     map[string][]string // of every Go file, see allImports
}

func openProject(ctx context.Context, src refactor.Source) (*project, error) {
	all, err := src.Files(ctx)
	if err != nil {
		return nil, err
	}
	p := &project{
		src: src, fset: token.NewFileSet(), all: all, mu: new(sync.Mutex),
		dirs: map[string][]string{}, bytes: map[string][]byte{}, parsed: map[string]*goFile{},
	}
	p.readAll(ctx, all)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, f := range all {
		if _, ok := p.bytes[f]; ok && isGo(f) {
			p.dirs[path.Dir(f)] = append(p.dirs[path.Dir(f)], f)
		}
	}
	p.mods = readModules(p)
	p.ext = newExternals(ctx, p)
	return p, nil
}

func isGo(p string) bool { return strings.HasSuffix(p, ".go") }

func isWanted(p string) bool {
	if isGo(p) {
		return true
	}
	switch path.Ext(p) {
	case ".s", ".S", ".sx":
		return true
	}
	base := path.Base(p)
	return base == "go.mod" || base == "go.work"
}

// readAll reads what the package looks at, a few files at a time. A file that
// cannot be read is treated as absent: it cannot be edited either.
func (p *project) readAll(ctx context.Context, all []string) {
	var want []string
	for _, f := range all {
		if isWanted(f) {
			want = append(want, f)
		}
	}
	contents := make([][]byte, len(want))
	inParallel(len(want), func(i int) {
		if ctx.Err() != nil {
			return
		}
		if b, err := p.src.Read(want[i]); err == nil {
			if b == nil {
				b = []byte{}
			}
			contents[i] = b
		}
	})
	for i, f := range want {
		if contents[i] != nil {
			p.bytes[f] = contents[i]
		}
	}
}

// inParallel calls f(0) ... f(n-1) on as many goroutines as there are processors.
func inParallel(n int, f func(int)) {
	workers := min(n, 2*runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	for range workers {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	wg.Wait()
}

// mentioning lists the Go files that hold one of the names as a whole word, sorted.
func (p *project) mentioning(names ...string) []string {
	var goFiles []string
	for _, fs := range p.dirs {
		goFiles = append(goFiles, fs...)
	}
	hit := make([]bool, len(goFiles))
	inParallel(len(goFiles), func(i int) {
		for _, n := range names {
			if hasWord(p.bytes[goFiles[i]], n) {
				hit[i] = true
				return
			}
		}
	})
	var out []string
	for i, f := range goFiles {
		if hit[i] {
			out = append(out, f)
		}
	}
	sort.Strings(out)
	return out
}

// hasWord reports whether word occurs in b with no identifier character on either side.
func hasWord(b []byte, word string) bool {
	return wordAt(b, word, 0) >= 0
}

// wordAt is the offset of the first whole word at or after from, or -1.
// Bytes above 0x7f count as identifier characters: in Go source outside strings
// and comments they are never anything else.
func wordAt(b []byte, word string, from int) int {
	if word == "" {
		return -1
	}
	w := []byte(word)
	for from <= len(b) {
		i := bytes.Index(b[from:], w)
		if i < 0 {
			return -1
		}
		i += from
		end := i + len(w)
		if (i == 0 || !identByte(b[i-1])) && (end == len(b) || !identByte(b[end])) {
			return i
		}
		from = i + 1
	}
	return -1
}

func identByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// overlay is the project with some files replaced. The others are parsed once for both.
func (p *project) overlay(changed map[string][]byte) *project {
	q := &project{
		src: p.src, fset: p.fset, all: p.all, mods: p.mods, ext: p.ext, mu: new(sync.Mutex),
		dirs: map[string][]string{}, bytes: make(map[string][]byte, len(p.bytes)), parsed: map[string]*goFile{},
		base: p, changed: map[string]bool{},
	}
	for f, b := range p.bytes {
		q.bytes[f] = b
	}
	for d, fs := range p.dirs {
		q.dirs[d] = fs
	}
	for f, b := range changed {
		q.changed[f] = true
		if _, old := q.bytes[f]; !old && isGo(f) {
			d := path.Dir(f)
			q.dirs[d] = append(append([]string{}, q.dirs[d]...), f)
			sort.Strings(q.dirs[d])
		}
		q.bytes[f] = b
	}
	return q
}

// reached are the folders whose packages the overlay's changes can affect.
func (p *project) reached() map[string]bool {
	dirs := map[string]bool{}
	for f := range p.changed {
		dirs[path.Dir(f)] = true
	}
	out := p.dependents(dirs)
	for d := range dirs {
		out[d] = true
	}
	return out
}
