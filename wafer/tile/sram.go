package tile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"waferpair/wafer/machine"
)

// Kind is the format of stored numbers: F16 two bytes each, F32 four.
type Kind uint8

// The kinds of numbers.
const (
	F16 Kind = iota
	F32
)

// Words returns how many 16-bit words a number takes.
func (k Kind) Words() int { return int(k) + 1 }

func (k Kind) String() string { return [...]string{"fp16", "fp32"}[k] }

// Buffer is a part of SRAM: the same one in every core of a layout.
type Buffer struct {
	Name string
	Addr int // in 16-bit words
	Len  int // in numbers
	Kind Kind
}

// Bytes returns the size of the buffer.
func (b Buffer) Bytes() int { return b.Len * b.Kind.Words() * 2 }

// Slice returns the n numbers of the buffer that begin with number from.
func (b Buffer) Slice(from, n int) Buffer {
	if from < 0 || n < 0 || from+n > b.Len {
		panic(fmt.Sprintf("numbers %d to %d of buffer %s, which has %d", from, from+n, b.Name, b.Len))
	}
	b.Addr += from * b.Kind.Words()
	b.Len = n
	return b
}

// Layout allocates the SRAM of a core, from the bottom up: the reserve for code, then
// buffers. All cores that run the same program share one.
type Layout struct {
	total   int // words
	used    int
	peak    int
	buffers []Buffer
}

// NewLayout returns the SRAM of a machine's core with its reserve taken.
func NewLayout(m machine.Machine) *Layout {
	l := &Layout{total: m.SRAMBytes / 2}
	l.used = m.ReservedBytes / 2
	l.peak = l.used
	return l
}

// Alloc allocates n numbers.
func (l *Layout) Alloc(name string, kind Kind, n int) (Buffer, error) {
	at := l.used
	if kind == F32 {
		at += at & 1 // aligned to 4 bytes
	}
	b := Buffer{Name: name, Addr: at, Len: n, Kind: kind}
	if n < 0 || at+n*kind.Words() > l.total {
		return Buffer{}, &OverflowError{Buffer: b, Short: 2 * (at + n*kind.Words() - l.total),
			Total: 2 * l.total, Held: l.held()}
	}
	l.used = at + n*kind.Words()
	l.peak = max(l.peak, l.used)
	l.buffers = append(l.buffers, b)
	return b, nil
}

// Mark returns a mark of the present state; Release frees everything allocated since.
func (l *Layout) Mark() int { return len(l.buffers) }

// Release frees the buffers that were allocated since a Mark.
func (l *Layout) Release(mark int) {
	if mark < len(l.buffers) {
		l.used = l.buffers[mark].Addr
		l.buffers = l.buffers[:mark]
	}
}

// Used returns the bytes of a core in use, including the reserve.
func (l *Layout) Used() int { return 2 * l.used }

// Peak returns the most bytes that were in use at any time.
func (l *Layout) Peak() int { return 2 * l.peak }

// Buffers returns the present buffers.
func (l *Layout) Buffers() []Buffer { return l.buffers }

// held describes the two largest buffers, and how many more there are.
func (l *Layout) held() string {
	list := slices.Clone(l.buffers)
	slices.SortStableFunc(list, func(a, b Buffer) int { return cmp.Compare(b.Bytes(), a.Bytes()) })
	parts := []string{}
	for _, b := range list[:min(2, len(list))] {
		parts = append(parts, fmt.Sprintf("%s of %d", b.Name, b.Bytes()))
	}
	if more := len(list) - 2; more > 0 {
		parts = append(parts, fmt.Sprintf("%d smaller ones", more))
	}
	return strings.Join(parts, ", ")
}

// OverflowError means that a core's SRAM is too small.
type OverflowError struct {
	Buffer Buffer
	Short  int // bytes
	Total  int
	Held   string
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("SRAM of %d bytes is %d bytes short for %q (%d bytes of %v); it holds, beside the reserve: %s",
		e.Total, e.Short, e.Buffer.Name, e.Buffer.Bytes(), e.Buffer.Kind, e.Held)
}
