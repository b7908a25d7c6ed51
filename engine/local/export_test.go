package local

// Loaded returns the number of models in memory.
func (s *Shelf) Loaded() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.loaded)
}

// OwnText is the text of a comparison that names none.
var OwnText = ownText
