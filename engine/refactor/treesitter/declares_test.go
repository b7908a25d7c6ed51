package treesitter

import (
	"context"
	"testing"

	"waferpair/engine/refactor"
)

func TestDeclares(t *testing.T) {
	m := memory{
		"a.py": "def load(): pass\nclass A:\n    def load(self): pass\n",
		"b.py": "from a import load\ndef load2(): pass\n",
		"c.ts": "export function load() {}\nexport interface Config { port: number }\n",
	}
	for _, c := range []struct {
		lang refactor.Language
		op   string
		args map[string]string
		file string
		want int
		near string
	}{
		{Python(), "rename", map[string]string{"symbol": "load"}, "", 1, ""},
		{Python(), "rename", map[string]string{"symbol": "A.load"}, "", 1, ""},
		{Python(), "rename", map[string]string{"symbol": "lod2"}, "", 0, "load2"},
		{Python(), "rename", map[string]string{"symbol": "Config"}, "", 0, ""},
		{TypeScript(), "rename", map[string]string{"symbol": "load"}, "", 1, ""},
		{TypeScript(), "add-field", map[string]string{"type": "Config"}, "", 1, ""},
		{TypeScript(), "sort-imports", nil, "c.ts", 1, ""},
		{TypeScript(), "sort-imports", nil, "a.py", 0, ""},
		{Python(), "remove-imports", nil, "", 1, ""},
		{TypeScript(), "remove-imports", nil, "", 0, ""},
	} {
		n, near, err := c.lang.Declares(context.Background(), m, refactor.Target{File: c.file},
			refactor.Op{Name: c.op, Args: c.args})
		if err != nil || n != c.want || c.near != "" && (len(near) == 0 || near[0] != c.near) {
			t.Errorf("%s %s %v: %d %q %v", c.lang.Name(), c.op, c.args, n, near, err)
		}
	}
}

// TestByteOrderMark: what is inserted at the top of a file goes behind its mark.
func TestByteOrderMark(t *testing.T) {
	const bom = "\xef\xbb\xbf"
	for _, c := range []struct{ before, op, want string }{
		{bom + "def f():\n    pass\n", "add-import", bom + "import os\n\ndef f():\n    pass\n"},
	} {
		m := memory{"a.py": c.before}
		op := refactor.Op{Name: c.op, Args: map[string]string{"path": "os", "symbol": "f", "text": "x"}}
		r, err := Python().Run(context.Background(), m, refactor.Target{File: "a.py"}, op)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.apply(t, r)["a.py"]; got != c.want {
			t.Errorf("%s: %q, want %q", c.op, got, c.want)
		}
	}
}
