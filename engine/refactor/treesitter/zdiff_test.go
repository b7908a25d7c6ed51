package treesitter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waferpair/engine/refactor"
)

type zcase struct {
	File     string
	Pos      int
	Name     string
	Kind     string
	Declined string
	Edits    []string
}

func TestZDiff(t *testing.T) {
	root := os.Getenv("PROJ")
	if root == "" {
		t.Skip()
	}
	m := memory{}
	filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && (ecma{}).handles(p) {
			b, _ := os.ReadFile(p)
			rel, _ := filepath.Rel(root, p)
			m[rel] = string(b)
		}
		return nil
	})
	lang := TypeScript()
	p, _ := open(context.Background(), m, ecma{}, &cache{})
	var files []string
	for f := range m {
		if !strings.Contains(f, "test") && !strings.Contains(f, "locales") { files = append(files, f) }
	}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	var out []zcase
	for range 250 {
		u := p.unit(files[rng.IntN(len(files))])
		if len(u.bindings) == 0 {
			continue
		}
		var n *node
		name, kind := "", ""
		if rng.IntN(3) == 0 && len(u.classes) > 0 {
			c := u.classes[rng.IntN(len(u.classes))]
			for k, ms := range c.members {
				n, name, kind = ms[0].name, c.title()+"."+k, "member"
				break
			}
		} else {
			b := u.bindings[rng.IntN(len(u.bindings))]
			if b.onlyImported() || b.decls[0].name.within(nil) {
				continue
			}
			n, name, kind = b.decls[0].name, b.name, b.kind
		}
		if n == nil {
			continue
		}
		c := zcase{File: u.path, Pos: n.from, Name: name, Kind: kind}
		res, err := lang.Run(context.Background(), m, refactor.Target{File: u.path, From: n.line(), To: n.line()}, refactor.Op{Name: "rename", Args: map[string]string{"symbol": name, "to": "waferpairFresh"}})
		var d *refactor.Declined
		if errors.As(err, &d) {
			c.Declined = d.Reason
		} else if err != nil {
			t.Fatal(err)
		}
		for _, e := range res.Edits {
			for _, ch := range e.Changes {
				c.Edits = append(c.Edits, fmt.Sprintf("%s:%d", e.Path, len([]rune(m[e.Path][:ch.From]))))
			}
		}
		c.Pos = len([]rune(m[c.File][:n.from]))
		out = append(out, c)
	}
	b, _ := json.Marshal(out)
	os.WriteFile("/tmp/zdiff.json", b, 0o644)
}
