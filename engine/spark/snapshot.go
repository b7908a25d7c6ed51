package spark

import (
	"fmt"
	"sync"

	"waferpair/engine/model"
	"waferpair/engine/refactor"
	"waferpair/workspace/text"
)

// snapshot is the project as the files are when they are read first: so that the
// edits of a file are of what was read, whatever happens to it meanwhile.
type snapshot struct {
	model.Source
	mu   sync.Mutex
	read map[string][]byte
}

func newSnapshot(files model.Source) *snapshot {
	return &snapshot{Source: files, read: map[string][]byte{}}
}

// Read returns the bytes of a file as they were at the first reading.
func (s *snapshot) Read(path string) ([]byte, error) {
	s.mu.Lock()
	b, ok := s.read[path]
	s.mu.Unlock()
	if ok {
		return b, nil
	}
	b, err := s.Source.Read(path)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if first, ok := s.read[path]; ok { // two goroutines read it
		return first, nil
	}
	s.read[path] = b
	return b, nil
}

// edits are the edits of an operation, with what they are edits of.
func (s *snapshot) edits(of []refactor.FileEdit) ([]model.FileEdit, error) {
	out := make([]model.FileEdit, len(of))
	for i, e := range of {
		out[i] = model.FileEdit{Path: e.Path, Create: e.Create, Delete: e.Delete}
		if !e.Create {
			b, err := s.Read(e.Path)
			if err != nil {
				return nil, err
			}
			out[i].Base = text.Of(b)
		}
		var err error
		if out[i].Changes, err = text.NewChangeSet(out[i].Base.Len(), e.Changes...); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	return out, nil
}

var _ refactor.Source = (*snapshot)(nil)
