package transformer

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Quick is a model arranged for the quick pass: the numbers of the plain pass within the
// rounding of float32 sums, about seven times sooner on one processor. It takes many positions
// at once, and several sequences, on all processors. It is fixed; any number of goroutines
// may use it.
//
//	Extend: tokens -> rows, in blocks of pairs; each worker takes the next block
//	    keys, layer 0                          of every block
//	    rest of layer i, keys of layer i + 1   of every block, for each layer
//	    rest of the last layer                 of the last row of each piece alone
//
// A row sees the keys of the rows before it, hence the wait for all blocks between layers.
// Where each sequence gets one token, as in a beam, no row sees another: a block goes through
// all layers at once.
//
// The sums of a row are always added in the same order, so its numbers depend neither on the
// other rows nor on the number of processors.
type Quick struct {
	*Model
	fast []quickLayer
}

// quickLayer is the matrices of a layer, arranged. Those with the same input are one.
type quickLayer struct {
	query, keyValue, output, gateUp, down matrix

	queryBias, keyValueBias []float32 // or nil
}

// Quick arranges the model's weights: four more bytes for each.
func (m *Model) Quick() *Quick {
	q := &Quick{Model: m}
	for _, l := range m.layers {
		q.fast = append(q.fast, l.quick())
	}
	return q
}

// quick arranges the weights of a layer.
func (l Block) quick() quickLayer {
	return quickLayer{query: arranged(l.Q), keyValue: arranged(l.K, l.V), output: arranged(l.Output),
		gateUp: arranged(l.FFNGate, l.FFNUp), down: arranged(l.FFNDown), queryBias: l.QBias,
		keyValueBias: slices.Concat(l.KBias, l.VBias)}
}

// Piece is tokens to append to a sequence.
type Piece struct {
	State  *State
	Tokens []int
}

// Extend appends tokens to sequences, all of them at once, and returns for each the residual
// stream of its last token after the last layer, from which Logits follow. Sequences that
// share their beginning are forks of one state. On an error no state has changed.
func (q *Quick) Extend(pieces []Piece) ([][]float32, error) {
	if err := q.checkPieces(pieces); err != nil {
		return nil, err
	}
	return q.newBatch(pieces).run(), nil
}

func (q *Quick) checkPieces(pieces []Piece) error {
	states := map[*State]bool{}
	for _, p := range pieces {
		if len(p.Tokens) == 0 {
			return errors.New("extend a sequence: there is no token to append")
		}
		if states[p.State] {
			return errors.New("extend sequences: one of them is there twice; extend a fork of it")
		}
		states[p.State] = true
		for _, token := range p.Tokens {
			if token < 0 || token >= q.VocabSize {
				return fmt.Errorf("token %d is not in a vocabulary of %d: give one from 0 to %d", token, q.VocabSize,
					q.VocabSize-1)
			}
		}
	}
	return nil
}

// LogitsOf returns the logits of some tokens, of the residual stream after the last layer.
func (q *Quick) LogitsOf(x []float32, tokens []int) []float32 {
	h, list := q.Norm(x, q.norm), make([]float32, len(tokens))
	for i, token := range tokens {
		list[i] = dotQuick(h, q.head.Row(token))
	}
	return list
}

// Fork returns a sequence that begins as this one and continues by itself. Both share the
// keys and values that there are.
func (s *State) Fork() *State {
	f := &State{Keys: slices.Clone(s.Keys), Values: slices.Clone(s.Values)}
	for i := range f.Keys {
		f.Keys[i], f.Values[i] = slices.Clip(f.Keys[i]), slices.Clip(f.Values[i])
	}
	return f
}

// extend makes room for n positions, whose numbers are written later.
func (s *State) extend(n, width int) {
	for i := range s.Keys {
		numbers := make([]float32, 2*n*width)
		for p := range n {
			at := 2 * p * width
			s.Keys[i] = append(s.Keys[i], numbers[at:at+width:at+width])
			s.Values[i] = append(s.Values[i], numbers[at+width:at+2*width:at+2*width])
		}
	}
}

