package kernel

import "errors"

// Spec is the sizes of a model.
type Spec struct {
	Width, Feed, Heads, KVHeads, Dim, Vocab int
	Window                                  int // positions that a token sees; 0: all
	Epsilon                                 float32
	Threads                                 int
	Tokens                                  int // the most of one pass

	Layers []Layer
	Table  Matrix // of tokens
	Head   Matrix // its Type is Tied if it is the table
	Norm   []float32
}

// Layer is the matrices and vectors of a layer; vectors may be nil.
type Layer struct {
	Q, K, V, Out, Gate, Up, Down Matrix

	AttnNorm, FFNNorm, QBias, KBias, VBias, QNorm, KNorm []float32
}

// Matrix is a matrix's type, by ggml's number, and its size.
type Matrix struct {
	Type       uint32
	Rows, Cols int
}

// Tied is the type of a head that is the table.
const Tied = ^uint32(0)

// Which names a matrix of a model: one of a layer, the table or the head.
type Which struct {
	Layer int // -1: the table or the head
	Name  Name
}

// Name is a matrix's place in its layer.
type Name int

// The matrices.
const (
	Q Name = iota
	K
	V
	Out
	Gate
	Up
	Down
	Table
	Head
)

// Pass is the tokens of a pass, and where its results go.
type Pass struct {
	Tokens []int32
	First  int       // position of the first of them
	Blocks []*uint16 // of the cache: memory of NewBlock
	Turns  []float32 // for each token: cosines, then sines, of the pairs of a head
	Logits []float32 // of the last tokens: whole rows
	Stop   *uint32   // atomic: not 0 stops the pass at its next layer
}

// Positions is how many positions a block of the cache has.
const Positions = 256

// ErrNoMemory and ErrNoThreads are what a system may lack.
var (
	ErrNoMemory  = errors.New("the system has no more memory")
	ErrNoThreads = errors.New("the system has no more threads")
)
