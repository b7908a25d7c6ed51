package golang

import (
	"bytes"
	"go/format"
	"testing"
)

// TestPlainLines: a line that counts as plain can grow without gofmt moving
// anything, here or in the lines around it.
func TestPlainLines(t *testing.T) {
	src := `package p

// name does things.
func name(a int) int {
	x := name(a)
	if name(x) > 1 {
		return name(x)
	}
	for range name(a) {
		defer name(a)
	}
	y := []int{
		name(1), // one
		2222222, // two
	}
	z := map[string]int{
		"a": name(1),
		"name": 2,
	}
	switch name(a) {
	case 1: // name
	}
	_ = y[z["name"]] // name
	return 1
}

func (t name1) name() int { return 1 }
func (t name1) n() int    { return 1 }

type name1 struct {
	name int
	n    int // name
}

const (
	name2 = 1
	n     = name2
)
`
	formatted, err := format.Source([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(formatted, []byte("\n"))
	plain := 0
	for i, l := range lines {
		at := bytes.Index(l, []byte("name"))
		if at < 0 || !plainLine(bytes.TrimSpace(l)) {
			continue
		}
		plain++
		grown := bytes.Join(append(append(append([][]byte{}, lines[:i]...),
			bytes.Replace(l, []byte("name"), []byte("muchLongerName"), 1)), lines[i+1:]...), nil)
		if again, err := format.Source(grown); err != nil || !bytes.Equal(again, grown) {
			t.Errorf("gofmt moves something when this line grows: %q (%v)", l, err)
		}
	}
	if plain < 7 {
		t.Errorf("only %d plain lines", plain)
	}
}
