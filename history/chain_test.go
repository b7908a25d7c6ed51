package history

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// formReader reads a canonical form back.
type formReader struct {
	t *rapid.T
	b *bytes.Reader
}

func (f formReader) num() int64 {
	n, err := binary.ReadVarint(f.b)
	if err != nil {
		f.t.Fatal("the form ends too early")
	}
	return n
}

func (f formReader) str() string {
	s := make([]byte, f.num())
	if n, _ := f.b.Read(s); n < len(s) {
		f.t.Fatal("the form ends too early")
	}
	return string(s)
}

func (f formReader) hash() (h Hash, ok bool) {
	s := f.str()
	return Hash([]byte(s + string(make([]byte, len(h)-len(s))))), s != ""
}

func (f formReader) op() opRow {
	return opRow{f.num(), opKind(f.num()), f.num(), TurnID(f.num()), int(f.num()), f.num(), f.str()}
}

func (f formReader) edit() (e editRow) {
	e = editRow{id: EditID(f.num()), branch: f.num(), path: f.str(), to: f.str(), kind: int(f.num()), state: int(f.num())}
	mode := f.num()
	if e.hasMode = mode >= 0; e.hasMode {
		e.mode = fs.FileMode(mode)
	}
	e.added, e.removed = int(f.num()), int(f.num())
	e.after, e.exists = f.hash()
	e.delta = []byte(f.str())
	for range f.num() {
		e.reverts = append(e.reverts, EditID(f.num()))
	}
	return e
}

func (f formReader) base() baseRow {
	b := baseRow{path: f.str(), since: EditID(f.num()), mode: fs.FileMode(f.num())}
	b.after, _ = f.hash()
	return b
}

func anyNumber(t *rapid.T) int64 {
	return rapid.OneOf(rapid.Int64Range(-2, 300), rapid.Int64()).Draw(t, "number")
}

// anyWord draws words that differ little, and bytes that look like lengths.
func anyWord(t *rapid.T) string {
	return string(rapid.SliceOfN(rapid.SampledFrom([]byte("\x00\x02\x04a")), 0, 4).Draw(t, "word"))
}

func anyHash(t *rapid.T) (h Hash) {
	h[0], h[31] = byte(anyNumber(t)), 1
	return h
}

func anyOp(t *rapid.T) opRow {
	return opRow{anyNumber(t), opKind(anyNumber(t)), anyNumber(t), TurnID(anyNumber(t)), int(anyNumber(t)), anyNumber(t),
		anyWord(t)}
}

func anyEdit(t *rapid.T) editRow {
	e := editRow{id: EditID(anyNumber(t)), branch: anyNumber(t), path: anyWord(t), to: anyWord(t), kind: int(anyNumber(t)),
		state: statePartial * rapid.IntRange(0, 1).Draw(t, "partial"), added: int(anyNumber(t)), removed: int(anyNumber(t)),
		delta: []byte(anyWord(t))}
	if e.hasMode = rapid.Bool().Draw(t, "mode"); e.hasMode {
		e.mode = fs.FileMode(rapid.Uint32().Draw(t, "bits"))
	}
	if e.exists = rapid.Bool().Draw(t, "exists"); e.exists {
		e.after = anyHash(t)
	}
	for range rapid.IntRange(0, 3).Draw(t, "reverts") {
		e.reverts = append(e.reverts, EditID(anyNumber(t)))
	}
	return e
}

// TestCanonicalFormsAreReadBack: two different operations never have the same form, because
// from the form of an operation with its rows, the rows come back.
func TestCanonicalFormsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		op := anyOp(t)
		var edits []editRow
		var bases []baseRow
		for range rapid.IntRange(0, 3).Draw(t, "edits") {
			edits = append(edits, anyEdit(t))
		}
		for range rapid.IntRange(0, 3).Draw(t, "first contents") {
			bases = append(bases, baseRow{anyWord(t), EditID(anyNumber(t)),
				fs.FileMode(rapid.Uint32().Draw(t, "bits")), anyHash(t)})
		}
		var c canon
		c.op(op)
		for _, e := range edits {
			c.edit(e)
		}
		for _, b := range bases {
			c.base(b)
		}
		f := formReader{t, bytes.NewReader(c.b)}
		same := cmp.AllowUnexported(opRow{}, editRow{}, baseRow{})
		if diff := cmp.Diff(op, f.op(), same); diff != "" {
			t.Fatal(diff)
		}
		for _, e := range edits {
			if diff := cmp.Diff(e, f.edit(), same); diff != "" {
				t.Fatal(diff)
			}
		}
		for _, b := range bases {
			if diff := cmp.Diff(b, f.base(), same); diff != "" {
				t.Fatal(diff)
			}
		}
		if f.b.Len() > 0 {
			t.Fatalf("%d bytes too many", f.b.Len())
		}
	})
}

// TestCanonicalFormsHaveEveryField of a row, also those that somebody adds.
func TestCanonicalFormsHaveEveryField(t *testing.T) {
	if n := []int{reflect.TypeFor[opRow]().NumField(), reflect.TypeFor[editRow]().NumField(),
		reflect.TypeFor[baseRow]().NumField()}; fmt.Sprint(n) != "[7 14 4]" {
		t.Errorf("the rows have %v fields: canon and the tests here must have the new ones too", n)
	}
}

// TestHashesOfTheConversationTellRowsApart: values of different types and lengths, which
// SQL would call equal, too.
func TestHashesOfTheConversationTellRowsApart(t *testing.T) {
	rows := [][]any{{}, {nil}, {int64(0)}, {int64(1)}, {""}, {"\x00"}, {"1"}, {[]byte("1")}, {[]byte{}}, {nil, nil},
		{int64(0), nil}, {"", ""}, {"a", "b"}, {"ab", ""}, {"", "ab"}, {"1", int64(0)}, {int64(1), "0"}, {1.0}, {true}}
	seen := map[rowHash]string{}
	for _, table := range conversationTables {
		for _, row := range rows {
			h, what := table.hash(row), fmt.Sprintf("%s %#v", table.name, row)
			if other, ok := seen[h]; ok {
				t.Errorf("%s and %s have the same hash", other, what)
			}
			seen[h] = what
		}
	}
}
