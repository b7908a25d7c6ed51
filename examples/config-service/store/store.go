// Package store keeps the flags in memory.
package store

import (
	"sort"
	"sync"
)

// Store is safe for use by several goroutines.
type Store struct {
	mu     sync.RWMutex
	values map[string]string
}

func New(values map[string]string) *Store {
	return &Store{values: values}
}

func (s *Store) Get(name string) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.values[name]
	return v, ok
}

func (s *Store) Replace(values map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values = values
}

func (s *Store) Names() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := make([]string, 0, len(s.values))
	for name := range s.values {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (s *Store) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.values)
}
