//go:build cgo

package kernel

// #cgo CFLAGS: -O3 -Wall -Wextra
// #cgo LDFLAGS: -lm -lpthread
// #include "kernel.h"
import "C"

import (
	"fmt"
	"slices"
	"unsafe"
)

// levels are the names of what wp_level returns.
var levels = []string{"", "avx2", "avx512"}

// Levels returns what this processor can run, best first.
func Levels() []string {
	list := slices.Clone(levels[1 : C.wp_level()+1])
	slices.Reverse(list)
	return list
}

// Model is a model in the kernels' memory.
type Model struct {
	c     *C.struct_model
	spec  Spec
	parts []region // of memory, to be given back
	block int64    // bytes of a block of the cache
}

type region struct {
	at    unsafe.Pointer
	bytes int64
}

// New makes room for a model, without its weights, and starts its threads.
func New(spec Spec, level string) (*Model, error) {
	number := slices.Index(levels, level)
	if number < 1 || !slices.Contains(Levels(), level) {
		return nil, fmt.Errorf("this processor cannot run %q; it can run %q", level, Levels())
	}
	m := &Model{spec: spec}
	if err := m.build(); err != nil {
		m.Close()
		return nil, err
	}
	if C.wp_start(m.c, C.int(number)) != 0 {
		m.Close()
		return nil, ErrNoThreads
	}
	return m, nil
}

func (m *Model) build() error {
	memory, err := m.room(int64(unsafe.Sizeof(*m.c)))
	if err != nil {
		return err
	}
	m.c = (*C.struct_model)(memory)
	s := &m.spec
	m.c.layers, m.c.width, m.c.feed = C.int(len(s.Layers)), C.int(s.Width), C.int(s.Feed)
	m.c.heads, m.c.kv_heads, m.c.dim = C.int(s.Heads), C.int(s.KVHeads), C.int(s.Dim)
	m.c.vocab, m.c.window, m.c.threads = C.int(s.Vocab), C.int(s.Window), C.int(s.Threads)
	m.c.epsilon = C.float(s.Epsilon)
	if err := m.work(); err != nil {
		return err
	}
	m.block = int64(len(s.Layers)) * int64(s.KVHeads) * 2 * Positions * int64(m.c.head_room) * 2
	arena := &arena{}
	m.place(arena) // counts
	if arena.base, err = m.room(arena.at); err != nil {
		return err
	}
	if arena.at < int64(len(s.Layers))*C.LIGHT {
		m.c.light = 1
	}
	arena.at = 0
	m.place(arena)
	return nil
}

// work makes the room in which a pass works.
func (m *Model) work() error {
	floats := C.int(0)
	for _, l := range m.spec.Layers {
		if kind := C.kind_of(C.int(l.Down.Type)); kind >= C.F16 {
			floats = 1
		}
	}
	bytes := C.wp_room(m.c, nil, C.int64_t(m.spec.Tokens), floats)
	memory, err := m.room(int64(bytes))
	if err != nil {
		return err
	}
	C.wp_room(m.c, (*C.uint8_t)(memory), C.int64_t(m.spec.Tokens), floats)
	return nil
}

func (m *Model) room(bytes int64) (unsafe.Pointer, error) {
	memory := C.wp_map(C.int64_t(bytes))
	if memory == nil {
		return nil, fmt.Errorf("%w: %d MB were asked for", ErrNoMemory, bytes>>20)
	}
	m.parts = append(m.parts, region{memory, bytes})
	return memory, nil
}

// arena hands out memory, or counts it while it has no base.
type arena struct {
	base unsafe.Pointer
	at   int64
}

func (a *arena) take(bytes int64) unsafe.Pointer {
	begin := a.at
	a.at += (bytes+127)/128*128 + 128
	if a.base == nil {
		return nil
	}
	C.wp_fence(unsafe.Add(a.base, begin+bytes), C.int64_t(a.at-begin-bytes))
	return unsafe.Add(a.base, begin)
}

// vector copies numbers, padded with zeros to whole blocks and one more, or returns nil.
func (a *arena) vector(list []float32) *C.float {
	if list == nil {
		return nil
	}
	memory := a.take(int64(len(list)+C.BLOCK) * 4)
	if memory != nil {
		copy(unsafe.Slice((*float32)(memory), len(list)), list)
	}
	return (*C.float)(memory)
}

// place lays the model out in the order in which a pass reads it.
func (m *Model) place(a *arena) {
	layers := unsafe.Slice(m.c.layer, len(m.spec.Layers))
	for i, l := range m.spec.Layers {
		c := &layers[i]
		c.attn_norm, c.ffn_norm = a.vector(l.AttnNorm), a.vector(l.FFNNorm)
		c.q_bias, c.k_bias, c.v_bias = a.vector(l.QBias), a.vector(l.KBias), a.vector(l.VBias)
		c.q_norm, c.k_norm = a.vector(l.QNorm), a.vector(l.KNorm)
		c.q, c.k, c.v, c.out = a.matrix(l.Q), a.matrix(l.K), a.matrix(l.V), a.matrix(l.Out)
		c.gate, c.up = a.alternating(l.Gate, l.Up)
		c.down = a.matrix(l.Down)
	}
	m.c.norm = a.vector(m.spec.Norm)
	m.c.table = a.matrix(m.spec.Table)
	m.c.head = m.c.table
	if m.spec.Head.Type != Tied {
		m.c.head = a.matrix(m.spec.Head)
	}
}

