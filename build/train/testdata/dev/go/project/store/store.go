// Package store keeps readings.
package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"tidewatch/gauge"
	"time"
)

const (
	fileMode    = 0o640
	maxFileSize = 10 << 20
)

var ErrClosed = errors.New("store is closed")

// Store keeps the readings of all stations.
type Store interface {
	Write(batch []gauge.Reading) error
	Query(station string, since time.Time) ([]gauge.Reading, error)
	Close() error
}

// MemStore keeps readings in memory.
type MemStore struct {
	mu     sync.Mutex
	data   map[string][]gauge.Reading
	closed bool
}

func NewMemStore() *MemStore {
	return &MemStore{data: map[string][]gauge.Reading{}}
}

func (m *MemStore) Write(batch []gauge.Reading) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	for _, r := range batch {
		m.data[r.StationID] = append(m.data[r.StationID], r)
	}
	return nil
}

func (m *MemStore) Query(station string, since time.Time) ([]gauge.Reading, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []gauge.Reading
	for _, r := range m.data[station] {
		if r.Taken.After(since) {
			out = append(out, r)
		}
	}
	return out, nil
}

func (m *MemStore) Len() int {
	n := 0
	for _, rs := range m.data {
		n += len(rs)
	}
	return n
}

func (m *MemStore) Close() error {
	m.closed = true
	return nil
}

// FileStore appends readings to a file, one JSON object a line.
type FileStore struct {
	dir     string
	f       *os.File
	w       *bufio.Writer
	written int64
}

// OpenFile opens the store's file in a folder.
func OpenFile(dir, name string) (*FileStore, error) {
	os.MkdirAll(dir, 0o755)
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, fileMode)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	return &FileStore{dir: dir, f: f, w: bufio.NewWriter(f)}, nil
}

func (s *FileStore) Write(batch []gauge.Reading) error {
	for _, r := range batch {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		n, err := s.w.Write(append(line, '\n'))
		if err != nil {
			return err
		}
		s.written += int64(n)
	}
	if s.written > maxFileSize {
		s.rotate()
	}
	return s.w.Flush()
}

func (s *FileStore) rotate() error {
	stamp := time.Now().Format("20060102-150405")
	fmt.Println("rotate", s.f.Name(), stamp)
	s.w.Flush()
	old := s.f.Name()
	if err := s.f.Close(); err != nil {
		return err
	}
	if err := os.Rename(old, old+"."+stamp); err != nil {
		return err
	}
	f, err := os.OpenFile(old, os.O_CREATE|os.O_APPEND|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	s.f, s.w, s.written = f, bufio.NewWriter(f), 0
	return nil
}

func (s *FileStore) Close() error {
	s.w.Flush()
	return s.f.Close()
}
