package treesitter

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/engine/refactor"
)

// large is a project of 2,000 files of real code, in which a few use one function.
func large(b *testing.B, real []string, module, use string) memory {
	m := memory{}
	for i := 0; len(m) < 2000; i++ {
		f := real[i%len(real)]
		src, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		if len(src) > 60_000 {
			continue
		}
		m[fmt.Sprintf("pkg%d/%s", i/len(real), filepath.Base(f))] = string(src)
		if i > 20_000 {
			b.Skip("too few files")
		}
	}
	m["app/config"+ext(real[0])] = module
	for i := range 12 {
		m[fmt.Sprintf("app/use%d%s", i, ext(real[0]))] = use + strings.Repeat("\n", 100)
	}
	return m
}

// onDisk is what a project costs to read: every file is opened again.
type onDisk struct {
	memory
	dir string
}

func (d onDisk) Read(path string) ([]byte, error) { return os.ReadFile(filepath.Join(d.dir, path)) }

func benchmarkRename(b *testing.B, lang func() refactor.Language, m memory) {
	dir := b.TempDir()
	for f, s := range m {
		p := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(s), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	op := refactor.Op{Name: "rename", Args: map[string]string{"symbol": "parse_the_config", "to": "load_the_config"}}
	for b.Loop() {
		l := lang() // a new process has nothing cached
		n, _, err := l.Declares(context.Background(), onDisk{m, dir}, refactor.Target{}, op)
		if err != nil || n != 1 {
			b.Fatal(n, err)
		}
		r, err := l.Run(context.Background(), onDisk{m, dir}, refactor.Target{}, op)
		if err != nil || len(r.Edits) != 13 {
			b.Fatal(len(r.Edits), err)
		}
	}
}

func BenchmarkRenamePython(b *testing.B) {
	benchmarkRename(b, Python, large(b, stdlib(b), "def parse_the_config(): pass\n",
		"from app.config import parse_the_config\nparse_the_config()\n"))
}

func BenchmarkRenameJavaScript(b *testing.B) {
	benchmarkRename(b, TypeScript, large(b, nodeFiles(b), "export function parse_the_config() {}\n",
		"import { parse_the_config } from './config';\nparse_the_config();\n"))
}