func shaped(w Matrix) C.struct_matrix {
	c := C.struct_matrix{kind: C.kind_of(C.int(w.Type)), rows: C.int(w.Rows)}
	c.groups, c.blocks = C.int((w.Rows+C.GROUP-1)/C.GROUP), C.int((w.Cols+C.BLOCK-1)/C.BLOCK)
	c.stride = C.int64_t(c.blocks) * C.tile_bytes(c.kind)
	return c
}

func (a *arena) matrix(w Matrix) C.struct_matrix {
	c := shaped(w)
	c.tiles = (*C.uint8_t)(a.take(int64(c.groups) * int64(c.stride)))
	return c
}

// alternating lays out two matrices of equal shape by turns, a group of each.
func (a *arena) alternating(first, second Matrix) (C.struct_matrix, C.struct_matrix) {
	x, y := shaped(first), shaped(second)
	both := x.stride + y.stride
	memory := a.take(int64(x.groups) * int64(both))
	if memory != nil {
		x.tiles, y.tiles = (*C.uint8_t)(memory), (*C.uint8_t)(unsafe.Add(memory, x.stride))
	}
	x.stride, y.stride = both, both
	return x, y
}

func (m *Model) at(w Which) (*C.struct_matrix, Matrix) {
	switch w.Name {
	case Table:
		return &m.c.table, m.spec.Table
	case Head:
		return &m.c.head, m.spec.Head
	}
	l, c := &m.spec.Layers[w.Layer], &unsafe.Slice(m.c.layer, len(m.spec.Layers))[w.Layer]
	return []*C.struct_matrix{&c.q, &c.k, &c.v, &c.out, &c.gate, &c.up, &c.down}[w.Name],
		[]Matrix{l.Q, l.K, l.V, l.Out, l.Gate, l.Up, l.Down}[w.Name]
}

// Fill sets rows of a matrix from one row on, as a file has them; each row once. Calls may
// run at the same time if no two of them share a group of 32 rows.
func (m *Model) Fill(which Which, first int, rows int, raw []byte) {
	c, w := m.at(which)
	C.wp_pack(c, C.int(w.Type), C.int(first), C.int(rows), (*C.uint8_t)(unsafe.SliceData(raw)), C.int64_t(len(raw)/rows))
}

// Product multiplies one matrix, given as a file has it, by tokens: for tests of the tiles
// alone.
func Product(level string, w Matrix, raw []byte, tokens [][]float32) [][]float32 {
	c := shaped(w)
	bytes := C.int64_t(c.groups) * C.int64_t(c.stride)
	c.tiles = (*C.uint8_t)(C.wp_map(bytes))
	defer C.wp_unmap(unsafe.Pointer(c.tiles), bytes)
	C.wp_pack(&c, C.int(w.Type), 0, c.rows, (*C.uint8_t)(unsafe.SliceData(raw)), C.int64_t(len(raw)/w.Rows))
	width, rows := int(c.blocks)*C.BLOCK, int(c.groups)*C.GROUP
	x, out := make([]float32, len(tokens)*width), make([]float32, len(tokens)*rows)
	for t, token := range tokens {
		copy(x[t*width:], token)
	}
	C.wp_product(C.int(slices.Index(levels, level)), &c, (*C.float)(unsafe.SliceData(x)), C.int(len(tokens)),
		(*C.float)(unsafe.SliceData(out)))
	var list [][]float32
	for t := range tokens {
		list = append(list, out[t*rows:t*rows+w.Rows])
	}
	return list
}

// Run runs a pass, and reports whether it ran to its end. One pass at a time.
func (m *Model) Run(p Pass) bool {
	rows := len(p.Logits) / m.spec.Vocab
	stopped := C.wp_run(m.c, (*C.int32_t)(unsafe.SliceData(p.Tokens)), C.int(len(p.Tokens)), C.int(p.First),
		(**C.uint16_t)(unsafe.Pointer(unsafe.SliceData(p.Blocks))), (*C.float)(unsafe.SliceData(p.Turns)),
		(*C.float)(unsafe.SliceData(p.Logits)), C.int(rows), (*C.uint32_t)(p.Stop))
	return stopped == 0
}

// Bytes returns how much memory the model takes, without caches.
func (m *Model) Bytes() int64 {
	sum := int64(0)
	for _, r := range m.parts {
		sum += r.bytes
	}
	return sum
}

// NewBlock returns memory for the keys and values of 256 positions.
func (m *Model) NewBlock() (*uint16, error) {
	memory := C.wp_map(C.int64_t(m.block))
	if memory == nil {
		return nil, fmt.Errorf("%w: %d MB were asked for", ErrNoMemory, m.block>>20)
	}
	return (*uint16)(memory), nil
}

// FreeBlock gives a block back.
func (m *Model) FreeBlock(b *uint16) { C.wp_unmap(unsafe.Pointer(b), C.int64_t(m.block)) }

// Close ends the threads and gives the memory back. Blocks are given back before.
func (m *Model) Close() {
	if m.c != nil {
		C.wp_end(m.c)
	}
	for _, r := range m.parts {
		C.wp_unmap(r.at, C.int64_t(r.bytes))
	}
	m.parts, m.c = nil, nil
}
