package transformer

import (
	"context"
	"fmt"
	"runtime"
	"sync"
)

// Rows returns rows of a tensor from row first on, by its GGUF name; a vector is one row. Several
// goroutines call it.
type Rows func(name string, first, rows int) ([]float32, error)

// Streamed is the quick pass of one sequence with the weights of one layer in memory at a time, for models
// whose float32 weights would not fit there. Its numbers are those of Quick, to the bit.
//
//	Residuals: tokens -> their rows of the table -> layer 0, read, run and dropped -> ... -> rows
//	Logits:    some of these rows -> part after part of the head
type Streamed struct {
	m    *Model // without matrices, but for those of the layer that runs
	read Rows
	part int // rows of the head that are in memory at a time, for each processor
}

// NewStreamed returns the pass of a shape over tensors that read reads: nil for an optional one that is not
// there.
func NewStreamed(c Config, read Rows) (*Streamed, error) {
	if err := c.Runnable(); err != nil {
		return nil, err
	}
	s := &Streamed{&Model{Config: c, storage: Float32, layers: make([]Block, c.BlockCount)}, read, headRows}
	for _, t := range c.Tensors() {
		to := map[string]*[]float32{"output_norm.weight": &s.m.norm, "rope_freqs.weight": &s.m.freqs}[t.Name]
		if to == nil {
			continue
		}
		var err error
		if *to, err = read(t.Name, 0, 1); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Residuals returns the residual streams of the tokens of a sequence, after the last layer. note is called with
// the number of layers that are done.
func (s *Streamed) Residuals(ctx context.Context, tokens []int, note func(layers int)) ([][]float32, error) {
	q := &Quick{Model: s.m, fast: make([]quickLayer, s.m.BlockCount)}
	b, err := s.begin(q, tokens)
	if err != nil {
		return nil, err
	}
	for i := range s.m.BlockCount {
		if q.layers[i], q.fast[i], err = s.layer(i); err != nil {
			return nil, err
		}
		unless := func(do func(int, *block)) func(*block) {
			return func(k *block) {
				if ctx.Err() == nil {
					do(i, k)
				}
			}
		}
		b.each(b.blocks, unless(b.keys))
		b.each(b.blocks, unless(b.rest))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q.layers[i], q.fast[i] = Block{}, quickLayer{}
		note(i + 1)
	}
	return ends(b.blocks), nil
}

// begin returns the batch of a sequence. Its table is that of its own tokens, one after the other.
func (s *Streamed) begin(q *Quick, tokens []int) (*batch, error) {
	state := s.m.NewState()
	if err := q.checkPieces([]Piece{{state, tokens}}); err != nil {
		return nil, err
	}
	table := Tensor{Rows: len(tokens), Cols: s.m.EmbeddingLength}
	places := make([]int, len(tokens))
	for i, token := range tokens {
		row, err := s.read("token_embd.weight", token, 1)
		if err != nil {
			return nil, err
		}
		table.Data, places[i] = append(table.Data, row...), i
	}
	s.m.embed = table
	return q.newBatch([]Piece{{state, places}}), nil
}

// layer reads a layer: its vectors, and its matrices as they are multiplied.
func (s *Streamed) layer(i int) (Block, quickLayer, error) {
	specs := s.m.layerTensors(i)
	list := make([]Tensor, len(specs))
	err := inParallel(len(specs), func(n int) (err error) {
		of := specs[n]
		list[n] = Tensor{Rows: of.Rows, Cols: of.Cols}
		list[n].Data, err = s.read(of.Name, 0, of.Rows)
		return err
	})
	if err != nil {
		return Block{}, quickLayer{}, err
	}
	w := Weights{}
	for n, of := range specs {
		w[of.Name] = list[n]
	}
	block := w.Block(i)
	vectors := Block{AttnNorm: block.AttnNorm, FFNNorm: block.FFNNorm, QNorm: block.QNorm, KNorm: block.KNorm}
	return vectors, block.quick(), nil
}

const headRows = 3 * 1024

// Logits returns the logits of some residual streams, a row of VocabSize for each.
func (s *Streamed) Logits(ctx context.Context, streams [][]float32) ([]float32, error) {
	c, head := s.m.Config, "output.weight"
	if c.TieWordEmbeddings {
		head = "token_embd.weight"
	}
	x := newPairs((len(streams)+1)/2, c.EmbeddingLength)
	for n, stream := range streams {
		x.set(n, s.m.Norm(stream, s.m.norm))
	}
	logits := make([]float32, len(streams)*c.VocabSize)
	err := inParallel((c.VocabSize+s.part-1)/s.part, func(part int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := part * s.part
		rows := min(s.part, c.VocabSize-first)
		numbers, err := s.read(head, first, rows)
		if err != nil {
			return err
		}
		products := newPairs(x.n, tripled(rows))
		arranged(Tensor{Rows: rows, Cols: c.EmbeddingLength, Data: numbers}).times(&products, x)
		for n := range streams {
			products.copyRow(logits[n*c.VocabSize+first:][:rows], n)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("compute logits: %w", err)
	}
	return logits, nil
}

// inParallel calls do with 0 to n-1 on all processors, and returns the first error, after which it begins no
// further call.
func inParallel(n int, do func(i int) error) error {
	var mu sync.Mutex
	var failed error
	next := 0
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if failed != nil || next == n {
			return -1
		}
		next++
		return next - 1
	}
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := take(); i >= 0; i = take() {
				if err := do(i); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
				}
			}
		})
	}
	workers.Wait()
	return failed
}
