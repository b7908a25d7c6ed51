package infer

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"waferpair/engine/gguf"
)

// piece is rows of a matrix, which one goroutine reads and hands to the backend.
type piece struct {
	source
	first, count int
}

const pieceBytes = 1 << 20 // about: it stays in the cache

// fill reads all matrices, piece by piece, on all threads. The first error ends it.
func (p *plan) fill(f *gguf.File, b backend, o Options) error {
	work := make(chan piece)
	var done, total atomic.Int64
	for _, s := range p.list {
		total.Add(s.tensor.Bytes)
	}
	var wait sync.WaitGroup
	var once sync.Once
	var failed atomic.Pointer[error]
	for range o.Threads {
		wait.Go(func() {
			var room []byte
			for part := range work {
				if failed.Load() != nil {
					continue
				}
				n, err := part.read(f, b, p.config.KeyLength, &room)
				if err != nil {
					once.Do(func() { failed.Store(&err) })
					continue
				}
				o.Progress(done.Add(n), total.Load())
			}
		})
	}
	for _, s := range p.list {
		for _, part := range s.pieces() {
			work <- part
		}
	}
	close(work)
	wait.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// pieces cuts a matrix between groups of 32 rows. One with pairs to sort stays whole.
func (s source) pieces() (list []piece) {
	row := int(s.tensor.Bytes) / s.rows
	step := max(1, pieceBytes/row/32) * 32
	if s.pairs {
		step = s.rows
	}
	for first := 0; first < s.rows; first += step {
		list = append(list, piece{s, first, min(step, s.rows-first)})
	}
	return list
}

// read reads the rows into room, which it may replace by a larger one, and hands them over.
func (p piece) read(f *gguf.File, b backend, head int, room *[]byte) (int64, error) {
	row := p.tensor.Bytes / int64(p.rows)
	*room = slices.Grow((*room)[:0], int(row)*p.count)
	raw := (*room)[:int(row)*p.count]
	if _, err := f.Raw(p.tensor).ReadAt(raw, row*int64(p.first)); err != nil {
		if err == io.EOF {
			err = errors.New("the file became shorter while it was read")
		}
		return 0, fmt.Errorf("read rows %d to %d of tensor %q: %w", p.first, p.first+p.count-1, p.tensor.Name, err)
	}
	if p.pairs {
		raw = halved(raw, head, int(row))
	}
	b.fill(p.which, p.first, p.count, raw)
	return int64(len(raw)), nil
}
