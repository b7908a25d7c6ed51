package golang

import "testing"

func TestSameCode(t *testing.T) {
	const code = "package p\n\nfunc F() {}\n"
	for _, c := range []struct {
		name, after string
		same        bool
	}{
		{"a comment", "package p\n\n// F is.\nfunc F() {}\n", true},
		{"a comment behind", "package p\n\nfunc F() {} // so\n", true},
		{"a block", "package p\n\n/* F\nis */\nfunc F() {}\n", true},
		{"no last line end", "package p\n\nfunc F() {}", true},
		{"a name", "package p\n\nfunc G() {}\n", false},
		{"a token more", "package p\n\nfunc F() {};var _ = 1\n", false},
		{"commented out", "package p\n\n// func F() {}\n", false},
		{"a directive", "package p\n\n//go:noinline\nfunc F() {}\n", false},
		{"an export", "package p\n\n//export F\nfunc F() {}\n", false},
		{"a constraint", "// +build ignore\n\npackage p\n\nfunc F() {}\n", false},
	} {
		if _, same := sameCode([]byte(code), []byte(c.after)); same != c.same {
			t.Errorf("%s: %v, want %v", c.name, same, c.same)
		}
	}
}
