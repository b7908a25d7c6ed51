package query

import (
	"slices"
	"strings"

	"waferpair/app/fuzzy"
)

// row is a symbol without pointers: a project has many of them, and the garbage collector can
// skip them.
type row struct {
	name, nameLen           uint32 // in the text of its file
	container, containerLen uint32
	params, paramsLen       uint32
	line, end               int32
	kind                    uint8 // of outlineKinds
}

// rowed are the symbols of a file, in order.
type rowed struct {
	text string // the text that the rows refer to
	rows []row
}

// rowsOf converts symbols, whose kinds must be in outlineKinds, to rows.
func rowsOf(list []Symbol) rowed {
	var text strings.Builder
	rows := make([]row, len(list))
	put := func(s string) (at, n uint32) {
		at = uint32(text.Len())
		text.WriteString(s)
		return at, uint32(len(s))
	}
	for i, s := range list {
		r := row{line: int32(s.Line), end: int32(s.EndLine), kind: uint8(slices.Index(outlineKinds, s.Kind))}
		if i > 0 && s.Container == list[i-1].Container {
			r.container, r.containerLen = rows[i-1].container, rows[i-1].containerLen
		} else {
			r.container, r.containerLen = put(s.Container)
		}
		r.name, r.nameLen = put(s.Name)
		r.params, r.paramsLen = put(s.params)
		rows[i] = r
	}
	return rowed{text.String(), rows}
}

// symbol returns one symbol of a file at a path.
func (f *rowed) symbol(path string, i int) Symbol {
	r := &f.rows[i]
	return Symbol{Name: f.text[r.name : r.name+r.nameLen], Kind: outlineKinds[r.kind],
		Container: f.text[r.container : r.container+r.containerLen], Path: path, Line: int(r.line), EndLine: int(r.end),
		params: f.text[r.params : r.params+r.paramsLen]}
}

// name builds the names under which the symbols are searched, with their containers in front, in
// one piece of memory.
func (f *rowed) name(into []fuzzy.Name) {
	var b strings.Builder
	size := 0
	for i := range f.rows {
		size += int(f.rows[i].containerLen + 1 + f.rows[i].nameLen)
	}
	b.Grow(size)
	for i := range f.rows {
		r := &f.rows[i]
		if r.containerLen > 0 {
			b.WriteString(f.text[r.container : r.container+r.containerLen])
			b.WriteByte('.')
		}
		b.WriteString(f.text[r.name : r.name+r.nameLen])
	}
	all := b.String()
	for i := range f.rows {
		last := 0
		if n := f.rows[i].containerLen; n > 0 {
			last = int(n) + 1
		}
		end := last + int(f.rows[i].nameLen)
		into[i], all = fuzzy.Late(all[:end], last), all[end:]
	}
}