// row is one token of a batch.
type row struct {
	state    *State
	position int
	last     bool // of its piece
	turns    [][2]float32
}

// batch is the work of one Extend.
type batch struct {
	*Quick
	rows   []row
	blocks []*block
	alone  bool // no row sees the new keys of another
}

const mostPairs = 8 // of a block: its numbers stay in the nearest cache

// pairsOfBlock cuts the pairs of a batch into blocks: one a processor, or several, so that
// those who wait for all blocks wait less.
func (b *batch) pairsOfBlock(pairs int) int {
	blocks := runtime.GOMAXPROCS(0)
	if !b.alone {
		blocks *= 2
	}
	return min((pairs+blocks-1)/blocks, mostPairs)
}

func (q *Quick) newBatch(pieces []Piece) *batch {
	b := &batch{Quick: q, alone: true}
	var tokens []int
	for _, p := range pieces {
		from := p.State.Len()
		p.State.extend(len(p.Tokens), q.KVWidth())
		for i, token := range p.Tokens {
			tokens = append(tokens, token)
			b.rows = append(b.rows, row{p.State, from + i, i == len(p.Tokens)-1, q.turns(from + i)})
		}
		b.alone = b.alone && len(p.Tokens) == 1
	}
	size := 2 * b.pairsOfBlock((len(b.rows)+1)/2)
	for from := 0; from < len(b.rows); from += size {
		rows := b.rows[from:min(from+size, len(b.rows))]
		k := q.newBlock(rows, len(rows))
		for i := range k.rows {
			k.x.set(i, q.embed.Row(tokens[from+i]))
		}
		b.blocks = append(b.blocks, k)
	}
	return b
}

// turns returns the cosine and sine of each pair at a position.
func (q *Quick) turns(position int) [][2]float32 {
	list := make([][2]float32, q.KeyLength/2)
	for i := range list {
		c, s := q.Config.Turn(i, position, q.freqs)
		list[i] = [2]float32{float32(c), float32(s)}
	}
	return list
}

func (b *batch) run() [][]float32 {
	last := len(b.fast) - 1
	if b.alone {
		b.each(b.blocks, func(k *block) {
			for i := range b.fast {
				b.keys(i, k)
				b.rest(i, k)
			}
		})
		return ends(b.blocks)
	}
	b.each(b.blocks, func(k *block) { b.keys(0, k) })
	for i := range last {
		b.each(b.blocks, func(k *block) {
			b.rest(i, k)
			b.keys(i+1, k)
		})
	}
	ended := b.lasts()
	b.each(ended, func(k *block) { b.rest(last, k) })
	return ends(ended)
}

// each calls do for every block. Whoever is free takes the next one, so a processor that is
// busy elsewhere delays no more than its block.
func (b *batch) each(blocks []*block, do func(*block)) {
	var next atomic.Int64
	take := func() {
		for i := int(next.Add(1)) - 1; i < len(blocks); i = int(next.Add(1)) - 1 {
			do(blocks[i])
		}
	}
	var helpers sync.WaitGroup
	for range min(len(blocks), runtime.GOMAXPROCS(0)) - 1 {
		helpers.Go(take)
	}
	take()
	helpers.Wait()
}

// lasts are blocks of the rows that end their pieces.
func (b *batch) lasts() []*block {
	var out []*block
	for _, from := range b.blocks {
		for i, r := range from.rows {
			if !r.last {
				continue
			}
			if n := len(out); n == 0 || len(out[n-1].rows) == 2 {
				out = append(out, b.newBlock(nil, 2))
			}
			to := out[len(out)-1]
			to.rows = append(to.rows, r)
			at := len(to.rows) - 1
			to.x.set(at, from.x.row(i))
			to.h.set(at, from.h.row(i))
		}
	}
	return out
}

// ends are the residual streams of rows.
func ends(blocks []*block) [][]float32 {
	var out [][]float32
	for _, k := range blocks {
		for i := range k.rows {
			out = append(out, k.x.row(i))
		}
	}
	return out
}
