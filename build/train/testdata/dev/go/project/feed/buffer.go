package feed

import (
	"fmt"
	"log"
	"sync"
	"tidewatch/gauge"
	"time"
)

// BatchSize is how many readings are written at once.
const BatchSize = 32

const flushEvery = 30 * time.Second

type Sink interface {
	Write(batch []gauge.Reading) error
	Close() error
}

// Buffer gathers readings until there are enough of them for a batch.
type Buffer struct {
	mu      sync.Mutex
	items   []gauge.Reading
	sink    Sink
	dropped int
	last    time.Time
	verbose bool
}

func NewBuffer(sink Sink, verbose bool) *Buffer {
	return &Buffer{sink: sink, verbose: verbose, items: make([]gauge.Reading, 0, BatchSize)}
}

// Push adds a reading, and flushes when the batch is full.
func (b *Buffer) Push(r gauge.Reading) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := r.Validate(); err != nil {
		b.dropped++
		log.Printf("dropped: %v", err)
		return
	}
	b.items = append(b.items, r)
	if len(b.items) >= BatchSize || time.Since(b.last) > flushEvery {
		b.flush()
	}
}

func (b *Buffer) flush() {
	if b.verbose {
		fmt.Println("flush", len(b.items))
	}
	b.sink.Write(b.items)
	b.items = b.items[:0]
	b.last = time.Now()
}

// Flush writes what is left.
func (b *Buffer) Flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flush()
}

func (b *Buffer) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.items)
}

func (b *Buffer) Dropped() int {
	return b.dropped
}

func (b *Buffer) Close() error {
	b.Flush()
	return b.sink.Close()
}

// NullSink throws everything away.
type NullSink struct {
	Count int
}

func (n *NullSink) Write(batch []gauge.Reading) error {
	n.Count += len(batch)
	return nil
}

func (n *NullSink) Close() error { return nil }

// peekOldest is not needed since the buffer is flushed by time.
func peekOldest(b *Buffer) (gauge.Reading, bool) {
	if len(b.items) == 0 {
		return gauge.Reading{}, false
	}
	return b.items[0], true
}
