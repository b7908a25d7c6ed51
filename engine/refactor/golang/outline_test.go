package golang

import (
	"fmt"
	"strings"
	"testing"

	"waferpair/engine/refactor"
)

func outlineOf(t *testing.T, src string) string {
	t.Helper()
	list, err := New().(refactor.Outliner).Outline("a.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%s %s|%s %d-%d\n", d.Kind, d.Container, d.Name, d.Line, d.EndLine)
	}
	return b.String()
}

func TestOutlineListsDeclarationsInOrder(t *testing.T) {
	got := outlineOf(t, `package a

// Max is a limit.
const Max, min = 5, 1

type Store struct {
	name, path string
	Lock
}

type Reader interface{ Read(b []byte) int }

func (s *Store) Open() error {
	return nil
}

func New[T any](x T) *Store { return nil }

var _ = New[int]
`)
	want := `const |Max 4-4
const |min 4-4
type |Store 6-9
field Store|name 7-7
field Store|path 7-7
type |Reader 11-11
method Reader|Read 11-11
method Store|Open 13-15
func |New 17-17
`
	if got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOutlineOfABrokenFileHasWhatCouldBeRead(t *testing.T) {
	got := outlineOf(t, "package a\n\nfunc A() {}\n\nfunc B( {\n\nfunc C() {")
	if !strings.Contains(got, "func |A 3-3") {
		t.Fatalf("got\n%s", got)
	}
	if outlineOf(t, "packag") != "" {
		t.Fatal("a file without a package clause has no outline")
	}
}
